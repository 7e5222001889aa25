"""The person at the command line: their name, what they do at the local forge, and a wake-up place to wait at."""

import getpass
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gitsched.config.parse import FILENAME
from gitsched.domain.ids import branch_ref
from gitsched.errors import RefusedError
from gitsched.wiring.clone import Clone
from gitsched.wiring.machine import machine_of

if TYPE_CHECKING:
    from gitsched.adapters.forge.tracker import Tracker
    from gitsched.domain.records import Batch
    from gitsched.engine.desk import Desk
    from gitsched.policy.situation import Situation
    from gitsched.ports.runner import Waker


def actor_of(clone: Clone) -> str:
    """Name who acts: as git would name the author here, else the user of this system."""
    from gitsched.adapters.git.process import operator_git

    named = os.environ.get("GIT_AUTHOR_NAME", "").strip()
    return named or _configured(operator_git(clone.common_dir).run("config", "user.name", check=False).text())


def _configured(name: str) -> str:
    if name.strip():
        return name.strip()
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # no such user in this container
        return "operator"


def tracker_of(clone: Clone) -> "Tracker":
    """Give the local forge as that person uses it."""
    from gitsched.adapters.forge.tracker import Tracker

    if clone.settings_or_default.project.forge != "local":
        raise RefusedError(
            "The local forge's issues were to be changed.",
            '`project.forge` is "github": its issues are on GitHub.',
            "Change them there.",
        )
    fsync, shared = clone.settings_or_default.store.fsync, clone.refs_there
    return Tracker(clone.common_dir, clone.clock, actor_of(clone), fsync=fsync, shared=shared)


def waker_of(clone: Clone) -> "Waker":
    """Give a place to wait at; whoever wakes the drivers of this clone wakes it too. Close it after use."""
    from gitsched.adapters.wake import FifoWaker

    return FifoWaker(clone.common_dir, clone.processes)


def first_situation(clone: Clone) -> "Situation":
    """Look at the situation of a clone that is configured and has no store yet; nothing is written."""
    from gitsched.domain.records import Control
    from gitsched.domain.state import State
    from gitsched.engine.looking import situation_for_reading
    from gitsched.engine.rehearsal import Rehearsal

    empty = State(control=Control(slots_max=clone.settings.slots.max))
    stage = Rehearsal(empty, clone.clock.now())
    return situation_for_reading(stage, clone.issue_reader, clone.clock, clone.settings, machine_of(clone.settings))


def configuration_difference(clone: Clone) -> str | None:
    """Say that the target holds another configuration than the checkout, by which everything is judged from here."""
    from gitsched.adapters.git.process import engine_git

    file, target = clone.root / FILENAME, clone.settings.project.target
    kept = engine_git(clone.common_dir).run("cat-file", "blob", f"{branch_ref(target)}:{FILENAME}", check=False)
    if not kept.ok or kept.text() == file.read_text(encoding="utf-8").rstrip("\n"):
        return None
    return f"{FILENAME} of '{target}' differs from the one in {clone.root}, which is used."


def unmeasured_caps(clone: Clone) -> "Iterator[str]":
    """Say of each cap that the default agent's output can never reach that it has no effect."""
    from gitsched.config.profiles import resolve_profile
    from gitsched.policy.budget import unmeasured

    settings = clone.settings
    default = clone.situation().facts.default_profile
    profile = resolve_profile(settings.agents, default) if default is not None else None
    readers = {default: profile.usage} if default is not None and profile is not None else {}
    for cap, name in unmeasured(settings.budget, readers):
        yield f"`{cap}` has no effect on the agent {name}: its output tells nothing of that."


@contextmanager
def desk_of(clone: Clone) -> "Iterator[Desk]":
    """Give a desk at which a single effect is performed on a person's word, without being a driver."""
    from gitsched.domain.records import Holder
    from gitsched.engine.desk import Desk

    own = clone.processes.own()
    me = Holder(host=own.host, boot_id=own.boot_id, pid=own.pid, started=own.started, driver=f"cli-{own.pid}")
    around = clone.surroundings()
    try:
        yield Desk(around, me, clone.settings)
    finally:
        around.waker.close()


def leave_to_forge(clone: Clone, batch: "Batch") -> str | None:
    """Ask the forge to merge a batch's request by itself, and name how; None where a merge is ours to make.

    Raises RefusedError where the batch does not wait to be merged: then nothing was asked for.
    """
    from gitsched.domain.ship_effects import Park
    from gitsched.domain.words import BatchStatus
    from gitsched.engine.perform.table import perform

    with desk_of(clone) as desk:
        merge_by = desk.settings_of(batch).ship.merge_by
        if not merge_by.mechanism.is_the_forges:
            return None
        perform(Park(batch.id), desk)
        now = clone.store.read().batches[batch.id]
        if now.pr is None or now.pr.parked_at is None or now.status is not BatchStatus.AWAITING_MERGE:
            asked, against = f"{now.id} was to be merged.", f"It is {now.status}: {now.reason or 'no reason given'}."
            raise RefusedError(asked, against, f"`gitsched why {now.id}` tells what is next.")
        return str(merge_by)
