"""Posts from inside a run: milestones appended to its run ref."""

from collections.abc import Callable

from msgspec.structs import replace

from gitsched.codec.milestones import milestone_of
from gitsched.domain.ids import run_id
from gitsched.domain.runs import POST_TOKEN, Milestone, RunRecord
from gitsched.domain.words import MilestoneStatus
from gitsched.errors import RefusedError, SupersededError, UnknownUnitError
from gitsched.ports.runner import RunLedger


class RunPosts:
    """Appends milestones, each to its own generation only."""

    def __init__(self, ledger: RunLedger, wake: Callable[[], None]) -> None:
        """Stand on the run refs; `wake` wakes the drivers."""
        self._ledger = ledger
        self._wake = wake

    def post(self, batch: str, name: str, milestone: Milestone, token: str) -> RunRecord:
        """Append a milestone that the run itself says, as `token` proves, and wake the drivers.

        Raises RefusedError for another run's token, and what `relay` raises. Nothing has been recorded then.
        """
        self._prove(batch, name, milestone.gen, token, "A milestone was posted for")
        return self.relay(batch, name, milestone)

    def relay(self, batch: str, name: str, milestone: Milestone) -> RunRecord:
        """Append a milestone by compare-and-swap and wake the drivers; its sender has been looked at already.

        Raises UsageError when it breaks the rules for milestones, SupersededError when the run ref stands at a
        newer generation, UnknownUnitError when there is no such run. Nothing has been recorded then.
        """
        checked = milestone_of(milestone.phase, milestone.status, milestone.keys, gen=milestone.gen, at=milestone.at)
        record = self._ledger.amend(batch, name, milestone.gen, lambda found: _appended(found, checked))
        if record is None:
            raise self._refusal(batch, name, milestone.gen)
        self._wake()
        return record

    def check(self, batch: str, name: str, gen: int, token: str) -> bool:
        """Say whether `gen` is still the run's generation. Raises RefusedError for another run's token."""
        self._prove(batch, name, gen, token, "It was asked whether this is the current run:")
        record = self._ledger.read(batch, name)
        return record is not None and record.gen == gen

    def _prove(self, batch: str, name: str, gen: int, token: str, asked: str) -> None:
        record = self._ledger.read(batch, name)
        if record is not None and record.gen == gen and not record.is_spoken_for(token):
            raise RefusedError(
                f"{asked} {run_id(batch, name, gen)}.",
                f"The caller is not that run: {POST_TOKEN} does not hold the token that it was started with.",
                "A run speaks for itself alone; call this from inside it, with the variables it was given.",
            )

    def _refusal(self, batch: str, name: str, gen: int) -> SupersededError | UnknownUnitError:
        asked = f"A milestone was posted for run {run_id(batch, name, gen)}."
        record = self._ledger.read(batch, name)
        if record is not None and record.gen > gen:
            return SupersededError(
                asked, f"Generation {record.gen} has taken over.", "Stop working: nothing you do counts any more."
            )
        return UnknownUnitError(asked, "There is no such run here.", "Posts are made from inside a run.")


def _appended(record: RunRecord, milestone: Milestone) -> RunRecord:
    phase = milestone.phase if milestone.status is MilestoneStatus.PROGRESS else record.phase
    return replace(record, milestones=(*record.milestones, milestone), phase=phase)
