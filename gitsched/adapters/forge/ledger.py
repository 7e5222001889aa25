"""The files of the local forge under `refs/gitsched/forge`, read and written as records.

`format`, `next` (the free numbers), `issues/<n>/issue`, `pulls/<n>/pull`, and beside each of the two
`comments/<id>`. One number series for issues and pull requests, one for comments; neither is ever reused.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from gitsched.adapters.forge.digest import FEW, refresh
from gitsched.adapters.git.objects import Objects
from gitsched.adapters.git.sequencer import common_folder
from gitsched.adapters.git.treeref import Edit, Shared, Signed, Snapshot, TreeRef
from gitsched.codec.forge import (
    FORMAT,
    Counters,
    UndecodableError,
    decode_counters,
    decode_format,
    decode_record,
    encode_counters,
    encode_format,
    encode_record,
)
from gitsched.domain.forge import Comment, Issue, PullRequestView
from gitsched.domain.ids import FORGE_REF
from gitsched.domain.instants import Instant, epoch_seconds
from gitsched.errors import FormatError, RecordUnreadableError

T = TypeVar("T")
R = TypeVar("R", Issue, Comment, PullRequestView)
Record = Issue | Comment | PullRequestView

_KEPT = 4096
_LONGEST_SUBJECT = 100


class Cache:
    """Decoded records by object id; the oldest leave."""

    def __init__(self) -> None:
        """Begin empty."""
        self._kept: OrderedDict[str, Record] = OrderedDict()

    def record(self, snapshot: Snapshot, path: str, oid: str, kind: type[R]) -> R:
        """Give a record, decoded at most once. Raises RecordUnreadableError."""
        known = self._kept.get(oid)
        if isinstance(known, kind):
            return known
        try:
            found = decode_record(snapshot.blob(oid), kind)
        except UndecodableError as wrong:
            raise RecordUnreadableError(path, oid, str(wrong)) from wrong
        self._kept[oid] = found
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return found


class Pages:
    """The forge as it was at one commit."""

    def __init__(self, snapshot: Snapshot, cache: Cache) -> None:
        """Look at `snapshot`. Raises FormatError where a newer gitsched wrote it."""
        self.snapshot = snapshot
        self._cache = cache
        raw = snapshot.file("format")
        found = FORMAT if raw is None else _decoded("format", snapshot, decode_format)
        if found > FORMAT:
            raise FormatError(
                "The local forge was to be read.",
                f"'{FORGE_REF}' has format {found}; this gitsched knows formats up to {FORMAT}.",
                "Use a newer gitsched.",
            )

    def issue(self, number: int) -> Issue | None:
        """Read an issue; None where that number is none."""
        return self._record(f"issues/{number}/issue", Issue)

    def readable_issue(self, number: int) -> Issue | None:
        """Read an issue; None also where its record does not decode."""
        try:
            return self.issue(number)
        except RecordUnreadableError:
            return None

    def pull(self, number: int) -> PullRequestView | None:
        """Read a pull request; None where that number is none."""
        return self._record(f"pulls/{number}/pull", PullRequestView)

    def comment(self, number: int, comment: int) -> Comment | None:
        """Read a comment; None where there is none."""
        home = self.home(number)
        return None if home is None else self._record(f"{home}/comments/{comment}", Comment)

    def issue_numbers(self) -> tuple[int, ...]:
        """List the numbers of all issues, in order."""
        return _numbers(self.snapshot.names("issues"))

    def pulls(self) -> Iterator[PullRequestView]:
        """Read all pull requests, by number."""
        found = (self.pull(number) for number in _numbers(self.snapshot.names("pulls")))
        return (pull for pull in found if pull is not None)

    def comments(self, number: int) -> tuple[Comment, ...]:
        """Read the comments on an issue or pull request, oldest first."""
        home = self.home(number)
        ids = () if home is None else _numbers(self.snapshot.names(f"{home}/comments"))
        found = (self.comment(number, comment) for comment in ids)
        return tuple(comment for comment in found if comment is not None)

    def home(self, number: int) -> str | None:
        """Name the folder of an issue or pull request; None where the number is neither."""
        for home in (f"issues/{number}", f"pulls/{number}"):
            if self.snapshot.oid(home) is not None:
                return home
        return None

    def _record(self, path: str, kind: type[R]) -> R | None:
        oid = self.snapshot.oid(path)
        return None if oid is None else self._cache.record(self.snapshot, path, oid, kind)


class Writing(Pages):
    """The forge, and what is to change in it."""

    def __init__(self, snapshot: Snapshot, cache: Cache) -> None:
        """Begin with nothing to change."""
        super().__init__(snapshot, cache)
        self.files: dict[str, bytes | None] = {}
        self.sentence = ""
        raw = snapshot.file("next")
        self._next = Counters() if raw is None else _decoded("next", snapshot, decode_counters)

    def take_number(self) -> int:
        """Give the next number of an issue or pull request."""
        number = self._next.number
        self._count(Counters(number=number + 1, comment=self._next.comment))
        return number

    def take_comment_id(self) -> int:
        """Give the next id of a comment."""
        comment = self._next.comment
        self._count(Counters(number=self._next.number, comment=comment + 1))
        return comment

    def write_issue(self, issue: Issue, sentence: str) -> None:
        """Write an issue and say what that does."""
        self._write(f"issues/{issue.number}/issue", issue, sentence)

    def write_pull(self, pull: PullRequestView, sentence: str) -> None:
        """Write a pull request and say what that does."""
        self._write(f"pulls/{pull.number}/pull", pull, sentence)

    def write_comment(self, home: str, comment: Comment, sentence: str) -> None:
        """Write a comment below its issue or pull request and say what that does."""
        self._write(f"{home}/comments/{comment.id}", comment, sentence)

    def _write(self, path: str, record: Record, sentence: str) -> None:
        self.files[path] = encode_record(record)
        self.sentence = self.sentence or sentence

    def _count(self, counters: Counters) -> None:
        self._next = counters
        self.files["next"] = encode_counters(counters)


class Ledger:
    """The local forge's one ref."""

    def __init__(self, objects: Objects, *, fsync: bool = True, shared: Shared | None = None) -> None:
        """Stand on an open repository; `fsync` as `store.fsync` says, `shared` where the forge is a remote's."""
        self._ref = TreeRef(objects, FORGE_REF, fsync=fsync, shared=shared)
        self._cache = Cache()
        self._change_count = 0

    def tip(self) -> str | None:
        """Name the forge's newest commit; None before the first."""
        return self._ref.tip()

    def pages(self) -> Pages:
        """Read the forge as it is now."""
        return Pages(self._ref.snapshot(), self._cache)

    def change(self, decide: Callable[[Writing], T], author: str, now: Instant) -> T:
        """Change the forge as `decide` writes, by one commit; `decide` is called again after a lost race.

        Raises BusyError when the race was lost too often, and whatever `decide` raises, with nothing written.
        """
        signed = Signed(author, epoch_seconds(now))

        def attempt(before: Snapshot) -> tuple[Edit | None, T]:
            writing = Writing(before, self._cache)
            answer = decide(writing)
            if not writing.files:
                return None, answer
            files: Mapping[str, bytes | None] = {"format": encode_format(), **writing.files}
            return Edit(files, writing.sentence, signed), answer

        answer = self._ref.change(attempt)
        self._digest()
        return answer

    def _digest(self) -> None:
        """Let cold readers have less to read; looked at in each process's first change, and in every few after it."""
        self._change_count += 1
        if self._change_count % FEW == 1:
            pages = self.pages()
            folders = {int(name): oid for name, oid in pages.snapshot.names("issues").items() if name.isdigit()}
            tree = pages.snapshot.oid("issues") or ""
            refresh(common_folder(self._ref.objects.repository), tree, folders, pages.readable_issue)


def _numbers(names: Mapping[str, str]) -> tuple[int, ...]:
    return tuple(sorted(int(name) for name in names if name.isascii() and name.isdigit()))


def _decoded(path: str, snapshot: Snapshot, decode: Callable[[bytes], T]) -> T:
    raw = snapshot.file(path)
    assert raw is not None
    try:
        return decode(raw)
    except UndecodableError as wrong:
        raise RecordUnreadableError(path, snapshot.oid(path) or "", str(wrong)) from wrong
