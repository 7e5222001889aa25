"""No space for evidence: the success stays provable, and is kept as soon as there is space again."""

from collections.abc import Mapping

from msgspec.structs import replace

from gitsched.cli.fault import contained
from gitsched.domain.words import BatchStatus, EntryStatus
from gitsched.engine.driver import Driver, Until
from gitsched.engine.evidence import CUT_MARK
from gitsched.engine.exhibits import proof_of
from gitsched.errors import StorageFullError
from gitsched.wiring.clone import Clone
from tests.engine.relay import Call, Relay
from tests.engine.world import World


def test_a_32_without_space_a_success_stays_a_success(world: World) -> None:
    """A-32: the member is not stuck, each tick asks again, and later the evidence is whole, log and all."""
    world.issues(1)
    world.agent(1, "echo working hard; echo 1 > file1.txt")
    world.enqueue(1, solo=True)
    asked: list[str] = []

    def keep_evidence(real: Call, batch: str, files: Mapping[str, bytes], sentence: str) -> str:
        if any(path.startswith("runs/") for path in files):
            asked.append(sentence)
            raise StorageFullError("Evidence was to be kept.", "No space is left.", "Make some.")
        return str(real(batch, files, sentence))

    full = Relay(world.clone.store, keep_evidence=keep_evidence)
    clone = Clone(world.repo)
    Driver(replace(clone.surroundings(), store=full), clone.settings, contained).run(Until.IDLE)
    assert world.entry(1).status is EntryStatus.DONE
    member = world.member(1, "i1")
    assert member.owed["0"]["exit_code"] == 0
    assert len(asked) > 1
    assert world.batch("i1").status is BatchStatus.DONE
    world.run()
    assert world.member(1, "i1").owed == {}
    assert [event.issue for event in world.told("evidence-kept")] == [1]
    proof = proof_of(world.clone.store, "i1")
    assert (proof.run_count, proof.faults) == (1, ())
    assert b"working hard" in world.clone.store.evidence("i1")["runs/1/0/log"]


def test_a_32_without_space_a_check_that_passed_has_passed(world: World) -> None:
    """A-32: gates and suite count, nobody waits in `verifying`, and what they left is kept as soon as it can be."""
    world.configure('[[gates]]\nname = "unit"\nrun = ["sh", "gate.sh"]\nevidence = "exit"\n')
    (world.repo / "gate.sh").write_text("echo the gate says so\n")
    world.commit("Add a gate")
    world.issues(1)
    world.agents(1)
    world.enqueue(1, solo=True)

    def keep_evidence(real: Call, batch: str, files: Mapping[str, bytes], sentence: str) -> str:
        if any(path.startswith("checks/") for path in files):
            raise StorageFullError("Evidence was to be kept.", "No space is left.", "Make some.")
        return str(real(batch, files, sentence))

    clone = Clone(world.repo)
    full = Relay(world.clone.store, keep_evidence=keep_evidence)
    Driver(replace(clone.surroundings(), store=full), clone.settings, contained).run(Until.IDLE)
    assert world.entry(1).status is EntryStatus.DONE
    owed = world.batch("i1").owed
    assert [folder.split("/")[1] for folder in owed] == ["gate-1-unit", "suite"]
    world.tick()
    assert world.batch("i1").owed == {}
    kept = world.clone.store.evidence("i1")
    assert kept[f"{world.member(1, 'i1').gates['unit'].evidence}/log"] == b"the gate says so\n"
    proof = proof_of(world.clone.store, "i1")
    assert (proof.run_count, proof.faults) == (1, ())
    assert world.clone.runner.runs() == {}


def test_a_check_that_ran_twice_left_two_things(world: World) -> None:
    """Red and then green on one tree: what the first one said is there beside what the second one says."""
    world.configure('[[gates]]\nname = "unit"\nrun = ["sh", "gate.sh"]\nevidence = "exit"\n')
    (world.repo / "gate.sh").write_text(
        f"[ -e {world.scripts}/again ]; code=$?; : > {world.scripts}/again; echo $code; exit $code\n"
    )
    world.commit("Add a gate")
    world.issues(1)
    world.agents(1)
    world.enqueue(1, solo=True)
    world.run()
    kept = world.clone.store.evidence("i1")
    logs = [log for path, log in kept.items() if path.startswith("checks/gate-1-unit/") and path.endswith("/log")]
    assert sorted(logs) == [b"0\n", b"1\n"]


def test_a_log_that_is_too_long_says_so_in_the_evidence_of_a_check_as_in_that_of_a_run(world: World) -> None:
    """What is kept is its end, with a word that the beginning is not there; a short one is kept as it is."""
    world.configure('[[gates]]\nname = "unit"\nrun = ["sh", "gate.sh"]\n[evidence]\nlog = "64B"\n')
    (world.repo / "gate.sh").write_text(f"echo {'x' * 200}; echo the end\n")
    world.commit("Add a gate")
    world.issues(1)
    world.agent(1, f"echo {'y' * 200}; echo the end; echo 1 > file1.txt")
    world.enqueue(1, solo=True)
    world.run()
    kept = world.clone.store.evidence("i1")
    logs = {path: log for path, log in kept.items() if path.endswith("/log") and log.endswith(b"the end\n")}
    assert {path.split("/")[0] for path in logs} == {"runs", "checks"}
    assert all(log.startswith(CUT_MARK) and len(log) == len(CUT_MARK) + 64 for log in logs.values())
