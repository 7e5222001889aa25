"""The sheet of a batch: everything that its HTML report and its page of the dashboard show, as values.

Words and order are those of `status`, `why` and the Markdown report.
"""

from collections.abc import Sequence

from msgspec import Struct

from gitsched.domain.costs import summed_amounts
from gitsched.domain.events import Event
from gitsched.domain.ids import evidence_ref
from gitsched.domain.instants import Instant
from gitsched.domain.records import Batch
from gitsched.domain.story import BatchStory, MemberStory
from gitsched.view.overview import BatchLine, MemberLine
from gitsched.view.searched import SearchStory, searches
from gitsched.view.spans import agents_time, money, runs_told, span, tokens
from gitsched.view.timeline import Timeline, timeline
from gitsched.view.why import Why

SHORT = 12


class CostLine(Struct, frozen=True, kw_only=True):
    """What a member, or all of them, cost."""

    name: str
    runs: str
    money: str
    tokens: str
    agents: str


class LandedLine(Struct, frozen=True, kw_only=True):
    """A landed member with its commits, in landing order."""

    issue: int
    title: str
    summary: str
    commits: tuple[tuple[str, str], ...]
    """Short name and subject."""
    told: tuple[str, ...]


class ExitLine(Struct, frozen=True, kw_only=True):
    """A member that left."""

    issue: int
    title: str
    kind: str
    reason: str
    detail: str
    method: str
    failing: tuple[str, ...]
    branch: str
    reproduce: str


class SuiteLine(Struct, frozen=True, kw_only=True):
    """One run of the suite."""

    number: int
    generation: int
    verdict: str
    cached: bool
    took: str
    tree: str
    failing: tuple[str, ...]
    excused: tuple[str, ...]
    detail: str
    """What it came to in words, where it did not pass."""
    evidence: str


class GateLine(Struct, frozen=True, kw_only=True):
    """One gate's verdict on a member."""

    issue: int
    gate: str
    verdict: str
    cached: bool
    evidence: str


class Sheet(Struct, frozen=True, kw_only=True):
    """Everything that is shown of one batch."""

    at: Instant
    line: BatchLine
    facts: tuple[tuple[str, str], ...]
    answer: Why
    timeline: Timeline | None
    landed: tuple[LandedLine, ...]
    exits: tuple[ExitLine, ...]
    gates: tuple[GateLine, ...]
    suite: tuple[SuiteLine, ...]
    suite_words: str
    searches: tuple[SearchStory, ...]
    costs: tuple[CostLine, ...]
    evidence_ref: str
    evidence: tuple[str, ...]
    journal: tuple[tuple[Instant, str], ...]

    @property
    def members(self) -> tuple[MemberLine, ...]:
        """Give the members in landing order."""
        return self.line.members


def sheet(story: BatchStory, events: Sequence[Event], line: BatchLine, answer: Why, at: Instant) -> Sheet:
    """Gather the sheet; `events` are the batch's own, oldest first."""
    batch = story.batch
    members = [(found.member.issue, found.member.title) for found in story.members]
    return Sheet(
        at=at,
        line=line,
        facts=tuple(_facts(batch)),
        answer=answer,
        timeline=timeline(events, members, at),
        landed=tuple(_landed(found) for found in story.landed),
        exits=tuple(_exits(story)),
        gates=tuple(_gates(story)),
        suite=tuple(_suite(batch)),
        suite_words="" if story.suite_declared else "No suite is declared: nothing was run over the whole.",
        searches=searches(events, [issue for issue, _ in members]),
        costs=tuple(_costs(story)),
        evidence_ref=evidence_ref(batch.id),
        evidence=tuple(sorted(story.evidence)),
        journal=tuple((event.at, event.sentence) for event in events),
    )


def _facts(batch: Batch) -> list[tuple[str, str]]:
    facts = [
        ("state", f"{batch.status}" + (f": {batch.reason}" if batch.reason else "")),
        ("target", batch.target),
        ("base", (batch.base or "")[:SHORT]),
        ("integration branch", batch.integration.branch),
        ("head", (batch.integration.head or "")[:SHORT]),
        ("dispatch", str(batch.dispatch or "")),
        ("priority", str(batch.priority)),
        ("generation", str(batch.generation)),
        ("from", batch.created_at[:19].replace("T", " ")),
        ("to", batch.updated_at[:19].replace("T", " ")),
    ]
    if batch.pr is not None:
        facts.append(("pull request", f"#{batch.pr.number} {batch.pr.state}"))
    return [(name, value) for name, value in facts if value]


def _landed(found: MemberStory) -> LandedLine:
    return LandedLine(
        issue=found.member.issue,
        title=found.member.title,
        summary=found.summary,
        commits=tuple((commit.oid[:SHORT], commit.subject) for commit in found.commits),
        told=found.told,
    )


def _exits(story: BatchStory) -> list[ExitLine]:
    titles = {found.member.issue: found.member.title for found in story.members}
    return [
        ExitLine(
            issue=exit_.issue,
            title=titles.get(exit_.issue, ""),
            kind=exit_.kind,
            reason=exit_.reason,
            detail=exit_.detail or "",
            method=str(exit_.method),
            failing=exit_.failing,
            branch=exit_.branch or "",
            reproduce=exit_.reproduce or "",
        )
        for exit_ in story.batch.evictions
    ]


def _gates(story: BatchStory) -> list[GateLine]:
    return [
        GateLine(
            issue=found.member.issue,
            gate=name,
            verdict=gate.verdict,
            cached=gate.cached,
            evidence=gate.evidence or "",
        )
        for found in story.members
        for name, gate in sorted(found.member.gates.items())
    ]


def _suite(batch: Batch) -> list[SuiteLine]:
    return [
        SuiteLine(
            number=number,
            generation=run.generation,
            verdict=run.verdict,
            cached=run.cached,
            took=span(run.duration_ms / 1000),
            tree=run.tree[:SHORT],
            failing=run.failing,
            excused=run.excused,
            detail=run.detail or "",
            evidence=run.evidence or "",
        )
        for number, run in enumerate(batch.suite, 1)
    ]


def _costs(story: BatchStory) -> list[CostLine]:
    usages = [(f"#{found.member.issue}", found.member.usage) for found in story.members]
    usages.append(("together", summed_amounts(usage for _, usage in usages)))
    return [
        CostLine(
            name=name,
            runs=runs_told(usage),
            money=money(usage),
            tokens=tokens(usage),
            agents=agents_time(usage),
        )
        for name, usage in usages
    ]
