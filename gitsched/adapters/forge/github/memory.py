"""Memory: what was last read of GitHub, and what is being written there, in files that a new process goes on from.

Both stand in the clone's own cache. What was read can be thrown away at any time; of a write a note is made before it
and after it, so that a lost answer is not answered by writing again before the first can be seen.
"""

import hashlib
import os
from pathlib import Path

import msgspec
from msgspec import Struct, field

from gitsched.domain.forge import Issue, PullRequestView
from gitsched.domain.instants import Instant

_FOLDER = "gitsched/cache/github"
_KEPT = 5_000
"""So many notes of writes are kept at least; the oldest go first."""


class Identity(Struct, kw_only=True):
    """Which repository this is, whatever its name is now, and who we are there."""

    repository_id: int
    configured: str = ""
    """Under which name it was looked for."""
    node_id: str = ""
    full_name: str
    web_url: str
    default_branch: str
    is_archived: bool = False
    is_public: bool | None = None
    """None: not asked yet; whoever keeps something back from the public keeps it back then."""
    methods: tuple[str, ...] = ()
    has_auto_merge: bool = False
    login: str = ""
    user_id: int | None = None


class Snapshot(Struct, kw_only=True):
    """What was last read."""

    identity: Identity | None = None
    issues: dict[int, Issue] = field(default_factory=dict)
    since: str = ""
    """The newest change that was seen, less what a list may lag behind."""
    etag: str | None = None
    issues_at: Instant = ""
    recheck_at: Instant = ""
    """When every known issue was last looked at by itself."""
    requests: dict[int, PullRequestView] = field(default_factory=dict)
    requests_at: Instant = ""
    published: dict[str, tuple[str, Instant]] = field(default_factory=dict)
    """By branch: the head that was published last, and when."""


class Writing(Struct, kw_only=True):
    """A write: begun, and with its number once it is known to be done."""

    key: str
    begun_at: Instant
    number: int | None = None
    content: str = ""
    """Fingerprint of what was written."""


class Memory:
    """The cache folder of one clone."""

    def __init__(self, common: Path) -> None:
        """Keep files below the common git directory."""
        self._folder = common / _FOLDER
        self._file = self._folder / "snapshot"
        self._poke = self._folder / "poked"

    def load(self) -> Snapshot:
        """Read the snapshot; an empty one when there is none, or it is not whole."""
        try:
            return msgspec.msgpack.decode(self._file.read_bytes(), type=Snapshot)
        except (OSError, msgspec.DecodeError):
            return Snapshot()

    def save(self, snapshot: Snapshot) -> None:
        """Write it; on a full disk the next process reads everything again."""
        self._write(self._file, msgspec.msgpack.encode(snapshot), is_durable=False)

    def is_poked(self) -> bool:
        """Say, once, that somebody knows of news."""
        try:
            self._poke.unlink()
        except OSError:
            return False
        return True

    def poke(self) -> None:
        """Let the next look read everything, whenever the last one was."""
        self._write(self._poke, b"", is_durable=False)

    def writing(self, key: str) -> Writing | None:
        """Find what is known of a write; None when nobody here has begun it."""
        try:
            return msgspec.json.decode(self._note(key).read_bytes(), type=Writing)
        except (OSError, msgspec.DecodeError):
            return None

    def note(self, writing: Writing) -> None:
        """Write down, durably, that a write begins or has been done. Raises OSError where that is not possible."""
        self._write(self._note(writing.key), msgspec.json.encode(writing), is_durable=True)

    def forget(self, key: str) -> None:
        """Let go of a write that was verifiably not done."""
        self._note(key).unlink(missing_ok=True)

    def prune(self) -> None:
        """Let the oldest notes of writes go when they are too many."""
        try:
            notes = sorted((self._folder / "writes").iterdir(), key=lambda file: file.stat().st_mtime)
        except OSError:
            return
        for file in notes[: max(0, len(notes) - 2 * _KEPT)]:
            file.unlink(missing_ok=True)

    def _note(self, key: str) -> Path:
        return self._folder / "writes" / hashlib.sha256(key.encode()).hexdigest()[:32]

    def _write(self, file: Path, content: bytes, *, is_durable: bool) -> None:
        temporary = file.with_name(f"{file.name}.{os.getpid()}")
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with temporary.open("wb") as out:
                out.write(content)
                if is_durable:
                    out.flush()
                    os.fsync(out.fileno())
            os.replace(temporary, file)
        except OSError:
            temporary.unlink(missing_ok=True)
            if is_durable:
                raise


def fingerprint(*parts: str) -> str:
    """Name a content."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:32]
