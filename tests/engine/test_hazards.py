"""Work that merges and passes and must not land all the same, on the whole engine."""

import unicodedata

from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from tests.engine.world import World
from tests.real_git import run_git

COMPOSED = unicodedata.normalize("NFC", "café.txt")
DECOMPOSED = unicodedata.normalize("NFD", "café.txt")


def told_reason(world: World, issue: int, batch: str = "b1") -> str:
    """Read why a member was evicted, in all its words, where a person finds them."""
    member, exit_ = world.member(issue, batch), world.entry(issue).evidence[-1]
    assert member.status is MemberStatus.EVICTED
    assert world.entry(issue).status is EntryStatus.PARKED
    assert exit_.detail, exit_
    assert exit_.detail in "\n".join(world.why(issue).sentences)
    return f"{member.reason} {exit_.detail}"


def test_l_24_l_25_name_twins_never_meet(world: World) -> None:
    """L-24, L-25: a path that another one equals but for case or spelling does not land; both and their issue are told.

    An operator's `requeue --allow` lets exactly that through.
    """
    world.issues(1, 2, 3)
    world.agent(1, f"mkdir docs; echo 1 > docs/Guide.md; echo 1 > {COMPOSED}")
    world.agent(2, "mkdir docs; echo 2 > docs/guide.md")
    world.agent(3, f"echo 3 > {DECOMPOSED}")
    world.enqueue(1, 2, 3)
    world.run()
    world.expect_landed(1)
    batch = world.batch()
    reason = told_reason(world, 2)
    assert reason.startswith("hazard:case-clash")
    assert "docs/Guide.md" in reason
    assert "docs/guide.md" in reason
    assert "(issue 1)" in reason
    reason = told_reason(world, 3)
    assert reason.startswith("hazard:unicode-clash")
    assert f"{COMPOSED!a}" in reason
    assert f"{DECOMPOSED!a}" in reason
    listed = world.paths(batch.base or "") | world.paths()
    assert len({path.casefold() for path in listed}) == len(listed)
    assert batch.status is BatchStatus.DONE
    world.agent(2, "true")
    world.requeue(2, "hazard:case-clash")
    world.agent(2, "echo again >> docs/guide.md")
    world.run()
    world.expect_landed(2, batch="i2")
    assert {"docs/Guide.md", "docs/guide.md"} <= world.paths()


def test_l_27_l_28_a_change_that_is_wrong_by_itself_is_stopped_before_any_gate(world: World) -> None:
    """L-27, L-28: a link out of the tree, a mass deletion: evicted with link and counts, no gate run, branch kept."""
    world.configure('[[gates]]\nname = "unit"\nrun = ["sh", "unit.sh"]\n[batch.dissolve]\nfraction = 1\n')
    (world.repo / "unit.sh").write_text(f"echo run >> {world.scripts}/gates\n")
    for number in range(40):
        (world.repo / f"part{number}.txt").write_text(f"{number}\n")
    world.commit("Add forty parts")
    world.issues(1, 2, 3)
    world.agent(1, "ln -s ../../outside data")
    world.agent(2, "git rm -q part*.txt")
    world.agents(3)
    world.enqueue(1, 2, 3)
    world.run()
    world.expect_landed(3)
    reason = told_reason(world, 1)
    assert reason.startswith("hazard:symlink-escape")
    assert "data -> ../../outside" in reason
    reason = told_reason(world, 2)
    assert reason.startswith("hazard:deletion")
    assert "40 of 43" in reason
    assert world.member(1).gates == world.member(2).gates == {}
    assert world.lines("gates") == ["run"]
    assert not (world.trees.parent / "outside").exists()
    kept = run_git(world.repo, "ls-tree", "--name-only", world.member(2).branch).splitlines()
    assert "part0.txt" not in kept
    assert "part0.txt" in world.paths()
    assert world.batch().status is BatchStatus.DONE


def test_l_26_l_29_a_submodule_goes_forward_and_a_pointer_needs_its_object(world: World) -> None:
    """L-26, L-29: `lib` moves on and stays there; moved back, or a pointer to nothing, it does not land."""
    lib = world.repo.parent / "lib"
    run_git(world.repo.parent, "init", "-q", str(lib))
    older, newer, newest = (
        run_git(lib, "commit", "-q", "--allow-empty", "-m", word) or run_git(lib, "rev-parse", "HEAD")
        for word in ("older", "newer", "newest")
    )
    run_git(world.repo, "submodule", "add", "-q", str(lib), "lib")
    run_git(world.repo / "lib", "checkout", "-q", newer)
    world.commit("Add lib")
    world.configure("[batch.dissolve]\nfraction = 1\n")
    world.issues(1, 2, 3, 4)
    move = "git -C lib checkout -q {oid}"
    world.agent(1, move.format(oid=newest))
    world.agents(2)
    world.agent(3, move.format(oid=older))
    pointer = "version https://git-lfs.github.com/spec/v1\\noid sha256:{}\\nsize 12\\n".format("ab" * 32)
    world.agent(4, f"printf '{pointer}' > big.bin")
    world.enqueue(1, 2, 3, 4)
    world.run()
    world.expect_landed(1, 2)
    assert told_reason(world, 3).startswith("hazard:submodule-moved")
    assert told_reason(world, 4).startswith("hazard:lfs-missing")
    tip = run_git(world.repo, "ls-tree", "main", "lib")
    assert newest in tip
