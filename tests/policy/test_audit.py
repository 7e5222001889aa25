"""The audit of a journal: what nobody claims, what no table has, what the newest claims and the tree disagree in."""

from gitsched.domain.events import Claim, Event, EventName
from gitsched.domain.integrity import Audited
from gitsched.policy.audit import audit
from tests.policy.situations import NOW

ROW, BATCH, MEMBER, RUN = "queue/01/1", "batches/b1/batch", "batches/b1/members/1-1", "slots/b1/1"


def event(name: EventName, **claims: str | None) -> Event:
    """Make an event; `row`, `batch`, `member`, `run` or `other` get a status, None removes."""
    paths = {"row": ROW, "batch": BATCH, "member": MEMBER, "run": RUN, "other": "batches/b1/jobs/x"}
    claimed = {
        paths[key]: Claim(removed=True) if status is None else Claim(status=status) for key, status in claims.items()
    }
    return Event(name=name, at=NOW, sentence="x", claims=claimed)


def commit(*events: Event, changed: tuple[str, ...] = (), number: int = 1, cut: bool = False) -> Audited:
    return Audited(commit=f"c{number}", events=events, changed=frozenset(changed), cut=cut)


def codes(*newest_first: Audited, tree: dict[str, str], base: dict[str, str] | None = None) -> list[tuple[str, str]]:
    return [(found.code, found.unit) for found in audit(newest_first, tree, base or {})]


def test_a_true_journal_is_silent() -> None:
    history = (
        commit(event(EventName.SLOT_RELEASED, run=None), changed=(RUN,)),
        commit(event(EventName.ASSIGNED, run="assigned", member="preparing"), changed=(RUN, MEMBER)),
        commit(
            event(EventName.BATCH_FORMED, batch="forming"),
            event(EventName.MEMBER_JOINED, row="assigned", member="waiting"),
        ),
        commit(event(EventName.ENQUEUED, row="queued"), event(EventName.INITIALISED), changed=(ROW,)),
    )
    tree = {ROW: "assigned", BATCH: "forming", MEMBER: "preparing"}
    assert codes(*history, tree=tree) == []


def test_a_claim_without_a_status_covers_its_path() -> None:
    paused = Event(name=EventName.PAUSED, at=NOW, sentence="x", claims={"control": Claim()})
    assert codes(commit(paused, changed=("control",)), tree={}) == []


def test_what_no_event_claims_is_named() -> None:
    assert codes(commit(changed=("control",)), tree={}) == [("journal-unclaimed", "control")]


def test_an_edge_that_no_table_has_is_named_wherever_it_stands() -> None:
    joined = event(EventName.MEMBER_JOINED, row="assigned", other="going")
    never = commit(event(EventName.REPORTED, row="done"))
    assert codes(never, commit(joined), tree={ROW: "done", "batches/b1/jobs/x": "going"}) == [("journal-edge", ROW)], (
        "assigned → done by no such event"
    )
    assert codes(commit(joined), tree={ROW: "assigned", "batches/b1/jobs/x": "going"}) == []
    first = commit(event(EventName.SEALED, batch="ready"))
    assert codes(first, tree={BATCH: "ready"}) == [("journal-edge", BATCH)], "it begins as forming"
    again = commit(event(EventName.SPAWNED, run="running"))
    assert codes(again, commit(event(EventName.SLOT_RELEASED, run=None)), tree={RUN: "running"}) == [
        ("journal-edge", RUN)
    ], "what was removed begins anew"


def test_a_cut_history_begins_with_the_statuses_at_the_cut() -> None:
    sealed = commit(event(EventName.SEALED, batch="ready"))
    base = {BATCH: "forming", ROW: "queued"}
    tree = {BATCH: "ready", ROW: "queued"}
    assert codes(sealed, commit(number=2, cut=True), commit(changed=("never read",)), tree=tree, base=base) == []


def test_statuses_that_differ_are_named_on_either_side() -> None:
    history = (commit(event(EventName.ENQUEUED, row="queued")),)
    assert codes(*history, tree={}) == [("journal-differs", ROW)]
    assert codes(*history, tree={ROW: "blocked", BATCH: "forming"}) == [
        ("journal-differs", BATCH),
        ("journal-differs", ROW),
    ]
