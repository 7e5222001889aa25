"""The configuration of a repository that jobs of a workflow work on."""

from pathlib import Path

_TEXT = """
[project]
remote = "{remote}"
[agents]
default = "fake"
[agents.fake]
command = ["sh", "{agent}"]
completion = "exit"
[worktrees]
dir = "{trees}"
[suite]
run = ["true"]
evidence = "exit"
[ship]
merge = "direct"
[store]
fsync = false
"""


def configuration(agent: Path, trees: Path, remote: str = "") -> str:
    """Write it out for an agent's script and a folder of worktrees."""
    return _TEXT.format(agent=agent, trees=trees, remote=remote)
