"""Trying agent, setup, gates and suite on the target, one after the other, in a tree of the pool (`doctor --run`)."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gitsched.adapters.trial import trial
from gitsched.config.presets import PRESETS
from gitsched.config.profiles import resolve_profile
from gitsched.config.relations import REPORT
from gitsched.config.settings import Settings
from gitsched.domain.ids import branch_ref
from gitsched.engine.looking import programs_found
from gitsched.engine.perform.setup import TIMEOUT_S
from gitsched.policy.checkup import Trial
from gitsched.policy.environment import agent_environment
from gitsched.ports.worktrees import Tree
from gitsched.wiring.clone import Clone
from gitsched.wiring.machine import is_program

OWNER = "doctor/0/0"
ANSWER_S = 60.0
"""For how long an agent may look for its own version; some ask for news first."""


class _Order(NamedTuple):
    name: str
    argv: tuple[str, ...]
    env: tuple[str, ...]
    timeout_s: float


def tried(clone: Clone) -> tuple[Trial, ...]:
    """Run everything that judges work, on the target as it is; after a setup that fails nothing more is run."""
    settings = clone.settings
    head = clone.refs.resolve(branch_ref(settings.project.target))
    if head is None:
        return ()
    tree = clone.trees.acquire(OWNER, head, None)
    if not isinstance(tree, Tree):
        return (Trial("tree", f"no tree could be made: {tree.detail}"),)
    try:
        return tuple(_each(settings, tree.path))
    finally:
        clone.trees.release(tree.path, (OWNER,))


def _each(settings: Settings, place: Path) -> Iterator[Trial]:
    with tempfile.TemporaryDirectory(prefix="gitsched-") as reports:
        for number, order in enumerate(_orders(settings)):
            env, _ = agent_environment(os.environ, order.env, {})
            argv = [word.replace(REPORT, f"{reports}/{number}") for word in order.argv]
            found = Trial(order.name, trial(argv, env, place, order.timeout_s))
            yield found
            if found.fault is not None and found.name.startswith("setup"):
                return


def _agent(settings: Settings) -> Iterator[_Order]:
    """Ask the agent for its version, where it is one of those that are known to answer that."""
    _, name = programs_found(settings, is_program)
    if name is None or name not in PRESETS:
        return
    profile = resolve_profile(settings.agents, name)
    if profile is not None and profile.command[0] == PRESETS[name].command[0]:
        program = profile.command[0]
        yield _Order(f"agent's `{program} --version`", (program, "--version"), profile.env, ANSWER_S)


def _orders(settings: Settings) -> Iterator[_Order]:
    yield from _agent(settings)
    for number, argv in enumerate(settings.worktrees.setup, start=1):
        yield _Order(f"setup {number}", argv, (), TIMEOUT_S)
    for gate in settings.gates:
        yield _Order(f"gate {gate.name}", gate.run, gate.env, gate.timeout_s)
    if settings.suite.run:
        yield _Order("suite", settings.suite.run, settings.suite.env, settings.suite.timeout_s)
