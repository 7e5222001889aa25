"""The push budget: so many in a minute and no more, and nobody waits for a whole one."""

from pathlib import Path

import pytest

from gitsched.adapters.store.budget import Budget
from gitsched.domain.outcomes import Applied
from tests.store.remotes import hook, joined, make_remote, shared
from tests.store.rivals import race
from tests.store.verbs import enqueue, raise_priority

pytestmark = pytest.mark.usefixtures("sound")


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


def test_s_31_writers_within_a_budget_are_combined(repo: Path, tmp_path: Path) -> None:
    """S-31: with more to push than may leave, decisions gather, no window sees more pushes, and all are done."""
    remote = make_remote(tmp_path, repo)
    shared(repo).apply(enqueue(1))
    log = remote / "pushes"
    hook(remote, "post-receive", f"date +%s.%N >> {log}")
    budget = Budget(6, window_s=3.0)

    def act(number: int) -> int:
        store = joined(repo, f"d{number}", budget=lambda: budget)
        return sum(isinstance(store.apply(raise_priority(1)), Applied) for _ in range(6))

    assert sum(race(4, act)) == 24
    assert joined(repo).read().entries[1].priority == 24
    pushed = [float(line) for line in log.read_text().split()]
    assert len(pushed) < 20
    # What is counted here is when the server had them: a little earlier or later than they left.
    assert max(sum(at <= one < at + 2.7 for one in pushed) for at in pushed) <= 6
