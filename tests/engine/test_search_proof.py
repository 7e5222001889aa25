"""What a search takes for proof, what it takes up again, and what it leaves behind, on the whole engine."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from gitsched.domain.ids import VERDICT_NOTES
from gitsched.domain.words import BatchStatus, EntryStatus
from gitsched.engine.driver import Until
from gitsched.ports.store import Entry as JournalEntry
from tests.engine.drive import Driving, until
from tests.engine.relay import Killed
from tests.engine.suites import PARTS, parts, without_file
from tests.engine.test_search import batch_of, steps
from tests.engine.world import World
from tests.real_git import run_git


def test_v_19_what_a_test_prints_decides_nothing(world: World) -> None:
    """V-19: a failing test that prints git's words and a case against member 1: exit and report decide, 3 leaves."""
    world.configure(suite=PARTS)
    lies = "echo 'file1.txt is the first bad commit'; echo '<testcase name=\"file1\"><failure/></testcase>'; "
    parts(world, two=lies + without_file(3))
    batch_of(world, 4)
    world.run()
    world.expect_landed(1, 2, 4)
    assert [exit_.issue for exit_ in world.batch().evictions] == [3]


def test_v_20_a_base_that_proves_nothing_cannot_be_searched(world: World) -> None:
    """V-20: on the base the command is missing: `suite-cannot-discriminate`, and nobody is evicted by guess."""
    world.configure(suite=PARTS)
    parts(world, two=without_file(2))
    runner = (world.repo / "suite.sh").read_text()
    (world.repo / "suite.sh").write_text("[ -f file1.txt ] || exit 127\n" + runner)
    world.commit("Need what member 1 brings")
    batch_of(world, 2)
    world.run()
    batch = world.batch()
    assert (batch.status, batch.reason) == (BatchStatus.BLOCKED, "suite-cannot-discriminate")
    assert not batch.evictions
    (told,) = world.told("batch-blocked")
    assert told.fields["detail"] == "checks.two: at the base it neither passes nor fails"


def test_v_20_a_test_that_the_base_does_not_have_passes_there(world: World) -> None:
    """V-20: a test that member 1 brings and member 3 breaks counts as not failing where it is not."""
    world.configure(suite=PARTS)
    parts(world, one="true")
    world.issues(1, 2, 3, 4)
    world.agent(1, f"echo '{without_file(3)}' > checks/new")
    world.agents(2, 3, 4)
    world.enqueue(1, 2, 3, 4, batch="b1")
    world.run()
    world.expect_landed(1, 2, 4)
    assert [(exit_.issue, exit_.failing) for exit_ in world.batch().evictions] == [(3, ("checks.new",))]


@pytest.mark.long
def test_v_23_a_suspect_is_confirmed_as_often_as_the_settings_say(world: World) -> None:
    """V-23: `confirm = 2`: it fails twice with 4, and passes twice on a trial tree without it."""
    world.configure("[bisect]\nconfirm = 2\n", suite=PARTS)
    parts(world, two=without_file(4))
    batch_of(world, 5)
    world.run()
    world.expect_landed(1, 2, 3, 5)
    outcomes = [(tuple(told.fields["members"]), told.fields["outcomes"]) for told in world.told("bisect-step")]  # type: ignore[arg-type]
    assert outcomes.count(((1, 2, 3, 5), "p")) == 2
    assert sum(outcome == "f" and 4 in members for members, outcome in outcomes) >= 3


@pytest.mark.long
def test_v_24_what_is_recorded_of_a_tree_answers_and_a_note_by_hand_does_not(world: World) -> None:
    """V-24: a tree with a verdict on record is not run again, and shown as cached; a note by hand is none."""
    world.configure('[ship]\nmerge = "manual"\n', suite=PARTS)
    parts(world, two=f"{without_file(2)} || [ -f file3.txt ] && {without_file(4)}")
    world.issues(1, 2, 3, 4)
    world.agents(1, 2, 3, 4)
    world.enqueue(1, 2, batch="b1")
    world.run()
    assert [exit_.issue for exit_ in world.batch("b1").evictions] == [2]
    assert not any(told.fields["cached"] for told in world.told("bisect-step"))
    tree = run_git(world.repo, "rev-parse", "main^{tree}")
    ran = len(world.lines("ran"))
    notes = ("notes", f"--ref={VERDICT_NOTES}")
    own = run_git(world.repo, *notes, "show", tree)
    run_git(world.repo, *notes, "add", "-f", "-m", '{"verdict": "failed"}', tree)
    world.enqueue(3, 4, batch="b2")
    world.run()
    assert [exit_.issue for exit_ in world.batch("b2").evictions] == [4]
    told = [event.fields for event in world.told("bisect-step") if event.batch == "b2"]
    assert [(fields["members"], fields["outcomes"]) for fields in told if fields["cached"]] == [([], "p")]
    assert len(world.lines("ran")) - ran == len(told) - 1 + 2
    run_git(world.repo, *notes, "add", "-f", "-m", own, tree)


@pytest.mark.parametrize("at", [1, 5, *(pytest.param(at, marks=pytest.mark.long) for at in (2, 3, 8))])
def test_v_25_a_search_goes_on_wherever_its_driver_died(world: World, at: int) -> None:
    """V-25: dead right after its n-th step was recorded: no judged step runs again, the same culprit leaves, once."""
    world.configure(suite=PARTS)
    parts(world, two=without_file(3))
    batch_of(world, 5)
    seen = 0

    def on_entry(entry: JournalEntry) -> None:
        nonlocal seen
        seen += sum(event.name == "bisect-step" for event in entry.events)
        if seen >= at:
            raise Killed

    with pytest.raises(Killed):
        world.driver().run(Until.IDLE, None, on_entry)
    world.run()
    world.expect_landed(1, 2, 4, 5)
    assert [exit_.issue for exit_ in world.batch().evictions] == [3]
    assert len(world.told("member-evicted")) == 1
    assert len(world.lines("ran")) == len(world.told("bisect-step")) + 2


def test_v_25_a_killed_driver_leaves_its_steps_to_the_next(world: World, drive: Callable[[], Driving]) -> None:
    """V-25: KILL after the second step, whatever runs then: the next driver finds the same culprit."""
    world.configure(suite=PARTS)
    parts(world, two=without_file(3))
    batch_of(world, 4)
    first = drive()
    until(world.repo, lambda: len(world.told("bisect-step")) >= 2)
    first.kill()
    assert drive().end() == 0
    world.expect_landed(1, 2, 4)
    assert [exit_.issue for exit_ in world.batch().evictions] == [3]
    assert len(world.told("member-evicted")) == 1


def test_v_30_the_evidence_of_an_eviction_can_be_pasted(world: World, tmp_path: Path) -> None:
    """V-30: parked on its kept branch with reason, tests, method and commits; the command fails in a fresh clone."""
    world.configure('[ship]\nmerge = "manual"\n', suite=PARTS)
    parts(world, one="true", two=without_file(2))
    batch_of(world, 3)
    world.run()
    entry = world.entry(2)
    (left,) = entry.evidence
    assert (entry.status, entry.branch, left.batch, left.reason) == (
        EntryStatus.PARKED,
        left.branch,
        "b1",
        "suite-failed",
    )
    assert (left.failing, left.method) == (("checks.two",), "bisect")
    assert left.commits == (run_git(world.repo, "rev-parse", str(entry.branch)),)
    assert left.reproduce is not None
    clone = tmp_path / "clone"
    run_git(world.repo, "clone", "-q", str(world.repo), str(clone))
    shown = subprocess.run(["sh", "-c", left.reproduce], cwd=clone, capture_output=True, check=False, text=True)
    assert shown.returncode == 1, shown.stderr
    assert world.lines("ran")[-1] == "two"


def test_v_30_what_breaks_only_on_top_of_others_is_shown_on_top_of_them(world: World, tmp_path: Path) -> None:
    """V-30: of a pair, the command puts the later one on what had landed before it."""
    world.configure('[ship]\nmerge = "manual"\n', suite=PARTS)
    parts(world, two=without_file(1, 3))
    batch_of(world, 3)
    world.run()
    (left,) = world.batch().evictions
    assert (left.issue, left.method) == (3, "pair")
    clone = tmp_path / "clone"
    run_git(world.repo, "clone", "-q", str(world.repo), str(clone))
    shown = subprocess.run(["sh", "-c", str(left.reproduce)], cwd=clone, capture_output=True, check=False, text=True)
    assert shown.returncode == 1, shown.stderr


@pytest.mark.long
def test_v_46_who_merely_touched_a_test_that_fails_is_let_go(world: World) -> None:
    """V-46: 6 breaks what many tests use, 8 changed one of their files: dropped and told, only 6 leaves."""
    world.configure(suite=PARTS)
    parts(world, test_a=without_file(6), test_b=without_file(6), test_c=without_file(6))
    issues = range(1, 9)
    world.issues(*issues)
    world.agents(*issues[:7])
    world.agent(8, "echo '# a remark' >> checks/test_b")
    world.enqueue(*issues, batch="b1")
    world.run()
    world.expect_landed(1, 2, 3, 4, 5, 7, 8)
    assert [(exit_.issue, exit_.method) for exit_ in world.batch().evictions] == [(6, "bisect")]
    (dropped,) = world.told("suspicion-dropped")
    assert (dropped.issue, dropped.fields["failing"]) == (8, ["checks.test_b"])
    assert world.told("attributed")[0].fields["suspects"] == [8]
    assert len(world.batch().evictions[0].failing) == 3


def test_v_47_a_true_suspicion_costs_its_confirmation_and_no_more(world: World) -> None:
    """V-47: beside base and tip, the tests run `confirm` times with and without the suspect, then the suite once."""
    world.configure(suite=PARTS)
    parts(world, a="true", b="true")
    world.issues(1, 2, 3, 4)
    world.agents(1, 3, 4)
    world.agent(2, "echo false > checks/b")
    world.enqueue(1, 2, 3, 4, batch="b1")
    world.run()
    world.expect_landed(1, 3, 4)
    assert [(exit_.issue, exit_.method) for exit_ in world.batch().evictions] == [(2, "paths")]
    assert not steps(world, "probe")
    told = [tuple(event.fields["members"]) for event in world.told("bisect-step")]  # type: ignore[arg-type]
    assert told.count(()) == 1
    assert told.count((1, 3, 4)) == 3
    assert told.count((2,)) == 1
    assert told.count((1, 2, 3, 4)) == 3
    assert len(told) == 8
    assert len(world.lines("ran")) == 2 + len(told)
    assert [run.verdict for run in world.batch().suite] == ["failed", "passed"]


def test_v_15_a_number_in_a_subject_maps_no_commit_to_a_member(world: World) -> None:
    """V-15: 2's commit says `(#3)` in the middle of its subject; what it broke is still 2's, by what landed for it."""
    world.configure(suite=PARTS)
    parts(world, a="true", b="true")
    world.issues(2, 3)
    world.agent(2, "echo false > checks/b; git add -A; git commit -qm 'Undo what (#3) asked for here'")
    world.agents(3)
    world.enqueue(2, 3, batch="b1")
    world.run()
    world.expect_landed(3)
    assert [(exit_.issue, exit_.method) for exit_ in world.batch().evictions] == [(2, "paths")]
    assert world.told("attributed")[0].fields["suspects"] == [2]


def test_v_16_a_coverage_map_names_who_changed_the_lines_that_a_test_runs(world: World) -> None:
    """V-16: four members touch the folder, the test runs lines that only 3 changed: attributed by coverage alone."""
    world.configure(suite=PARTS + 'coverage = "coverage.json"\n')
    (world.repo / "shop").mkdir()
    (world.repo / "shop" / "cart.py").write_text("".join(f"line {number}\n" for number in range(1, 41)))
    parts(world, total="! grep -q bad shop/cart.py")
    world.issues(1, 2, 3, 4)
    for issue, line in ((1, 5), (2, 15), (3, 25), (4, 35)):
        world.agent(issue, f"sed -i 's/^line {line}$/{'bad' if issue == 3 else 'good'}/' shop/cart.py")
    contexts = {str(line): ["total|run"] for line in range(20, 31)}
    (world.repo / "coverage.json").write_text(json.dumps({"files": {"shop/cart.py": {"contexts": contexts}}}))
    (world.repo / ".git" / "info" / "exclude").write_text("gitsched.toml\ncoverage.json\n")
    world.enqueue(1, 2, 3, 4, batch="b1")
    world.run()
    world.expect_landed(1, 2, 4)
    assert [(exit_.issue, exit_.method) for exit_ in world.batch().evictions] == [(3, "coverage")]
    assert world.told("attributed")[0].fields["suspects"] == [3]
    assert not steps(world, "probe")


def test_without_a_map_the_search_decides(world: World) -> None:
    world.configure(suite=PARTS + 'coverage = "coverage.json"\n')
    parts(world, two=without_file(2))
    batch_of(world, 2)
    world.run()
    assert [(exit_.issue, exit_.method) for exit_ in world.batch().evictions] == [(2, "bisect")]
