"""The back-end `actions`: a dispatched workflow whose job runs `gitsched worker`; GitHub Actions is the fleet.

A job is found without guessing: GitHub names the run it has started, the workflow's `run-name` holds the name of our
run for whoever lost that answer, and a worker that has claimed its run says in its record which job it is in.
"""

import time
from pathlib import Path
from typing import Any

from gitsched.adapters.forge.github.answers import DeniedError, UnansweredError
from gitsched.adapters.forge.github.place import Place
from gitsched.domain.words import Liveness
from gitsched.errors import GitschedError

WORKFLOW = "gitsched-member.yml"
OUTPUT = "dispatch.log"
FRESH_S = 10.0
"""How long an answer about a job is believed."""
_COMPLETED = "completed"
_DONE = 200


class ActionsStarter:
    """Starts and ends jobs of the member workflow, and tells how they stand."""

    def __init__(self, place: Place, branch: str, fresh_s: float = FRESH_S) -> None:
        """Stand on a repository; the workflow is taken as `branch` has it."""
        self._place = place
        self._branch = branch
        self._fresh_s = fresh_s
        self._known: dict[str, tuple[float, Liveness]] = {}

    def start(self, run: str, folder: Path) -> str | None:
        """Dispatch the workflow; where the answer was lost the job is looked for before it is asked for again."""
        body = {"ref": self._branch, "inputs": {"work": run}, "return_run_details": True}
        try:
            answer = self._place.send("POST", f"/actions/workflows/{WORKFLOW}/dispatches", body)
        except UnansweredError as lost:
            _tell(folder, str(lost))
            return self._found(run) or None if lost.may_be_done else None
        except GitschedError as denied:
            _tell(folder, str(denied))
            return None
        if not answer.ok:
            _tell(folder, f"{WORKFLOW} on {self._branch} was not dispatched: {answer.status} {answer.message}")
            return None
        return str(answer.body["workflow_run_id"]) if answer.status == _DONE and answer.body else ""

    def liveness(self, run: str, job: str, *, is_claimed: bool) -> Liveness | None:
        """Tell how the job stands, by GitHub's word; no answer is no word."""
        now_s = time.monotonic()
        at_s, known = self._known.get(run, (float("-inf"), Liveness.UNKNOWN))
        if now_s - at_s < self._fresh_s:
            return known
        known = self._asked(run, job)
        self._known[run] = (now_s, known)
        return known

    def cancel(self, run: str, job: str) -> None:
        """Cancel the job. One that is over already, or of which there is no answer, is left to its generation's end."""
        job = job or self._found(run)
        if job:
            try:
                self._place.send("POST", f"/actions/runs/{job}/cancel")
            except (UnansweredError, DeniedError):
                return

    def _asked(self, run: str, job: str) -> Liveness:
        row = self._row(job) if job else self._titled(run)
        if row is None:
            return Liveness.UNKNOWN
        return Liveness.GONE if row.get("status") == _COMPLETED else Liveness.ALIVE

    def _row(self, job: str) -> dict[str, Any] | None:
        try:
            answer = self._place.get(f"/actions/runs/{job}")
        except (UnansweredError, DeniedError):
            return None
        if answer.status in (404, 410):
            return {"status": _COMPLETED}  # somebody has deleted it: nothing of it lives
        return answer.body if isinstance(answer.body, dict) else None

    def _found(self, run: str) -> str:
        row = self._titled(run)
        return str(row["id"]) if row is not None else ""

    def _titled(self, run: str) -> dict[str, Any] | None:
        try:
            answer = self._place.get(f"/actions/workflows/{WORKFLOW}/runs", event="workflow_dispatch", per_page=100)
        except (UnansweredError, DeniedError):
            return None
        rows = answer.body.get("workflow_runs", []) if isinstance(answer.body, dict) else []
        return next((row for row in rows if row.get("display_title") == title_of(run)), None)


def title_of(run: str) -> str:
    """Give what the workflow's `run-name` makes of a run's name."""
    return f"gitsched {run}"


def _tell(folder: Path, words: str) -> None:
    with (folder / OUTPUT).open("a") as log:
        log.write(f"{words}\n")
