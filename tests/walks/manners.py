"""The manners of a town: which of the settings that change a batch's way it has."""

from pathlib import Path

from msgspec import Struct

_CONFIGURATION = """
[project]
target = "main"
[slots]
max = 3
[agents]
default = "fake"
[agents.fake]
command = ["true"]
completion = "exit"
[agents.other]
command = ["true"]
completion = "exit"
[worktrees]
dir = "{trees}"
setup = {setup}
[store]
fsync = false
[disk]
floor = "0B"
[land]
conflict = "{conflict}"
[evict]
strategy = "{strategy}"
[[gates]]
name = "unit"
run = ["true"]
kind = "check"
[suite]
run = ["true", "{{report}}"]
report = "junit"
[ship]
merge = "{merge}"
"""
_HELP = """
[fix]
agent = "other"
[review]
agent = "other"
[report]
agent = "other"
"""
_BUDGET = """
[budget.member]
runs = 3
[budget.day]
runs = 12
"""


class Manners(Struct, frozen=True, kw_only=True):
    """Settings of one town."""

    conflict: str = "evict"
    strategy: str = "rebuild"
    merge: str = "direct"
    has_setup: bool = False
    has_help: bool = False
    """Agents mend, review and report."""
    has_budget: bool = False

    def text(self, trees: Path | str) -> str:
        """Write them as gitsched.toml."""
        main = _CONFIGURATION.format(
            trees=trees,
            conflict=self.conflict,
            strategy=self.strategy,
            merge=self.merge,
            setup='[["true"], ["true"]]' if self.has_setup else "[]",
        )
        return main + _HELP * self.has_help + _BUDGET * self.has_budget
