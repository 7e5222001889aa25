"""Deliveries that are dropped, doubled, delayed and shuffled come to the same end as those that are not."""

import random  # noqa: TID251 - each case is a seed
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from gitsched.adapters.store.inbox import InboxRef
from gitsched.domain.commands import Person, Role
from gitsched.domain.deliveries import Delivery
from gitsched.domain.instants import after
from gitsched.engine.deliveries.draining import drain
from gitsched.engine.deliveries.looking_again import poll_comments
from tests.commands.conftest import Hall

EVE = Person(id=66, login="eve")
Act = Callable[[Hall], list[Delivery]]


def said(number: int, body: str, by: Person | None = None, role: Role = Role.ADMIN) -> Act:
    def act(hall: Hall) -> list[Delivery]:
        hall.talk.now = after(hall.talk.now, 1)
        spoken = hall.talk.say(number, body, by, role=role)
        return [_told(hall, "issue_comment", "created", comment=spoken.comment)]

    return act


def milestoned(*issues: int) -> Act:
    def act(hall: Hall) -> list[Delivery]:
        hall.milestones.put("batch/login", *issues)
        return [_told(hall, "issues", "milestoned"), _told(hall, "issues", "labeled")]

    return act


def edited(index: int) -> Act:
    def act(hall: Hall) -> list[Delivery]:
        comment = 1000 + index
        hall.talk.edit(comment, "/gitsched stop", after(hall.talk.now, 1))
        return [_told(hall, "issue_comment", "edited", comment=comment)]

    return act


def _told(hall: Hall, event: str, action: str, **fields: int) -> Delivery:
    hall.told_count = getattr(hall, "told_count", 0) + 1  # type: ignore[attr-defined]
    name = f"d{hall.told_count}"  # type: ignore[attr-defined]
    return Delivery(id=name, event=event, action=action, received_at=hall.talk.now, **fields)  # type: ignore[arg-type]


FORMING: tuple[Act, ...] = (
    milestoned(7, 4),
    said(1, "hello"),
    said(1, "/gitsched enqueue priority=3"),
    said(1, "/gitsched hold"),
    edited(0),
    said(2, "/gitsched enqueue", EVE, Role.READ),
    said(1, "/gitsched priority 9"),
    milestoned(7, 4, 5, 8),
    said(3, "/gitsched enqueue\n/gitsched frobnicate"),
    said(1, "/gitsched unhold"),
    said(3, "/gitsched pause"),
    milestoned(7, 4, 8),
    said(3, "/gitsched resume"),
    said(1, "/gitsched hold"),
)
WORKING: tuple[Act, ...] = (
    said(4, "/gitsched start"),
    said(3, "/gitsched stop"),
    said(7, "/gitsched hold"),
    said(3, "/gitsched enqueue priority=2"),
    said(7, "/gitsched unhold"),
    said(4, "/gitsched order #7 #4"),
    said(1, "/gitsched unhold"),
    said(9, "/gitsched pause\n/gitsched resume\n/gitsched pause"),
)


def play(hall: Hall, chance: random.Random | None) -> dict[str, object]:
    """Play the story; by chance deliveries get lost, doubled, late and out of order, and looks come in between."""
    box = InboxRef(hall.store.place.common, hall.clock, fsync=False)
    poll_comments(hall.counter)
    hall.talk.now = after(hall.clock.now(), 1)
    for phase in (FORMING, WORKING):
        under_way: list[Delivery] = []
        for act in phase:
            for delivery in act(hall):
                copies = 1 if chance is None else chance.choice((0, 1, 1, 2, 3))
                under_way += [delivery] * copies
            _deliver(hall, box, under_way, chance)
        for delivery in under_way:
            box.receive(delivery)
        poll_comments(hall.counter)
        hall.reconcile()
        assert drain(hall.counter, box, box.waiting()).failures == {}
    assert box.waiting() == ()
    return _end(hall)


def _deliver(hall: Hall, box: InboxRef, under_way: list[Delivery], chance: random.Random | None) -> None:
    if chance is None:
        for delivery in under_way:
            box.receive(delivery)
        under_way.clear()
    else:
        chance.shuffle(under_way)
        for _ in range(chance.randint(0, len(under_way))):
            box.receive(under_way.pop())
    if chance is None or chance.random() < 0.5:
        waiting = list(box.waiting())
        if chance is not None:
            chance.shuffle(waiting)
        drain(hall.counter, box, waiting[: len(waiting) if chance is None else chance.randint(0, len(waiting))])


def _end(hall: Hall) -> dict[str, object]:
    state = hall.state
    return {
        "paused": state.control.paused,
        "entries": [(e.issue, e.status, e.priority, e.hold, e.batch) for e in state.entries_in_order()],
        "batches": [(b.id, b.status, b.generation, hall.order(b.id)) for b in state.batches_in_order()],
        "heard": {c: [(line.line, line.fate) for line in row.lines] for c, row in sorted(state.heard.items())},
        "ignored": {comment: row.ignored for comment, row in sorted(state.heard.items())},
    }


@pytest.fixture(scope="module")
def clean_run(nine_issues: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    folder = tmp_path_factory.mktemp("clean") / "repo"
    return play(Hall(Path(shutil.copytree(nine_issues, folder, symlinks=True))), None)


@pytest.mark.parametrize("seed", range(20))
def test_every_way_comes_to_the_same_end(hall: Hall, clean_run: dict[str, object], seed: int) -> None:
    """Commands that stand in one another's way; a whole life of a batch is in test_whole_life."""
    assert play(hall, random.Random(seed)) == clean_run  # noqa: S311 - each case is a seed
