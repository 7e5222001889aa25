"""The check of a deployment after the merge, on the whole engine."""

from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from tests.engine.world import World


def deployment(world: World, script: str, timeout: str = "60s") -> None:
    """Configure a check of the deployment, and have a batch of two."""
    (world.scripts / "deploy").write_text(f"echo $GITSCHED_MERGED >> {world.scripts}/checks\n{script}\n")
    world.configure(f'[deploy]\ncheck = ["sh", "{world.scripts}/deploy"]\ntimeout = "{timeout}"\n')
    world.issues(1, 2)
    world.agents(1, 2)
    world.enqueue(1, 2, batch="b1")


def test_a_deployment_that_is_well_is_reported(world: World) -> None:
    deployment(world, "test -e file1.txt && test -e file2.txt")
    world.run()
    assert world.batch().status is BatchStatus.DONE
    assert world.lines("checks") == [world.request().head]
    (told,) = world.told("deployed")
    assert told.sentence == "b1 is deployed"


def test_g_29_a_deployment_that_fails_has_its_reason_and_nothing_is_put_back(world: World) -> None:
    """G-29: the check fails: `deploy-failed:exit-7`; what merged stays merged and closed, and resume checks again."""
    deployment(world, f"echo no answer; test -e {world.scripts}/well || exit 7")
    world.run()
    batch = world.batch()
    assert (batch.status, batch.reason) == (BatchStatus.BLOCKED, "deploy-failed:exit-7")
    assert [event.fields["reason"] for event in world.told("deploy-failed")] == ["deploy-failed:exit-7"]
    assert {world.member(n).status for n in (1, 2)} == {MemberStatus.SHIPPED}
    assert {world.entry(n).status for n in (1, 2)} == {EntryStatus.SHIPPED}
    assert not world.forge_issue(1).is_open
    assert {"file1.txt", "file2.txt"} <= world.paths()
    assert world.why_batch().next == "gitsched resume b1"
    assert "The check of its deployment failed: exit-7." in world.why_batch().sentences
    (world.scripts / "well").touch()
    world.resume("b1")
    world.run()
    assert world.batch().status is BatchStatus.DONE
    assert len(world.lines("checks")) == 2


def test_g_29_a_deployment_that_takes_too_long_is_named_for_it(world: World) -> None:
    """G-29: the check runs into its time: `deploy-timed-out`."""
    deployment(world, "exec sleep 50", timeout="1s")
    world.run()
    assert (world.batch().status, world.batch().reason) == (BatchStatus.BLOCKED, "deploy-timed-out")


def test_a_check_that_is_killed_runs_again(world: World) -> None:
    deployment(world, f"[ -e {world.scripts}/once ] || {{ touch {world.scripts}/once; kill -9 $PPID; exec sleep 50; }}")
    world.run()
    assert world.batch().status is BatchStatus.DONE
    assert len(world.lines("checks")) == 2
