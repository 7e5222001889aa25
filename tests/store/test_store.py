"""The contract of the port `Store`, on every form of repository."""

from pathlib import Path

import pytest

from gitsched.adapters.git.place import find_place
from gitsched.adapters.store.store import GitStore
from gitsched.domain.events import EventName
from gitsched.domain.ids import KEEP_REF, LANDING_NOTES, STATE_REF, VERDICT_NOTES
from gitsched.domain.outcomes import Applied, RefMoved, Unchanged
from gitsched.domain.records import Control
from gitsched.domain.state import Draft, Note, RefMove
from gitsched.errors import InternalError, RefusedError
from tests.real_git import Git
from tests.store.verbs import applied, begun, enqueue, fan_out, form, git_fsck, opened, raise_priority


def test_what_is_written_is_read_by_others(form_of_repository: Path, git: Git) -> None:
    """S-27 (forms): a plain, bare, linked, packed or oddly named repository works alike."""
    one = begun(form_of_repository)
    one.apply(enqueue(1, 2, 300))
    applied(one.apply(form("b1", 1, 300)))
    git(form_of_repository, "pack-refs", "--all")
    applied(one.apply(raise_priority(2)))

    other = opened(form_of_repository)
    assert other.read() == one.read()
    assert other.tip == one.tip == git(form_of_repository, "rev-parse", STATE_REF)
    assert other.read().entries[2].priority == 1
    git_fsck(form_of_repository)


def test_the_tree_has_the_layout_of_the_specification(store: GitStore, repo: Path, git: Git) -> None:
    store.apply(enqueue(1, 300))
    store.apply(form("b1", 300))
    listed = git(repo, "ls-tree", "-r", "--name-only", STATE_REF).splitlines()
    assert listed == ["batches/b1/batch", "batches/b1/members/1-300", "control", "format", "queue/01/1", "queue/2c/300"]


def test_setting_up_twice_changes_nothing(store: GitStore) -> None:
    before = store.tip
    assert isinstance(store.initialise(Control(slots_max=9)), Unchanged)
    assert (store.tip, store.read().control.slots_max) == (before, 2)
    assert store.read().format.store


def test_a_store_that_was_not_set_up_says_what_to_call(repo: Path, git: Git) -> None:
    with pytest.raises(RefusedError, match="gitsched init"):
        opened(repo).read()
    with pytest.raises(RefusedError, match="gitsched init"):
        opened(repo).apply(enqueue(1))
    assert git(repo, "for-each-ref", "refs/gitsched") == ""


def test_an_empty_draft_writes_nothing(store: GitStore, repo: Path, git: Git) -> None:
    before = git(repo, "count-objects")
    assert isinstance(store.apply(lambda _: None), Unchanged)
    assert git(repo, "count-objects") == before


def test_a_refusal_of_the_intent_writes_nothing(store: GitStore) -> None:
    before = store.tip

    def refuse(draft: Draft) -> None:
        enqueue(1)(draft)
        raise RefusedError("It was asked.", "It may not be.", "Ask for less.")

    with pytest.raises(RefusedError):
        store.apply(refuse)
    assert store.tip == before
    assert not store.read().entries
    applied(store.apply(enqueue(1)))


def test_refs_move_with_the_state_or_not_at_all(store: GitStore, repo: Path, git: Git) -> None:
    head = git(repo, "rev-parse", "HEAD")
    branch = "refs/heads/gitsched/b1/integration"

    def cut(draft: Draft) -> None:
        enqueue(1)(draft)
        draft.moves.append(RefMove(branch, None, head))

    applied(store.apply(cut))
    assert git(repo, "rev-parse", branch) == head

    def cut_again(draft: Draft) -> None:
        enqueue(2)(draft)
        draft.moves.append(RefMove(branch, None, head))

    before = store.tip
    assert store.apply(cut_again) == RefMoved(name=branch, expected=None, found=head)
    assert (set(opened(repo).read().entries), git(repo, "rev-parse", STATE_REF)) == ({1}, before)

    applied(store.apply(lambda draft: draft.moves.append(RefMove(branch, head, None))))
    assert git(repo, "for-each-ref", branch) == ""


def test_a_ref_to_a_missing_object_is_never_made(store: GitStore, repo: Path, git: Git) -> None:
    before = store.tip
    with pytest.raises(InternalError, match="no such object"):
        store.apply(lambda draft: draft.moves.append(RefMove("refs/heads/lost", None, "1" * 40)))
    assert (git(repo, "for-each-ref", "refs/heads/lost"), store.tip) == ("", before)


def test_kept_commits_become_parents_once(store: GitStore, repo: Path, git: Git) -> None:
    lost = [git(repo, "commit-tree", "-m", f"work {n}", "HEAD^{tree}") for n in (1, 2, 3)]

    def keep(*commits: str) -> None:
        def intent(draft: Draft) -> None:
            draft.note(EventName.WORK_PRESERVED, "Kept the work.", draft.state.control)
            draft.keeps.extend(commits)

        applied(store.apply(intent))

    keep(lost[0], lost[1], lost[0])
    first = git(repo, "rev-parse", KEEP_REF)
    keep(lost[1])
    assert git(repo, "rev-parse", KEEP_REF) == first, "it is kept already"
    keep(lost[2])
    assert git(repo, "rev-list", "--parents", "-1", KEEP_REF).split()[1:] == [first, lost[2]]
    assert git(repo, "rev-list", "--parents", "-1", first).split()[1:] == lost[:2]
    assert "Kept the work." in git(repo, "log", "-1", "--format=%B", KEEP_REF)


def test_notes_are_fanned_out_and_replaced(store: GitStore, repo: Path, git: Git) -> None:
    tree, commit = git(repo, "rev-parse", "HEAD^{tree}"), git(repo, "rev-parse", "HEAD")

    def noting(*notes: Note) -> None:
        def intent(draft: Draft) -> None:
            enqueue(len(draft.state.entries) + 1)(draft)
            draft.notes.extend(notes)

        applied(store.apply(intent))

    noting(Note(VERDICT_NOTES, tree, "pass"), Note(VERDICT_NOTES, commit, "other"), Note(LANDING_NOTES, commit, "b1"))
    noting(Note(VERDICT_NOTES, tree, "fail\n"))
    assert git(repo, "notes", "--ref=gitsched/verdicts", "show", tree) == "fail"
    assert git(repo, "notes", "--ref=gitsched/verdicts", "show", commit) == "other"
    assert git(repo, "notes", "--ref=gitsched/landings", "show", commit) == "b1"
    paths = git(repo, "ls-tree", "-r", "--name-only", VERDICT_NOTES).splitlines()
    assert sorted(paths) == sorted(f"{oid[:2]}/{oid[2:]}" for oid in (tree, commit))
    assert git(repo, "rev-list", "--count", VERDICT_NOTES) == "2", "one commit per ref and transaction"


def test_notes_of_any_fan_out_are_found_again(store: GitStore, repo: Path, git: Git) -> None:
    """S-26 (depths): a flat tree and a deeply fanned one take our notes without losing or doubling theirs."""
    ours = git(repo, "rev-parse", "HEAD")
    others = [git(repo, "hash-object", "-w", "--stdin", stdin=f"{n}") for n in range(20)]
    for depth in (0, 1, 2):
        fan_out(repo, [*others, ours], depth)

        def note(draft: Draft, depth: int = depth) -> None:
            enqueue(depth + 1)(draft)
            draft.notes.append(Note(VERDICT_NOTES, ours, f"ours {depth}"))

        applied(store.apply(note))
        assert git(repo, "notes", "--ref=gitsched/verdicts", "show", ours) == f"ours {depth}"
        assert git(repo, "notes", "--ref=gitsched/verdicts", "show", others[3]) == "theirs"
        assert len(git(repo, "notes", "--ref=gitsched/verdicts", "list").splitlines()) == 21
        git_fsck(repo)


def test_evidence_grows_and_has_a_manifest(store: GitStore, repo: Path, git: Git) -> None:
    assert store.evidence("b1") == {}
    store.keep_evidence("b1", {"2/gate-unit/log": b"one\n"}, "Kept the log of a gate.")
    commit = store.keep_evidence(
        "b1", {"suite/report.xml": b"<x/>", "2/gate-unit/log": b"two\n"}, "Kept the suite's report."
    )
    found = opened(repo).evidence("b1")
    assert found["2/gate-unit/log"] == b"two\n"
    assert sorted(found) == ["2/gate-unit/log", "manifest.json", "suite/report.xml"]
    manifest = git(repo, "cat-file", "-p", f"{commit}:manifest.json")
    assert '"size": 4' in manifest
    assert "27dd8ed44a83ff94d557f9fd0412ed5a8cbca69ea04922d88c01184a07300a5a" in manifest, "SHA-256 of two"
    assert git(repo, "log", "--format=%s", commit) == "Kept the suite's report.\nKept the log of a gate."


def test_places_are_found_without_git(repo: Path, tmp_path: Path, git: Git) -> None:
    (repo / "deep/er").mkdir(parents=True)
    git(repo, "worktree", "add", "-q", "--detach", tmp_path / "w")
    for start in (repo, repo / "deep/er", repo / ".git", tmp_path / "w"):
        assert find_place(start).common == (repo / ".git").resolve()
    with pytest.raises(RefusedError, match="git init"):
        find_place(tmp_path / "w" / "..")


@pytest.mark.parametrize(
    ("line", "words"), [("objectformat = sha256", "SHA-256"), ("refStorage = reftable", "reftable")]
)
def test_formats_that_cannot_be_written_are_refused(repo: Path, line: str, words: str) -> None:
    """S-27 (sha256, reftable): refused before anything is written, with what to do."""
    config = repo / ".git/config"
    config.write_text(config.read_text() + f"[extensions]\n\t{line}\n")
    with pytest.raises(RefusedError, match=words):
        opened(repo)


def test_the_store_needs_no_identity_and_no_hooks(repo: Path, git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    """S-27 (no user.name, core.hooksPath): our commits sign themselves and start no hook."""
    for name in ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    hooks = repo / "hooks"
    hooks.mkdir()
    (hooks / "reference-transaction").write_text("#!/bin/sh\nexit 1\n")
    (hooks / "reference-transaction").chmod(0o755)
    git(repo, "config", "core.hooksPath", hooks)
    store = begun(repo)
    outcome = store.apply(enqueue(1), actor="Zoë <zoe@example.org>\n")
    assert isinstance(outcome, Applied)
    assert git(repo, "log", "-1", "--format=%an|%cn|%ce", STATE_REF) == "Zoë zoe@example.org|gitsched|d1@gitsched"
