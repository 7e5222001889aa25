"""The back-end `actions`: a dispatched workflow whose job runs `gitsched worker`; GitHub Actions is the fleet.

A job is found without guessing: GitHub names the run it has started, the workflow's `run-name` holds the name of our
run for whoever lost that answer, and a worker that has claimed its run says in its record which job it is in.
"""

import time
from pathlib import Path
from typing import Protocol

from gitsched.domain.outcomes import Unreachable
from gitsched.domain.words import Liveness

OUTPUT = "dispatch.log"
FRESH_S = 10.0
"""How long an answer about a job is believed."""


class Jobs(Protocol):
    """Starts, finds and ends the jobs of the member workflow."""

    def dispatch(self, run: str) -> str | Unreachable:
        """Start a job: its id, empty where that is not told."""

    def is_over(self, job: str) -> bool | Unreachable:
        """Say whether a job has ended."""

    def named(self, run: str) -> str | Unreachable | None:
        """Find the job for a run."""

    def cancel(self, job: str) -> Unreachable | None:
        """Cancel a job."""


class ActionsStarter:
    """Starts and ends jobs of the member workflow, and tells how they stand."""

    def __init__(self, jobs: Jobs, fresh_s: float = FRESH_S) -> None:
        """Stand on the workflow's jobs."""
        self._jobs = jobs
        self._fresh_s = fresh_s
        self._known: dict[str, tuple[float, Liveness]] = {}

    def start(self, run: str, folder: Path) -> str | None:
        """Dispatch the workflow; what stands against it is written down in the run's folder."""
        job = self._jobs.dispatch(run)
        if isinstance(job, str):
            return job
        with (folder / OUTPUT).open("a") as log:
            log.write(f"{job.detail}\n")
        return None

    def liveness(self, run: str, job: str) -> Liveness | None:
        """Tell how the job stands, by GitHub's word; no answer is no word."""
        now_s = time.monotonic()
        at_s, known = self._known.get(run, (float("-inf"), Liveness.UNKNOWN))
        if now_s - at_s >= self._fresh_s:
            known = self._asked(run, job)
            self._known[run] = (now_s, known)
        return known

    def cancel(self, run: str, job: str) -> None:
        """Cancel the job; one of which there is no answer is left to the end of its generation."""
        found = job or self._jobs.named(run)
        if isinstance(found, str) and found:
            self._jobs.cancel(found)

    def _asked(self, run: str, job: str) -> Liveness:
        found = job or self._jobs.named(run)
        is_over = self._jobs.is_over(found) if isinstance(found, str) and found else None
        if isinstance(is_over, bool):
            return Liveness.GONE if is_over else Liveness.ALIVE
        return Liveness.UNKNOWN
