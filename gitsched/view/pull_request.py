"""Write the title and the body of a batch's pull request."""

from collections.abc import Iterator
from typing import Final

from gitsched.domain.story import BatchStory, MemberStory
from gitsched.view.clean import disarm, one_line
from gitsched.view.markdown import code, fenced
from gitsched.view.parts import MUST, NEEDED, OUTPUT, Part, fit, heading
from gitsched.view.sections import (
    flaky_parts,
    landed_parts,
    left_parts,
    verdict_lines,
    warning_parts,
    whereabouts,
)

MAX_BODY: Final = 65_000
"""GitHub takes fewer than 65,536 characters; the forge adds its marker."""
MAX_TITLE: Final = 200
_MAX_NAME = 60
_NAMED = 3
_MAX_OUTPUT = 20_000


def render_title(story: BatchStory) -> str:
    """Name the landed issues, as plain text on one line."""
    landed = story.landed
    named = ", ".join(map(_name, landed[:_NAMED])) or "nothing landed"
    more = f" and {len(landed) - _NAMED} more" if len(landed) > _NAMED else ""
    prefix = "" if len(landed) == 1 else f"Batch {story.batch.id}: "
    return f"{prefix}{named}{more}"


def render_body(story: BatchStory) -> str:
    """Write the body: what landed and left, what was found, and one closing line per landed member.

    At most `MAX_BODY` characters; what does not fit is in the evidence, and the body says so.
    """
    remark = f"More did not fit here. {whereabouts(story)}"
    return fit(tuple(_parts(story)), MAX_BODY, remark)


def _parts(story: BatchStory) -> Iterator[Part]:
    batch = story.batch
    count = f"{len(story.landed)} of {len(story.members)} issues landed"
    yield Part(MUST, f"Batch {code(batch.id)} for {code(batch.target)}: {count}.\n")
    yield from (Part(MUST, f"{line}\n") for line in verdict_lines(story))
    # One keyword for each issue: "Closes #1, #2" closes the first alone.
    yield from (Part(MUST, f"Closes #{member.member.issue}") for member in story.landed)
    yield from warning_parts(story)
    yield from landed_parts(story)
    yield from left_parts(story)
    yield from flaky_parts(story)
    if story.suite_output.strip():
        yield heading("Output of the suite", OUTPUT)
        yield Part(OUTPUT, fenced(story.suite_output, _MAX_OUTPUT))
    yield Part(NEEDED, f"\n{whereabouts(story)}")


def _name(member: MemberStory) -> str:
    title = disarm(one_line(member.member.title, _MAX_NAME)) or "untitled"
    return f"{title} (#{member.member.issue})"
