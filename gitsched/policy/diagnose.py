"""Diagnose: what a look at a clone means: every precondition with a code, a colour and what to do.

Green is as it should be, amber works but somebody should know, red keeps work from being done. A precondition that
holds has one green line; each thing that is wrong has a line of its own under the same code.
"""

import shlex
from collections.abc import Iterator

from gitsched.config.profiles import resolve_profile
from gitsched.domain.counting import how_many
from gitsched.domain.schedules import ScheduleStatus
from gitsched.domain.words import LIVE_RUNS, Liveness
from gitsched.policy.budget import unmeasured
from gitsched.policy.checkup import Checkup
from gitsched.policy.forge_checkup import forge_lines
from gitsched.policy.left_checkup import left_lines
from gitsched.policy.precondition import Precondition, amber, green, red
from gitsched.policy.remote_checkup import remote_lines

OLDEST_GIT = (2, 38, 0)
"""The first git whose `merge-tree` writes trees."""


def diagnose(look: Checkup) -> tuple[Precondition, ...]:
    """Name every precondition, in the order in which they build on each other."""
    return tuple(found for question in _QUESTIONS for found in question(look))


def _git(look: Checkup) -> Iterator[Precondition]:
    version = ".".join(map(str, look.git_version))
    if look.git_version < OLDEST_GIT:
        oldest = ".".join(map(str, OLDEST_GIT[:2]))
        yield red("git-version", f"git is {version}.", f"Use git {oldest} or newer.")
    else:
        yield green("git-version", f"git is {version}.")


def _repository(look: Checkup) -> Iterator[Precondition]:
    kind = "bare" if look.is_bare else "with a checkout"
    if look.is_shallow:
        yield amber("repository", "It is a shallow clone: history is missing.", "git fetch --unshallow")
    elif not look.has_commits:
        yield red("repository", "It has no commit yet.", "git commit --allow-empty -m Begin")
    else:
        yield green("repository", f"It is complete, {kind}.")


def _author(look: Checkup) -> Iterator[Precondition]:
    if not look.knows_author:
        fix = 'git config --global user.name "YOUR NAME"; git config --global user.email YOU@EXAMPLE.ORG'
        yield amber("git-author", "git is told no name and address: an agent's own commits fail.", fix)


def _configuration(look: Checkup) -> Iterator[Precondition]:
    if look.config_fault is not None:
        yield red("configuration", look.config_fault, "Mend gitsched.toml as the message says.")
    elif look.settings is None:
        yield red("configuration", "There is no gitsched.toml.", "gitsched init")
    elif look.config_difference is not None:
        fix = "Commit it to the target, for the Action and the webhook service read that one."
        yield amber("configuration", look.config_difference, fix)
    else:
        yield green("configuration", "gitsched.toml is understood.")


def _target(look: Checkup) -> Iterator[Precondition]:
    if look.settings is None:
        return
    target = look.settings.project.target
    if look.target_exists:
        yield green("target", f"The target is {target}.")
    else:
        fix = f"git branch {shlex.quote(target)}"
        yield red("target", f"The target {target} does not exist.", fix)


def _suite(look: Checkup) -> Iterator[Precondition]:
    if look.settings is None:
        return
    suite = look.settings.suite
    if not suite.is_declared:
        fix = 'Write [suite] with run = ["your", "tests"] into gitsched.toml, or run = "none" to go without.'
        yield red("suite", "No suite is declared: nothing could prove the work.", fix)
    elif suite.is_waived:
        yield amber("suite", "The suite is waived: nothing proves the whole.", "Declare one in [suite].")
    elif not look.suite_program_found:
        fix = "Install it, or change suite.run."
        yield red("suite", f"'{(suite.run or ('',))[0]}' of suite.run is not on PATH.", fix)
    else:
        yield green("suite", f"The suite is {shlex.join(suite.run or ())}.")


def _base(look: Checkup) -> Iterator[Precondition]:
    if look.settings is None or look.state is None:
        return
    if look.base_fault is None:
        unknown = "" if look.trials else "; `gitsched doctor --run` tries"
        yield green("base", f"Nothing is known that the target fails{unknown}.")
    else:
        fix = f"Mend {look.settings.project.target}, then `gitsched resume` what waits for it."
        yield red("base", f"The target is red: {look.base_fault}.", fix)


def _trials(look: Checkup) -> Iterator[Precondition]:
    for trial in look.trials:
        if trial.fault is None:
            yield green("trial", f"The {trial.name} passes on the target.")
        else:
            fix = "Run it by hand on a fresh checkout of the target, where nothing is left of earlier work."
            yield red("trial", f"The {trial.name} fails on the target: {trial.fault}.", fix)


def _agent(look: Checkup) -> Iterator[Precondition]:
    if look.settings is None:
        return
    name = look.default_profile
    if name is None:
        fix = "Install a coding agent, or name a command of your own in [agents.NAME]."
        yield red("agent", "No known agent is on PATH.", fix)
    elif name in look.profiles:
        yield green("agent", f"The agent is {name}.")
    else:
        profile = resolve_profile(look.settings.agents, name)
        missing = f"its program '{profile.command[0]}' is not on PATH" if profile else "there is no such profile"
        fix = "Install it, or set agents.default to one that is there."
        yield red("agent", f"The agent {name} cannot be started: {missing}.", fix)


def _root(look: Checkup) -> Iterator[Precondition]:
    if look.settings is None:
        return
    if look.root_fault is not None:
        message = f"Worktrees cannot be made in {look.root}: {look.root_fault}."
        yield red("worktree-root", message, "Set worktrees.dir to a folder outside the checkout.")
    else:
        yield green("worktree-root", f"Worktrees are made in {look.root}.")


def _disk(look: Checkup) -> Iterator[Precondition]:
    if look.settings is None:
        return
    floor = look.settings.disk.floor_bytes
    told = f"{look.free_bytes / 2**30:.1f} GiB are free"
    if look.free_bytes < floor:
        message = f"{told}, and disk.floor is {floor / 2**30:.1f} GiB: nothing new starts."
        yield red("disk", message, "Free some space, or lower disk.floor.")
    else:
        yield green("disk", f"{told}.")


def _forge(look: Checkup) -> Iterator[Precondition]:
    if look.forge is not None and look.settings is not None:
        yield from forge_lines(look.forge, look.settings)


def _remote(look: Checkup) -> Iterator[Precondition]:
    if look.remote is not None:
        yield from remote_lines(look.remote)


def _store(look: Checkup) -> Iterator[Precondition]:
    if look.state is None:
        if look.settings is not None:
            yield amber("store", "The state is not set up yet.", "gitsched init")
        return
    for path, detail in sorted(look.state.unreadable.items()):
        fix = f"git show refs/gitsched/state:{path}"
        yield red("record-unreadable", f"The record {path} does not decode: {detail}.", fix)
    if not look.state.unreadable:
        held = how_many(len(look.state.entries), "entry", "entries")
        yield green("store", f"The state is readable, with {held}.")


def _drivers(look: Checkup) -> Iterator[Precondition]:
    gone = [name for name, liveness in sorted(look.drivers.items()) if liveness is Liveness.GONE]
    for name in gone:
        yield amber("driver-stale", f"Driver {name} is gone without a word.", "gitsched doctor --fix")
    if not gone:
        live = ", ".join(sorted(look.drivers)) or "none"
        yield green("driver-stale", f"No driver is stale; live: {live}.")


def _leases(look: Checkup) -> Iterator[Precondition]:
    orphans = orphan_leases(look)
    for batch, issue in orphans:
        message = f"The run of issue {issue} in {batch} has no worker, and no driver settles it."
        yield amber("lease-orphan", message, "gitsched tick")
    if not orphans:
        yield green("lease-orphan", "Every live run has a worker or a driver.")


def orphan_leases(look: Checkup) -> tuple[tuple[str, int], ...]:
    """List the live leases whose worker and whose every driver are gone, as (batch, issue)."""
    if look.state is None or any(liveness is not Liveness.GONE for liveness in look.drivers.values()):
        return ()
    live = (
        key for key, lease in sorted(look.state.leases.items()) if lease.status in LIVE_RUNS and not lease.worked_by
    )
    return tuple(key for key in live if look.workers.get(key) is Liveness.GONE)


def _trees(look: Checkup) -> Iterator[Precondition]:
    orphans = orphan_trees(look)
    for path in orphans:
        dirty = look.trees[path]
        message = f"The worktree {path} belongs to nothing that is live" + (
            " and holds uncommitted work." if dirty else "."
        )
        fix = f"git -C {shlex.quote(path)} status" if dirty else "gitsched doctor --fix"
        yield amber("worktree-orphan", message, fix)
    if not orphans:
        yield green("worktree-orphan", "Every worktree that is held belongs to a member or a job.")


def orphan_trees(look: Checkup) -> tuple[str, ...]:
    """List the held worktrees that no member and no job names, by path."""
    if look.state is None:
        return ()
    named = {member.tree for member in look.state.members.values()}
    named |= {job.place for job in look.state.jobs.values()}
    return tuple(path for path in sorted(look.trees) if path not in named)


def _rescues(look: Checkup) -> Iterator[Precondition]:
    for ref in look.rescues:
        yield amber("rescue-pending", f"Uncommitted work was saved to {ref}.", f"git show {shlex.quote(ref)}")
    if not look.rescues:
        yield green("rescue-pending", "No rescued work waits to be looked at.")


def _left(look: Checkup) -> Iterator[Precondition]:
    if look.left is not None and look.state is not None:
        yield from left_lines(look.left, look.state)


def _clock(look: Checkup) -> Iterator[Precondition]:
    if look.test_clock is not None:
        message = f"GITSCHED_TEST_CLOCK shifts the clock by {look.test_clock}."
        yield amber("test-clock", message, "unset GITSCHED_TEST_CLOCK")


def _budgets(look: Checkup) -> Iterator[Precondition]:
    """Say aloud which caps can never be reached, because no output tells what they are about."""
    if look.settings is None:
        return
    agents, default = look.settings.agents, (look.default_profile,)
    named = {*agents.profiles, *(name for name in default if name is not None)}
    resolved = {name: resolve_profile(agents, name) for name in named}
    readers = {name: profile.usage for name, profile in resolved.items() if profile is not None}
    for cap, name in unmeasured(look.settings.budget, readers):
        message = f"`{cap}` has no effect on the agent {name}: its output tells nothing of that."
        yield amber("budget-unmeasured", message, f"Set `agents.{name}.usage`, or cap runs or agent_time.")


def _schedules(look: Checkup) -> Iterator[Precondition]:
    schedules = look.state.schedules.values() if look.state is not None else ()
    drives = any(liveness is not Liveness.GONE for liveness in look.drivers.values())
    for schedule in schedules:
        if schedule.status is ScheduleStatus.HUMAN_REQUIRED:
            message = f"Schedule {schedule.id} needs a person: {schedule.reason}."
            yield amber("schedule-held", message, f"gitsched schedule show {schedule.id}")
    waits = sorted(s.id for s in schedules if s.status in (ScheduleStatus.SCHEDULED, ScheduleStatus.WAITING))
    if waits and not drives:
        message = f"Nobody drives, and {', '.join(waits)} waits for its window."
        yield amber("schedule-driver", message, "gitsched schedule install")
    if waits and look.has_battery:
        message = "This machine has a battery: asleep it drives nothing, and a window passes by."
        yield amber("sleep", message, "Keep it awake, for instance with `systemd-inhibit gitsched run`.")


_QUESTIONS = (
    *(_git, _author, _repository, _configuration, _target, _suite, _base, _trials, _agent, _root, _disk),
    *(_forge, _remote, _store, _drivers, _leases, _trees, _left, _rescues, _budgets, _schedules, _clock),
)
