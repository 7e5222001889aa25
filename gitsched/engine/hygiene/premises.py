"""The premises: every neighbour that looking after a store asks of, behind its port."""

from msgspec import Struct

from gitsched.ports.care import Care
from gitsched.ports.landing import Lander
from gitsched.ports.refs import Refs
from gitsched.ports.runner import Processes, Runner
from gitsched.ports.store import Store
from gitsched.ports.worktrees import TreeWork, Worktrees


class Premises(Struct, frozen=True, kw_only=True):
    """One clone, to be looked after."""

    store: Store
    care: Care
    refs: Refs
    lander: Lander
    runner: Runner
    trees: Worktrees
    work: TreeWork
    processes: Processes
