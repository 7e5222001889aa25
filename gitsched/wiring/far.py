"""The worker of a run on another machine: its order from the remote, a repository and a tree of its own, its end back.

The machine it is on has nothing but gitsched, git, the agent, and what the order's profile lets through of its
environment. Nothing is left there afterwards.
"""

import os
import signal
import tempfile
from collections.abc import Mapping
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Self

from msgspec.structs import replace

from gitsched.adapters.clock import SystemClock
from gitsched.adapters.git.apart import Apart
from gitsched.adapters.git.head import head_of
from gitsched.adapters.process import RUN_VARIABLE, HostProcesses
from gitsched.adapters.runner.far import FarRun
from gitsched.adapters.runner.names import mark_of
from gitsched.adapters.wake import wake_all
from gitsched.domain.runs import FAR_FOLDER, FAR_TREE, FORGE_JOB, LEFT, OUTPUT_AT, FarOrder, RunOrder
from gitsched.engine.worker.main import work
from gitsched.engine.worker.tools import Tools
from gitsched.policy.environment import agent_environment
from gitsched.ports.worktrees import Tree
from gitsched.wiring.marks import clone_mark

if TYPE_CHECKING:
    from gitsched.adapters.git.worktrees import GitWorktrees

LOOK_S = 2.0
"""How often a worker looks whether its agent has posted something that others wait for."""
ASK_S = 5.0
"""How often it asks the remote whether its run is still wanted."""
LOG_BYTES = 1024 * 1024
_FOR_THE_JOB = ("GITHUB_ENV", "GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STATE", "GITHUB_STEP_SUMMARY")
"""Files by which a step tells its job something: no agent does."""
_FIRST_PAUSE_S, _LONGEST_PAUSE_S, _PATIENCE_S = 1.0, 60.0, 3600.0


def work_far(run: str, address: str) -> bool:
    """Work a run of the repository at that address to its end; False: nobody needs it, or another worker has it.

    Raises UsageError, RemoteAwayError, RefusedError.
    """
    _take_credential(os.environ)
    with tempfile.TemporaryDirectory(prefix="gitsched-") as place:
        home = Path(os.path.realpath(place))
        far = FarRun(Apart(home / "repository", address), run)
        order = far.bring()
        if order is None:
            return False
        with _Abroad(home, far, order) as abroad:
            return abroad.work()


class _Abroad:
    """A claimed run in its own repository, with its tree and its folder."""

    def __init__(self, home: Path, far: FarRun, order: FarOrder) -> None:
        self._far = far
        self._branch = order.branch
        self._common = far.apart.common
        self._folder = home / "run"
        self._trees_home = home / "trees"
        self._far_order = order
        self._clock = SystemClock.of_environment()
        self._is_wanted = True
        self._left: str | None = None
        self._over = Event()
        far.extra = self._extra

    def __enter__(self) -> Self:
        self._folder.mkdir()
        for name, text in self._far_order.files.items():
            (self._folder / name).write_text(text)
        self._trees, self._tree = self._cut()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()

    def work(self) -> bool:
        """Claim it, run it, and bring its end home."""
        order = self._order()
        far, sent = self._far_order, mark_of(order)
        identity = {name: self._put(value) for name, value in far.identity.items()}
        here = {name: value for name, value in os.environ.items() if name not in _FOR_THE_JOB}
        env, secrets = agent_environment(here, far.env, identity)
        tools = Tools(
            ledger=self._far,
            processes=HostProcesses(clone_mark(self._common)),
            clock=self._clock,
            wake=lambda: wake_all(self._common),
            head_of=head_of,
            share=self._bring_home,
            beat=None,
            stop_asked=lambda: False,
            env={**env, RUN_VARIABLE: sent},
            mark=sent,
            ends_at_int=True,
        )
        watcher = Thread(target=self._watch, daemon=True)
        watcher.start()
        try:
            return work(replace(order, secrets=secrets), tools)
        finally:
            self._over.set()
            watcher.join()

    def _order(self) -> RunOrder:
        order = self._far_order.order
        return replace(
            order,
            argv=tuple(self._put(word) for word in order.argv),
            cwd=str(self._tree.path),
            folder=str(self._folder),
            repository=str(self._common),
            stdin_file=self._put(order.stdin_file or ""),
            log_file=self._put(order.log_file),
            head_of=str(self._tree.path),
        )

    def _put(self, text: str) -> str:
        return text.replace(FAR_TREE, str(self._tree.path)).replace(FAR_FOLDER, str(self._folder))

    def _cut(self) -> "tuple[GitWorktrees, Tree]":
        from gitsched.adapters.git.worktrees import GitWorktrees
        from gitsched.errors import InternalError

        trees = GitWorktrees(self._common, self._trees_home)
        tree = trees.acquire("far", self._far_order.at, self._branch)
        if not isinstance(tree, Tree):
            raise InternalError("A tree for a run was to be made.", f"{tree.reason}: {tree.detail}")
        return trees, tree

    def _extra(self) -> dict[str, object]:
        log = self._folder / "log"
        found: dict[str, object] = {}
        if log.exists():
            found[OUTPUT_AT] = self._clock.dated(log.stat().st_mtime)
        if self._left is not None:
            found[LEFT] = self._far.apart.tip(self._left)
        job = os.environ.get("GITHUB_RUN_ID", "") if os.environ.get("GITHUB_ACTIONS") == "true" else ""
        return found | ({FORGE_JOB: job} if job else {})

    def _watch(self) -> None:
        """Tell others of what the agent posts, give signs of life, and end the agent when nobody wants it any more."""
        signed_s = asked_s = self._clock.monotonic_s()
        posted_count = 0
        while not self._over.wait(LOOK_S):
            record, now_s = self._far.read(self._far.batch, self._far.name), self._clock.monotonic_s()
            terminal_count = sum(one.is_terminal for one in record.milestones) if record is not None else 0
            if not self._far.is_ours or record is None or record.end is not None:
                continue  # not claimed yet, or over
            is_due = terminal_count > posted_count or now_s - signed_s >= self._far_order.sign_s
            if is_due and self._far.sign(self._branch):
                posted_count, signed_s = terminal_count, now_s
            if now_s - asked_s >= ASK_S:
                asked_s = now_s
                self._obey(self._far.look())

    def _obey(self, word: str | None) -> None:
        if word is None:
            return
        self._is_wanted = self._is_wanted and word != "superseded"
        os.kill(os.getpid(), signal.SIGTERM)

    def _bring_home(self) -> None:
        """Bring the end where drivers see it, however long the remote is away; where nobody wants it, save the work."""
        from gitsched.adapters.git.tree_work import GitTreeWork

        self._over.set()
        left = self._far.rescue_name("left")
        saved = GitTreeWork(self._trees.pool).rescue(self._tree.path, left)
        self._left = left if saved is not None and saved.commit is not None else None
        pause_s, until_s = _FIRST_PAUSE_S, self._clock.monotonic_s() + _PATIENCE_S
        while self._is_wanted and self._clock.monotonic_s() < until_s:
            if self._far.finish(self._branch, self._log(), self._left):
                return
            self._is_wanted = self._far.look() != "superseded"
            if self._is_wanted:
                Event().wait(pause_s)
                pause_s = min(_LONGEST_PAUSE_S, pause_s * 2)
        self._far.save(self._branch, self._left)

    def _log(self) -> bytes:
        log = self._folder / "log"
        return log.read_bytes()[-LOG_BYTES:] if log.exists() else b""


def _take_credential(environment: Mapping[str, str]) -> None:
    """Let git answer by the token that the job was given; it is in no file and in no agent's environment."""
    token = environment.get("GITSCHED_CREDENTIAL") or environment.get("GITHUB_TOKEN", "")
    if token:
        from gitsched.adapters.forge.github.git_side import secret_for

        server = environment.get("GITHUB_SERVER_URL", "https://github.com")
        for name, value in secret_for(server, token).items():
            os.environ.setdefault(name, value)


def origin_of(directory: Path) -> str:
    """Name the address that the repository at or above a directory was cloned from. Raises RefusedError."""
    from gitsched.adapters.git.place import find_place
    from gitsched.adapters.git.remote import Remote

    return Remote(find_place(directory).common, "origin", "").address
