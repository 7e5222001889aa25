"""A batch's own issue, in which it is followed, on the whole engine."""

from gitsched.domain.words import BatchStatus
from gitsched.wiring.clone import Clone
from tests.engine.world import World
from tests.real_git import run_git

MARK = "<!-- gitsched:status:b1 -->"


def anchored(world: World) -> None:
    """Ask for an issue of its own for each batch."""
    world.configure()
    file = world.repo / "gitsched.toml"
    file.write_text(file.read_text().replace("[project]", '[project]\nanchor = "issue"', 1))
    world.clone = Clone(world.repo)


def told(world: World, number: int) -> list[str]:
    comments = world.clone.forge.comments(number)
    return [comment.body for comment in comments if MARK in comment.body]


def test_g_28_one_comment_in_an_issue_of_its_own_which_ends_with_the_batch(world: World) -> None:
    """G-28: through 40 ticks of as many drivers there is one issue with one comment; it closes when all has shipped."""
    anchored(world)
    gate = world.barrier("go")
    world.issues(1, 2)
    world.agents(1)
    world.agent(2, f"read -r _ < {gate}; echo 2 > file2.txt")
    world.enqueue(1, 2, batch="b1")
    for _ in range(40):
        world.tick()
    place = int(world.batch().anchor or "0")
    assert world.forge_issue(place).title == "Batch b1: 2 issues"
    assert len(told(world, place)) == 1
    gate.open()
    world.run()
    assert world.batch().status is BatchStatus.DONE
    assert len(told(world, place)) == 1
    assert "**`done`**" in told(world, place)[0]
    assert not world.forge_issue(place).is_open
    assert max(world.clone.forge.issues()) == place


def test_g_28_with_one_member_evicted_it_stays_open_and_says_what_is_needed(world: World) -> None:
    """G-28: one of two did not ship: the issue stays open and names it, with the command."""
    anchored(world)
    world.issues(1, 2)
    world.agents(1)
    world.agent(2, "true")
    world.enqueue(1, 2, batch="b1")
    world.run()
    world.expect_landed(1)
    place = int(world.batch().anchor or "0")
    assert world.batch().status is BatchStatus.DONE
    assert world.forge_issue(place).is_open
    assert "requeue" in told(world, place)[0]
    assert "2 done again" in told(world, place)[0]


def test_closing_words_in_commits_become_references_where_that_is_asked_for(world: World) -> None:
    world.configure("[land]\nneutralise_closing = true\n")
    world.issues(1, 2)
    world.agent(
        1, "echo 1 > a.txt; git add -A; git commit -qm 'Fixes #2: total' -m 'It closes: #2, and nothing is fixed.'"
    )
    world.enqueue(1, batch="b1")
    world.run()
    world.expect_landed(1)
    message = run_git(world.repo, "log", "-1", "--format=%B", "main")
    assert message.startswith("Refs #2: total (#1)\n\nIt refs: #2, and nothing is fixed.\n")
    assert "close" not in world.request().body.lower().replace("closes #1", "")
