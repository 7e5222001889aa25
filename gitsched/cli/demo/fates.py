"""Fates: what each issue of the demo must come to, and how that is found out afterwards."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from gitsched.cli.demo.leftovers import processes_on, worktrees_of
from gitsched.cli.demo.stage import Stage

BATCH: Final = tuple(range(1, 11))
SOLO: Final = 11
SHIPPED: Final = (1, 2, 5, 7, 9, 10)
"""Of the batch, in the order in which they land."""

Status = Mapping[str, Any]


class Fate(NamedTuple):
    """How a member that does not ship leaves its batch."""

    kind: str
    reason: str
    evidence: tuple[str, ...] = ()
    """What must be named: failing tests, or paths in conflict."""
    method: str = "none"


LEFT: Final = {
    3: Fate("evicted", "suite-failed", ("test_the_total_stands_last",), "pair"),
    4: Fate("evicted", "landing-conflict", ("shop/price.py",)),
    6: Fate("evicted", "gate-failed:unit", ("test_a_typed_price_is_read_to_the_cent",), "gate"),
    8: Fate("handed-back", "no exchange rate is named, and the shop has none to take it from"),
}


def fates_of(stage: Stage, status: Status) -> dict[int, Fate]:
    """Read who left the batch and why, by issue."""
    conflicts = _conflicts(stage)
    return {
        left["issue"]: Fate(
            left["kind"], left["reason"], tuple(left["failing"]) or conflicts.get(left["issue"], ()), left["method"]
        )
        for batch in status["batches"]
        for left in batch["evictions"]
    }


def _conflicts(stage: Stage) -> dict[int, tuple[str, ...]]:
    lines = stage.json_lines("log", "b1")
    return {line["issue"]: tuple(line["paths"]) for line in lines if line["event"] == "landing-conflict"}


def differences(stage: Stage, base: str, code: int) -> Iterator[str]:
    """Say, a sentence each, what is not as it should be; `base` is the first commit, `code` the run's exit code."""
    status = stage.ask("status", "--all")
    if code != 1:
        yield f"`gitsched run` ended with {code}; where something was evicted it ends with 1"
    yield from _statuses(status)
    yield from _departures(fates_of(stage, status))
    yield from _history(stage, base)
    yield from _content(stage, base)
    yield from _leftovers(stage, status)


def _statuses(status: Status) -> Iterator[str]:
    for batch in status["batches"]:
        if batch["status"] != "done":
            yield f"batch {batch['id']} is {batch['status']}: {batch['reason']}"
    members = {member["issue"]: member["status"] for batch in status["batches"] for member in batch["members"]}
    entries = {entry["issue"]: entry["status"] for entry in status["entries"]}
    for issue in (*BATCH, SOLO):
        left = LEFT.get(issue)
        wanted = ("parked", left.kind) if left is not None else ("done", "shipped")
        found = (entries.get(issue), members.get(issue))
        if found != wanted:
            yield f"issue {issue} should be {wanted[0]} and its member {wanted[1]}, and they are {found}"


def _departures(found: Mapping[int, Fate]) -> Iterator[str]:
    for issue in sorted(LEFT.keys() | found.keys()):
        wanted, is_so = LEFT.get(issue), found.get(issue)
        if wanted is None or is_so is None:
            yield f"issue {issue} should have {'left' if wanted else 'stayed'}"
            continue
        if wanted._replace(evidence=()) != is_so._replace(evidence=()):
            yield f"issue {issue} should have left as {wanted}, and it left as {is_so}"
        named = " ".join(is_so.evidence)
        yield from (f"issue {issue} left without naming {name}" for name in wanted.evidence if name not in named)


def _history(stage: Stage, base: str) -> Iterator[str]:
    """Check that the target was moved forward only, over every issue's commits in order."""
    if stage.git("merge-base", base, "main") != base:
        yield "the target does not stand on the commit it began from"
    subjects = stage.git("log", "--reverse", "--format=%s", f"{base}..main").splitlines()
    wanted = [
        f"{patch.read_text(encoding='utf-8').partition(chr(10))[0].removeprefix('Subject: ')} (#{issue})"
        for issue in (*SHIPPED, SOLO)
        for patch in stage.patches(issue)
    ]
    if subjects != wanted:
        yield f"the target should hold {wanted}, and it holds {subjects}"
    if stage.git("log", "--merges", "--format=%h", "main"):
        yield "the target holds a merge commit"
    if stage.git("status", "--porcelain"):
        yield "the checkout of the target is not clean"


def _content(stage: Stage, base: str) -> Iterator[str]:
    """Put the shipped patches on the first commit by git alone, and compare the trees."""
    elsewhere = stage.scratch / "expected"
    stage.git("clone", "--quiet", "--no-checkout", str(stage.repo), str(elsewhere))
    stage.git("checkout", "--quiet", "--detach", base, directory=elsewhere)
    for issue in (*SHIPPED, SOLO):
        for patch in stage.patches(issue):
            stage.git("apply", "--index", str(patch), directory=elsewhere)
    if stage.git("write-tree", directory=elsewhere) != stage.git("rev-parse", "main^{tree}"):
        yield "the target's files are not the first commit's with the shipped changes alone"


def _leftovers(stage: Stage, status: Status) -> Iterator[str]:
    if status["slots"]["live"]:
        yield f"{status['slots']['live']} slots are still taken"
    yield from (f"driver {driver['id']} is still registered" for driver in status["drivers"])
    yield from (f"the worktree {tree} is left" for tree in worktrees_of(stage))
    yield from (f"the process {process.pid} is left" for process in processes_on(stage))
