"""A stream of disjoint work never starves what overlaps it, or declared nothing: passes are counted and printed."""

import sys

import pytest
from msgspec.structs import replace

from gitsched.domain.effects import FormSolo
from gitsched.domain.records import Entry, Spawned
from gitsched.domain.words import EntryStatus, MemberStatus
from gitsched.policy.admit import admissions
from tests.policy.situations import a_batch, a_lease, a_member, a_situation, a_state, an_entry, at, settings

PATIENT, SLOTS = 1, 3


@pytest.mark.parametrize(
    ("files", "more", "overtaken"),
    [
        (("lane0/x", "lane1/x", "lane2/x"), "", 20),
        ((), '[admission]\nunknown_files = "exclusive"\n', 20),
        (("lane0/x", "lane1/x", "lane2/x"), "[admission]\novertaken = 5\n", 5),
    ],
)
def test_who_overlaps_a_stream_gets_a_turn(files: tuple[str, ...], more: str, overtaken: int) -> None:
    """A-12: three lanes are always full with newer work; the patient one meets all of them, and gets its turn."""
    config = settings(more)
    patient = an_entry(PATIENT, files=files, updated_at=at(0), priority=-5)
    running: list[Entry] = []
    spawned: tuple[Spawned, ...] = ()
    number = 10
    passes = 0
    while passes < 200:
        passes += 1
        stream = [
            an_entry(number + lane, files=(f"lane{lane}/**",), updated_at=at(1), priority=5) for lane in range(SLOTS)
        ]
        state = a_state(
            patient,
            *stream,
            *(a_batch(entry.issue, id=f"i{entry.issue}") for entry in running),
            *(a_member(e.issue, MemberStatus.RUNNING, batch=f"i{e.issue}", files=e.files) for e in running),
            *(a_lease(entry.issue, batch=f"i{entry.issue}") for entry in running),
            slots_max=SLOTS,
        )
        state = state.put(replace(state.control, spawned=spawned))
        found = admissions(a_situation(state, config, now=at(2)))
        started = [effect.issue for effect in found.effects if isinstance(effect, FormSolo)]
        if PATIENT in started:
            break
        assert any(reason.startswith("overlap:") for reason in found.waits[PATIENT])
        by_issue = {entry.issue: entry for entry in stream}
        running += [replace(by_issue[issue], status=EntryStatus.ASSIGNED) for issue in started]
        spawned = (*spawned, *(Spawned(issue=issue, ready_at=at(1), at=at(1)[:-2] + "1Z") for issue in started))[-256:]
        number += SLOTS
        running = running[1:]
    sys.stdout.write(f"overtaken = {overtaken}: its turn came in pass {passes}, after {len(spawned)} others\n")
    assert len(spawned) <= overtaken + SLOTS
    assert passes <= overtaken + 2 * SLOTS + 1
