"""Checkup: one look at a clone, of which the doctor makes his lines."""

from collections.abc import Mapping

from msgspec import Struct

from gitsched.config.settings import Settings
from gitsched.domain.state import State
from gitsched.domain.words import Liveness
from gitsched.policy.forge_checkup import ForgeLook
from gitsched.policy.left_checkup import LeftLook
from gitsched.policy.remote_checkup import RemoteLook


class Trial(Struct, frozen=True):
    """A command that was tried on the target."""

    name: str
    fault: str | None = None
    """What was wrong; None: it ended well."""


class Checkup(Struct, frozen=True, kw_only=True):
    """One look at a clone. What depends on the configuration is missing where that cannot be read."""

    git_version: tuple[int, int, int]
    is_bare: bool = False
    is_shallow: bool = False
    knows_author: bool = True
    """Whether git can tell who a commit is by."""
    config_fault: str | None = None
    """What is wrong with gitsched.toml."""
    config_difference: str | None = None
    """That the target holds another gitsched.toml, as a sentence."""
    settings: Settings | None = None
    has_commits: bool = True
    target_exists: bool = True
    profiles: frozenset[str] = frozenset()
    """Profiles whose program is on PATH."""
    default_profile: str | None = None
    suite_program_found: bool = True
    trials: tuple[Trial, ...] = ()
    """What was tried, where that was asked for."""
    base_fault: str | None = None
    """What the target is known to fail."""
    root: str = ""
    """Where worktrees are made."""
    root_fault: str | None = None
    free_bytes: int = 0
    state: State | None = None
    """None before `init`."""
    drivers: Mapping[str, Liveness] = {}
    workers: Mapping[tuple[str, int], Liveness] = {}
    """Of every lease, by (batch, issue): whether its worker lives."""
    trees: Mapping[str, bool] = {}
    """By path: worktrees of ours that somebody holds → whether there is uncommitted work in them."""
    rescues: tuple[str, ...] = ()
    """Refs of uncommitted work that was saved."""
    test_clock: str | None = None
    has_battery: bool = False
    left: LeftLook | None = None
    """None before `init`."""
    forge: ForgeLook | None = None
    """None where the forge is the local one."""
    remote: RemoteLook | None = None
    """None where no remote is the authority."""
