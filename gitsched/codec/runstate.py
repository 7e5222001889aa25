"""The older trail of comments: `<!-- runstate:v1 -->`, a line of words, then `key=value` lines.

It names no generation: what was said while a run works is taken for that run's.
"""

import re
from typing import Final

from gitsched.codec.milestones import CommentMilestone
from gitsched.domain.words import MilestoneStatus

HEADER: Final = "<!-- runstate:v1 -->"
_PAIR: Final = re.compile(r"([a-z][a-z0-9_-]{0,39})=(\S*)")
_PHASE: Final = re.compile(r"[a-z][a-z0-9-]{0,39}")


def read_runstate(body: str, batch: str, issue: int, gen: int) -> CommentMilestone | None:
    """Read a comment of the trail as a milestone of that run; None when it is none, or another batch's."""
    first, *lines = body.replace("\r\n", "\n").split("\n")
    if first.rstrip() != HEADER or not lines:
        return None
    fields: dict[str, str] = {}
    for key, value in _PAIR.findall(lines[0]):
        fields.setdefault(key, value)
    for line in lines[1:]:
        key, equals, value = line.partition("=")
        if equals and _PHASE.fullmatch(key):
            fields.setdefault(key, value.strip()[:4_000])
    phase, status = fields.pop("phase", ""), fields.pop("status", "")
    is_whole = bool(_PHASE.fullmatch(phase)) and status in set(MilestoneStatus)
    if not is_whole or fields.pop("batch", batch) != batch:
        return None
    if status in (MilestoneStatus.BLOCKED, MilestoneStatus.PARTIAL):
        fields.setdefault("reason", "no reason given")
    told = {key: value for key, value in fields.items() if key not in ("issue", "gen", "run", "at", "mode")}
    return CommentMilestone(batch=batch, issue=issue, gen=gen, phase=phase, status=MilestoneStatus(status), keys=told)
