import pytest

from gitsched.codec.runstate import HEADER, read_runstate
from gitsched.domain.words import MilestoneStatus


def test_a_comment_of_the_trail_is_a_milestone_of_the_run_it_meets() -> None:
    words = "phase=review status=done run=r7 at=2026-01-02T03:04:05Z"
    body = f"{HEADER}\r\n{words}\r\nhead=abc\r\nmode=slot\r\nbatch=b1\r\nhead=def\r\nFor people."
    said = read_runstate(body, "b1", 3, 2)
    assert said is not None
    assert (said.batch, said.issue, said.gen) == ("b1", 3, 2)
    assert (said.phase, said.status) == ("review", MilestoneStatus.DONE)
    assert said.keys == {"head": "abc"}


@pytest.mark.parametrize(
    "body",
    [
        "Just words",
        HEADER,
        f"{HEADER}\nphase=review status=splendid",
        f"{HEADER}\nphase=REVIEW status=done",
        f"{HEADER}\nphase=review status=done\nbatch=b2",
    ],
)
def test_what_is_no_milestone_of_this_batch_is_none(body: str) -> None:
    assert read_runstate(body, "b1", 3, 2) is None


def test_a_hand_back_without_a_reason_has_one() -> None:
    said = read_runstate(f"{HEADER}\nphase=implement status=blocked\n", "b1", 3, 0)
    assert said is not None
    assert said.keys == {"reason": "no reason given"}
