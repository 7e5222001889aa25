"""A batch in which one of everything goes wrong: what it is, and the one end that it may come to."""

from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus
from tests.engine.world import World
from tests.real_git import run_git

ALL = tuple(range(1, 9))
SHIPPED = (1, 3, 4, 8)
PARKED = {2: "gate-failed:unit", 5: "landing-conflict", 6: "needs a key", 7: "suite-failed"}

_CONFIGURATION = """
[land]
conflict = "evict"
[stall]
kill_grace = "1s"
[[gates]]
name = "unit"
run = ["sh", "-c", "test ! -f bad.txt"]
kind = "check"
"""
_SUITE = '\n[suite]\nrun = ["sh", "suite.sh", "{report}"]\nreport = "junit"\n'
_CASE = '<testcase classname="tests.test_cart" name="test_it" file="tests/test_cart.py">{inner}</testcase>'
_SCRIPT = """\
if [ -f tests/test_cart.py ]; then echo '<testsuite>{failing}</testsuite>' > $1; exit 1; fi
echo '<testsuite>{passing}</testsuite>' > $1
"""


def prepare(world: World) -> None:
    """Set the batch up, enqueued not begun: bad gate, conflict, hand-back, suite breaker, four good ones."""
    world.configure(_CONFIGURATION, suite=_SUITE, slots=3)
    failing, passing = _CASE.format(inner='<failure message="no"/>'), _CASE.format(inner="")
    (world.repo / "suite.sh").write_text(_SCRIPT.format(failing=failing, passing=passing))
    (world.repo / "app.py").write_text("total = 0\n")
    world.commit("Begin")
    world.issues(*ALL)
    world.agents(1, 3, 8)
    world.agent(2, "echo bad > bad.txt")
    world.agent(4, "echo 'total = 4' > app.py")
    world.agent(5, "echo 'total = 5' > app.py")
    world.agent(6, "echo 6 > file6.txt", ends='gitsched hand-back --reason "needs a key"')
    world.agent(7, "mkdir -p tests; echo bad > tests/test_cart.py")
    world.enqueue(*ALL)


def expect_the_end(world: World) -> None:
    """Check that the batch came to its one end: tree, statuses, reasons, and nothing left behind."""
    world.expect_landed(*SHIPPED)
    assert world.batch().status is BatchStatus.DONE, world.batch().reason
    files = {"README.md", "suite.sh", "app.py", "file1.txt", "file3.txt", "file8.txt"}
    assert world.paths() - {".gitignore"} == files
    assert world.show("app.py") == "total = 4"
    for issue in ALL:
        member, entry = world.member(issue), world.entry(issue)
        if issue in SHIPPED:
            assert (member.status, entry.status) == (MemberStatus.SHIPPED, EntryStatus.DONE)
            assert not world.forge_issue(issue).is_open
        else:
            assert entry.status is EntryStatus.PARKED
            assert (member.reason, entry.reason) == (PARKED[issue], PARKED[issue])
            assert run_git(world.repo, "rev-parse", member.branch) == member.head
    started = world.started()
    assert len(started) == len(set(started)), f"an agent was started twice: {started}"
    landed = [issue for _, issue in world.events("member-landed")]
    assert len(landed) == len(set(landed)), f"landed twice: {landed}"
    run_git(world.repo, "fsck", "--no-dangling")
    locks = [path for path in (world.repo / ".git").rglob("*.lock") if "stale" not in path.parts]
    assert not locks, locks
    world.expect_clean()
