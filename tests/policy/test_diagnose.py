"""Diagnose: each thing that is wrong is one line with its code, colour and cure; what is right is green."""

from typing import Any

import pytest
from msgspec.structs import replace

from gitsched.config.parse import parse_settings
from gitsched.domain.deliveries import Delivery
from gitsched.domain.records import (
    Batch,
    Driver,
    Entry,
    Exit,
    Holder,
    Integration,
    Lease,
    Member,
    Schedule,
)
from gitsched.domain.schedules import ScheduleStatus
from gitsched.domain.state import State
from gitsched.domain.words import BatchKind, BatchStatus, EntryStatus, Liveness, MemberStatus, RunStatus
from gitsched.policy.checkup import Checkup, Trial
from gitsched.policy.diagnose import diagnose, orphan_leases, orphan_trees
from gitsched.policy.left_checkup import LeftLook
from gitsched.policy.precondition import Level

AT = "2026-01-02T03:04:05.000Z"
OLD = Delivery(id="d", event="push", received_at="2026-01-02T02:04:05.000Z")
HOLDER = Holder(host="vm", boot_id="x", pid=1, started="1", driver="d1")
LEASE = Lease(
    batch="b1", issue=3, slot=1, gen=0, status=RunStatus.RUNNING, token="t", holder=HOLDER, profile="p", acquired_at=AT
)
DRIVER = Driver(id="d1", host="vm", boot_id="x", pid=1, started="1", registered_at=AT)
MEMBER = Member(batch="b1", issue=3, index=1, title="T", status=MemberStatus.RUNNING, tree="/trees/1")
GOOD = Checkup(
    git_version=(2, 39, 5),
    settings=parse_settings('[suite]\nrun = ["true"]\n'),
    profiles=frozenset({"claude"}),
    default_profile="claude",
    root="/trees",
    free_bytes=2**40,
    state=State().put(LEASE).put(DRIVER).put(MEMBER),
    drivers={"d1": Liveness.ALIVE},
    workers={("b1", 3): Liveness.ALIVE},
    trees={"/trees/1": False},
)
CODES = [
    *(
        "git-version",
        "repository",
        "configuration",
        "target",
        "suite",
        "base",
        "agent",
        "worktree-root",
        "disk",
        "store",
    ),
    *("driver-stale", "lease-orphan", "worktree-orphan", "rescue-pending"),
]


def wrong(look: Checkup) -> list[tuple[str, str]]:
    return [(check.code, str(check.level)) for check in diagnose(look) if check.level is not Level.GREEN]


def test_a_git_that_knows_nobody_is_named() -> None:
    assert wrong(replace(GOOD, knows_author=False)) == [("git-author", "amber")]


def test_a_healthy_clone_is_green_in_every_line() -> None:
    checks = diagnose(GOOD)
    assert [check.code for check in checks] == CODES
    assert wrong(GOOD) == []


@pytest.mark.parametrize(
    ("fields", "code", "level"),
    [
        ({"git_version": (2, 30, 0)}, "git-version", "red"),
        ({"is_shallow": True}, "repository", "amber"),
        ({"has_commits": False}, "repository", "red"),
        ({"config_fault": "line 7: no such key.", "settings": None}, "configuration", "red"),
        ({"settings": None}, "configuration", "red"),
        ({"config_difference": "That of 'main' differs."}, "configuration", "amber"),
        ({"target_exists": False}, "target", "red"),
        ({"settings": parse_settings("")}, "suite", "red"),
        ({"settings": parse_settings('[suite]\nrun = "none"\n')}, "suite", "amber"),
        ({"suite_program_found": False}, "suite", "red"),
        ({"trials": (Trial("suite"), Trial("gate unit", "it ended with 1"))}, "trial", "red"),
        ({"base_fault": "checks.one failed on it in b1"}, "base", "red"),
        ({"default_profile": None}, "agent", "red"),
        ({"default_profile": "codex"}, "agent", "red"),
        ({"default_profile": "nobody"}, "agent", "red"),
        ({"root_fault": "it is inside the checkout"}, "worktree-root", "red"),
        ({"free_bytes": 5}, "disk", "red"),
        ({"state": None, "trees": {}}, "store", "amber"),
        ({"drivers": {"d1": Liveness.GONE}}, "driver-stale", "amber"),
        ({"trees": {"/trees/1": False, "/trees/2": False}}, "worktree-orphan", "amber"),
        ({"trees": {"/trees/2": True}}, "worktree-orphan", "amber"),
        ({"rescues": ("refs/gitsched/rescue/b1/3/1",)}, "rescue-pending", "amber"),
        ({"test_clock": "/clock"}, "test-clock", "amber"),
        ({"left": LeftLook(now=AT, branches=("gitsched/b9/m1-i9",))}, "branch-orphan", "amber"),
        (
            {"left": LeftLook(now=AT, deliveries=(OLD,))},
            "inbox-age",
            "amber",
        ),
    ],
    ids=str,
)
def test_each_thing_that_is_wrong_has_its_code_and_a_cure(fields: dict[str, Any], code: str, level: str) -> None:
    """I-17: a red base, no agent on PATH, a shallow clone, an orphan worktree, a stale driver, an unwritable root."""
    look = replace(GOOD, **fields)
    assert wrong(look) == [(code, level)]
    assert all(check.fix for check in diagnose(look) if check.level is not Level.GREEN)


def test_what_lies_about_and_is_somebodys_is_green() -> None:
    """Branches of batches, members, parked rows and exits; an inbox that is empty, or whose delivery has just come."""
    assert GOOD.state is not None
    exit_ = Exit(batch="b1", issue=4, kind="evicted", reason="x", branch="gitsched/b1/m2-i4")
    older = replace(exit_, branch="gitsched/b0/m1-i5")
    place = Integration(branch="gitsched/b1/integration")
    batch = Batch(
        id="b1",
        kind=BatchKind.BATCH,
        status=BatchStatus.EXECUTING,
        target="main",
        evictions=(exit_,),
        integration=place,
    )
    parked = Entry(issue=5, title="T", status=EntryStatus.PARKED, branch="gitsched/b0/kept", evidence=(older,))
    member = replace(MEMBER, branch="gitsched/b1/m1-i3")
    names = ("b1/integration", "b1/m1-i3", "b1/m2-i4", "b0/kept", "b0/m1-i5")
    state = GOOD.state.put(batch).put(parked).put(member)
    for waiting in ((), (Delivery(id="d", event="push", received_at=AT),)):
        left = LeftLook(now=AT, branches=tuple(f"gitsched/{name}" for name in names), deliveries=waiting)
        checks = {check.code: check.level for check in diagnose(replace(GOOD, state=state, left=left))}
        assert (checks["branch-orphan"], checks["inbox-age"]) == (Level.GREEN, Level.GREEN)


def test_a_record_that_does_not_decode_is_named() -> None:
    assert GOOD.state is not None
    lost = replace(GOOD.state, unreadable=GOOD.state.unreadable.set("queue/03/3", "no JSON"))
    assert wrong(replace(GOOD, state=lost)) == [("record-unreadable", "red")]


def test_a_run_is_an_orphan_only_when_worker_and_every_driver_are_gone() -> None:
    """I-17: a healthy run of three hours is not called stale, for no age is looked at."""
    lost = replace(GOOD, workers={("b1", 3): Liveness.GONE})
    assert orphan_leases(lost) == ()
    alone = replace(lost, drivers={"d1": Liveness.GONE})
    assert orphan_leases(alone) == (("b1", 3),)
    assert ("lease-orphan", "amber") in wrong(alone)
    assert orphan_leases(replace(alone, workers={("b1", 3): Liveness.UNKNOWN})) == ()
    assert orphan_leases(replace(alone, state=None)) == ()
    assert orphan_trees(replace(alone, state=None)) == ()


def test_a_25_a_cap_that_nothing_measures_is_said_aloud() -> None:
    """A-25: a limit in money on an agent that tells no money is named, never silently without effect."""
    text = '[suite]\nrun = ["true"]\n[agents.mine]\ncommand = ["mine"]\n[budget.day]\nusd = 5\nruns = 3\n'
    checks = diagnose(replace(GOOD, settings=parse_settings(text)))
    (told,) = [check for check in checks if check.code == "budget-unmeasured"]
    assert told.message == "`budget.day.usd` has no effect on the agent mine: its output tells nothing of that."


def test_a_schedule_that_nobody_will_drive_is_told() -> None:
    """One that needs a person too."""
    held = Schedule(id="s1", status=ScheduleStatus.HUMAN_REQUIRED, reason="approval-void:base", zone="UTC")
    waits = Schedule(id="s2", status=ScheduleStatus.WAITING, zone="UTC")
    assert GOOD.state is not None
    look = replace(GOOD, state=GOOD.state.put(held).put(waits))
    assert wrong(look) == [("schedule-held", "amber")]
    alone = replace(look, drivers={"d1": Liveness.GONE})
    assert ("schedule-driver", "amber") in wrong(alone)
    assert ("sleep", "amber") in wrong(replace(look, has_battery=True))
    assert ("sleep", "amber") not in wrong(replace(GOOD, has_battery=True))
