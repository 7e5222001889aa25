"""Why: one unit's state, every reason why it does not run, and the next step.

1. What works right now needs no reason. Everything else has at least one.
2. A reason that the plan found goes before the one in the record; the state itself is the last resort.
3. Something that only lacks a driver says so.
"""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from gitsched.config.profiles import resolve_profile
from gitsched.domain.categories import RECOVERIES, Category, category_of
from gitsched.domain.events import Event
from gitsched.domain.machines import BATCH, ENTRY, MEMBER
from gitsched.domain.merging import BY_A_PERSON
from gitsched.domain.records import Batch, Entry, Exit, Member
from gitsched.domain.words import (
    TERMINAL_BATCHES,
    TERMINAL_ENTRIES,
    BatchStatus,
    EntryStatus,
    MemberStatus,
)
from gitsched.view.causes import red_exit, red_suite
from gitsched.view.clean import one_line
from gitsched.view.picture import Picture
from gitsched.view.words import BATCH_STEPS, ENTRY_STEPS, MEMBER_STEPS, SEALED_WITHOUT, cause, sentence_of, step_of

AT_WORK = frozenset({MemberStatus.PREPARING, MemberStatus.RUNNING, MemberStatus.VERIFYING})
_NEEDS_A_DRIVER = frozenset({EntryStatus.QUEUED, MemberStatus.WAITING, MemberStatus.VERIFIED})

_OF_A_RUN = ("agent-exited-unverified", "no-changes", "timeout", "killed", "stalled", "escalation-cap", "environment")
"""What a member left for that its agent's own output explains."""

HINTS = ("To see it fail: ", "`")
"""How sentences begin that say where to look, and not what is the matter."""
_SHORT_COMMAND = 180
_RESERVED = "It was overtaken too often: the next slot that fits is reserved for it."


class Why(Struct, frozen=True, kw_only=True):
    """The answer, once for machines and once for people."""

    unit: str
    state: str
    reasons: tuple[str, ...]
    """Fixed words, or an agent's own when it handed back; empty only for what works or is over for good."""
    next: str
    """A command, or a sentence where nobody has to do anything."""
    sentences: tuple[str, ...]
    """How it came here and what each reason means."""

    @property
    def document(self) -> dict[str, object]:
        """Give what `why --json` prints."""
        return {"unit": self.unit, "state": self.state, "reasons": list(self.reasons), "next": self.next}


def why(picture: Picture, unit: Entry | Batch, last: Event | None = None) -> Why:
    """Explain an issue or a batch; `last` is the event that gave it its state, where it is known."""
    return _why_issue(picture, unit, last) if isinstance(unit, Entry) else _why_batch(picture, unit, last)


def render_why(answer: Why, last: Event | None) -> str:
    """Write the answer in a few lines: the state, since when, why, and the next step."""
    since = f" since {last.at[:19].replace('T', ' ')} UTC" if last is not None else ""
    lines = [f"{answer.unit} is {answer.state}{since}.", *(one_line(text) for text in answer.sentences)]
    reasons = ", ".join(reason for reason in answer.reasons if reason != answer.state)
    if reasons:
        lines.append(f"Reason: {one_line(reasons)}")
    lines.append(f"Next: {one_line(answer.next)}")
    return "\n".join(lines)


def bearer(picture: Picture, unit: Entry | Batch) -> Entry | Batch | Member:
    """Name the record whose status stands for a unit: an assigned issue's is its member's."""
    return unit if isinstance(unit, Batch) else _membership(picture, unit) or unit


def _membership(picture: Picture, entry: Entry) -> Member | None:
    return picture.state.member_of_issue(entry.issue) if entry.status is EntryStatus.ASSIGNED else None


def reasons_of_entry(picture: Picture, entry: Entry) -> tuple[str, ...]:
    """List why an issue does not run: the plan's reasons, else its record's, else its state."""
    member = _membership(picture, entry)
    if member is not None:
        return reasons_of_member(picture, member)
    if entry.status in TERMINAL_ENTRIES and entry.reason is None:
        return (str(entry.status),)
    return _found(picture, picture.waits.get(entry.issue, ()), entry.reason, entry.status)


def reasons_of_member(picture: Picture, member: Member) -> tuple[str, ...]:
    """List why a member does not run; empty while it has a slot."""
    if member.batch not in picture.state.batches:
        return ("held:record-unreadable",)
    if member.status in AT_WORK:
        return (f"held:{member.hold}",) if member.hold else ()
    if member.status is MemberStatus.LANDED:
        return _reasons_of_landed(picture, picture.state.batches[member.batch])
    held = (f"held:{member.hold}",) if member.hold else ()
    return _found(picture, picture.waits.get(member.issue, held), member.reason, member.status)


def _reasons_of_landed(picture: Picture, batch: Batch) -> tuple[str, ...]:
    if batch.status is BatchStatus.VALIDATING:
        return reasons_of_batch(picture, batch) or (str(batch.status),)
    return picture.batch_waits.get(batch.id, (batch.reason or str(batch.status),))


def reasons_of_batch(picture: Picture, batch: Batch) -> tuple[str, ...]:
    """List why a batch does not move; empty while a run or job of its own is at work."""
    state = picture.state
    if batch.status is BatchStatus.FORMING:
        return (batch.reason or "not-sealed",)
    if batch.reason is not None or batch.status in TERMINAL_BATCHES or batch.status is BatchStatus.AWAITING_MERGE:
        return (batch.reason or str(batch.status),)
    if batch.id in picture.batch_waits:
        return picture.batch_waits[batch.id]
    if any(key[0] == batch.id for key in (*state.leases, *state.jobs)):
        return ()
    waits = [wait for member in state.members_of(batch) for wait in picture.waits.get(member.issue, ())]
    return _found(picture, tuple(dict.fromkeys(waits)), None, None) or (str(batch.status),)


def _found(
    picture: Picture, waits: tuple[str, ...], reason: str | None, status: EntryStatus | MemberStatus | None
) -> tuple[str, ...]:
    if waits:
        return waits
    if reason:
        return (reason,)
    if (status is None or status in _NEEDS_A_DRIVER) and not picture.live_drivers:
        return ("driver-lost",)
    return (str(status),) if status is not None else ()


def _why_issue(picture: Picture, entry: Entry, last: Event | None) -> Why:
    member = _membership(picture, entry)
    status = member.status if member is not None else entry.status
    batch = member.batch if member is not None else entry.batch or ""
    reasons = reasons_of_entry(picture, entry)
    names = {"unit": str(entry.issue), "issue": str(entry.issue), "batch": batch, "pr": _request_of(picture, batch)}
    steps = MEMBER_STEPS if member is not None else ENTRY_STEPS
    meant = _as_meant(picture, batch, reasons)
    home = picture.state.batches.get(batch)
    in_free_words = bool(entry.evidence) and entry.evidence[-1].kind == "handed-back" and member is None
    came = None
    if last is not None:
        came = cause(ENTRY, last.name, status) if member is None else cause(MEMBER, last.name, status)
    return Why(
        unit=str(entry.issue),
        state=str(status),
        reasons=reasons,
        next=_why_batch(picture, home, None).next
        if status is MemberStatus.LANDED and home is not None
        else _step(meant if not in_free_words else (), names, steps.get(status, "")),
        sentences=_sentences(came, meant, str(status), as_they_are=in_free_words)
        + ((_RESERVED,) if entry.issue in picture.aged else ())
        + _beside(picture, reasons, home if status is MemberStatus.LANDED else None)
        + _detail(member or entry, entry),
    )


def _detail(unit: Entry | Member, entry: Entry) -> tuple[str, ...]:
    """Give what a hold is about, or a parked issue's reason: its category, and the words of its exit."""
    word, _, about = (unit.reason or "").partition(": ")
    if unit.hold is not None and word == unit.hold and about:
        return (about,)
    if entry.status is not EntryStatus.PARKED or not entry.evidence:
        return ()
    return tuple(_of_exit(entry.evidence[-1]))


def _of_exit(exit_: Exit) -> Iterator[str]:
    category = category_of(exit_.reason) if exit_.kind == "evicted" else Category.UNKNOWN
    if category is not Category.UNKNOWN:
        yield RECOVERIES[category].says
    if exit_.detail:
        yield exit_.detail
    if exit_.failing:
        yield f"Red: {red_exit(exit_)}."
    if exit_.reproduce:
        is_short = len(exit_.reproduce) <= _SHORT_COMMAND
        said = f"`gitsched report {exit_.batch} --md` has the command that shows it."
        yield f"{HINTS[0]}{exit_.reproduce}" if is_short else said
    if exit_.reason in _OF_A_RUN:
        yield f"`gitsched logs {exit_.issue}` shows what its agent printed."


def _request_of(picture: Picture, batch: str) -> str:
    found = picture.state.batches.get(batch)
    return str(found.pr.number) if found is not None and found.pr is not None else ""


def _why_batch(picture: Picture, batch: Batch, last: Event | None) -> Why:
    reasons = reasons_of_batch(picture, batch)
    meant = _as_meant(picture, batch.id, reasons)
    first = str(batch.members[0].issue) if batch.members else ""
    names = {"unit": batch.id, "issue": first, "batch": batch.id, "pr": _request_of(picture, batch.id)}
    fallback = BATCH_STEPS.get(batch.status, "It goes on by itself.")
    if batch.status is BatchStatus.AWAITING_MERGE and picture.settings_of(batch).ship.merge_by != BY_A_PERSON:
        fallback = "It merges by itself."
    came = cause(BATCH, last.name, batch.status) if last else None
    return Why(
        unit=batch.id,
        state=str(batch.status),
        reasons=reasons,
        next=_step(meant, names, fallback),
        sentences=_sentences(came, meant, str(batch.status), as_they_are=False) + _beside(picture, reasons, batch),
    )


def _beside(picture: Picture, reasons: tuple[str, ...], batch: Batch | None) -> tuple[str, ...]:
    """Say why all is paused, where that is a reason, and what a batch's suite is red of."""
    because = picture.state.control.pause_reason if "paused" in reasons else None
    red = red_suite(batch) if batch is not None else ""
    return ((sentence_of(because),) if because else ()) + ((f"Red: {red}.",) if red else ())


def _as_meant(picture: Picture, batch: str, reasons: tuple[str, ...]) -> tuple[str, ...]:
    """Tell a profile that the batch was sealed without, and is there now, from one that is nowhere."""
    sealed = picture.sealed.get(batch)
    return tuple(
        f"{SEALED_WITHOUT}:{name}"
        if word == "profile-missing"
        and sealed is not None
        and resolve_profile(sealed.agents, name) is None
        and resolve_profile(picture.current.agents, name) is not None
        else reason
        for reason in reasons
        for word, _, name in (reason.partition(":"),)
    )


def _step(reasons: tuple[str, ...], names: Mapping[str, str], fallback: str) -> str:
    found = (step for reason in reasons if (step := step_of(reason, names)))
    return next(found, fallback.format(**names))


def _sentences(came: str | None, reasons: tuple[str, ...], state: str, *, as_they_are: bool) -> tuple[str, ...]:
    said = tuple(reason if as_they_are else sentence_of(reason) for reason in reasons if reason != state)
    return (came, *said) if came else said
