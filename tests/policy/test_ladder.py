"""How strong the next run is, and how a member leaves at the cap; who kept to the procedure."""

from gitsched.domain.forge import Published
from gitsched.domain.words import MemberStatus, Tier
from gitsched.policy.ladder import next_rung, reason_to_leave
from gitsched.policy.procedure import offence
from tests.policy.situations import a_batch, a_member, settings


def test_r_27_a_solo_has_two_rungs_each_one_tier_stronger() -> None:
    """R-27: mechanical → mid → strong → strong; members of larger batches have none."""
    solo, batch, config = a_batch(1), a_batch(1, 2), settings()
    fresh, used = a_member(1, MemberStatus.RUNNING), a_member(1, MemberStatus.RUNNING, recoveries=2)
    assert next_rung(solo, fresh, Tier.MECHANICAL, config) is Tier.MID
    assert next_rung(solo, fresh, Tier.MID, config) is Tier.STRONG
    assert next_rung(solo, fresh, Tier.STRONG, config) is Tier.STRONG
    assert next_rung(solo, used, Tier.MID, config) is None
    assert next_rung(batch, fresh, Tier.MID, config) is None
    assert next_rung(batch, fresh, Tier.MID, settings("[ladder]\nmember_recoveries = 1\n")) is Tier.STRONG


def test_r_53_work_decides_whether_a_solo_failed() -> None:
    """R-53: without any it failed; with some, or in a larger batch, it leaves under the word for its last end."""
    assert reason_to_leave(a_batch(1), "stalled", has_work=False) == "escalation-cap"
    assert reason_to_leave(a_batch(1), "stalled", has_work=True) == "stalled"
    assert reason_to_leave(a_batch(1, 2), "stalled", has_work=False) == "stalled"


def test_r_58_what_is_merged_comes_first_and_what_was_told_is_forgiven() -> None:
    """R-58: a merged request counts even when its agent had been told about it."""
    member = a_member(1, MemberStatus.RUNNING, requests=(7,))
    seven, eight = Published(name="7", number=7), Published(name="8", number=8)
    merged, target = Published(name="7", number=7, is_merged=True), Published(name="main", is_merged=True)
    assert offence(member, ()) is None
    assert offence(member, (seven,)) is None
    assert offence(member, (seven, eight)) == eight
    assert offence(member, (target, eight, merged)) == merged
    assert offence(member, (target,)) == target
