"""`enqueue`: put issues into the queue, alone or as members of a batch."""

from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from gitsched.config.settings import Settings
from gitsched.domain.events import EventName
from gitsched.domain.forge import Issue
from gitsched.domain.records import Entry
from gitsched.domain.state import Draft, State
from gitsched.domain.words import EntryStatus, Review, Tier
from gitsched.engine.intake import values
from gitsched.engine.intake.issues import IssueReader, read_issues
from gitsched.engine.intake.joining import Stated, form_batch, join_batch
from gitsched.engine.intake.sealing import seal_batch
from gitsched.engine.intake.transact import transact
from gitsched.errors import RefusedError, UsageError
from gitsched.policy import refuse
from gitsched.policy.compose import Alone, Join, NewBatch, Placement, group_with, member_order, placement, present
from gitsched.policy.entries import forge_reasons
from gitsched.ports.store import Store


class EnqueueRequest(Struct, frozen=True, kw_only=True):
    """What is asked for; a value that is left out is None or empty, and one that is given holds for every issue."""

    issues: tuple[int, ...]
    batch: str | None = None
    solo: bool = False
    leave_open: bool = False
    """The batch stays forming, so that more can join before it is sealed."""
    deps: tuple[int, ...] = ()
    """In addition to what the issues themselves name."""
    tier: Tier | None = None
    priority: int | None = None
    review: Review | None = None
    files: tuple[str, ...] = ()
    """In the place of what the issues themselves name."""
    groups: tuple[tuple[int, ...], ...] = ()
    profile: str | None = None
    target: str | None = None
    milestone: str | None = None
    """The GitHub milestone that the batch stands for."""


class EnqueueAnswer(Struct, frozen=True, kw_only=True):
    """What was written."""

    entries: tuple[int, ...]
    """In member order where they are members of a batch."""
    batch: str | None


def enqueue(store: Store, forge: IssueReader, settings: Settings, request: EnqueueRequest, actor: str) -> EnqueueAnswer:
    """Enqueue issues; either all of the call is written or nothing.

    Raises UsageError for a bad value, RefusedError for what stands against it, TemporaryError when the forge is
    unreachable.
    """
    if request.batch is not None and request.batch in store.ended().batches:
        against = "A batch of that name has ended and is in the archive."
        remedy = f"`gitsched show {request.batch}` shows it; choose another name."
        raise RefusedError(f"Issues were to be enqueued into {request.batch}.", against, remedy)
    return transact(store, actor, entering(forge, settings, request))


def entering(forge: IssueReader, settings: Settings, request: EnqueueRequest) -> Callable[[Draft], EnqueueAnswer]:
    """Give what enqueues the issues in a draft, for a transaction that does more; raises what `enqueue` raises."""
    _check_values(request)
    found = read_issues(forge, request.issues)
    return lambda draft: _enqueue(draft, request, found, settings)


def _check_values(request: EnqueueRequest) -> None:
    values.checked_issues((*request.issues, *request.deps, *(issue for group in request.groups for issue in group)))
    if request.batch is not None:
        values.checked_batch_id(request.batch)
    if request.priority is not None:
        values.checked_priority(request.priority)
    if request.profile is not None:
        values.checked_profile(request.profile)
    if request.target is not None:
        values.checked_branch(request.target)
    for glob in request.files:
        values.checked_glob(glob)
    for group in request.groups:
        values.group_of("+".join(str(issue) for issue in group))
    _check_together(request)


def _check_together(request: EnqueueRequest) -> None:
    listed = " ".join(str(issue) for issue in request.issues)
    if not request.issues:
        raise UsageError("Issues were to be enqueued.", "None is named.", "`gitsched issue list` shows what there is.")
    if request.solo and (request.batch is not None or request.leave_open or request.groups):
        raise UsageError(
            f"Issues {listed} were to be enqueued each for itself and together.",
            "--solo goes with none of --batch, --open and --group.",
            f"`gitsched enqueue {listed} --solo` works them one by one.",
        )


def _enqueue(draft: Draft, request: EnqueueRequest, found: Mapping[int, Issue], settings: Settings) -> EnqueueAnswer:
    _raise_first(refuse.issue_faults(draft.state, request.issues, found))
    together = not request.solo and (len(request.issues) > 1 or request.leave_open)
    place = placement(draft.state, request.batch, together=together, mark=draft.mark)
    rows = [_row(draft, request, found[number]) for number in request.issues]
    home = None if isinstance(place, Alone) else place.batch
    _raise_first(refuse.dependency_faults(draft.state, rows, home))
    ordered = rows if home is None else _in_member_order(rows)
    _refuse_join(draft.state, place, ordered, request, settings)
    for row in ordered:
        sentence = f"Enqueue issue {row.issue}"
        draft.note(EventName.ENQUEUED, sentence, row, issue=row.issue, priority=row.priority, deps=list(row.deps))
    issues = tuple(row.issue for row in ordered)
    if isinstance(place, Alone):
        for number in issues:
            _block_by_label(draft, found[number], settings)
    else:
        _fill(draft, place, issues, request, settings)
    return EnqueueAnswer(entries=issues, batch=home)


def _row(draft: Draft, request: EnqueueRequest, issue: Issue) -> Entry:
    """Make an issue's row; of an earlier one nothing is kept but how many solo batches it has had."""
    earlier = draft.state.entries.get(issue.number)
    return Entry(
        issue=issue.number,
        title=issue.title,
        status=EntryStatus.QUEUED,
        deps=tuple(dict.fromkeys((*request.deps, *issue.deps))),
        priority=request.priority or 0,
        tier=request.tier,
        review=request.review or Review.LIGHT,
        profile=request.profile,
        files=request.files or issue.files,
        group=group_with(request.groups, issue.number),
        target=request.target,
        attempt=0 if earlier is None else earlier.attempt,
        created_at=draft.at,
        updated_at=draft.at,
    )


def _in_member_order(rows: list[Entry]) -> list[Entry]:
    by_issue = {row.issue: row for row in rows}
    order = member_order(tuple(by_issue), {issue: row.deps for issue, row in by_issue.items()})
    return [by_issue[issue] for issue in order]


def _refuse_join(
    state: State, place: Placement, rows: list[Entry], request: EnqueueRequest, settings: Settings
) -> None:
    if isinstance(place, Alone):
        return
    if isinstance(place, Join):
        batch = state.batches[place.batch]
        _raise_first(refuse.join_faults(state, batch, rows))
        _raise_first(refuse.value_faults(state, batch, request.target, request.profile))
    _raise_first(refuse.limit_faults(state, place.batch, rows, settings))


def _fill(
    draft: Draft, place: NewBatch | Join, issues: tuple[int, ...], request: EnqueueRequest, settings: Settings
) -> None:
    if isinstance(place, NewBatch):
        priority = settings.batch.default_priority if request.priority is None else request.priority
        form_batch(draft, place.batch, request.target or settings.project.target, priority)
    batch = draft.state.batches[place.batch]
    inside = [*issues, *(member.issue for member in present(draft.state, batch))]
    _raise_first(refuse.group_faults(batch, request.groups, inside))
    stated = Stated(target=request.target, profile=request.profile, milestone=request.milestone, groups=request.groups)
    join_batch(draft, place.batch, issues, stated)
    if not request.leave_open:
        seal_batch(draft, draft.state.batches[place.batch], settings, refuse.solo_remedy(issues))


def _block_by_label(draft: Draft, issue: Issue, settings: Settings) -> None:
    """Show at once what the next tick would find: that a label keeps the issue out."""
    label = next((why for why in forge_reasons(issue, settings) if why.startswith("label:")), None)
    if label is not None:
        blocked = replace(draft.state.entries[issue.number], status=EntryStatus.BLOCKED, reason=label)
        sentence = f"Keep issue {issue.number} out: {label}"
        draft.note(EventName.LABEL_BLOCKED, sentence, blocked, issue=issue.number, reason=blocked.reason)


def _raise_first(faults: Iterable[RefusedError]) -> None:
    for fault in faults:
        raise fault
