"""One run on another machine, as its worker sees it: an order to claim, a record to keep there, an end to bring back.

Every push names where the run ref is expected to be, so that a generation that was fenced off brings nothing there any
more: neither its end nor a commit. What it made is saved beside, on a rescue ref.
"""

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from gitsched.adapters.git.apart import REMOTE, Apart
from gitsched.adapters.git.blobref import SpawnedBlobRefs
from gitsched.adapters.git.push_report import Pushed, PushRefused
from gitsched.adapters.git.remote import SEEN, Remote
from gitsched.adapters.runner.beats import HOSTS_PREFIX
from gitsched.adapters.runner.fleet import LOG, ORDER, STOP
from gitsched.adapters.runner.refs import RunRefs
from gitsched.codec.runs import decode_far, decode_run, encode_far, encode_run
from gitsched.domain.ids import branch_ref, far_ref, far_run_in, rescue_prefix, run_ref
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.runs import FarOrder, RunRecord
from gitsched.domain.state import RefMove
from gitsched.errors import RecordUnreadableError, RefusedError, RemoteAwayError, UsageError

_TRIES = 20


class FarRun:
    """One far run in a repository apart."""

    def __init__(self, apart: Apart, run: str) -> None:
        """Bring nothing yet. Raises UsageError where `run` names none."""
        named = far_run_in(run)
        if named is None:
            raise UsageError(f"'{run}' was to be worked.", "It names no run.", "It looks like b1/3/0/1a2b3c4d.")
        self.batch, self.name, self.gen = named[0], named[1], named[2]
        self.apart = apart
        self._blobs = SpawnedBlobRefs(apart.git)
        self._refs = RunRefs(self._blobs)
        self._remote = Remote(apart.common, REMOTE, "")
        self._order_ref, self._log_ref, self._stop_ref = (far_ref(run, kind) for kind in (ORDER, LOG, STOP))
        self._run_ref = run_ref(self.batch, self.name)
        self._there: dict[str, str | None] = {}
        """Where the remote has the refs that this run moves, as far as it was told."""
        self._sign_ref: str | None = None
        self._signs = 0
        self.extra: Callable[[], dict[str, object]] = dict
        """Gives what is written beside the fields of the record, at each push."""

    def bring(self) -> FarOrder | None:
        """Fetch the order and what it needs; None: nobody needs this run any more, or somebody has it.

        Raises RemoteAwayError.
        """
        there = _reached(self.apart.there(f"{self._run_ref}*"))
        if self._order_ref not in there:
            return None
        _brought(self.apart.fetch(*(_spec(name) for name in there if name in (self._order_ref, self._run_ref))))
        order = decode_far(self._held(self._order_ref), self._order_ref)
        if order.is_taken or not self._is_free(there.get(self._run_ref)):
            return None
        branch = branch_ref(order.branch)
        rescues = f"{rescue_prefix(self.batch, int(self.name))}*"
        integration = branch_ref(order.integration)
        _brought(self.apart.fetch(f"+{branch}:{branch}", f"+{integration}:{integration}", f"+{rescues}:{rescues}"))
        self._there = {name: there.get(name) for name in (self._run_ref, self._order_ref)}
        self._there[branch] = self.apart.tip(branch)
        return order if self.apart.tip(branch) == order.at else None

    def read(self, batch: str, name: str) -> RunRecord | None:
        """Read the record as it is here."""
        return self._refs.read(batch, name)

    def claim(self, record: RunRecord) -> bool:
        """Claim run and order on the remote, as one; False when either is not what it was."""
        record = replace(record, extra={**record.extra, **self.extra()})
        order = decode_far(self._held(self._order_ref), self._order_ref)
        new_run = self._blobs.write(encode_run(record))
        new_order = self._blobs.write(encode_far(replace(order, is_taken=True)))
        moves: list[RefMove] = []
        for _ in range(_TRIES):
            moves = [self._move(self._run_ref, new_run), self._move(self._order_ref, new_order)]
            answer = self._remote.push(moves)
            if isinstance(answer, Pushed):
                break
            if isinstance(answer, PushRefused):
                asked = f"Run {self.batch}/{self.name}/{self.gen} was to be claimed."
                raise RefusedError(asked, answer.words, "Whoever keeps the remote can tell what its rule is.")
            there = self.apart.there(self._run_ref, self._order_ref)
            if isinstance(there, Unreachable):
                continue
            if there.get(self._run_ref) == new_run:
                break  # it was accepted, and the answer was lost
            if not self._still_free(there):
                return False
        else:
            raise RemoteAwayError(REMOTE, "a claim got no answer")
        self._took(moves)
        self._sign_ref = f"{HOSTS_PREFIX}{record.worker.host}"
        self.apart.put(self._run_ref, new_run)
        return True

    def amend(self, batch: str, name: str, gen: int, change: Callable[[RunRecord], RunRecord]) -> RunRecord | None:
        """Change the record here; it goes to the remote with the next push."""
        return self._refs.amend(batch, name, gen, change)

    def look(self) -> str | None:
        """Ask the remote whether this run is still wanted: `superseded`, `stop`, or None: it is, or nobody answers."""
        there = self.apart.there(self._run_ref, self._stop_ref)
        if isinstance(there, Unreachable):
            return None
        if there.get(self._run_ref) != self._there.get(self._run_ref):
            self._be_superseded(there.get(self._run_ref))
            return "superseded"
        return "stop" if self._stop_ref in there else None

    def sign(self, branch: str) -> bool:
        """Bring record, commits and a sign of life to the remote; False: the remote would not have them."""
        self._signs += 1
        moves = [self._move(self._run_ref, self._told()), *self._moved(branch_ref(branch))]
        if self._sign_ref is not None:
            moves.append(self._move(self._sign_ref, self._blobs.write(b"%d" % self._signs)))
        return self._pushed(moves)

    def finish(self, branch: str, log: bytes, left: str | None) -> bool:
        """Bring the end to the remote, with everything that belongs to it; False: it is not to be had there now.

        `left` is the rescue ref that holds what is uncommitted.
        """
        own = [self._move(self._run_ref, self._told()), self._move(self._log_ref, self._blobs.write(log))]
        own += [self._move(left, self.apart.tip(left))] if left is not None else []
        own += [self._move(self._sign_ref, None)] if self._there.get(self._sign_ref or "") else []
        return self._pushed([*own, *self._moved(branch_ref(branch))]) or self._pushed([*own, *self._saved(branch)])

    def save(self, branch: str, left: str | None) -> None:
        """Bring what a superseded run made to where it is kept and counts for nothing."""
        moves = [*self._saved(branch), *([self._move(left, self.apart.tip(left))] if left is not None else [])]
        if self._there.get(self._sign_ref or ""):
            moves.append(self._move(self._sign_ref or "", None))
        if moves:
            self._pushed(moves)

    @property
    def is_ours(self) -> bool:
        """Say whether the record here is of this generation still."""
        record = self._refs.read(self.batch, self.name)
        return record is not None and record.gen == self.gen and not record.is_fence

    def rescue_name(self, what: str) -> str:
        """Name a rescue ref that no other generation and no driver uses."""
        return f"{rescue_prefix(self.batch, int(self.name))}far-{self.gen}-{what}"

    def _told(self) -> str:
        """Write the record with what stands beside it now, and name its blob."""

        def told(record: RunRecord) -> RunRecord:
            return replace(record, extra={**record.extra, **self.extra()})

        self._refs.amend(self.batch, self.name, self.gen, told)
        return self.apart.tip(self._run_ref) or ""

    def _saved(self, branch: str) -> list[RefMove]:
        tip, name = self.apart.tip(branch_ref(branch)), self.rescue_name("branch")
        return [] if tip is None or tip == self._there.get(branch_ref(branch)) else [self._move(name, tip)]

    def _moved(self, ref: str) -> list[RefMove]:
        tip = self.apart.tip(ref)
        return [] if tip is None or tip == self._there.get(ref) else [self._move(ref, tip)]

    def _move(self, ref: str | None, new: str | None) -> RefMove:
        return RefMove(ref or "", self._there.get(ref or ""), new)

    def _pushed(self, moves: list[RefMove]) -> bool:
        moves = [move for move in moves if move.old != move.new]
        if not moves:
            return True
        answer = self._remote.push(moves)
        if not isinstance(answer, Pushed):
            there = self.apart.there(*(move.name for move in moves))
            if isinstance(there, Unreachable) or any(there.get(move.name) != move.new for move in moves):
                return False
        self._took(moves)
        return True

    def _took(self, moves: list[RefMove]) -> None:
        self._there |= {move.name: move.new for move in moves}

    def _be_superseded(self, oid: str | None) -> None:
        """Let whoever asks here know that another generation has the run, or nobody."""
        if oid is not None and self.apart.fetch(_spec(self._run_ref)) is None:
            self.apart.put(self._run_ref, oid)
        else:
            self.apart.git.run("update-ref", "-d", self._run_ref, check=False)

    def _is_free(self, oid: str | None) -> bool:
        if oid is None:
            return True
        try:
            found = decode_run(self._held(self._run_ref), self._run_ref)
        except RecordUnreadableError:
            return True
        return found.gen < self.gen or (found.gen == self.gen and found.is_fence)

    def _still_free(self, there: Mapping[str, str]) -> bool:
        """Say whether a claim that lost a race may be made again: what an earlier generation left may have gone."""
        if there.get(self._order_ref) != self._there.get(self._order_ref):
            return False
        run = there.get(self._run_ref)
        if run is not None and self.apart.fetch(_spec(self._run_ref)) is not None:
            return False
        self._there[self._run_ref] = run
        return self._is_free(run)

    def _held(self, ref: str) -> bytes:
        held = self._blobs.read(_seen(ref))
        return held.data if held is not None else b""


def _seen(ref: str) -> str:
    return f"{SEEN}{ref.removeprefix('refs/')}"


def _spec(ref: str) -> str:
    return f"+{ref}:{_seen(ref)}"


def _brought(away: Unreachable | None) -> None:
    if away is not None:
        raise RemoteAwayError(away.what, away.detail)


def _reached(found: Mapping[str, str] | Unreachable) -> Mapping[str, str]:
    if isinstance(found, Unreachable):
        raise RemoteAwayError(found.what, found.detail)
    return found
