"""Tables of budgets, schedules, GitHub, the webhook service and follow-ups."""

from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec

from gitsched.config.lists import ENV_NAMES, PROFILE_NAME, Named
from gitsched.config.reading import Key, Table
from gitsched.config.rules import Choice, Duration, Number, Text, Whole

_COUNT = Whole(0, 10**15)
_ENV_NAME = Text("the name of an environment variable", r"(?:[A-Za-z_][A-Za-z0-9_]*)?")


class BudgetCaps(msgspec.Struct, frozen=True):
    """One of `[budget.…]`: what a scope may spend; None is no cap."""

    usd: Annotated[float | None, Key("usd", Number(0, 10**9))] = None
    tokens_count: Annotated[int | None, Key("tokens", _COUNT)] = None
    turns_count: Annotated[int | None, Key("turns", _COUNT)] = None
    runs_count: Annotated[int | None, Key("runs", _COUNT)] = None
    agent_time_s: Annotated[float | None, Key("agent_time", Duration())] = None
    suite_runs_count: Annotated[int | None, Key("suite_runs", _COUNT)] = None


class BudgetSettings(msgspec.Struct, frozen=True):
    """`[budget]`: caps per scope."""

    unknown: Annotated[Literal["count-runs", "block"], Key("unknown")] = "count-runs"
    run: Annotated[BudgetCaps, Key("run")] = BudgetCaps()
    member: Annotated[BudgetCaps, Key("member")] = BudgetCaps()
    batch: Annotated[BudgetCaps, Key("batch")] = BudgetCaps()
    day: Annotated[BudgetCaps, Key("day")] = BudgetCaps()
    profile: Annotated[Mapping[str, BudgetCaps], Key("profile", Named(PROFILE_NAME, Table(BudgetCaps)))] = {}


class ScheduleSettings(msgspec.Struct, frozen=True):
    """`[schedule]`: the clock of a night's work, and who harvests it."""

    tz: Annotated[
        str, Key("tz", Text("a time zone such as Europe/Berlin", r"(?:[A-Za-z0-9_+-]+(?:/[A-Za-z0-9_+-]+)*)?"))
    ] = ""
    """Empty: the machine's own."""
    harvest: Annotated[Literal["manual", "auto"], Key("harvest")] = "manual"


Role = Literal["anyone", "triage", "write", "maintain", "admin"]
_ROLES: tuple[Role, ...] = ("anyone", "triage", "write", "maintain", "admin")


class GitHubSettings(msgspec.Struct, frozen=True):
    """`[github]`: where and as whom; secrets come from the environment or a file."""

    repository: Annotated[str, Key("repository", Text("OWNER/NAME", r"(?:[A-Za-z0-9-]+/[A-Za-z0-9._-]+)?"))] = ""
    """Empty: read from the remote's address."""
    repositories_dir: Annotated[str, Key("repositories_dir", Text("a directory of bare clones"))] = ""
    api_url: Annotated[str, Key("api_url", Text("an https address", r"https?://\S+"))] = "https://api.github.com"
    token_env: Annotated[str, Key("token_env", _ENV_NAME)] = "GITHUB_TOKEN"  # noqa: S105 - the name of a variable, not a secret
    app_id: Annotated[int | None, Key("app_id", Whole(1, 2**53))] = None
    private_key_file: Annotated[str, Key("private_key_file", Text("the path of a private key file"))] = ""
    webhook_secrets_env: Annotated[tuple[str, ...], Key("webhook_secrets_env", ENV_NAMES)] = ()
    batch_milestone: Annotated[str, Key("batch_milestone", Text("a pattern of GitHub milestone titles", r".+"))] = (
        "batch/*"
    )
    commands: Annotated[Mapping[str, Role], Key("commands", Named(r"[a-z]{1,20}", Choice(_ROLES)))] = {}
    """Verbs whose role differs from the default policy."""
    dashboard_token_env: Annotated[str, Key("dashboard_token_env", _ENV_NAME)] = ""


class WebhookSettings(msgspec.Struct, frozen=True):
    """`[webhook]`: the service's own caps."""

    max_live: Annotated[int | None, Key("max_live", Whole(1, 1000))] = None
    """Runs of all repositories together; None is no cap."""
    disabled: Annotated[bool, Key("disabled")] = False


class FollowUpSettings(msgspec.Struct, frozen=True):
    """`[follow_up]`: draft issues from failures."""

    enabled: Annotated[bool, Key("enabled")] = False
