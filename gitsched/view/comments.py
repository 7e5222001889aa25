"""Write the comments of a batch: a report per member, one for the batch, and the status that is edited in place.

Each has a marker, by which the forge finds it again and edits instead of repeating.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from gitsched.domain.records import Batch
from gitsched.domain.story import BatchStory, MemberStory
from gitsched.domain.words import BatchStatus
from gitsched.view.markdown import cell, code, escaped
from gitsched.view.parts import MUST, NEEDED, USEFUL, Part, fit, heading
from gitsched.view.sections import (
    commit_line,
    exit_words,
    flaky_parts,
    gate_line,
    landed_parts,
    left_parts,
    names,
    verdict_lines,
    whereabouts,
)

MAX_COMMENT: Final = 60_000
_SHORT = 12


def member_marker(batch: str, issue: int) -> str:
    """Name the report on a member's issue."""
    return f"gitsched:member:{batch}:{issue}"


def batch_marker(batch: str) -> str:
    """Name the report on a batch."""
    return f"gitsched:batch:{batch}"


def status_marker(batch: str) -> str:
    """Name the status comment of a batch."""
    return f"gitsched:status:{batch}"


ANCHOR: Final = "gitsched:anchor:"


def anchor_marker(batch: str) -> str:
    """Name the issue in which a batch is followed."""
    return f"{ANCHOR}{batch}"


def request_marker(batch: str) -> str:
    """Name the pull request of a batch."""
    return f"gitsched:request:{batch}"


def render_member_report(story: BatchStory, issue: int) -> str:
    """Write the comment on a member's issue: what became of it, where it landed, or what is needed now."""
    member = next(found for found in story.members if found.member.issue == issue)
    parts = _shipped(story, member) if member.has_landed else _left(story, member)
    return fit((*parts, Part(NEEDED, f"\n{whereabouts(story)}")), MAX_COMMENT, whereabouts(story))


def render_batch_report(story: BatchStory) -> str:
    """Write the one comment that tells how the batch ended."""
    batch = story.batch
    reason = f" ({code(batch.reason)})" if batch.reason else ""
    count = f"{len(story.landed)} of {len(story.members)} issues landed for {code(batch.target)}"
    parts = [
        Part(MUST, f"Batch {code(batch.id)} is {code(batch.status)}{reason}: {count}.\n"),
        *(Part(MUST, f"{line}\n") for line in verdict_lines(story)),
        *_prose(story),
        *landed_parts(story),
        *left_parts(story),
        *flaky_parts(story),
        *_leftovers(story),
        Part(NEEDED, f"\n{whereabouts(story)}"),
    ]
    return fit(parts, MAX_COMMENT, whereabouts(story))


def render_anchor(batch: Batch) -> str:
    """Write the text of the issue in which a batch is followed; how it stands is in the comment below it."""
    members = ", ".join(f"#{slot.issue}" for slot in batch.members)
    return f"gitsched works on {members} together, as batch {code(batch.id)}. One comment below tells how it stands."


def render_status_comment(story: BatchStory, waits: Mapping[int, Sequence[str]], next_step: str) -> str:
    """Write the status of a batch: one row per member with its reasons, and what happens next.

    `waits` holds what a member waits for, by issue.
    """
    batch = story.batch
    reason = f": {code(batch.reason)}" if batch.reason else ""
    parts = [
        Part(MUST, f"Batch {code(batch.id)} is **{code(batch.status)}**{reason}.\n"),
        Part(MUST, f"Next: {escaped(next_step, 500)}\n"),
        *(Part(MUST, f"{line}\n") for line in verdict_lines(story) if batch.status is not BatchStatus.FORMING),
        Part(MUST, "| | issue | state | why |\n|---|---|---|---|"),
        *(Part(NEEDED, _row(member, waits.get(member.member.issue, ()))) for member in story.members),
    ]
    return fit(parts, MAX_COMMENT, whereabouts(story))


def _row(member: MemberStory, waits: Sequence[str]) -> str:
    record = member.member
    why = ([record.reason] if record.reason else []) + ([record.hold] if record.hold else []) + [*waits]
    title = f"#{record.issue} {escaped(record.title, 80)}"
    return f"| {record.index} | {title} | {code(record.status)} | {cell(names(why)) if why else ''} |"


def _shipped(story: BatchStory, member: MemberStory) -> Iterator[Part]:
    record, batch = member.member, story.batch
    request = f", by pull request #{batch.pr.number}" if batch.pr is not None else ""
    where = f" as {code(record.landed[:_SHORT])}" if record.landed else ""
    yield Part(MUST, f"Shipped to {code(batch.target)}{where}{request}, in batch {code(batch.id)}.\n")
    if story.gates:
        yield Part(USEFUL, f"Gates: {gate_line(record.gates.items())}.\n")
    yield from (Part(MUST, f"{line}\n") for line in verdict_lines(story))
    yield from (Part(USEFUL, f"- {commit_line(commit)}") for commit in member.commits)
    yield from (Part(USEFUL, f"- {escaped(remark, 500)}") for remark in member.told)


def _left(story: BatchStory, member: MemberStory) -> Iterator[Part]:
    record = member.member
    exit_ = story.exit_of(record.issue)
    words = exit_words(exit_, record.reason)
    yield Part(MUST, f"Not shipped: {code(record.status)} from batch {code(story.batch.id)}, {words}.\n")
    if member.summary.strip():
        yield Part(USEFUL, f"It said: {escaped(member.summary, 500)}\n")
    branch = exit_.branch if exit_ is not None else record.branch
    if branch:
        yield Part(NEEDED, f"- its work is kept on {code(branch)}")
    if exit_ is not None and exit_.reproduce:
        yield Part(NEEDED, f"- to see it: {code(exit_.reproduce, 500)}")
    yield Part(NEEDED, f"- to have it done again: {code(f'gitsched requeue {record.issue}')}")


def _prose(story: BatchStory) -> Iterator[Part]:
    """Write an agent's own words: as text that stays text, and as nobody's but its own."""
    lines = [line for line in (story.batch.prose or "").splitlines() if line.strip()]
    if lines:
        yield heading("In an agent's words")
        yield from (Part(USEFUL, f"> {escaped(line, 1_000)}\n>") for line in lines)


def _leftovers(story: BatchStory) -> Iterator[Part]:
    if story.batch.leftovers:
        yield heading("Kept")
        yield from (Part(USEFUL, f"- {escaped(line, 300)}") for line in story.batch.leftovers)
