"""Everything gitsched raises, as one tree.

    GitschedError                 could not do the job
    ├── RefusedError              the request is well formed and not allowed now          exit 1
    │   ├── TransitionError       a state machine has no such edge
    │   ├── ApartError            clone and remote changed the state apart from each other
    │   ├── NotSetUpError         the repository holds no state, and never held one
    │   ├── StateLostError        it held one whose ref is gone: neither empty nor to be set up anew
    │   ├── StateRewoundError     the remote has an older state again, or one of another chain
    │   ├── RemoteRefusedError    the remote does not take a transaction, in its own words
    │   └── UnknownUnitError      no issue, batch or member of that name
    ├── UsageError                the request itself is wrong                              exit 2
    │   ├── ConfigError           gitsched.toml: file, line, key
    │   └── FormatError           the store was written by a newer gitsched
    ├── InternalError             ours to mend                                             exit 3
    │   ├── GitFailedError        git ended in a way nobody planned for
    │   └── RecordUnreadableError a record in the store does not decode
    ├── SupersededError           an older generation spoke                                exit 4
    ├── TemporaryError            come again                                               exit 75
    │   ├── BusyError             others kept winning the race, or hold a lock
    │   │   └── RaceLostError     others were quicker, and what waited is to be decided again
    │   ├── RemoteAwayError       the remote does not answer, and nothing is decided without it
    │   ├── StorageFullError      no space for the objects of a transaction
    │   └── PausedError           an operator's pause stands
    └── InterruptedByUserError    the operator pressed Ctrl-C                              exit 130

A lost race, a conflict, a refusal by the remote and an unreachable remote are ordinary answers of ports and travel
as values (`gitsched.domain.outcomes`); one that ends a whole transaction is raised by the store.

A message has up to three sentences: what was asked, what stood against it, what to do. The class
carries three facts, so that no face needs an `isinstance` ladder: `exit_code`, `retry`
(whether the same call can succeed later by itself) and `blame` (who can mend it).
"""

import errno
from typing import ClassVar, Literal

Retry = Literal["never", "now", "later"]
Blame = Literal["operator", "author", "nobody", "us"]


class GitschedError(Exception):
    """Something asked of gitsched could not be done."""

    exit_code: ClassVar[int] = 3
    retry: ClassVar[Retry] = "never"
    blame: ClassVar[Blame] = "us"

    def __init__(self, asked: str, against: str = "", remedy: str = "") -> None:
        """Keep the three sentences apart; `str()` joins those that are there by spaces."""
        self.asked = asked
        self.against = against
        self.remedy = remedy
        super().__init__(" ".join(part for part in (asked, against, remedy) if part))


class RefusedError(GitschedError):
    """The request is well formed and is not allowed as things stand."""

    exit_code = 1
    blame = "operator"


class TransitionError(RefusedError):
    """A state machine was asked for an edge it does not have."""

    def __init__(self, machine: str, state: str, event: str) -> None:
        """Name the machine, the state it is in, and the event it refused."""
        self.machine = machine
        self.state = state
        self.event = event
        super().__init__(
            f"'{event}' was asked of a {machine} that is '{state}'.",
            f"The {machine} table has no edge from '{state}' by '{event}'.",
            "`gitsched why` on the unit tells what it waits for.",
        )


class RemoteRefusedError(RefusedError):
    """The remote does not take a transaction; asking again does not help."""

    def __init__(self, ref: str, words: str) -> None:
        """Keep the ref that it refused (empty: all of them) and what it said."""
        self.ref = ref
        self.words = words
        what = f"'{ref}'" if ref else "it"
        super().__init__(
            "A transaction was to be shared.",
            f"The remote refused {what}: {words}.",
            "Nothing has changed. Whoever keeps the remote can tell what its rule is.",
        )


class UnknownUnitError(RefusedError):
    """No issue, batch or member of that name is known here."""


class UsageError(GitschedError):
    """The request itself is wrong: a bad value, an unknown word."""

    exit_code = 2
    blame = "operator"


class ConfigError(UsageError):
    """The configuration holds something gitsched will not guess about."""


class FormatError(UsageError):
    """The store's format is newer than this gitsched, or the chain is another store's."""


class InternalError(GitschedError):
    """gitsched itself failed."""


class GitFailedError(InternalError):
    """A git process ended in a way that its caller has no answer for."""

    def __init__(self, command: str, code: int | None, detail: str) -> None:
        """Keep the verb of the command, its exit code (None: killed at its time limit) and the last words."""
        self.command = command
        self.code = code
        self.detail = detail
        ended = "was stopped at its time limit" if code is None else f"ended with exit code {code}"
        super().__init__(f"`git {command}` was run.", f"It {ended}: {detail or 'it said nothing'}.")


class RecordUnreadableError(InternalError):
    """A record of the store does not decode; its unit is held, the others go on."""

    def __init__(self, path: str, oid: str, detail: str) -> None:
        """Name the record's path in the state tree, its blob, and what is wrong with it."""
        self.path = path
        self.oid = oid
        self.detail = detail
        super().__init__(
            f"The record '{path}' was to be read.",
            f"Its blob {oid} does not decode: {detail}.",
            f"`git cat-file -p {oid}` shows it; `gitsched fsck` names every record like it.",
        )


class SupersededError(GitschedError):
    """A newer generation of the same run has taken over."""

    exit_code = 4
    blame = "author"


class TemporaryError(GitschedError):
    """Nothing is wrong with the request; the moment is."""

    exit_code = 75
    retry: ClassVar[Retry] = "later"
    blame = "nobody"


class BusyError(TemporaryError):
    """Other writers kept winning, or a live process holds a lock that was waited for."""

    retry = "now"


class ApartError(RefusedError):
    """Clone and remote changed the state apart from each other; neither is overwritten."""

    def __init__(self) -> None:
        """Say how they meet."""
        super().__init__(
            "What the remote has was to be brought.",
            "This clone has changed the state apart from it since they last met.",
            "`gitsched sync` joins the two, record by record.",
        )


class NotSetUpError(RefusedError):
    """The repository holds no state, and nothing tells of one that it held."""


class StateLostError(RefusedError):
    """The repository held a state whose ref is gone or torn: that is no empty one, and none is set up over it."""


class StateRewoundError(RefusedError):
    """The remote was set back, to an older state or to one of another chain: nothing here follows it."""

    def __init__(self, knew: str, has: str) -> None:
        """Name the state that it had, and the one that it has."""
        super().__init__(
            "What the remote has was to be brought.",
            f"Its state was set back: it was at {knew}, and is at {has}, which does not hold that.",
            "`gitsched sync` gives it this clone's newer one, or joins the two. What is here is left as it is.",
        )


class RaceLostError(BusyError):
    """Others were quicker at the remote: what waited is void, and is decided again on what is there now."""


class RemoteAwayError(TemporaryError):
    """The remote does not answer; nothing is decided without it."""

    def __init__(self, what: str, detail: str) -> None:
        """Name the remote, and what was heard instead of an answer."""
        super().__init__(
            f"The remote '{what}' was to be asked.",
            f"It does not answer: {detail}.",
            "Nothing has changed here; call again when it can be reached.",
        )


class StorageFullError(TemporaryError):
    """The disk has no room for what was to be written; the state before still holds."""


NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_GITS_WORDS = ("No space left on device", "Disk quota exceeded", "File too large")


def in_words(wrong: Exception) -> str:
    """Say what an exception means to people: of the system's errors its words alone, no number and no path again."""
    return (isinstance(wrong, OSError) and wrong.strerror) or str(wrong)


def out_of_space(error: BaseException) -> StorageFullError | None:
    """Tell what only the disk's being full stopped, in a write of ours or of git's, from any other failure."""
    is_ours = isinstance(error, OSError) and error.errno in NO_SPACE
    is_gits = isinstance(error, GitFailedError) and any(words in error.detail for words in _GITS_WORDS)
    if not is_ours and not is_gits:
        return None
    detail = str(error)
    return StorageFullError("Something was to be written.", f"The disk is full: {detail}", "Make room, and come again.")


class PausedError(TemporaryError):
    """An operator's pause stands and nothing is live."""


class InterruptedByUserError(GitschedError):
    """The operator pressed Ctrl-C."""

    exit_code = 130
    blame = "operator"
