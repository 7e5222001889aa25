"""`fsck` on real repositories: one class of damage after the other, each named, and mended where it can be."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from gitsched.domain.events import EventName
from gitsched.domain.ids import (
    BATCH_NOTES,
    KEEP_REF,
    LANDING_NOTES,
    STATE_REF,
    VERDICT_NOTES,
    evidence_ref,
    run_ref,
)
from gitsched.domain.integrity import Finding
from gitsched.domain.words import EntryStatus
from gitsched.engine.hygiene.fsck import findings_of
from gitsched.engine.hygiene.mending import mend_all
from gitsched.wiring.clone import Clone
from tests.engine.drive import Driving, until
from tests.engine.world import World
from tests.real_git import run_git


@pytest.fixture
def shipped(world: World) -> World:
    """Give a world in which 1 has shipped, and 2 was evicted and waits on its branch."""
    world.configure(GATE)
    world.issues(1, 2)
    world.agent(1)
    world.agent(2, "echo no > broken")
    world.enqueue(1, 2)
    world.run()
    assert (world.entry(1).status, world.entry(2).status) == (EntryStatus.DONE, EntryStatus.PARKED)
    return world


GATE = """
[[gates]]
name = "unit"
run = ["sh", "-c", "test ! -e broken"]
evidence = "exit"
"""


def found(world: World) -> list[Finding]:
    return list(findings_of(Clone(world.repo).premises()))


def codes(world: World) -> list[str]:
    return sorted({finding.code for finding in found(world)})


def mend(world: World) -> None:
    around = Clone(world.repo).premises()
    mend_all(findings_of(around), around, "ada")


def by_hand(world: World, *commands: str) -> None:
    """Rewrite the state with git alone, in a commit that carries no event."""
    parent = run_git(world.repo, "rev-parse", STATE_REF)
    stream = f"commit {STATE_REF}\ncommitter a <a@b> 0 +0000\ndata 7\nby hand\nfrom {parent}\n" + "\n".join(commands)
    run_git(world.repo, "fast-import", "--quiet", stdin=stream + "\n")


def record(world: World, path: str, old: str, new: str) -> str:
    """Give a fast-import command that replaces some text of a record."""
    text = run_git(world.repo, "show", f"{STATE_REF}:{path}")
    assert old in text
    changed = text.replace(old, new) + "\n"
    return f"M 100644 inline {path}\ndata {len(changed.encode())}\n{changed}"


def test_a_record_changed_without_an_event_is_named(shipped: World) -> None:
    """S-16: a tree edited by hand without an event is named, with its path and commit; that is nothing to mend."""
    assert found(shipped) == []
    before = run_git(shipped.repo, "rev-parse", STATE_REF)
    by_hand(shipped, record(shipped, "queue/01/1", '"status":"done"', '"status":"queued"'))
    hand = run_git(shipped.repo, "rev-parse", STATE_REF)
    findings = found(shipped)
    assert [(one.code, one.unit, one.mend) for one in findings] == [
        ("journal-unclaimed", "queue/01/1", None),
        ("journal-differs", "queue/01/1", None),
    ]
    assert hand in findings[0].message
    run_git(shipped.repo, "update-ref", STATE_REF, before)


def test_an_edge_that_no_table_has_is_named(shipped: World) -> None:
    before = run_git(shipped.repo, "rev-parse", STATE_REF)
    event = (
        'Event: {"at":"2026-01-01T00:00:00.000Z","event":"suite-passed","sentence":"x",'
        '"claims":{"queue/01/1":{"status":"queued"}}}'
    )
    message = f"x\n\n{event}\n"
    change = record(shipped, "queue/01/1", '"status":"done"', '"status":"queued"')
    stream = f"commit {STATE_REF}\ncommitter a <a@b> 0 +0000\ndata {len(message)}\n{message}from {before}\n{change}\n"
    run_git(shipped.repo, "fast-import", "--quiet", stdin=stream)
    findings = found(shipped)
    assert [(one.code, one.unit) for one in findings] == [("journal-edge", "queue/01/1")]
    assert "'done → queued'" in findings[0].message
    run_git(shipped.repo, "update-ref", STATE_REF, before)


def test_a_record_that_does_not_decode_is_named_once(shipped: World) -> None:
    before = run_git(shipped.repo, "rev-parse", STATE_REF)
    by_hand(shipped, "M 100644 inline batches/b1/batch\ndata 7\ngarbage\n")
    assert codes(shipped) == ["journal-unclaimed", "record-unreadable"]
    assert {one.unit for one in found(shipped)} == {"batches/b1/batch"}
    run_git(shipped.repo, "update-ref", STATE_REF, before)


def test_a_branch_deleted_by_hand_comes_back_where_its_head_is_on_record(shipped: World) -> None:
    """S-25 (branch): the branch of parked work is named with whom it belongs to, and made again at its head."""
    branch = shipped.entry(2).branch
    assert branch is not None
    head = run_git(shipped.repo, "rev-parse", branch)
    run_git(shipped.repo, "branch", "-D", branch)
    assert [(one.code, one.unit) for one in found(shipped)] == [("branch-missing", "issue 2")]
    mend(shipped)
    assert run_git(shipped.repo, "rev-parse", branch) == head
    assert found(shipped) == []
    assert shipped.told(EventName.MENDED)[0].fields["codes"] == ["branch-missing"]


def test_a_lost_keep_chain_is_tied_again(shipped: World) -> None:
    """What records name and nothing holds is named; mended, no garbage collection takes it."""
    run_git(shipped.repo, "update-ref", "-d", KEEP_REF)
    assert codes(shipped) == ["commit-unkept"]
    mend(shipped)
    run_git(shipped.repo, "reflog", "expire", "--expire=now", "--all")
    run_git(shipped.repo, "gc", "-q", "--prune=now")
    assert found(shipped) == []


def test_a_commit_that_is_gone_for_good_is_named_and_left(shipped: World, tmp_path: Path) -> None:
    beside = tmp_path / "beside"
    run_git(tmp_path, "clone", "-q", "--mirror", shipped.repo, beside)
    run_git(shipped.repo, "update-ref", "-d", KEEP_REF)
    run_git(shipped.repo, "reflog", "expire", "--expire=now", "--all")
    run_git(shipped.repo, "gc", "-q", "--prune=now")
    findings = found(shipped)
    assert {one.code for one in findings} == {"commit-missing"}
    mend(shipped)
    assert found(shipped) == findings
    run_git(shipped.repo, "fetch", "-q", beside, f"{KEEP_REF}:{KEEP_REF}")
    assert found(shipped) == []


def test_deleted_notes_are_rebuilt(shipped: World) -> None:
    """S-32: with all notes deleted fsck names each, and writes verdicts, landings and batches anew from the state."""
    refs = (VERDICT_NOTES, LANDING_NOTES, BATCH_NOTES)
    before = {ref: run_git(shipped.repo, "notes", f"--ref={ref}", "list") for ref in refs}
    texts = {ref: shown_notes(shipped.repo, ref) for ref in (VERDICT_NOTES,)}
    for ref in refs:
        run_git(shipped.repo, "update-ref", "-d", ref)
    assert codes(shipped) == ["note-missing"]
    mend(shipped)
    assert found(shipped) == []
    after = {ref: run_git(shipped.repo, "notes", f"--ref={ref}", "list") for ref in refs}
    assert {ref: len(told.splitlines()) for ref, told in after.items()} == {
        ref: len(told.splitlines()) for ref, told in before.items()
    }
    assert {ref: shown_notes(shipped.repo, ref) for ref in (VERDICT_NOTES,)} == texts


def shown_notes(repo: Path, ref: str) -> list[str]:
    targets = [line.split()[1] for line in run_git(repo, "notes", f"--ref={ref}", "list").splitlines()]
    return [run_git(repo, "notes", f"--ref={ref}", "show", target) for target in sorted(targets)]


def test_notes_that_lie_or_hang_in_the_air_are_set_right(shipped: World) -> None:
    """S-25 (note): a note on a missing object is removed, one that says something else is written anew."""
    tree = run_git(shipped.repo, "notes", f"--ref={VERDICT_NOTES}", "list").split()[1]
    run_git(shipped.repo, "notes", f"--ref={VERDICT_NOTES}", "add", "-f", "-m", "all is well", tree)
    tip = run_git(shipped.repo, "rev-parse", LANDING_NOTES)
    gone = "12" + "3" * 38
    stream = (
        f"commit {LANDING_NOTES}\ncommitter a <a@b> 0 +0000\ndata 1\nx\nfrom {tip}\n"
        f"M 100644 inline {gone[:2]}/{gone[2:]}\ndata 2\nhi\n"
    )
    run_git(shipped.repo, "fast-import", "--quiet", stdin=stream)
    assert {(one.code, one.unit) for one in found(shipped)} == {
        ("note-differs", f"tree {tree}"),
        ("note-on-missing", gone),
    }
    mend(shipped)
    assert found(shipped) == []


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ("M 100644 inline {file}\ndata 3\nno\n", "not what the manifest says"),
        ("D {file}\n", "gone"),
        ("M 100644 inline more\ndata 3\nno\n", "does not list"),
        ("D manifest.json\n", "not there"),
        ("M 100644 inline manifest.json\ndata 3\nno\n", "does not decode"),
    ],
)
def test_evidence_that_was_tampered_with_is_named(shipped: World, change: str, what: str) -> None:
    ref = evidence_ref("b1")
    tip, files = run_git(shipped.repo, "rev-parse", ref), run_git(shipped.repo, "ls-tree", "-r", "--name-only", ref)
    file = next(name for name in files.splitlines() if name.endswith("log"))
    stream = f"commit {ref}\ncommitter a <a@b> 0 +0000\ndata 1\nx\nfrom {tip}\n{change.format(file=file)}"
    run_git(shipped.repo, "fast-import", "--quiet", stdin=stream)
    findings = found(shipped)
    assert {(one.code, one.unit, one.mend) for one in findings} == {("evidence-damaged", "b1", None)}
    assert all(what in one.message for one in findings)
    run_git(shipped.repo, "update-ref", ref, tip)


def test_locks_of_the_dead_are_moved_aside_and_those_of_the_living_stay(shipped: World) -> None:
    common = shipped.repo / ".git"
    dead, young = common / f"{STATE_REF}.lock", common / "refs/heads/gitsched/x.lock"
    packed, held = common / "packed-refs.lock", common / f"{KEEP_REF}.lock"
    young.parent.mkdir(parents=True, exist_ok=True)
    for lock in (dead, young, packed, held):
        lock.touch()
    for lock in (dead, packed, held):
        os.utime(lock, (0, 0))
    with held.open("a"):
        assert {(one.code, one.unit) for one in found(shipped)} == {
            ("lock-stale", STATE_REF),
            ("lock-stale", "packed-refs"),
        }
        mend(shipped)
        assert found(shipped) == []
        assert (dead.exists(), packed.exists(), young.exists(), held.exists()) == (False, False, True, True)
    young.unlink()
    held.unlink()


def test_a_worktree_of_nobody_is_removed_unless_work_is_in_it(shipped: World) -> None:
    trees = Clone(shipped.repo).trees
    clean = trees.acquire("b7/7/0", run_git(shipped.repo, "rev-parse", "main"), None)
    dirty = trees.acquire("b8/8/0", run_git(shipped.repo, "rev-parse", "main"), None)
    (dirty.path / "new.txt").write_text("mine")  # type: ignore[union-attr]
    told = {one.unit: one.mend is None for one in found(shipped)}
    assert told == {"b7/7/0": False, "b8/8/0": True}
    mend(shipped)
    assert [(one.code, one.unit) for one in found(shipped)] == [("worktree-orphan", "b8/8/0")]
    assert not clean.path.exists()  # type: ignore[union-attr]
    (dirty.path / "new.txt").unlink()  # type: ignore[union-attr]
    mend(shipped)


def test_a_lease_without_a_run_ref_is_named(world: World, drive: Callable[[], Driving]) -> None:
    """S-25 (lease): a lease whose run ref is gone is named with what it belongs to, and left to the next pass."""
    gate = world.barrier("gate")
    world.issue(1)
    world.agent(1, f"read -r _ < {gate}")
    world.enqueue(1)
    driving = drive()
    until(world.repo, lambda: world.started() == ["1 0"])
    driving.kill()
    batch = next(iter(world.state.batches))
    ref = run_ref(batch, "1")
    at = run_git(world.repo, "rev-parse", ref)
    run_git(world.repo, "update-ref", "-d", ref)
    findings = [(one.code, one.unit, one.mend) for one in found(world)]
    run_git(world.repo, "update-ref", ref, at)
    assert findings == [("lease-without-run", f"issue 1 of {batch}", None)]
    assert found(world) == []
    gate.open()
    world.run()


def test_a_run_ref_of_nobody_is_deleted(shipped: World) -> None:
    Clone(shipped.repo).runner.fence("b9", "9", 2)
    assert [(one.code, one.unit) for one in found(shipped)] == [("run-orphan", run_ref("b9", "9"))]
    mend(shipped)
    assert found(shipped) == []
