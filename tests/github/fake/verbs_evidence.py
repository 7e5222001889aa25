"""What other services report: checks, statuses, deployments, runs of workflows."""

from typing import Any

from tests.github.fake import acts_merges, events
from tests.github.fake.model_evidence import CheckRun, CommitStatus, Deployment, DeploymentStatus, WorkflowRun
from tests.github.fake.verbs_issues import Standing


class EvidenceVerbs(Standing):
    """Checks, statuses, deployments and runs."""

    def check(
        self, sha: str, name: str = "ci", conclusion: str | None = "success", app: str = "github-actions"
    ) -> CheckRun:  # many-parameters: a check
        """Post a check run of another App; None as conclusion leaves it running. Auto-merges that waited happen."""
        with self.hub.lock:
            fresh = self.hub.world.fresh_id
            app_id = self.hub.other_app(app)
            made = CheckRun(fresh(), fresh(), name, sha, app_id, "in_progress", started_at=self.hub.clock.tick())
            if conclusion is not None:
                made.status, made.conclusion, made.completed_at = "completed", conclusion, self.hub.clock.tick()
            self.model.checks.append(made)
            events.checked(self.hub, self.model, made)
            acts_merges.settle(self.hub, self.model)
            return made

    def status(
        self, sha: str, context: str = "ci", state: str = "success", by: str = "ci-bot"
    ) -> CommitStatus:  # many-parameters: a status
        """Post a commit status."""
        with self.hub.lock:
            made = CommitStatus(self.hub.world.fresh_id(), sha, context, state, self._user(by), self.hub.clock.tick())
            self.model.statuses.append(made)
            events.posted(self.hub, self.model, made)
            acts_merges.settle(self.hub, self.model)
            return made

    def deploy(self, sha: str, state: str = "success", environment: str = "production") -> Deployment:
        with self.hub.lock:
            now_s, fresh = self.hub.clock.tick(), self.hub.world.fresh_id
            made = Deployment(fresh(), sha, sha, environment, self._user("deployer"), now_s)
            made.statuses.append(DeploymentStatus(fresh(), state, made.user_id, now_s))
            self.model.deployments.append(made)
            return made

    def workflow(self, name: str) -> int:
        """Let a workflow file be known; give the workflow's id."""
        return self.model.workflows.setdefault(name, self.hub.world.fresh_id())

    def start_run(self, name: str, ref: str, by: str, inputs: dict[str, Any]) -> WorkflowRun:
        with self.hub.lock:
            head = self.git.branch(ref.removeprefix("refs/heads/"))
            assert head is not None
            now_s, number = self.hub.clock.tick(), len(self.model.runs) + 1
            made = WorkflowRun(
                self.hub.world.fresh_id(), name, ref, head, "workflow_dispatch", self._user(by), now_s, now_s, number
            )
            made.inputs, made.title = inputs, self._titled(name, head, inputs)
            self.model.runs.append(made)
            return made

    def _titled(self, name: str, head: str, inputs: dict[str, Any]) -> str:
        """Give what the workflow's `run-name` says; empty where it has none."""
        path = f".github/workflows/{name}"
        is_there = self.git.git("ls-tree", "--name-only", head, path) != ""
        text = self.git.git("show", f"{head}:{path}") if is_there else ""
        title = next(
            (line.removeprefix("run-name: ") for line in text.splitlines() if line.startswith("run-name: ")), ""
        )
        for key, value in inputs.items():
            title = title.replace(f"${{{{ inputs.{key} }}}}", str(value))
        return title

    def end_run(self, run: WorkflowRun, conclusion: str = "success") -> None:
        run.status, run.conclusion, run.updated_at = "completed", conclusion, self.hub.clock.tick()
