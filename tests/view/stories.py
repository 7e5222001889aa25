"""Stories of batches for tests: each builder gives a valid value, a test changes what matters."""

from typing import Any

from msgspec.structs import replace

from gitsched.domain.ids import integration_branch
from gitsched.domain.records import Batch, Exit, GateResult, Integration, Member, SuiteRun
from gitsched.domain.story import BatchStory, CommitStory, MemberStory
from gitsched.domain.words import BatchKind, BatchStatus, MemberStatus, Method

TREE, HEAD = "7" * 40, "a" * 40


def a_member(issue: int, status: MemberStatus = MemberStatus.LANDED, **fields: Any) -> Member:
    member = Member(batch="b1", issue=issue, index=issue - 2, title=f"Title {issue}", status=status, gen=0)
    return replace(member, **{"branch": f"gitsched/b1/m{issue - 2}-i{issue}", **fields})


def a_story_of(issue: int, message: str = "Work", **fields: Any) -> MemberStory:
    commit = CommitStory(oid=f"{issue:040x}", message=message)
    return MemberStory(member=a_member(issue, **fields), commits=(commit,))


def an_exit(issue: int, kind: str = "evicted", **fields: Any) -> Exit:
    return Exit(batch="b1", issue=issue, kind=kind, **{"reason": "suite-failed", **fields})


def a_run(verdict: str = "passed", **fields: Any) -> SuiteRun:
    return SuiteRun(verdict=verdict, tree=TREE, commit=HEAD, **fields)


def a_gate(verdict: str = "passed", **fields: Any) -> GateResult:
    return GateResult(verdict=verdict, **fields)


def a_batch(**fields: Any) -> Batch:
    batch = Batch(
        id="b1",
        kind=BatchKind.BATCH,
        status=BatchStatus.SHIPPING,
        target="main",
        integration=Integration(branch=integration_branch("b1"), head=HEAD),
        suite=(a_run(),),
    )
    return replace(batch, **fields)


def a_story(*members: MemberStory, **fields: Any) -> BatchStory:
    own = {name: fields.pop(name) for name in list(fields) if name in BatchStory.__struct_fields__}
    return BatchStory(batch=a_batch(**fields), members=members, **{"gates": ("unit",), **own})


def g_01() -> BatchStory:
    """Give b1 = [3, 4, 5, 6] of which 5 was evicted and 6 handed back."""
    evicted = an_exit(5, method=Method.BISECT, failing=("tests/test_cart.py::test_sum",), branch="gitsched/b1/m3-i5")
    handed = an_exit(6, "handed-back", reason="needs-decision", branch="gitsched/b1/m4-i6")
    return a_story(
        a_story_of(3, gates={"unit": a_gate()}),
        a_story_of(4, gates={"unit": a_gate(cached=True)}),
        MemberStory(member=a_member(5, MemberStatus.EVICTED)),
        MemberStory(member=a_member(6, MemberStatus.HANDED_BACK), summary="Which of the two?"),
        evictions=(evicted, handed),
    )
