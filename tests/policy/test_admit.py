"""Who may start, and every reason of those who may not."""

from typing import Any

import pytest
from msgspec.structs import replace

from gitsched.config.parse import parse_settings
from gitsched.domain.effects import Admit, FormSolo, StartBatch
from gitsched.domain.forge import Issue
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.words import BatchStatus, Dispatch, EntryStatus, MemberStatus, RunStatus
from gitsched.policy.admit import admissions, landing_waits, may_start
from tests.policy.situations import a_batch, a_driver, a_lease, a_member, a_situation, a_state, an_entry, at, settings


def test_r_01_slots_are_filled_in_order_and_the_rest_waits() -> None:
    """R-01: five queued issues and two slots: two are formed, three wait with `capacity`."""
    state = a_state(*(an_entry(n) for n in range(1, 6)), slots_max=2)
    found = admissions(a_situation(state))
    assert found.effects == (FormSolo(1), FormSolo(2))
    assert found.waits == dict.fromkeys((3, 4, 5), ("capacity",))


def test_r_03_a_recovering_run_is_live() -> None:
    """R-03: every state of a run but the last two holds its slot."""
    state = a_state(
        a_batch(1, 2),
        a_member(1, MemberStatus.RUNNING),
        a_member(2, MemberStatus.PREPARING),
        a_lease(1),
        a_lease(2, RunStatus.RECOVERING),
        an_entry(7),
        slots_max=2,
    )
    assert admissions(a_situation(state)).waits[7] == ("capacity",)


def test_r_10_a_batch_keeps_to_its_parallelism() -> None:
    """R-10: two of four members run; a solo issue gets the third slot at once."""
    state = a_state(
        a_batch(1, 2, 3, 4, parallelism=2),
        a_member(1, MemberStatus.RUNNING),
        a_member(2, MemberStatus.RUNNING),
        a_member(3),
        a_member(4),
        a_lease(1),
        a_lease(2),
        an_entry(9),
    )
    found = admissions(a_situation(state))
    assert found.effects == (FormSolo(9),)
    assert found.waits == {3: ("parallelism",), 4: ("parallelism",)}


def test_r_11_a_full_house_hides_no_other_reason() -> None:
    """R-11: capacity and overlap stand side by side."""
    state = a_state(
        a_batch(4),
        a_member(4, MemberStatus.RUNNING, files=("src/**",)),
        a_lease(4),
        an_entry(8, files=("src/a.py",)),
        slots_max=1,
    )
    assert admissions(a_situation(state)).waits[8] == ("overlap:4", "capacity")


def test_a_ready_batch_starts_once_however_many_of_its_members_could() -> None:
    """StartBatch comes once; its members are admitted in the next pass."""
    state = a_state(a_batch(1, 2, status=BatchStatus.READY), a_member(1), a_member(2))
    assert admissions(a_situation(state)).effects == (StartBatch("b1"),)


def test_members_of_an_executing_batch_are_admitted() -> None:
    """In member order."""
    state = a_state(a_batch(1, 2), a_member(1), a_member(2))
    assert admissions(a_situation(state)).effects == (Admit("b1", 1), Admit("b1", 2))


def test_a_14_all_reasons_at_once() -> None:
    """A-14: paused, a label, a missing profile and full slots are named together."""
    state = a_state(
        an_entry(5, profile="gone"),
        a_batch(1),
        a_member(1, MemberStatus.RUNNING),
        a_lease(1),
        paused=True,
        slots_max=1,
    )
    issue = Issue(number=5, title="x", labels=("epic",), is_open=False)
    found = admissions(a_situation(state, issues={5: issue})).waits[5]
    assert found == ("paused", "label:epic", "closed", "profile-missing:gone", "capacity")


def test_a_09_nothing_starts_without_a_declared_suite() -> None:
    """A-09: gates or not, candidates show `verification-undeclared`."""
    config = parse_settings('[agents]\ndefault = "fake"\n[agents.fake]\ncommand = ["fake"]\n')
    assert admissions(a_situation(a_state(an_entry(1)), config)).waits[1] == ("verification-undeclared",)


def test_the_operator_the_disk_and_the_interrupt_each_stop_admission() -> None:
    """R-23: below the floor everyone waits with `disk-floor`."""
    state = a_state(an_entry(1))
    assert admissions(a_situation(state, disk_low=True)).waits[1] == ("disk-floor",)
    assert admissions(a_situation(state, may_admit=False)).waits[1] == ("paused",)


def test_a_blocked_row_shows_its_own_reason() -> None:
    """And a held one its hold; nobody starts on an issue that cannot be asked about."""
    state = a_state(an_entry(1, EntryStatus.BLOCKED, reason="dep-failed:3"), an_entry(2, hold="later"))
    found = admissions(a_situation(state, issues=Unreachable(what="forge", detail="away"))).waits
    assert found == {1: ("dep-failed:3",), 2: ("remote-unreachable", "held:later")}


def test_r_06_a_dependency_outside_the_batch_waits_for_the_merge() -> None:
    """R-06: 5 waits until 2 has shipped, not only landed; inside the batch 2 waits until 1 has landed."""
    landed = a_member(1, MemberStatus.LANDED)
    waiting = a_member(2, deps=(1,))
    state = a_state(a_batch(1, 2), landed, waiting, an_entry(5, deps=(2,)))
    assert admissions(a_situation(state)).effects == (Admit("b1", 2),)
    assert admissions(a_situation(state)).waits == {5: ("dependency:2",)}
    running = state.put(a_member(1, MemberStatus.RUNNING)).put(a_lease(1))
    assert admissions(a_situation(running)).waits[2] == ("dependency:1",)


def test_forming_blocked_and_serial_batches_say_why() -> None:
    """`not-sealed`, `held:<reason>` and `serial:<n>`."""
    forming = a_state(a_batch(1, status=BatchStatus.FORMING), a_member(1))
    assert admissions(a_situation(forming)).waits[1] == ("not-sealed",)
    blocked = a_state(a_batch(1, status=BatchStatus.BLOCKED, reason="base-red"), a_member(1))
    assert admissions(a_situation(blocked)).waits[1] == ("held:base-red",)
    serial = a_batch(1, 2, 3, dispatch=Dispatch.SERIAL, parallelism=1)
    state = a_state(serial, a_member(1, MemberStatus.LANDED), a_member(2), a_member(3))
    found = admissions(a_situation(state))
    assert found.effects == (Admit("b1", 2),)
    assert found.waits == {3: ("serial:2", "parallelism")}


def test_a_batch_that_is_serial_for_its_dependencies_goes_in_waves() -> None:
    """1 and 2 run side by side; 3, which depends on 1, waits for its level and its dependency."""
    batch = a_batch(1, 2, 3, dispatch=Dispatch.SERIAL, parallelism=4)
    state = a_state(batch, a_member(1), a_member(2), a_member(3, deps=(1,)))
    found = admissions(a_situation(state))
    assert found.effects == (Admit("b1", 1), Admit("b1", 2))
    assert found.waits == {3: ("dependency:1", "serial:1")}


def test_a_33_an_overlapping_member_waits_until_the_earlier_one_has_landed() -> None:
    """A-33: 2 is verified, not landed: 3 still waits; 4 overlaps nothing."""
    state = a_state(
        a_batch(2, 3, 4),
        a_member(2, MemberStatus.VERIFIED, files=("a/**",)),
        a_member(3, files=("a/x",)),
        a_member(4, files=("b",)),
    )
    found = admissions(a_situation(state))
    assert found.effects == (Admit("b1", 4),)
    assert found.waits == {3: ("overlap:2",)}


def test_a_12_an_unknown_write_set_overlaps_only_where_that_is_asked_for() -> None:
    """A-12: `exclusive` makes it wait, `optimistic` admits it."""
    state = a_state(a_batch(1), a_member(1, MemberStatus.RUNNING, files=("a",)), a_lease(1), an_entry(2))
    assert admissions(a_situation(state)).effects == (FormSolo(2),)
    exclusive = settings('[admission]\nunknown_files = "exclusive"\n')
    assert admissions(a_situation(state, exclusive)).waits[2] == ("overlap:1",)


@pytest.mark.parametrize("fields", [{"status": RunStatus.RECOVERING}, {"stop_sent_at": at(30)}])
def test_a_13_a_run_that_is_stalled_or_recovering_still_owns_its_files(fields: dict[str, Any]) -> None:
    """A-13: nobody knows yet what it will have written."""
    running = (a_member(1, MemberStatus.RUNNING, files=("x",)), a_lease(1, **fields))
    found = admissions(a_situation(a_state(a_batch(1), *running, an_entry(2, files=("x",)))))
    assert found.waits[2] == ("overlap:1",)


def test_a_13_a_held_run_still_owns_its_files() -> None:
    """A-13: every unfinished run counts, not only those that hold a slot."""
    held = a_member(1, MemberStatus.VERIFYING, files=("x",), hold="out-of-scope", gen=0)
    state = a_state(a_batch(1), held, an_entry(2, files=("x",)))
    assert admissions(a_situation(state)).waits[2] == ("overlap:1",)


def test_a_usage_limit_holds_its_own_profile_until_it_is_over() -> None:
    """R-45: others go on; a limit without a stated reset says so."""
    limited = a_state(an_entry(1), limited={"fake": at(90)})
    assert admissions(a_situation(limited)).waits[1] == (f"usage-limit:{at(90)}",)
    assert admissions(a_situation(a_state(an_entry(1), limited={"fake": None}))).waits[1] == ("usage-limit:unknown",)
    assert admissions(a_situation(a_state(an_entry(1), limited={"fake": at(30)}))).effects == (FormSolo(1),)


def test_a_profile_that_is_held_says_so() -> None:
    """A switch in the configuration."""
    config = settings("hold = true\n")
    assert admissions(a_situation(a_state(an_entry(1)), config)).waits[1] == ("held:profile-fake",)


def test_slots_are_limited_per_host() -> None:
    """`slots.per_host` counts the leases that this host holds."""
    config = settings("[slots]\nper_host = 1\n")
    state = a_state(a_batch(1), a_member(1, MemberStatus.RUNNING), a_lease(1), an_entry(2))
    assert admissions(a_situation(state, config)).waits[2] == ("capacity",)
    assert admissions(a_situation(state, config, host="elsewhere")).effects == (FormSolo(2),)


@pytest.mark.parametrize("driver", ["driver-other", "driver-gone"])
def test_a_member_that_still_has_a_lease_waits_for_its_worker(driver: str) -> None:
    """A-20: not started a second time until its end is certain."""
    state = a_state(a_batch(1), a_member(1), replace(a_lease(1), holder=replace(a_lease(1).holder, driver=driver)))
    state = state.put(a_driver("driver-other"))
    found = admissions(a_situation(state)).waits.get(1, ())
    assert ("worker-not-gone" in found) == (driver == "driver-other")


def test_verified_members_say_whose_turn_it_is() -> None:
    """`landing-order:<n>` names the one that all wait for."""
    state = a_state(
        a_batch(1, 2, 3),
        a_member(1, MemberStatus.RUNNING),
        a_member(2, MemberStatus.VERIFIED),
        a_member(3, MemberStatus.VERIFIED),
    )
    assert landing_waits(a_situation(state)) == {2: ("landing-order:1",), 3: ("landing-order:1",)}


def test_who_may_start_is_asked_once_more_before_a_slot_is_given() -> None:
    """A waiting member without a reason may; one that is held, running or not there may not."""
    state = a_state(a_batch(1, 2), a_member(1), a_member(2, hold="later"))
    assert may_start(a_situation(state), "b1", 1)
    assert not may_start(a_situation(state), "b1", 2)
    assert not may_start(a_situation(state), "b1", 3)
    assert not may_start(a_situation(state.put(a_member(1, MemberStatus.RUNNING))), "b1", 1)


def test_a_dependency_without_a_row_is_waited_for_only_while_it_blocks() -> None:
    """Completed on the forge it is satisfied; while its row is blocked for it, it is named."""
    assert admissions(a_situation(a_state(an_entry(9, deps=(404,))))).effects == (FormSolo(9),)
    blocked = a_state(an_entry(9, EntryStatus.BLOCKED, deps=(404,), reason="dep-missing:404"))
    assert admissions(a_situation(blocked)).waits[9] == ("dep-missing:404", "dependency:404")


def test_a_profile_that_was_written_after_the_seal_is_missing_for_that_batch() -> None:
    """The batch keeps what it was sealed with: nothing is assigned that could not be started."""
    state = a_state(a_batch(1), a_member(1))
    found = admissions(a_situation(state, settings(), {"b1": parse_settings('[suite]\nrun = ["true"]\n')}))
    assert (found.waits[1], found.effects) == (("profile-missing:fake",), ())
