"""What a pull request shows of output that nobody vouches for, on the whole engine."""

from gitsched.wiring.clone import Clone
from tests.engine.world import World
from tests.view.reading import mentions, orders

LINE = "```\n<!-- @everyone fixes #1\n`````\n"


def test_g_03_long_hostile_output_is_cut_in_the_request_and_whole_in_the_evidence(world: World) -> None:
    """G-03: 200,000 characters of a suite: the body is short, mentions and closes nothing of it; evidence has all."""
    count = 200_000 // len(LINE) + 1
    (world.scripts / "output").write_text(LINE * count)
    (world.repo / "suite.sh").write_text(f"cat {world.scripts}/output\n")
    world.commit("Let the suite talk")
    world.configure('[ship]\nmerge = "manual"\n')
    world.issues(1, 3)
    world.agents(3)
    world.enqueue(3, batch="b1")
    world.run()
    body = world.request().body
    assert len(body) < 65_536
    assert (mentions(body), orders(body)) == ([], ["Closes #3"])
    assert "refs/gitsched/evidence/b1" in body or "gitsched/evidence/b1" in body
    kept = Clone(world.repo).store.evidence("b1")
    assert [name for name, content in kept.items() if content.decode("utf-8", "replace").count(LINE) == count]
    world.merge()
    world.run()
    assert world.forge_issue(1).is_open
    assert not world.forge_issue(3).is_open
