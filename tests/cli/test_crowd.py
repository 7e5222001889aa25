"""Many processes at one queue: those who write at once, and those who look while others write."""

from pathlib import Path

import pytest

from gitsched.domain.ids import STATE_REF
from gitsched.domain.state import Draft, RefMove
from tests.cli.calling import Project
from tests.real_git import Git, run_git
from tests.store.rivals import beside, move_between_two_refs, race, wait_for
from tests.store.verbs import enqueue, opened, raise_priority

TEMPORARY = 75
CALLS = 20


@pytest.mark.parametrize("count", [12, pytest.param(100, marks=pytest.mark.long)])
@pytest.mark.timeout(300)
def test_a_crowd_enqueues_at_once(project: Project, git: Git, count: int) -> None:
    """S-01: each call exits 0, or 75 and 0 when called again; every issue has one row, and the history no fork."""
    numbers = project.issues(count)

    def act(number: int) -> list[int]:
        codes = [project("enqueue", numbers[number]).code]
        while codes[-1] == TEMPORARY and len(codes) < CALLS:
            codes.append(project("enqueue", numbers[number]).code)
        return codes

    for codes in race(count, act):
        assert (set(codes[:-1]) | {TEMPORARY}, codes[-1]) == ({TEMPORARY}, 0)
    assert sorted(entry["issue"] for entry in project("status", "--json").document["entries"]) == numbers
    assert git(project.repo, "rev-list", "--min-parents=2", STATE_REF) == ""
    enqueued = [line["issue"] for line in project("log", "--json").lines if line["event"] == "enqueued"]
    assert sorted(enqueued) == numbers
    assert project("fsck").code == 0


def both(draft: Draft) -> None:
    """Change two entries at once."""
    raise_priority(1)(draft)
    raise_priority(2)(draft)


def priorities(project: Project, words: str) -> set[int]:
    """Read the priorities of both entries out of what a verb shows of one moment."""
    shown = project(*words.split(), "--json")
    assert shown.code == 0, shown.err
    if words == "log":
        raised = [line["issue"] for line in shown.lines if line["event"] == "reprioritized"]
        return {raised.count(1), raised.count(2)}
    if words == "show 1":
        return {shown.document["entry"]["priority"]}
    rows = shown.document.get("entries", [])
    return {row["priority"] for row in rows if row["issue"] in {1, 2} and "priority" in row}


def unreachable(project: Project) -> str:
    """List the objects that no ref leads to."""
    return run_git(project.repo, "fsck", "--unreachable", "--no-progress")


def test_who_looks_beside_a_busy_writer_sees_one_state_and_writes_nothing(project: Project, tmp_path: Path) -> None:
    """S-07: status, plan, why, log and show, each called again and again while two records change together."""
    project.issues(2)
    assert project("enqueue", 1, 2).code == 0
    before, loose, enough = project.refs(), unreachable(project), tmp_path / "enough"

    def write_on() -> None:
        store = opened(project.repo)
        while not enough.exists():
            store.apply(both)

    with beside(write_on) as writer:
        seen = set[int]()
        while len(seen) < 8:
            for words in ("status", "plan", "why 1", "log", "show 1"):
                found = priorities(project, words)
                assert len(found) <= 1, words
                seen |= found
        enough.touch()
        writer.join(20)
    assert project.refs().keys() == before.keys()
    actors = run_git(project.repo, "log", "--format=%cn <%ce>", f"{before[STATE_REF]}..{STATE_REF}")
    assert set(actors.splitlines()) == {"gitsched <d1@gitsched>"}
    assert unreachable(project) == loose, "only the writer wrote objects"


def test_who_looks_finishes_nothing_for_a_dead_writer(project: Project, tmp_path: Path) -> None:
    """S-07: a writer was killed between two refs; whoever only looks leaves that to the next who writes."""
    project.issues(3)
    assert project("enqueue", 1, 2).code == 0
    head, branch, reached = run_git(project.repo, "rev-parse", "HEAD"), "refs/heads/gitsched/b1/x", tmp_path / "reached"

    def intent(draft: Draft) -> None:
        enqueue(9)(draft)
        draft.moves.append(RefMove(branch, None, head))

    with beside(lambda: move_between_two_refs(opened(project.repo), intent, reached)) as one:
        wait_for(reached, one)
    before, files = project.refs(), sorted(project.repo.rglob(".git/refs/**/*"))
    for words in ("status", "plan", "why 1", "log", "show 1"):
        assert project(*words.split()).code == 0
    assert (project.refs(), sorted(project.repo.rglob(".git/refs/**/*"))) == (before, files)
    assert project("enqueue", 3).code == 0
    assert project.refs()[branch] == head
