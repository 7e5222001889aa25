"""Tables that judge and land: gates, suite, search, landing, eviction."""

from typing import Annotated, Literal

import msgspec

from gitsched.config.lists import ENV_NAMES, Argv, Command, SuiteCommand
from gitsched.config.reading import Key
from gitsched.config.rules import Duration, Number, Size, Text, Whole

CheckKind = Literal["test", "build", "check"]
Evidence = Literal["report", "exit"]
Report = Literal["none", "junit"]
CaseIds = Literal["pytest", "go", "file", "name"]


class GateSettings(msgspec.Struct, frozen=True):
    """One of `[[gates]]`: a check of a member's own tree, in the order of the file."""

    name: Annotated[str, Key("name", Text("a name of small letters, digits and dashes", r"[a-z0-9][a-z0-9-]{0,39}"))]
    run: Annotated[Argv, Key("run", Command())]
    """`{report}` stands for the path of this run's report, outside the tree."""
    kind: Annotated[CheckKind, Key("kind")] = "test"
    evidence: Annotated[Evidence, Key("evidence")] = "report"
    env: Annotated[tuple[str, ...], Key("env", ENV_NAMES)] = ()
    """Names passed on, and part of the fingerprint with their values."""
    report: Annotated[Report, Key("report")] = "none"
    timeout_s: Annotated[float, Key("timeout", Duration())] = 900.0


class SuiteSettings(msgspec.Struct, frozen=True):
    """`[suite]`: the check of the whole integration tree."""

    run: Annotated[Argv | None, Key("run", SuiteCommand())] = None
    """None: nothing declared; empty: `run = "none"` was said."""
    report: Annotated[Report, Key("report")] = "none"
    rerun: Annotated[Argv, Key("rerun", Command(absent_allowed=True))] = ()
    """With `{tests}`, which becomes one argument per test; empty: a step is the whole suite."""
    ids: Annotated[CaseIds, Key("ids")] = "pytest"
    """How a case of the report becomes an argument of `rerun`."""
    evidence: Annotated[Evidence, Key("evidence")] = "report"
    env: Annotated[tuple[str, ...], Key("env", ENV_NAMES)] = ()
    timeout_s: Annotated[float, Key("timeout", Duration())] = 1800.0
    flaky: Annotated[Literal["pass", "block"], Key("flaky")] = "pass"
    base_red: Annotated[Literal["block", "excuse"], Key("base_red")] = "block"
    coverage: Annotated[str, Key("coverage", Text("the path of a coverage map"))] = ""

    @property
    def is_declared(self) -> bool:
        """Whether the operator said anything of a suite, `none` included."""
        return self.run is not None

    @property
    def is_waived(self) -> bool:
        """Whether the operator said that there is none."""
        return self.run == ()


class BisectSettings(msgspec.Struct, frozen=True):
    """`[bisect]`: the search for a culprit."""

    confirm_count: Annotated[int, Key("confirm", Whole(1, 20))] = 3
    parallel: Annotated[int, Key("parallel", Whole(0, 64))] = 0
    """0: as many as there are free slots."""


class GuardSettings(msgspec.Struct, frozen=True):
    """`land.guards`: what is a hazard by its amount."""

    size_bytes: Annotated[int, Key("size", Size())] = 100 * 2**20
    """Of one file."""
    deletions: Annotated[float, Key("deletions", Number(0, 1))] = 0.5
    """The share of the tree's files that a member may delete."""


class LandSettings(msgspec.Struct, frozen=True):
    """`[land]`: how verified work gets onto the integration branch."""

    strategy: Annotated[Literal["rebase", "squash"], Key("strategy")] = "rebase"
    conflict: Annotated[Literal["retry", "evict"], Key("conflict")] = "retry"
    neutralise_closing: Annotated[bool, Key("neutralise_closing")] = False
    guards: Annotated[GuardSettings, Key("guards")] = GuardSettings()


class EvictSettings(msgspec.Struct, frozen=True):
    """`[evict]`: how a landed member's commits leave."""

    strategy: Annotated[Literal["rebuild", "revert"], Key("strategy")] = "rebuild"
