"""The briefing: everything that one run of an agent is told, in its environment and in its prompt."""

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from gitsched.config.profiles import AgentProfile
from gitsched.domain.forge import Issue
from gitsched.domain.records import Batch, Lease, Member
from gitsched.domain.words import MemberStatus
from gitsched.engine.desk import Desk
from gitsched.ports.worktrees import Tree
from gitsched.view.prompt import PriorWork, PromptFacts, Takeover

TRACE_FILE = "git-trace"
"""Where git writes down what the commands of a run do, in the run's own folder."""


class Briefing(Struct, frozen=True, kw_only=True):
    """One run about to start."""

    batch: Batch
    member: Member
    lease: Lease
    issue: Issue
    profile: AgentProfile
    tree: Tree
    cut: str
    earlier: str | None = None
    """Head of earlier work that is not on the branch."""

    def identity(self, folder: Path) -> Mapping[str, str]:
        """Name the run in the variables that its agent finds, and let its git tell what it does."""
        lease = self.lease
        return {
            "GITSCHED_BATCH": lease.batch,
            "GITSCHED_ISSUE": str(lease.issue),
            "GITSCHED_GEN": str(lease.gen),
            "GITSCHED_RUN": f"{lease.batch}/{lease.issue}/{lease.gen}",
            "GITSCHED_WORKTREE": str(self.tree.path),
            "GITSCHED_BRANCH": self.member.branch,
            "GITSCHED_INTEGRATION": self.batch.integration.branch,
            "GITSCHED_BASE": self.cut,
            "GITSCHED_ISSUE_FILE": str(folder / "issue.md"),
            "GITSCHED_PROMPT_FILE": str(folder / "prompt.md"),
            "GITSCHED_REVIEW": str(self.member.review),
            "GIT_TRACE2_EVENT": str(folder / TRACE_FILE),
            "GIT_TRACE2_EVENT_BRIEF": "1",
            "GIT_TRACE2_EVENT_NESTING": "1",
        }

    def issue_text(self) -> bytes:
        """Write the issue down as it stands for this run."""
        return f"# {self.issue.title}\n\n{self.issue.body}\n".encode()


def prompt_facts(desk: Desk, briefing: Briefing) -> PromptFacts:
    """Gather what the prompt's template is given; issue text goes in as data."""
    member, batch = briefing.member, briefing.batch
    landed = [
        other.issue
        for other in desk.state.members_of(batch)
        if other.status is MemberStatus.LANDED and other.index < member.index
    ]
    return PromptFacts(
        number=member.issue,
        title=briefing.issue.title,
        body=briefing.issue.body,
        batch=batch.id,
        branch=member.branch,
        base=briefing.cut,
        files=member.files,
        gates=tuple(" ".join(gate.run) for gate in desk.settings_of(batch).gates),
        completion=briefing.profile.completion,
        landed=tuple(landed),
        takeover=_takeover(briefing),
        prior=_prior(desk, briefing),
    )


def _takeover(briefing: Briefing) -> Takeover | None:
    if briefing.lease.reason is None:
        return None
    return Takeover(gen=briefing.lease.gen, reason=briefing.lease.reason)


def _prior(desk: Desk, briefing: Briefing) -> PriorWork | None:
    exit_ = briefing.member.prior
    if exit_ is None:
        return None
    is_carried = briefing.earlier is None
    carried = desk.around.lander.commits(briefing.cut, briefing.tree.head) if is_carried else exit_.commits
    return PriorWork(
        batch=exit_.batch,
        reason=exit_.reason,
        failing=exit_.failing,
        head=briefing.earlier,
        commits=carried,
    )
