"""Agents that take into their own hands what comes after their work."""

from gitsched.domain.words import EntryStatus, MemberStatus
from tests.engine.patience import told
from tests.engine.scripts import GITSCHED
from tests.engine.world import World
from tests.real_git import run_git

PYTHON = GITSCHED.partition(" ")[0]
PUBLISH = """\
import os, subprocess, sys
from pathlib import Path
from gitsched.domain.forge import PullRequestView
from gitsched.domain.words import PullRequestState
from gitsched.wiring.clone import Clone

clone, branch = Clone(Path.cwd()), os.environ["GITSCHED_BRANCH"]
head = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
request = PullRequestView(
    number=0, title="Mine", body="", state=PullRequestState.OPEN, source=branch, target="main", head=head
)
opened = clone.forge.open_pull_request(request, sys.argv[1])
if sys.argv[2:] == ["merge"]:
    print(clone.forge.merge(opened.number, head))
"""


def publisher(world: World, *words: str) -> str:
    """Give the line of a script that commits and publishes by itself, then says that it is at work."""
    (world.scripts / "publish.py").write_text(PUBLISH)
    commit = 'echo $GITSCHED_GEN > file1.txt; git add -A; git commit -q -m "Begin"'
    publish = f"{PYTHON} {world.scripts}/publish.py {' '.join(words)}"
    return f"{commit}\n{publish}\ngitsched post --phase implement --status progress"


def test_an_agent_that_opens_its_own_request_is_told_once(world: World) -> None:
    """R-58: it is stopped and started once more in the same tree, no rung used; then it keeps to the rules."""
    world.configure('[stall]\nkill_grace = "5s"\n')
    world.issues(1)
    world.agent(1, f"{publisher(world, 'one')}\nsleep 60", gen=0)
    world.agent(1, "test -f file1.txt; echo 1 > more.txt", gen=1)
    world.enqueue(1)
    world.run()
    assert world.started() == ["1 0", "1 1"]
    (again,) = told(world, "redispatched")
    assert again.fields["reason"] == "wrong-procedure"
    assert len(told(world, "stop-sent")) == 1
    member = world.member(1, "i1")
    assert (member.status, member.recoveries, member.requests) == (MemberStatus.SHIPPED, 0, (2,))


def test_a_second_request_evicts(world: World) -> None:
    """R-58: opened again, after its agent had been told, whether it still runs or has said done."""
    world.configure('[stall]\nkill_grace = "5s"\n')
    world.issues(1)
    world.agent(1, publisher(world, "one"), gen=0)
    world.agent(1, f"{publisher(world, 'two')}\nsleep 60", gen=1)
    world.enqueue(1)
    world.run()
    entry = world.entry(1)
    assert (entry.status, entry.reason) == (EntryStatus.PARKED, "wrong-procedure")
    assert entry.branch == world.member(1, "i1").branch
    assert "file1.txt" not in world.paths()


def test_what_an_agent_merged_is_named(world: World) -> None:
    """R-58: merged by itself: evicted at once, and the request is named."""
    world.configure('[stall]\nkill_grace = "5s"\n')
    run_git(world.repo, "checkout", "-q", "-b", "elsewhere")
    world.issues(1)
    world.agent(1, publisher(world, "one", "merge"))
    world.enqueue(1)
    world.run()
    assert (world.entry(1).status, world.entry(1).reason) == (EntryStatus.PARKED, "wrong-procedure-shipped:2")
    assert world.started() == ["1 0"]


def test_who_only_takes_in_what_the_target_got_is_not_accused(world: World) -> None:
    """R-58, the other way round: an agent that brings its branch up to a target that moved has published nothing."""
    world.issues(1)
    world.agent(1, f"{commit_elsewhere(world)}\ngit merge -q main\necho 1 > file1.txt")
    world.issues(2)
    world.agent(2, f"{commit_elsewhere(world)}\ngit merge -q main", ends="exit 0")
    world.enqueue(1)
    world.run()
    world.enqueue(2)
    world.run()
    assert world.entry(1).status is EntryStatus.DONE
    assert not [issue for issue, reason in reasons(world) if reason.startswith("wrong-procedure")]


def commit_elsewhere(world: World) -> str:
    """Give the lines of a script in which a person's commit reaches the target meanwhile, away from every checkout."""
    git = f"GIT_TRACE2_EVENT=0 git -C {world.repo}"
    return f"made=$({git} commit-tree -p main -m Meanwhile main^{{tree}}); {git} update-ref refs/heads/main $made"


def reasons(world: World) -> list[tuple[int | None, str]]:
    """List why members left."""
    return [(event.issue, str(event.fields["reason"])) for event in told(world, "member-evicted")]


def test_commits_that_an_agent_put_into_the_target_are_named(world: World) -> None:
    """R-58: merged without any request: the target is named."""
    run_git(world.repo, "checkout", "-q", "-b", "elsewhere")
    world.issues(1)
    world.agent(1, "echo 1 > file1.txt; git add -A; git commit -q -m One; git push -q . HEAD:main")
    world.enqueue(1)
    world.run()
    assert (world.entry(1).status, world.entry(1).reason) == (EntryStatus.PARKED, "wrong-procedure-shipped:main")
