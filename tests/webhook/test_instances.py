"""Two instances of the service on one clone, one of which is killed."""

import http.client
import select
import signal
from collections.abc import Iterator
from threading import Lock, Thread
from time import monotonic

import pytest

from gitsched.adapters.clock import SystemClock
from gitsched.adapters.store.inbox import InboxRef
from tests.webhook.conftest import House
from tests.webhook.test_serving import Served

SENDERS = 4


@pytest.fixture
def pair(house: House) -> Iterator[list[Served]]:
    started = [Served(house.repo), Served(house.repo)]
    yield started
    for one in started:
        one.close()


def test_w_11_each_of_500_is_processed_once_although_one_instance_is_killed(house: House, pair: list[Served]) -> None:
    """W-11: 500 deliveries to two instances, 20 of them commands; one dies by KILL half-way; nothing is left undone."""
    box = InboxRef(house.repo, SystemClock())
    assert pair[1].post("first", house.comment(1, "/gitsched enqueue\n/gitsched hold"), "issue_comment") == 202
    bodies = [house.comment(1, f"/gitsched priority #1 {number}") for number in range(20)]
    answered: set[str] = set()
    half_way, at_once = Lock(), Lock()
    half_way.acquire()

    def deliver(start: int) -> None:
        for number in range(start, 500, SENDERS):
            is_command = number % 25 == 0
            body, event = (bodies[number // 25], "issue_comment") if is_command else (None, "push")
            for one in (pair[number % 2], pair[1]):  # as the forge does: what nobody answered comes again
                try:
                    assert one.post(f"d{number}", body, event) == 202
                except (OSError, http.client.HTTPException):
                    continue
                break
            with at_once:
                answered.add(f"d{number}")
                if len(answered) == 250:
                    half_way.release()

    senders = [Thread(target=deliver, args=(start,)) for start in range(SENDERS)]
    for sender in senders:
        sender.start()
    assert half_way.acquire(timeout=60)
    pair[0].end(signal.SIGKILL)
    for sender in senders:
        sender.join(60)
    assert len(answered) == 500
    until_s = monotonic() + 60
    while box.waiting() and monotonic() < until_s:
        select.select([], [], [], 0.05)
    assert box.waiting() == ()
    assert all(box.knows(name) for name in answered)
    names = [str(event.name) for entry in house.clone.store.history() for event in entry.events]
    assert (names.count("enqueued"), names.count("command-accepted")) == (1, 22)
    assert pair[1].end() == 0
