"""What the store bears: garbage collection, broken records, newer formats, a full disk, a cold start."""

# over-length: one store, told whole: what it survives, one case after the other

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from gitsched.adapters.store.store import GitStore
from gitsched.domain.events import EventName
from gitsched.domain.ids import KEEP_REF, STATE_REF, VERDICT_NOTES
from gitsched.domain.records import Batch, Control
from gitsched.domain.state import Draft, Note
from gitsched.errors import BusyError, FormatError, InternalError, RecordUnreadableError, StorageFullError
from tests.real_git import Git
from tests.store.rivals import beside, wait_for
from tests.store.verbs import applied, begun, enqueue, form, git_fsck, opened, raise_priority


def overwrite(repo: Path, git: Git, path: str, content: str) -> str:
    """Overwrite a record with git alone and name its blob."""
    blob = git(repo, "hash-object", "-w", "--stdin", stdin=content)
    stream = f"commit refs/scratch\ncommitter a <a@b> 0 +0000\ndata 0\nfrom {STATE_REF}\nM 100644 {blob} {path}\n"
    git(repo, "fast-import", "--quiet", "--force", stdin=stream)
    git(repo, "update-ref", STATE_REF, "refs/scratch")
    git(repo, "update-ref", "-d", "refs/scratch")
    return blob


def archived(store: GitStore, number: int) -> None:
    """Keep a log; called again where the collector was in the way."""
    try:
        store.keep_evidence("b1", {f"{number}/log": b"log %d\n" % number}, "Kept a log.")
    except BusyError:
        archived(store, number)


def worked(repo: Path, number: int) -> str:
    """Make a commit as an agent does; git itself loses the race against its collector now and then."""
    while True:
        made = subprocess.run(
            ["git", "-C", repo, "commit-tree", "-p", "HEAD", "-m", f"work {number}", "HEAD^{tree}"],
            capture_output=True,
            check=False,
        )
        if made.returncode == 0:
            return made.stdout.decode().strip()


def everything(repo: Path, git: Git) -> tuple[str, str]:
    """List all refs and all objects: what a reading verb may not change."""
    return git(repo, "for-each-ref"), git(repo, "cat-file", "--batch-all-objects", "--batch-check")


def test_a_broken_record_stands_alone(store: GitStore, repo: Path, git: Git) -> None:
    """S-23: b2 is named with what is wrong, b1 goes on, and the bad blob stays as it is."""
    store.apply(enqueue(1, 2))
    store.apply(form("b1", 1))
    store.apply(form("b2", 2))
    blob = overwrite(repo, git, "batches/b2/batch", "garbage")
    for reader in (store, opened(repo)):
        state = reader.read()
        assert list(state.batches) == ["b1"]
        assert list(state.unreadable) == ["batches/b2/batch"]
        assert "malformed" in state.unreadable["batches/b2/batch"]
    applied(store.apply(raise_priority(1)))
    assert git(repo, "rev-parse", f"{STATE_REF}:batches/b2/batch") == blob
    with pytest.raises(RecordUnreadableError, match=blob):
        store.apply(lambda draft: draft.note(EventName.BATCH_FORMED, "x", _batch_named(draft, "b2")))
    overwrite(repo, git, "batches/b2/batch", git(repo, "show", f"{STATE_REF}~2:batches/b2/batch"))
    assert (sorted(store.read().batches), dict(store.read().unreadable)) == (["b1", "b2"], {})


def _batch_named(draft: Draft, name: str) -> Batch:
    return replace(draft.state.batches["b1"], id=name)


def test_a_blob_that_is_not_whole_stands_alone(store: GitStore, repo: Path, git: Git) -> None:
    """S-23 (disk): a record whose object file is damaged is held like any other that cannot be read."""
    store.apply(enqueue(1, 2))
    blob = git(repo, "rev-parse", f"{STATE_REF}:queue/02/2")
    file = repo / ".git/objects" / blob[:2] / blob[2:]
    file.chmod(0o644)
    file.write_bytes(b"garbage")
    state = opened(repo).read()
    assert (list(state.entries), list(state.unreadable)) == ([1], ["queue/02/2"])
    assert blob in state.unreadable["queue/02/2"]


def test_a_broken_control_record_pauses_everything(store: GitStore, repo: Path, git: Git) -> None:
    store.apply(enqueue(1))
    overwrite(repo, git, "control", "{}garbage")
    control = store.read().control
    assert (control.paused, control.pause_reason) == (True, "record-unreadable")
    overwrite(repo, git, "format", "garbage")
    with pytest.raises(RecordUnreadableError):
        store.read()


def test_a_newer_format_is_refused_and_nothing_is_written(store: GitStore, repo: Path, git: Git) -> None:
    """S-24: every read and every write says which version is needed."""
    store.apply(enqueue(1))
    told = git(repo, "show", f"{STATE_REF}:format")
    overwrite(repo, git, "format", told.replace('"format":1', '"format":2,"needs":"7.1.0"'))
    before = everything(repo, git)
    for reader in (store, opened(repo)):
        with pytest.raises(FormatError, match=r"gitsched >= 7\.1\.0") as refused:
            reader.read()
        assert refused.value.exit_code == 2
        with pytest.raises(FormatError):
            reader.apply(enqueue(2))
    with pytest.raises(FormatError):
        opened(repo).initialise(Control())
    assert everything(repo, git) == before


def test_another_stores_chain_is_refused(store: GitStore, repo: Path, tmp_path: Path, git: Git) -> None:
    store.apply(enqueue(1))
    own = store.read().format.store
    git(tmp_path, "init", "-q", "other")
    other = begun(tmp_path / "other")
    git(repo, "fetch", "-q", tmp_path / "other", f"+{STATE_REF}:{STATE_REF}")
    with pytest.raises(FormatError, match=own) as refused:
        store.read()
    assert other.read().format.store in str(refused.value)
    assert "git bundle" in str(refused.value)


def test_one_change_writes_a_handful_of_objects(store: GitStore, repo: Path, git: Git) -> None:
    """S-06: among 10,000 entries one more costs fewer than 20 objects, and nothing that did not change."""
    store.apply(enqueue(*range(1, 10_001)))
    before = set(git(repo, "cat-file", "--batch-all-objects", "--batch-check").splitlines())
    store.apply(enqueue(10_001))
    new = set(git(repo, "cat-file", "--batch-all-objects", "--batch-check").splitlines()) - before
    assert len(new) == 5, "entry, shard, queue, root, commit"
    changed = git(repo, "diff-tree", "-r", "--name-status", f"{STATE_REF}~1", STATE_REF)
    assert changed == "A\tqueue/11/10001"


def test_readers_write_nothing_and_see_whole_states(repo: Path, git: Git) -> None:
    """S-07: beside a busy writer a reader sees one consistent state after the other, and leaves no trace."""
    begun(repo).apply(enqueue(1, 2))

    def write_on() -> None:
        store = opened(repo)
        while True:

            def both(draft: Draft) -> None:
                raise_priority(1)(draft)
                raise_priority(2)(draft)

            store.apply(both)

    with beside(write_on):
        reader, seen = opened(repo), set[int]()
        while len(seen) < 20:
            state = reader.read()
            assert state.entries[1].priority == state.entries[2].priority
            seen.add(state.entries[1].priority)
    before, files = everything(repo, git), sorted(map(str, (repo / ".git/gitsched").rglob("*")))
    reader = opened(repo)
    reader.read()
    list(reader.history("queue/01/1"))
    reader.read_at(git(repo, "rev-parse", f"{STATE_REF}~3"))
    reader.evidence("b1")
    assert everything(repo, git) == before
    assert sorted(map(str, (repo / ".git/gitsched").rglob("*"))) == files


def test_garbage_collection_at_any_time_loses_nothing(repo: Path, git: Git) -> None:
    """S-19: state, kept commits, notes and evidence are whole after `git gc --prune=now` in a loop beside a writer."""
    store = begun(repo)
    store.apply(enqueue(1))
    tree = git(repo, "rev-parse", "HEAD^{tree}")
    kept = []

    def collect() -> None:
        while not (repo / "enough").exists():
            subprocess.run(["git", "-C", repo, "gc", "-q", "--prune=now"], check=False, capture_output=True)
            subprocess.run(["git", "-C", repo, "pack-refs", "--all"], check=False, capture_output=True)

    with beside(collect) as collector:
        for number in range(40):
            work = worked(repo, number)

            def keep(draft: Draft, work: str = work) -> None:
                raise_priority(1)(draft)
                draft.keeps.append(work)
                draft.notes.append(Note(VERDICT_NOTES, tree, f"pass {work}"))

            try:
                applied(store.apply(keep))
            except (BusyError, InternalError):
                continue  # the collector took the work before it was kept: nothing names it
            kept.append(work)
            archived(store, number)
        (repo / "enough").touch()
        collector.join()
    git(repo, "gc", "-q", "--prune=now")
    git_fsck(repo)
    cold = opened(repo)
    assert kept
    assert cold.read() == store.read()
    assert len(cold.evidence("b1")) == len(kept) + 1
    assert set(kept) <= set(git(repo, "rev-list", KEEP_REF).splitlines())
    assert len(list(cold.history())) == int(git(repo, "rev-list", "--count", STATE_REF))


def test_a_full_disk_leaves_the_state_as_it_was(store: GitStore, repo: Path) -> None:
    """S-05: no room for the objects: a typed error, the old state stands, and with room the next write goes through."""
    store.apply(enqueue(1))
    before = store.tip
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, limits[1]))
    try:
        with pytest.raises(StorageFullError, match="no room") as refused:
            store.apply(enqueue(2))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert refused.value.exit_code == 75
    assert (store.tip, sorted(opened(repo).read().entries)) == (before, [1])
    assert not list((repo / ".git/objects").glob("tmp_obj_*"))
    applied(store.apply(enqueue(2)))
    git_fsck(repo)


def test_a_kill_at_any_moment_leaves_before_or_after(repo: Path, git: Git) -> None:
    """S-02: a writer killed in a hot loop, again and again: the state is whole and the next writer needs no help."""
    begun(repo).apply(enqueue(1, 2))

    def write_on() -> None:
        store = opened(repo)
        while True:

            def both(draft: Draft) -> None:
                raise_priority(1)(draft)
                raise_priority(2)(draft)
                draft.notes.append(Note(VERDICT_NOTES, git(repo, "rev-parse", "HEAD"), "x"))

            store.apply(both)
            (repo / "going").touch()

    for round_number in range(12):
        (repo / "going").unlink(missing_ok=True)
        with beside(write_on) as one:
            wait_for(repo / "going", one)
            one.join(0.01 + 0.003 * round_number)
        state = opened(repo).read()
        assert state.entries[1].priority == state.entries[2].priority
    store = opened(repo)
    applied(store.apply(raise_priority(1)))
    assert not list((repo / ".git/refs").rglob("*.lock"))
    git_fsck(repo)
    assert git(repo, "rev-list", "--min-parents=2", STATE_REF) == ""


def test_deleted_notes_change_nothing(store: GitStore, repo: Path, git: Git) -> None:
    """S-32 (store): with all our notes refs deleted the state reads as before, and new notes begin anew."""
    target = git(repo, "rev-parse", "HEAD")

    def note(draft: Draft) -> None:
        raise_priority(1)(draft)
        draft.notes.append(Note(VERDICT_NOTES, target, "pass"))

    store.apply(enqueue(1))
    store.apply(note)
    before = store.read()
    git(repo, "update-ref", "-d", VERDICT_NOTES)
    assert opened(repo).read() == before
    applied(store.apply(note))
    assert git(repo, "notes", "--ref=gitsched/verdicts", "show", target) == "pass"


def test_a_cold_start_is_served_by_a_cache_that_may_vanish(store: GitStore, repo: Path) -> None:
    store.apply(enqueue(*range(1, 600)))
    cache = repo / ".git/gitsched/cache/objects"
    assert cache.is_file(), "so many changes are worth one"
    warm = opened(repo)
    assert warm.read() == store.read()
    assert warm.objects.read_count <= 2, "the commit, at most one more"
    for damage in (cache.read_bytes()[:-1], b"", b"garbage"):
        cache.write_bytes(damage)
        assert opened(repo).read() == store.read()
    cache.unlink()
    assert opened(repo).read() == store.read()


def test_a_packed_state_is_read_without_libgit2(store: GitStore, repo: Path, git: Git) -> None:
    store.apply(enqueue(1, 2))
    git(repo, "gc", "-q", "--prune=now")
    code = (
        "import sys; from pathlib import Path; from gitsched.adapters.store.store import GitStore; "
        f"print(len(GitStore(Path({str(repo)!r}), None).read().entries), 'pygit2' in sys.modules)"
    )
    root = Path(__file__).resolve().parents[2]
    told = subprocess.run(
        [sys.executable, "-c", code],
        cwd=root,
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    assert told.stdout == b"2 False\n"
