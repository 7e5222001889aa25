"""The push budget: so many in a minute and no more, and nobody waits for a whole one."""

from gitsched.adapters.store.budget import Budget


def test_without_a_budget_nothing_waits() -> None:
    assert Budget(0).wait_s([1.0] * 100, 1.0) == 0
    assert Budget(0).has_room([1.0] * 100, 1.0)


def test_s_31_no_minute_sees_more_pushes_than_the_budget() -> None:
    """S-31: pushes that are asked for without pause leave at most 6 in any minute, and the longest wait is 10 s."""
    budget, pushed, now_s, waits = Budget(6), list[float](), 1000.0, list[float]()
    while now_s < 1600:
        wait_s = budget.wait_s(pushed, now_s)
        waits.append(wait_s)
        now_s += wait_s + 0.001
        pushed.append(now_s)
    for at_s in pushed:
        assert len([one for one in pushed if at_s <= one < at_s + 60]) <= 6
    assert max(waits[4:]) < 31
    assert waits[:3] == [0.0] * 3


def test_what_can_wait_leaves_the_second_half_to_decisions() -> None:
    assert Budget(6).has_room([1.0, 2.0], 3.0)
    assert not Budget(6).has_room([1.0, 2.0, 3.0], 4.0)
    assert Budget(6).has_room([1.0, 2.0, 3.0], 64.0)
