"""The doctor's look at a clone, port by port; a configuration that cannot be read leaves out what hangs on it."""

import os
from pathlib import Path
from typing import Any

from gitsched.adapters.clock import TEST_CLOCK
from gitsched.adapters.git.process import git_version
from gitsched.adapters.git.registry import main_checkout
from gitsched.adapters.git.room import default_root
from gitsched.adapters.git.survey import kind_of, knows_author, root_fault
from gitsched.adapters.store.inbox import InboxRef
from gitsched.config.parse import FILENAME
from gitsched.config.settings import Settings
from gitsched.domain.ids import INBOX_REF, STATE_REF, branch_ref
from gitsched.domain.state import State
from gitsched.engine.doctor import looks
from gitsched.engine.doctor.baseline import base_fault
from gitsched.engine.looking import programs_found
from gitsched.errors import ConfigError
from gitsched.policy.checkup import Checkup
from gitsched.policy.left_checkup import LeftLook
from gitsched.policy.remote_checkup import RemoteLook
from gitsched.wiring.clone import Clone
from gitsched.wiring.github import github_look
from gitsched.wiring.machine import has_battery, is_program
from gitsched.wiring.operator import configuration_difference


def checkup_of(clone: Clone) -> Checkup:
    """Look at everything that the doctor judges; nothing is written."""
    settings, fault = _settings(clone)
    kind = kind_of(clone.common_dir)
    known = {} if fault is not None else _beyond_configuration(clone, settings)
    return Checkup(
        git_version=git_version(),
        is_bare=kind.is_bare,
        is_shallow=kind.is_shallow,
        knows_author=knows_author(clone.common_dir),
        has_commits=bool(clone.refs.below("refs/heads/")) or bool(clone.refs.below("refs/remotes/")),
        config_fault=fault,
        settings=settings,
        test_clock=os.environ.get(TEST_CLOCK),
        **known,
    )


def _settings(clone: Clone) -> tuple[Settings | None, str | None]:
    if not (clone.root / FILENAME).is_file():
        return None, None
    try:
        return clone.settings, None
    except ConfigError as wrong:
        clone.settings_or_default = Settings()  # what hangs on no setting is looked at all the same
        return None, str(wrong)


def _beyond_configuration(clone: Clone, settings: Settings | None) -> dict[str, Any]:
    state = clone.store.read() if clone.refs.resolve(STATE_REF) is not None else None
    known = {} if state is None else _of_state(clone, state)
    if settings is None:
        return known
    return {**known, **_of_settings(clone, settings), "base_fault": _base_fault(clone, settings, state)}


def _base_fault(clone: Clone, settings: Settings, state: State | None) -> str | None:
    head = clone.refs.resolve(branch_ref(settings.project.target))
    return None if state is None or head is None else base_fault(state, head, clone.lander.tree_of(head))


def _of_state(clone: Clone, state: State) -> dict[str, Any]:
    return {
        "state": state,
        "drivers": looks.driver_liveness(state, clone.processes),
        "workers": looks.worker_liveness(state, clone.runner, clone.refs),
        "trees": looks.held_trees(clone.trees, clone.work),
        "rescues": looks.rescues(clone.refs),
        "left": _left(clone),
        "has_battery": has_battery(),
    }


def _left(clone: Clone) -> LeftLook:
    has_inbox = clone.refs.resolve(INBOX_REF) is not None
    return LeftLook(
        now=clone.clock.now(),
        branches=looks.branches(clone.refs),
        deliveries=InboxRef(clone.common_dir, clone.clock).waiting() if has_inbox else None,
    )


def _of_settings(clone: Clone, settings: Settings) -> dict[str, Any]:
    profiles, default = programs_found(settings, is_program)
    root = Path(settings.worktrees.dir) if settings.worktrees.dir else default_root()
    program = (settings.suite.run or ("",))[0]
    has_file = (clone.root / FILENAME).is_file()
    return {
        "target_exists": clone.refs.resolve(branch_ref(settings.project.target)) is not None,
        "config_difference": configuration_difference(clone) if has_file else None,
        "profiles": profiles,
        "default_profile": default,
        # A program with a slash is a file of the tree that is judged, which may not be here.
        "suite_program_found": not program or "/" in program or is_program(program),
        "root": str(root),
        "root_fault": root_fault(root, main_checkout(clone.common_dir), clone.common_dir),
        "free_bytes": clone.trees.free_bytes(),
        "remote": _remote(clone),
        "forge": None if settings.project.forge == "local" else github_look(clone),
    }


def _remote(clone: Clone) -> RemoteLook | None:
    if clone.shared is None:
        return None
    many, discreet = clone.shared.pushes_per_minute, clone.shared.is_discreet()
    return RemoteLook(name=clone.settings.project.remote, pushes_per_minute=many, is_discreet=discreet)
