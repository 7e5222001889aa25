"""What must hold between settings: nothing is accepted that another setting would make void."""

from collections.abc import Iterator, Mapping
from typing import Final

from gitsched.config.agents import AgentSettings, TierSettings
from gitsched.config.lists import Argv
from gitsched.config.profiles import AUTO, MODEL, profile_names
from gitsched.config.settings import Settings
from gitsched.config.spot import Spot
from gitsched.domain.words import Tier
from gitsched.domain.zones import zone_named
from gitsched.errors import ConfigError

REPORT: Final = "{report}"
TESTS: Final = "{tests}"


def broken_relations(settings: Settings, raw: Mapping[str, object], root: Spot) -> Iterator[ConfigError]:
    """List every contradiction, each as the error that names its spot."""
    yield from _gates(settings, root.child("gates"))
    yield from _suite(settings, raw.get("suite"), root.child("suite"))
    yield from _named_agents(settings, root)
    yield from _models(settings, root.child("agents"))
    yield from _commands(settings, root)
    if settings.deploy.environment and settings.project.forge == "local":
        yield root.at(("deploy", "environment")).refusal(
            "It would never be seen: the embedded forge knows nothing of deployments.",
            "Name a command by `deploy.check` instead.",
        )
    if settings.schedule.tz and zone_named(settings.schedule.tz) is None:
        yield root.at(("schedule", "tz")).refusal("There is no such time zone.", "Name one as Europe/Berlin or UTC.")


def _gates(settings: Settings, spot: Spot) -> Iterator[ConfigError]:
    seen: set[str] = set()
    for index, gate in enumerate(settings.gates):
        here = spot.child(index)
        if gate.name in seen:
            yield here.child("name").refusal(
                f"A gate '{gate.name}' stands above.", "Give every gate a name of its own."
            )
        seen.add(gate.name)
        yield from _report(gate.run, gate.report, here)


def _suite(settings: Settings, raw: object, spot: Spot) -> Iterator[ConfigError]:
    suite = settings.suite
    if suite.is_waived and isinstance(raw, Mapping):
        for key in (key for key in raw if key != "run"):
            yield spot.child(key).refusal(
                'It would be ignored: `run = "none"` says that there is no suite.',
                "Remove it, or name the suite's command.",
            )
        return
    yield from _report(suite.run or (), suite.report, spot)
    if not suite.rerun:
        return
    rerun = spot.child("rerun")
    if TESTS not in suite.rerun:
        yield rerun.refusal(
            f"The command has no argument `{TESTS}`.",
            f"Put `{TESTS}` where the tests to run again belong; it becomes one argument per test.",
        )
    if suite.report == "none":
        yield rerun.refusal(
            "It would be ignored: without a report no failing test is known by name.",
            f'Add `report = "junit"` and let the command write to `{REPORT}`.',
        )


def _report(run: Argv, report: str, spot: Spot) -> Iterator[ConfigError]:
    if report == "none" and any(REPORT in argument for argument in run):
        yield spot.child("run").refusal(
            f"The command writes a report to `{REPORT}` and none is declared.",
            'Add `report = "junit"`.',
        )


def _named_agents(settings: Settings, root: Spot) -> Iterator[ConfigError]:
    known = profile_names(settings.agents)
    asked = {
        ("agents", "default"): settings.agents.default,
        ("fix", "agent"): settings.fix.agent,
        ("review", "agent"): settings.review.agent,
        ("report", "agent"): settings.report.agent,
    }
    for path, name in asked.items():
        fallback = AUTO if path == ("agents", "default") else ""
        if name not in (*known, fallback):
            yield root.at(path).refusal(f"No agent '{name}' is configured.", f"Known are: {', '.join(known)}.")


def _models(settings: Settings, spot: Spot) -> Iterator[ConfigError]:
    for name, agent in settings.agents.profiles.items():
        for tier in Tier:
            changes = agent.tiers.of(tier)
            if changes.model and not _takes_model(agent, changes):
                yield spot.at((*spot.path, name, "tiers", tier.value, "model")).refusal(
                    f"It would be ignored: the command has no `{MODEL}`.",
                    f"Put `{MODEL}` into the command where the model's name belongs.",
                )


def _takes_model(agent: AgentSettings, changes: TierSettings) -> bool:
    return any(MODEL in argument for argument in changes.command or agent.command)


def _commands(settings: Settings, root: Spot) -> Iterator[ConfigError]:
    dispatch = settings.dispatch
    if (dispatch.backend == "command") != bool(dispatch.command):
        yield root.at(("dispatch", "command")).refusal(
            'The back-end "command" and its command belong together.',
            'Write both `backend = "command"` and `command`, or neither.',
        )
    yield from _away(settings, root)
    if settings.ship.method == "squash" and not settings.ship.allow_squash:
        yield root.at(("ship", "method")).refusal(
            "A squash merge loses which member wrote what.",
            "Set `ship.allow_squash = true` to accept that.",
        )


def _away(settings: Settings, root: Spot) -> Iterator[ConfigError]:
    """Refuse what cannot be true of agents that work on other machines."""
    if settings.dispatch.backend == "local":
        return
    if not settings.project.remote:
        yield root.at(("dispatch", "backend")).refusal(
            "Machines that share an agent's work meet at a remote, and there is none.",
            "Name it in `project.remote`.",
        )
    for key in ("setup", "copy"):
        if getattr(settings.worktrees, key):
            yield root.at(("worktrees", key)).refusal(
                "It is for trees on this machine; agents work on others.",
                "Let the job that starts the worker, or the agent's own command, prepare what is needed.",
            )
    if settings.dispatch.backend == "command" and not any("{run}" in word for word in settings.dispatch.command):
        yield root.at(("dispatch", "command")).refusal(
            "The command does not say which run is to be worked.",
            "Put `{run}` where the name of the run belongs: `gitsched worker --run {run} --remote {remote}`.",
        )
