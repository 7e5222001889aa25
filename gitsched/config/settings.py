"""The whole of gitsched.toml as one value."""

from typing import Annotated

import msgspec

from gitsched.config.agents import FixSettings, ReportSettings, ReviewSettings
from gitsched.config.checking import (
    BisectSettings,
    EvictSettings,
    GateSettings,
    LandSettings,
    SuiteSettings,
)
from gitsched.config.pacing import (
    AdmissionSettings,
    BatchSettings,
    DiskSettings,
    DispatchSettings,
    LadderSettings,
    SlotSettings,
    StallSettings,
    WorktreeSettings,
)
from gitsched.config.profiles import AgentsSettings
from gitsched.config.reading import Key, Tables
from gitsched.config.services import (
    BudgetSettings,
    FollowUpSettings,
    GitHubSettings,
    ScheduleSettings,
    WebhookSettings,
)
from gitsched.config.shipping import (
    DeploySettings,
    EvidenceSettings,
    LabelSettings,
    MilestoneSettings,
    NotifySettings,
    ProjectSettings,
    ShipSettings,
    StoreSettings,
    WatchSettings,
)


class Settings(msgspec.Struct, frozen=True):
    """Every table, in the order of the reference; what is not written has its default."""

    project: Annotated[ProjectSettings, Key("project")] = ProjectSettings()
    slots: Annotated[SlotSettings, Key("slots")] = SlotSettings()
    batch: Annotated[BatchSettings, Key("batch")] = BatchSettings()
    admission: Annotated[AdmissionSettings, Key("admission")] = AdmissionSettings()
    dispatch: Annotated[DispatchSettings, Key("dispatch")] = DispatchSettings()
    agents: Annotated[AgentsSettings, Key("agents")] = AgentsSettings()
    worktrees: Annotated[WorktreeSettings, Key("worktrees")] = WorktreeSettings()
    gates: Annotated[tuple[GateSettings, ...], Key("gates", Tables(GateSettings))] = ()
    suite: Annotated[SuiteSettings, Key("suite")] = SuiteSettings()
    bisect: Annotated[BisectSettings, Key("bisect")] = BisectSettings()
    fix: Annotated[FixSettings, Key("fix")] = FixSettings()
    review: Annotated[ReviewSettings, Key("review")] = ReviewSettings()
    report: Annotated[ReportSettings, Key("report")] = ReportSettings()
    stall: Annotated[StallSettings, Key("stall")] = StallSettings()
    ladder: Annotated[LadderSettings, Key("ladder")] = LadderSettings()
    land: Annotated[LandSettings, Key("land")] = LandSettings()
    evict: Annotated[EvictSettings, Key("evict")] = EvictSettings()
    ship: Annotated[ShipSettings, Key("ship")] = ShipSettings()
    milestones: Annotated[MilestoneSettings, Key("milestones")] = MilestoneSettings()
    deploy: Annotated[DeploySettings, Key("deploy")] = DeploySettings()
    watch: Annotated[WatchSettings, Key("watch")] = WatchSettings()
    labels: Annotated[LabelSettings, Key("labels")] = LabelSettings()
    budget: Annotated[BudgetSettings, Key("budget")] = BudgetSettings()
    schedule: Annotated[ScheduleSettings, Key("schedule")] = ScheduleSettings()
    notify: Annotated[NotifySettings, Key("notify")] = NotifySettings()
    github: Annotated[GitHubSettings, Key("github")] = GitHubSettings()
    webhook: Annotated[WebhookSettings, Key("webhook")] = WebhookSettings()
    evidence: Annotated[EvidenceSettings, Key("evidence")] = EvidenceSettings()
    follow_up: Annotated[FollowUpSettings, Key("follow_up")] = FollowUpSettings()
    disk: Annotated[DiskSettings, Key("disk")] = DiskSettings()
    store: Annotated[StoreSettings, Key("store")] = StoreSettings()
