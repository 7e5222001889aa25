"""Builders for pure policy tests: a valid situation, of which a test changes the one thing that matters."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from gitsched.config.parse import parse_settings
from gitsched.config.settings import Settings
from gitsched.domain.facts import Facts
from gitsched.domain.records import Batch, Control, Driver, Entry, Holder, Integration, Job, Lease, Member, Record, Slot
from gitsched.domain.runs import Milestone, ProcessName, RunEnd, RunLook, RunRecord
from gitsched.domain.state import State
from gitsched.domain.words import (
    BatchKind,
    BatchStatus,
    Dispatch,
    EntryStatus,
    JobKind,
    Liveness,
    MemberStatus,
    MilestoneStatus,
    RunStatus,
)
from gitsched.policy.situation import Situation

NOW = "2026-01-01T12:00:00.000Z"
ME = "driver-me"
HOST = "here"
BASE = """
[suite]
run = ["true"]
evidence = "exit"
[agents]
default = "fake"
[agents.fake]
command = ["fake"]
"""


def settings(more: str = "") -> Settings:
    """Parse what every test has, and more."""
    return parse_settings(BASE + more)


def at(minutes: int) -> str:
    """Name an instant that many minutes after eleven; NOW is minute 60."""
    return f"2026-01-01T{11 + minutes // 60:02d}:{minutes % 60:02d}:00.000Z"


def an_entry(issue: int, status: EntryStatus = EntryStatus.QUEUED, **fields: Any) -> Entry:
    """Build a row of the queue, ready since minute `issue` unless said otherwise."""
    given = {"title": f"Issue {issue}", "created_at": at(issue), "updated_at": at(issue), **fields}
    return Entry(issue=issue, status=status, **given)


def a_member(issue: int, status: MemberStatus = MemberStatus.WAITING, **fields: Any) -> Member:
    """Build a member of b1; its index is its issue."""
    given = {
        "batch": "b1",
        "index": issue,
        "title": f"Issue {issue}",
        "branch": f"gitsched/b1/m{issue}-i{issue}",
        "updated_at": at(issue),
        **fields,
    }
    return Member(issue=issue, status=status, **given)


def a_batch(*issues: int, status: BatchStatus = BatchStatus.EXECUTING, **fields: Any) -> Batch:
    """Build b1 with these members."""
    given = {
        "id": "b1",
        "kind": BatchKind.BATCH if len(issues) > 1 else BatchKind.SOLO,
        "target": "main",
        "base": "base",
        "integration": Integration(branch="gitsched/b1/integration", head="head"),
        "dispatch": Dispatch.PARALLEL,
        "priority": 10,
        **fields,
    }
    return Batch(status=status, members=tuple(Slot(index=issue, issue=issue) for issue in issues), **given)


def a_lease(issue: int, status: RunStatus = RunStatus.RUNNING, driver: str = ME, **fields: Any) -> Lease:
    """Build a lease of b1, held by this test's driver unless said otherwise."""
    holder = Holder(host=HOST, boot_id="boot", pid=1, started="1", driver=driver)
    given = {
        "batch": "b1",
        "slot": issue,
        "gen": 0,
        "token": "token",
        "holder": holder,
        "profile": "fake",
        "acquired_at": at(50),
        "spawned_at": at(50),
        **fields,
    }
    return Lease(issue=issue, status=status, **given)


def a_job(name: str = "suite", driver: str = ME, **fields: Any) -> Job:
    """Build a running job of b1."""
    owner = Holder(host=HOST, boot_id="boot", pid=1, started="1", driver=driver)
    given = {"kind": JobKind.SUITE, "gen": 0, "token": "t", "commit": "c", **fields}
    return Job(batch="b1", name=name, tree="t", fingerprint="f", owner=owner, started_at=at(50), **given)


def a_driver(name: str) -> Driver:
    """Build a registered driver."""
    return Driver(id=name, host=HOST, boot_id="boot", pid=1, started="1", registered_at=at(1))


def a_run(*milestones: Milestone, end: RunEnd | None = None, gen: int = 0) -> RunRecord:
    """Build what a worker wrote down."""
    return RunRecord(
        batch="b1",
        name="1",
        gen=gen,
        token="token",
        worker=ProcessName(host=HOST, boot_id="boot", pid=2, started="2"),
        started_at=at(50),
        milestones=milestones,
        end=end,
    )


def said(status: MilestoneStatus, phase: str = "review", when: str = at(55), gen: int = 0, **keys: str) -> Milestone:
    """Build a milestone."""
    return Milestone(phase=phase, status=status, gen=gen, at=when, keys=keys)


def a_look(record: RunRecord | None = None, worker: Liveness = Liveness.ALIVE, **fields: Any) -> RunLook:
    """Build what a driver sees of a run."""
    return RunLook(record=record, worker=worker, **fields)


def a_state(*records: Record, **control: Any) -> State:
    """Build a state of records; members and batches get the entries they need."""
    state = State().put(replace(Control(slots_max=4), **control)).put(a_driver(ME))
    for record in records:
        state = state.put(record)
        if isinstance(record, Member) and record.issue not in state.entries:
            state = state.put(an_entry(record.issue, EntryStatus.ASSIGNED, batch=record.batch, deps=record.deps))
    return state


def a_situation(
    state: State, config: Settings | None = None, sealed: Mapping[str, Settings] | None = None, **facts: Any
) -> Situation:
    """Build a situation around a state."""
    given = {
        "now": NOW,
        "driver": ME,
        "host": HOST,
        "profiles": frozenset({"fake"}),
        "default_profile": "fake",
        **facts,
    }
    return Situation(state=state, facts=Facts(**given), current=config or settings(), sealed=sealed or {})
