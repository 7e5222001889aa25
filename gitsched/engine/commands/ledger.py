"""The ledger of commands: a command and its row are one transaction, so that it happens once or not at all."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import NamedTuple

from msgspec.structs import replace

from gitsched.domain.commands import Fate, Heard, HeardLine, Spoken
from gitsched.domain.events import EventName
from gitsched.domain.outcomes import Transacted, Unreachable
from gitsched.domain.state import Draft, State
from gitsched.errors import RefusedError
from gitsched.policy.commands import forgettable
from gitsched.ports.store import Entry, Intent, Store

_FORGOTTEN_AT_ONCE = 16


class HeardBeforeError(RefusedError):
    """The line stands in the ledger: somebody else ran it."""


class Terms(NamedTuple):
    """What a command's transaction is held to, and what it has to say."""

    check: Callable[[State], None]
    """Asked of the very state that is changed; may raise RefusedError."""
    tell: Callable[[Draft], str]
    """Words the answer from what was changed: it is recorded with it, so that it is not lost when posting fails."""


class Ledgered:
    """A store whose next transaction is that of one command, and writes the command's row with it."""

    def __init__(self, store: Store, spoken: Spoken, line: HeardLine, terms: Terms) -> None:
        """Stand on the store."""
        self._store = store
        self._spoken = spoken
        self._line = line
        self._terms = terms

    @property
    def tip(self) -> str | None:
        """Name the state commit that was read last."""
        return self._store.tip

    def read(self) -> State:
        """Give the current state."""
        return self._store.read()

    def read_at(self, commit: str) -> State:
        """Give the state as it was at that commit."""
        return self._store.read_at(commit)

    def ended(self) -> State:
        """Give the ended batches that were moved out of the state."""
        return self._store.ended()

    def apply(self, intent: Intent, actor: str = "gitsched") -> Transacted:
        """Change the state as the command does, with its row. Raises HeardBeforeError."""

        def both(draft: Draft) -> None:
            if is_heard(draft.state, self._spoken, self._line.line):
                raise HeardBeforeError(f"Comment {self._spoken.comment} was to be heard.", "It was heard before.")
            self._terms.check(draft.state)
            intent(draft)
            note_line(draft, self._spoken, replace(self._line, answer=self._terms.tell(draft)))

        return self._store.apply(both, actor)

    def catch_up(self) -> Unreachable | None:
        """Bring what a remote has."""
        return self._store.catch_up()

    @property
    def away(self) -> Unreachable | None:
        """Tell what stood against that."""
        return self._store.away

    def together(self) -> AbstractContextManager[None]:
        """Let transactions wait for one another."""
        return self._store.together()

    def settle(self) -> None:
        """Have accepted what waits."""
        self._store.settle()

    def afterwards(self, act: Callable[[], None]) -> None:
        """Wait as the store does."""
        self._store.afterwards(act)

    def history(self, path: str | None = None, since: str | None = None) -> Iterator[Entry]:
        """Walk the journal."""
        return self._store.history(path, since)

    def keep_evidence(self, batch: str, files: Mapping[str, bytes], sentence: str) -> str:
        """Add files to a batch's evidence."""
        return self._store.keep_evidence(batch, files, sentence)

    def evidence(self, batch: str) -> Mapping[str, bytes]:
        """Read a batch's evidence."""
        return self._store.evidence(batch)

    def evidence_paths(self, batch: str) -> tuple[str, ...]:
        """List the paths of a batch's evidence."""
        return self._store.evidence_paths(batch)


def is_heard(state: State, spoken: Spoken, line: int) -> bool:
    """Say whether a line has been run, or refused."""
    row = state.heard.get(spoken.comment)
    return row is not None and (row.ignored is not None or row.line(line) is not None)


def note_line(draft: Draft, spoken: Spoken, line: HeardLine) -> None:
    """Record what became of one command."""
    row = _row(draft.state, spoken)
    accepted = line.fate is Fate.ACCEPTED
    draft.note(
        EventName.COMMAND_ACCEPTED if accepted else EventName.COMMAND_REFUSED,
        f"{'Run' if accepted else 'Refuse'} '{line.verb}' of comment {row.comment} on {row.number}",
        replace(row, lines=(*row.lines, line), updated_at=draft.at),
        removed=_forgotten(draft, row),
        issue=row.number,
        comment=row.comment,
        author=row.author,
        line=line.line,
        verb=line.verb,
    )


def note_undone(draft: Draft, comment: int, line: HeardLine) -> None:
    """Record what stood against a command after its row was written: it is not run again, and its answer tells why."""
    row = draft.state.heard.get(comment)
    if row is not None:
        lines = tuple(line if known.line == line.line else known for known in row.lines)
        draft.note(
            EventName.COMMAND_REFUSED,
            f"'{line.verb}' of comment {row.comment} on {row.number} came to nothing",
            replace(row, lines=lines, updated_at=draft.at),
            issue=row.number,
            comment=row.comment,
            author=row.author,
            line=line.line,
            verb=line.verb,
        )


def note_ignored(draft: Draft, spoken: Spoken, why: str) -> None:
    """Record that none of a comment's commands is run, once."""
    row = _row(draft.state, spoken)
    if row.ignored is None:
        draft.note(
            EventName.DELIVERY_IGNORED,
            f"Ignore the commands of comment {row.comment} on {row.number}: {why}",
            replace(row, ignored=why, is_answered=True, updated_at=draft.at),
            removed=_forgotten(draft, row),
            issue=row.number,
            comment=row.comment,
            author=row.author,
            reason=why,
        )


def note_answered(draft: Draft, comment: int) -> None:
    """Record that a comment's acknowledgement is on the forge."""
    row = draft.state.heard.get(comment)
    if row is not None and not row.is_answered:
        answered = replace(row, is_answered=True, updated_at=draft.at)
        sentence = f"Answer comment {comment} on {row.number}"
        draft.note(EventName.COMMAND_ANSWERED, sentence, answered, issue=row.number, comment=comment)


def _row(state: State, spoken: Spoken) -> Heard:
    return state.heard.get(spoken.comment) or Heard(
        comment=spoken.comment,
        number=spoken.number,
        author=0 if spoken.author is None else spoken.author.id,
        created_at=spoken.created_at,
    )


def _forgotten(draft: Draft, row: Heard) -> list[Heard]:
    """List rows that leave the ledger with this change: it is pruned by those who write into it."""
    old = forgettable(draft.state, draft.at, _FORGOTTEN_AT_ONCE)
    return [gone for gone in old if gone.comment != row.comment]
