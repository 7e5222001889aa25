"""Repairs: what has one right answer, and nothing else.

1. A driver that is gone is marked as lost, as any driver's next pass would.
2. A worktree that nothing live names, without uncommitted work, is removed; its commits stay on their branches.
"""

from collections.abc import Iterator
from pathlib import Path

from gitsched.domain.effects import LoseDriver
from gitsched.domain.words import Liveness
from gitsched.engine.desk import Desk
from gitsched.engine.perform.table import perform
from gitsched.policy.checkup import Checkup
from gitsched.policy.diagnose import orphan_trees


def repair(look: Checkup, desk: Desk) -> Iterator[str]:
    """Mend what a look found, and say of each thing what was done, or why it could not be."""
    for name, liveness in sorted(look.drivers.items()):
        if liveness is Liveness.GONE:
            perform(LoseDriver(name), desk)
            yield f"Driver {name} is marked as lost."
    for path in orphan_trees(look):
        if look.trees[path]:
            continue
        refused = desk.around.trees.remove(Path(path))
        yield f"The worktree {path} is removed." if refused is None else f"The worktree stays: {refused}."
