"""The tables hold together: every state is reachable, every end is, and finals are final."""

import pytest

from gitsched.domain.events import EventName
from gitsched.domain.machines import BATCH, ENTRY, MACHINES, MEMBER, RUN, Machine
from gitsched.domain.schedules import ScheduleStatus
from gitsched.domain.words import BatchStatus, EntryStatus, MemberStatus, RunStatus
from gitsched.errors import TransitionError

STATES = {
    "entry": EntryStatus,
    "member": MemberStatus,
    "batch": BatchStatus,
    "run": RunStatus,
    "schedule": ScheduleStatus,
}
# An entry that failed may still be shipped when the forge proves it, and any ended issue may come again.
WAYS_OUT = {
    ("failed", "shipped"),
    ("failed", "queued"),
    ("done", "queued"),
    ("stopped", "queued"),
    ("failed", "assigned"),
    ("done", "assigned"),
    ("stopped", "assigned"),
}


def named(machine: Machine) -> str:  # type: ignore[type-arg]
    """Name a machine in a test's id."""
    return machine.name


@pytest.mark.parametrize("machine", MACHINES, ids=named)
def test_every_state_is_reachable(machine: Machine) -> None:  # type: ignore[type-arg]
    """From the starts, the edges lead to every state of the closed set."""
    seen = {state for _, state in machine.starts}
    while more := {edge.target for edge in machine.edges if edge.source in seen} - seen:
        seen |= more
    assert seen == set(STATES[machine.name])


@pytest.mark.parametrize("machine", MACHINES, ids=named)
def test_every_state_has_an_end_in_reach(machine: Machine) -> None:  # type: ignore[type-arg]
    """From every state some final state can be reached."""
    able = set(machine.finals)
    while more := {edge.source for edge in machine.edges if edge.target in able} - able:
        able |= more
    assert able == set(STATES[machine.name])


@pytest.mark.parametrize("machine", MACHINES, ids=named)
def test_no_edge_leaves_a_final_state(machine: Machine) -> None:  # type: ignore[type-arg]
    """Finals are final, but for the ways out that the specification names."""
    leaving = {(str(e.source), str(e.target)) for e in machine.edges if e.source in machine.finals}
    assert leaving <= (WAYS_OUT if machine is ENTRY else set())


@pytest.mark.parametrize("machine", MACHINES, ids=named)
def test_every_why_is_a_sentence(machine: Machine) -> None:  # type: ignore[type-arg]
    """People see `why`: it begins with a capital and ends with a full stop."""
    for edge in machine.edges:
        assert edge.why[0].isupper(), edge
        assert edge.why.endswith("."), edge
        assert machine.why(edge.source, edge.event, edge.target) == edge.why


@pytest.mark.parametrize("machine", MACHINES, ids=named)
def test_every_pair_is_an_edge_or_a_typed_refusal(machine: Machine) -> None:  # type: ignore[type-arg]
    """Whatever is asked of whatever state: an edge of the table, or TransitionError naming machine, state, event."""
    held = {(edge.source, edge.event, edge.target) for edge in machine.edges}
    for source in STATES[machine.name]:
        for event in EventName:
            for target in STATES[machine.name]:
                if (source, event, target) in held:
                    machine.check(source, event, target)
                else:
                    with pytest.raises(TransitionError) as refused:
                        machine.check(source, event, target)
                    assert (refused.value.machine, refused.value.event) == (machine.name, event)


def test_a_new_record_begins_only_where_the_table_says() -> None:
    """A record that is not there yet has starts instead of edges."""
    ENTRY.check(None, EventName.ENQUEUED, EntryStatus.QUEUED)
    MEMBER.check(None, EventName.MEMBER_JOINED, MemberStatus.WAITING)
    RUN.check(None, EventName.ASSIGNED, RunStatus.ASSIGNED)
    with pytest.raises(TransitionError, match="not there"):
        BATCH.check(None, EventName.BATCH_FORMED, BatchStatus.DONE)


UNDONE = EventName.UNDONE
"""Goes an edge of the table back (`undo` takes back an abandon before execution, a seal)."""


def test_the_batch_table_is_the_specifications() -> None:
    """Every (from, to) of the batch table below is an edge, and no other pair is."""
    spec = """
        forming: ready dissolving stopped blocked
        ready: executing dissolving stopped blocked
        executing: validating evicting dissolving stopped blocked
        validating: executing attributing evicting reviewing dissolving stopped blocked
        attributing: fixing evicting validating dissolving stopped blocked
        fixing: validating dissolving stopped blocked
        evicting: executing validating dissolving stopped blocked
        reviewing: shipping evicting dissolving stopped blocked
        shipping: awaiting-merge dissolving stopped blocked
        awaiting-merge: rebasing attributing evicting merged stopped blocked
        rebasing: revalidating dissolving stopped blocked
        revalidating: shipping validating dissolving stopped blocked
        merged: deployed stopped blocked
        deployed: reported stopped blocked
        reported: done
        dissolving: dissolved stopped
        blocked: forming ready executing validating merged dissolving stopped evicting
    """
    wanted = {
        (source.strip(), target)
        for line in spec.split("\n")
        if ":" in line
        for source, targets in [line.split(":")]
        for target in targets.split()
    }
    assert {(str(edge.source), str(edge.target)) for edge in BATCH.edges if edge.event is not UNDONE} == wanted
