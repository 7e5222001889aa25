"""Which git commands of a run could have changed the user's checkout."""

from gitsched.domain.runs import GitCommand
from gitsched.policy.isolation import visited, writes_in


def test_only_what_writes_there_counts() -> None:
    """R-16: not what reads, what was refused, or what worked elsewhere."""
    commands = (
        GitCommand(name="status", worktree="/home", code=0),
        GitCommand(name="commit", worktree="/home", code=0),
        GitCommand(name="commit", worktree="/tree", code=0),
        GitCommand(name="switch", worktree="/home", code=128),
        GitCommand(name="merge", worktree="/home", code=1),
        GitCommand(name="reset", worktree="/home"),
    )
    assert writes_in(commands, "/home") == ("commit", "merge", "reset")
    assert visited(commands) == {"/home", "/tree"}
