"""Jobs of the member workflow: dispatched, found by what they are called, cancelled."""

from typing import Any

from gitsched.adapters.forge.github.answers import DeniedError, UnansweredError
from gitsched.adapters.forge.github.repository import GONE, Repository
from gitsched.domain.outcomes import Unreachable
from gitsched.errors import GitschedError

WORKFLOW = "gitsched-member.yml"
_COMPLETED = "completed"
_DONE = 200


class MemberJobs:
    """The runs of one workflow of a repository."""

    def __init__(self, repository: Repository, branch: str) -> None:
        """Stand on a repository; the workflow is taken as `branch` has it."""
        self._repository = repository
        self._branch = branch

    def dispatch(self, run: str) -> str | Unreachable:
        """Start a job for one of our runs: its id, empty where GitHub does not tell it.

        Where the answer was lost the job is looked for.
        """
        body = {"ref": self._branch, "inputs": {"work": run}, "return_run_details": True}
        try:
            answer = self._repository.send("POST", f"/actions/workflows/{WORKFLOW}/dispatches", body)
        except UnansweredError as lost:
            found = self.named(run) if lost.may_be_done else None
            return found if isinstance(found, str) else Unreachable(what=WORKFLOW, detail=str(lost))
        except GitschedError as denied:
            return Unreachable(what=WORKFLOW, detail=str(denied))
        if not answer.ok:
            words = f"{WORKFLOW} on {self._branch} was not dispatched: {answer.status} {answer.message}"
            return Unreachable(what=WORKFLOW, detail=words)
        return str(answer.body["workflow_run_id"]) if answer.status == _DONE and answer.body else ""

    def is_over(self, job: str) -> bool | Unreachable:
        """Say whether a job has ended, however; one that somebody deleted has."""
        try:
            answer = self._repository.get(f"/actions/runs/{job}")
        except (UnansweredError, DeniedError) as wrong:
            return Unreachable(what=f"job {job}", detail=str(wrong))
        return answer.status in GONE or (isinstance(answer.body, dict) and answer.body.get("status") == _COMPLETED)

    def named(self, run: str) -> str | Unreachable | None:
        """Find the job whose title says that it is for this run; None: there is none."""
        try:
            answer = self._repository.get(
                f"/actions/workflows/{WORKFLOW}/runs", event="workflow_dispatch", per_page=100
            )
        except (UnansweredError, DeniedError) as wrong:
            return Unreachable(what=WORKFLOW, detail=str(wrong))
        rows: list[dict[str, Any]] = answer.body.get("workflow_runs", []) if isinstance(answer.body, dict) else []
        return next((str(row["id"]) for row in rows if row.get("display_title") == f"gitsched {run}"), None)

    def cancel(self, job: str) -> Unreachable | None:
        """Cancel a job; one that is over already is no failure."""
        try:
            self._repository.send("POST", f"/actions/runs/{job}/cancel")
        except (UnansweredError, DeniedError) as wrong:
            return Unreachable(what=f"job {job}", detail=str(wrong))
        return None
