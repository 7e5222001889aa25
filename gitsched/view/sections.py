"""Sections that a batch's pull request, comments and report share."""

from collections.abc import Iterable, Iterator

from gitsched.domain.ids import evidence_ref
from gitsched.domain.records import Exit, GateResult, SuiteRun
from gitsched.domain.story import BatchStory, CommitStory, MemberStory
from gitsched.domain.verdicts import Verdict
from gitsched.domain.words import MemberStatus, Method
from gitsched.view.clean import closing_phrases
from gitsched.view.markdown import code, escaped
from gitsched.view.parts import DETAIL, NEEDED, USEFUL, Part, heading

MAX_SUMMARY = 500
MAX_NAMES = 50
_SHORT = 12

NO_GATE = "No gate is declared: nothing was checked on the members by themselves."
NO_SUITE = 'No suite is declared (`suite.run = "none"`): nothing was run over the whole.'


def verdict_lines(story: BatchStory) -> Iterator[str]:
    """Say what the whole was found to be, and what nobody looked at."""
    if not story.suite_declared:
        yield NO_SUITE
    elif story.batch.suite:
        yield f"Suite: {suite_line(story.batch.suite[-1])}."
    else:
        yield "The suite has not run yet."
    if not story.gates:
        yield NO_GATE


def suite_line(run: SuiteRun) -> str:
    """Tell one run of the suite: verdict, the tree it judged, and whether it was run for it."""
    cached = ", from an earlier run on the same tree" if run.cached else ""
    red = f"; red: {names(run.failing)}" if run.failing else f": {escaped(run.detail)}" if run.detail else ""
    return f"**{code(run.verdict)}** on tree {code(run.tree)} (commit {code(run.commit)}){cached}{red}"


def gate_line(gates: Iterable[tuple[str, GateResult]]) -> str:
    """Tell the verdicts of a member's gates."""
    told = (f"{code(name)} {code(gate.verdict)}{' (cached)' if gate.cached else ''}" for name, gate in gates)
    return ", ".join(told) or "none ran"


def commit_line(commit: CommitStory) -> str:
    """Tell a commit by its short name and subject."""
    return f"{code(commit.oid[:_SHORT])} {escaped(commit.subject)}"


def landed_parts(story: BatchStory) -> Iterator[Part]:
    """Tell each landed member: issue, summary, commits, verdicts of its gates, remarks."""
    if story.landed:
        yield heading("Landed")
    for member in story.landed:
        yield Part(NEEDED, f"\n### #{member.member.issue} {escaped(member.member.title)}\n")
        if member.summary.strip():
            yield Part(USEFUL, f"{escaped(member.summary, MAX_SUMMARY)}\n")
        if story.gates:
            yield Part(USEFUL, f"- gates: {gate_line(member.member.gates.items())}")
        yield from (Part(USEFUL, f"- {escaped(remark, MAX_SUMMARY)}") for remark in member.told)
        yield from (Part(DETAIL, f"- {commit_line(commit)}") for commit in member.commits)


def left_parts(story: BatchStory) -> Iterator[Part]:
    """Tell the members that left: evicted, handed back, and those taken out without cause."""
    for title, statuses in (
        ("Evicted", (MemberStatus.EVICTED,)),
        ("Handed back", (MemberStatus.HANDED_BACK,)),
        ("Taken out", (MemberStatus.STOPPED, MemberStatus.WITHDRAWN)),
    ):
        found = story.with_status(*statuses)
        if found:
            yield heading(title)
            yield from (Part(NEEDED, f"- {left_line(story, member)}") for member in found)


def left_line(story: BatchStory, member: MemberStory) -> str:
    """Tell how one member left, and where its work is."""
    record = member.member
    exit_ = story.exit_of(record.issue)
    pieces = [f"#{record.issue} {escaped(record.title)}: {exit_words(exit_, record.reason)}"]
    if member.summary.strip():
        pieces.append(f"It said: {escaped(member.summary, MAX_SUMMARY)}")
    branch = exit_.branch if exit_ is not None else record.branch
    if branch:
        pieces.append(f"Its work is kept on {code(branch)}")
    return " ".join(piece if piece.endswith((".", "!", "?", "…")) else f"{piece}." for piece in pieces)


def exit_words(exit_: Exit | None, reason: str | None) -> str:
    """Tell why a member left and how that was found."""
    words = code((exit_.reason if exit_ is not None else reason) or "no reason recorded")
    if exit_ is not None and exit_.detail:
        words += f", {escaped(exit_.detail, MAX_SUMMARY)}"
    if exit_ is not None and exit_.method is not Method.NONE:
        words += f", found by {code(exit_.method)}"
    if exit_ is not None and exit_.failing:
        words += f"; red: {names(exit_.failing)}"
    return words


def flaky_parts(story: BatchStory) -> Iterator[Part]:
    """Name what failed and then passed on the same tree, and what was excused."""
    lines = [
        f"- gate {code(name)} of #{member.member.issue} failed once and passed on the same tree"
        for member in story.members
        for name, gate in member.member.gates.items()
        if gate.verdict == Verdict.FLAKY
    ]
    for run in story.batch.suite:
        if run.verdict == Verdict.FLAKY:
            what = names(run.failing) if run.failing else "the suite as a whole"
            lines.append(f"- {what} failed once and passed on tree {code(run.tree)}")
    if lines:
        yield heading("Flaky")
        yield from (Part(NEEDED, line) for line in dict.fromkeys(lines))
    if story.excused:
        yield heading("Excused")
        yield Part(NEEDED, f"Red on {code(story.batch.base or 'the base')} too, and excused: {names(story.excused)}.")


def warning_parts(story: BatchStory) -> Iterator[Part]:
    """Name what merging would do or lose unseen: closing words in commit messages, signatures."""
    landed = {member.member.issue for member in story.landed}
    lines = [
        f"- commit {code(commit.oid[:_SHORT])} of #{member.member.issue} says {code(phrase)} in its own message:"
        " the forge may act on that when this merges"
        for member in story.landed
        for commit in member.commits
        for phrase in closing_phrases(commit.message)
        if not is_about(phrase, landed)
    ]
    if lines:
        yield heading("Before you merge")
        yield from (Part(NEEDED, line) for line in lines)
    if story.lost_signatures:
        yield heading("Signatures lost")
        told = names(oid[:_SHORT] for oid in story.lost_signatures)
        yield Part(NEEDED, f"The originals were signed; as landed these are not: {told}.")


def is_about(phrase: str, issues: Iterable[int]) -> bool:
    """Say whether a closing phrase names one of these issues of this repository in its plain form."""
    return any(phrase.endswith(f" #{issue}") for issue in issues)


def names(items: Iterable[str]) -> str:
    """List names of tests, commits or files, at most `MAX_NAMES` of them."""
    every = tuple(items)
    more = f" and {len(every) - MAX_NAMES} more" if len(every) > MAX_NAMES else ""
    return ", ".join(map(code, every[:MAX_NAMES])) + more


def whereabouts(story: BatchStory) -> str:
    """Say where the whole story and its evidence are."""
    batch = story.batch.id
    return (
        f"The whole story: {code(f'gitsched show {batch} --evidence')}; the evidence is in {code(evidence_ref(batch))}."
    )
