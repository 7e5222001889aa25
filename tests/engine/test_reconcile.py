"""Work that reached the target by other means than the batch's own merge."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from gitsched.domain.effects import Merge
from gitsched.domain.forge import PullRequestView
from gitsched.domain.state import Draft
from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus, PullRequestState
from gitsched.engine.blocking import block
from gitsched.engine.intake.attaching import AttachRequest, attach
from gitsched.engine.perform.table import perform
from gitsched.wiring.clone import Clone
from gitsched.wiring.operator import desk_of
from tests.engine.relay import Call, Relay
from tests.engine.world import PERSON, World
from tests.real_git import run_git

TEMPLATE = PullRequestView(
    number=0, title="By hand", body="", state=PullRequestState.OPEN, source="", target="", head=""
)
BROKEN = '[suite]\nrun = ["sh", "no-such-suite.sh"]\n'


def blocked(world: World, *issues: int) -> None:
    """Bring a batch to where its members have landed and its suite cannot run."""
    world.configure(suite=BROKEN)
    world.issues(*issues)
    world.agents(*issues)
    world.enqueue(*issues, batch="b1")
    world.run()
    assert world.batch().status is BatchStatus.BLOCKED


def test_v_44_work_that_a_person_brought_into_the_target_is_found(world: World) -> None:
    """V-44: cherry-picked by hand: merged by proof, its members done; another tick changes nothing."""
    blocked(world, 1, 2)
    world.tick()
    assert world.batch().status is BatchStatus.BLOCKED, "nothing has happened yet"
    (world.repo / "other.txt").write_text("mine\n")
    world.commit("Mine")
    run_git(world.repo, "cherry-pick", f"{world.batch().base}..gitsched/b1/integration")
    world.run()
    assert world.batch().status is BatchStatus.DONE
    assert [world.entry(n).status for n in (1, 2)] == [EntryStatus.DONE] * 2
    (told,) = world.told("merge-accepted")
    assert told.fields["proof"] == "the target holds every patch"
    tip = world.clone.store.tip
    world.tick()
    assert world.batch().status is BatchStatus.DONE
    assert [event for event in world.events() if event[0] == "merge-accepted"] == [("merge-accepted", None)]
    assert tip is not None
    assert not world.forge_issue(1).is_open


def test_v_44_with_one_member_never_started_it_stays_blocked(world: World) -> None:
    """V-44: what is left is not merged by anybody; and half of the work in the target proves nothing."""
    world.issues(1, 2)
    world.agents(1, 2)
    world.enqueue(1, 2)
    world.hold(2)
    world.run()
    run_git(world.repo, "merge", "-q", "--ff-only", "gitsched/b1/integration")
    world.run()
    assert (world.batch().status, world.batch().reason) == (BatchStatus.BLOCKED, "held:operator")
    assert world.member(1).status is MemberStatus.LANDED


def blocks(reason: str) -> Callable[[Draft], None]:
    """Block b1."""
    return lambda draft: block(draft, "b1", reason)


def attach_pr(world: World, number: int, **seen: object) -> None:
    """Attach a pull request to b1, as a person does; the forge shows it with `seen` in the place of what is so."""
    clone = Clone(world.repo)

    def pull_request(real: Call, asked: int) -> PullRequestView | None:
        found = real(asked)
        return None if found is None else replace(found, **seen)

    forge = Relay(clone.forge, pull_request=pull_request)
    attach(clone.store, forge, AttachRequest("b1", f"#{number}"), PERSON)


def request_by_hand(world: World, source: str, target: str = "main", *, merged: bool = True) -> int:
    """Open a pull request by hand, and merge it or not."""
    forge = Clone(world.repo).forge
    head = run_git(world.repo, "rev-parse", source)
    made = forge.open_pull_request(
        replace(TEMPLATE, source=source, target=target, head=head), f"by-hand-{source}-{target}"
    )
    if merged:
        run_git(world.repo, "update-ref", f"refs/heads/{target}", head)
        forge._record_merge(made.number, head)
    return made.number


def test_v_45_only_the_request_that_shipped_the_batch_is_attached(world: World) -> None:
    """V-45: a fork's, another base, another head, unmerged, older, none: refused, nothing is written.

    The right one is recorded, and the batch goes on.
    """
    run_git(world.repo, "branch", "elsewhere")
    (world.repo / "early.txt").write_text("early\n")
    world.commit("Early")
    early = request_by_hand(world, "main", "elsewhere")
    blocked(world, 2)
    run_git(world.repo, "checkout", "-q", "--detach")
    foreign = run_git(world.repo, "commit-tree", "-p", "main", "-m", "Other", "main^{tree}")
    run_git(world.repo, "branch", "other", foreign)
    before = run_git(world.repo, "rev-parse", "refs/gitsched/state")
    for number, words in (
        (early, "merged into 'elsewhere'"),
        (request_by_hand(world, "other"), "Its head is"),
        (request_by_hand(world, "gitsched/b1/integration", merged=False), "not merged"),
        (999, "no such pull request"),
    ):
        assert words in world.refusal(lambda number=number: attach_pr(world, number))  # type: ignore[misc]
    right = request_by_hand(world, "gitsched/b1/integration")
    for seen, words in (
        ({"is_from_fork": True}, "It comes from a fork"),
        ({"created_at": "2001-01-01T00:00:00.000Z"}, "opened before b1"),
    ):
        assert words in world.refusal(lambda seen=seen: attach_pr(world, right, **seen))  # type: ignore[misc]
    assert run_git(world.repo, "rev-parse", "refs/gitsched/state") == before
    attach_pr(world, right)
    assert world.batch().status is BatchStatus.MERGED
    assert world.batch().pr is not None
    assert "not blocked" in world.refusal(lambda: attach_pr(world, right))
    world.run()
    assert world.entry(2).status is EntryStatus.DONE


def test_v_45_a_batch_with_work_to_do_takes_no_request(world: World) -> None:
    """V-45: what has not landed cannot have shipped."""
    world.issues(1)
    world.agents(1)
    world.enqueue(1, batch="b1", leave_open=False)
    world.hold(1)
    world.run()
    Clone(world.repo).store.apply(blocks("landing-failed"))
    assert "Issue 1 of b1 is waiting" in world.refusal(lambda: attach_pr(world, 9))


@pytest.mark.parametrize("verb", ["stop", "abandon"])
def test_the_request_of_a_batch_that_is_over_is_closed(world: World, verb: str) -> None:
    """With the reason in a comment; it is told once."""
    world.configure('[ship]\nmerge = "manual"\n')
    world.issues(1)
    world.agents(1)
    world.enqueue(1, batch="b1")
    world.run()
    number = world.request().number
    if verb == "abandon":
        Clone(world.repo).store.apply(blocks("pr-watch-failed"))
        world.abandon(keep=True)
    else:
        world.stop("b1")
    world.run()
    world.run()
    assert world.request().state is PullRequestState.CLOSED
    assert len(world.events("pr-closed")) == 1
    told = Clone(world.repo).forge.comments(number)
    assert any("nobody watches this pull request" in comment.body for comment in told)


def test_the_request_of_a_batch_that_a_rebase_emptied_is_closed(world: World) -> None:
    """Its only member conflicts with what the target got: it leaves, the batch is given up, the request is closed."""
    world.configure('[ship]\nmerge = "manual"\n[land]\nconflict = "evict"\n')
    (world.repo / "app.py").write_text("total = 0\n")
    world.commit("Begin")
    world.issues(1)
    world.agent(1, "echo 'total = 1' > app.py")
    world.enqueue(1, batch="b1")
    world.run()
    (world.repo / "app.py").write_text("total = 9\n")
    world.commit("Mine")
    with desk_of(Clone(world.repo)) as desk:
        perform(Merge("b1"), desk)
    world.run()
    assert (world.batch().status, world.batch().reason) == (BatchStatus.DISSOLVED, "no-landed-members")
    assert world.request().state is PullRequestState.CLOSED
    assert len(world.events("pr-closed")) == 1
