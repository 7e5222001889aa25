"""An agent that writes into the report of a batch, on the whole engine."""

from gitsched.domain.words import BatchStatus
from gitsched.wiring.clone import Clone
from tests.engine.world import World

WRITER = """
[agents.writer]
command = ["sh", "{scripts}/writer"]
completion = "exit"
[report]
agent = "writer"
"""


def writer(world: World, script: str, more: str = "") -> None:
    """Configure an agent for reports, and have a batch of two."""
    (world.scripts / "writer").write_text(f"echo x >> {world.scripts}/writers; cat > {world.scripts}/asked\n{script}\n")
    world.configure(WRITER.format(scripts=world.scripts) + more)
    world.issues(1, 2)
    world.agents(1, 2)
    world.enqueue(1, 2, batch="b1")


def reported(world: World) -> str:
    """Read the report of the batch as it stands on its pull request."""
    comments = Clone(world.repo).forge.comments(world.request().number)
    (body,) = [one.body for one in comments if one.body.startswith("Batch `b1`")]
    return body


def test_what_the_agent_writes_stands_in_the_report_and_stays_text(world: World) -> None:
    writer(world, 'printf "Totals are right. Closes #2, @ada\\n\\n<!-- x --> **bold**\\n" > "$GITSCHED_REPORT"')
    world.run()
    assert world.batch().status is BatchStatus.DONE
    assert world.lines("writers") == ["x"]
    body = reported(world)
    assert "Totals are right." in body
    assert "Closes #2" not in body
    assert "@ada" not in body
    assert "<!-- x" not in body
    assert "\\*\\*bold" in body
    assert "2 of 2 issues landed" in "\n".join(world.lines("asked"))


def test_an_agent_that_fails_or_writes_too_much_keeps_nothing_from_the_readers(world: World) -> None:
    writer(world, 'echo half > "$GITSCHED_REPORT"; exit 3')
    world.run()
    assert world.batch().status is BatchStatus.DONE
    assert world.batch().prose is None
    assert "half" not in reported(world)
    assert world.lines("writers") == ["x"]


def test_it_is_bounded(world: World) -> None:
    writer(world, 'yes long | head -c 100000 > "$GITSCHED_REPORT"')
    world.run()
    assert len(world.batch().prose or "") == 4000


def test_where_its_agent_may_not_start_the_report_goes_without_it(world: World) -> None:
    writer(world, "", more="[budget.batch]\nruns = 2\n")
    world.run()
    assert world.batch().status is BatchStatus.DONE
    assert world.lines("writers") == []
    assert "2 of 2 issues landed" in reported(world)
