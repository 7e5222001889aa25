"""A remote of a clone: moves refs there as one, compared by the server, and brings what it has.

Only the git program talks to it: libgit2 has neither leases nor atomic pushes, and loses updates over its local
transport. What the remote has is kept below `refs/gitsched-remote/`, which nothing but a fetch writes.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from threading import Event

from gitsched.adapters.git.half_made import clear_abandoned, half_made
from gitsched.adapters.git.large_files import sending
from gitsched.adapters.git.new_objects import NewObjects, is_disturbed
from gitsched.adapters.git.process import Completed, Git, engine_git
from gitsched.adapters.git.push_report import PushAnswer, PushRefused, Unanswered, is_denied, read_push
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.state import RefMove
from gitsched.errors import ConfigError, GitFailedError, RefusedError

SEEN = "refs/gitsched-remote/"
"""Below it stands what the remote had at the last fetch, each ref without its `refs/`."""
_TAKEN = ("gitsched/", "notes/gitsched/", "heads/gitsched/")
_SEEN_TAKEN = tuple(f"{SEEN}{name}" for name in _TAKEN)
_UNKNOWN_REMOTE = "No such remote"
_NO_TARGET = "couldn't find remote ref"
_LEFT = "^refs/gitsched/inbox"
_LIMIT_S = 120.0
_WORDS = 300
_TRIES = 20
_PAUSE_S = 0.1
_FETCH = (
    "--atomic",
    "--prune",
    "--no-tags",
    "--no-write-fetch-head",
    "--no-auto-maintenance",
    "--recurse-submodules=no",
)
_AS_PACK = ("-c", "fetch.unpackLimit=1")
"""A pack that comes while garbage is collected is left alone; single objects are not."""
_PUSH = ("--atomic", "--porcelain", "--no-verify", "--no-signed", "--no-follow-tags", "--recurse-submodules=no")


class Remote:
    """One remote, by the name that git's configuration knows it by."""

    def __init__(self, common: Path, name: str, target: str, limit_s: float = _LIMIT_S) -> None:
        """Stand on a clone, and look nothing up yet; `target` is the branch whose place there matters too."""
        self._git: Git = engine_git(common)
        self._common = common
        self._name = name
        self._target = f"heads/{target}"
        self._limit_s = limit_s

    @cached_property
    def address(self) -> str:
        """Give the address that git knows it by. Raises ConfigError where the clone has no remote of that name."""
        asked = self._git.run("remote", "get-url", self._name, check=False)
        if asked.text():
            return asked.text()
        what = f"'project.remote' is '{self._name}'."
        if asked.complaint() and _UNKNOWN_REMOTE not in asked.complaint():
            raise ConfigError(what, f"git cannot tell what that is: {asked.complaint()}.", "Mend what it names.")
        raise ConfigError(
            what,
            "This clone has no remote of that name.",
            f'`git remote add {self._name} ADDRESS` makes one; `remote = ""` keeps all state in this clone.',
        )

    @property
    def target_seen(self) -> str:
        """Name the ref that tells where the target branch was at the last fetch."""
        return f"{SEEN}{self._target}"

    def push(self, moves: Sequence[RefMove]) -> PushAnswer:
        """Move all of these refs there or none, each only from its expected old value; large files go before them."""
        stopped = self._large_files_sent(moves)
        if stopped is not None:
            return stopped
        leases = [f"--force-with-lease={move.name}:{move.old or ''}" for move in moves]
        wanted = [f"{move.new or ''}:{move.name}" for move in moves]
        words = ("-c", "push.pushOption=", "push", *_PUSH, *leases, self._name, *wanted)
        try:
            done = self._git.run(*words, timeout_s=self._limit_s, check=False)
        except GitFailedError as late:
            return Unanswered(late.detail)
        return read_push(done, [move.name for move in moves])

    def _large_files_sent(self, moves: Sequence[RefMove]) -> PushAnswer | None:
        """Send what the pointers in branches name; None: it is there. Nothing else was sent then."""
        heads = [move.new for move in moves if move.new and move.name.startswith("refs/heads/")]
        words = sending(self._git, self._common, self._name, heads)
        if not words:
            return None
        try:
            done = self._git.run(*words, timeout_s=self._limit_s, check=False)
        except GitFailedError as late:
            return Unanswered(late.detail)
        return None if done.ok else PushRefused("", " ".join(done.complaint().split())[-_WORDS:])

    def fetch(self) -> Unreachable | None:
        """Bring everything of gitsched's that the remote has, and the target; None: it is here now.

        Raises RefusedError where the remote answers that we may not.
        """
        assert self.address
        done = self._fetched_past_trees(f"refs/{self._target}")
        if isinstance(done, Completed) and not done.ok and _NO_TARGET in done.complaint():
            done = self._fetched_past_trees()
        if isinstance(done, Unreachable):
            return done
        if done.ok:
            return self._made_sure() if done.err else None
        words = " ".join(done.complaint().split())[-_WORDS:]
        if is_denied(words):
            remedy = f"`git fetch {self._name}` shows the same; whoever keeps it can tell who may read it."
            raise RefusedError(f"'{self._name}' was asked for what it has.", f"It refused: {words}", remedy)
        return Unreachable(what=self._name, detail=words)

    def seen(self) -> Mapping[str, str]:
        """List what the remote had at the last fetch, by the names that the refs have there, without the target."""
        listed = self._git.run("for-each-ref", "--format=%(objectname) %(refname)", *_SEEN_TAKEN).lines()
        pairs = (line.split(" ", 1) for line in listed)
        return {f"refs/{name.removeprefix(SEEN)}": oid for oid, name in pairs}

    def _made_sure(self) -> Unreachable | None:
        """See to it that what has come is whole, whatever a `git gc --prune=now` of this moment deletes."""
        news = NewObjects(self._git, self._common, _SEEN_TAKEN, self.target_seen)
        if news.are_safe():
            return None
        done = self._fetched("--refetch", settings=_AS_PACK)
        if isinstance(done, Unreachable):
            return done
        return None if done.ok else Unreachable(what=self._name, detail=done.complaint()[-_WORDS:])

    def _fetched_past_trees(self, *more: str) -> Completed | Unreachable:
        """Fetch, once a worktree that is just being made does not stand in git's way any more."""
        for left in reversed(range(_TRIES)):
            done = self._fetched(*more)
            words = done.complaint() if isinstance(done, Completed) and not done.ok else ""
            if is_disturbed(words):
                return self._fetched("--refetch", *more, settings=_AS_PACK)
            name = half_made(words)
            if name is None or not (left or clear_abandoned(self._common, name)):
                return done
            Event().wait(_PAUSE_S if left else 0)
        return self._fetched(*more)

    def _fetched(self, *more: str, settings: tuple[str, ...] = ()) -> Completed | Unreachable:
        taken = [f"+refs/{name}*:{SEEN}{name}*" for name in _TAKEN]
        options = [one for one in more if one.startswith("-")]
        wanted = [f"+{one}:{SEEN}{one.removeprefix('refs/')}" for one in more if one not in options]
        words = (
            *settings,
            "-c",
            "core.fsync=committed",
            "fetch",
            *_FETCH,
            *options,
            self._name,
            *taken,
            _LEFT,
            *wanted,
        )
        try:
            return self._git.run(*words, timeout_s=self._limit_s, check=False)
        except GitFailedError as late:
            return Unreachable(what=self._name, detail=late.detail)
