"""Read what `git push --porcelain` printed: moved, another was quicker, refused, or no answer.

Each ref has a line of its own, and the lines decide, not the exit code alone: git before 2.49 could lose the status
of a failed `--atomic` push. Source: git-push(1), "OUTPUT"; the words are those of git's send-pack and receive-pack.
"""

import re
from collections.abc import Iterable

from msgspec import Struct

from gitsched.adapters.git.process import Completed

_LINE = re.compile(r"^([ +\-*!=])\t([^\t]*):([^\t:]+)\t(.*)$", re.MULTILINE)
_REASON = re.compile(r"\((.*)\)[^()]*$")
_LOST = re.compile(
    r"stale info|fetch first|non-fast-forward|needs force|cannot lock ref|incorrect old value|failed to update ref"
    r"|reference already exists|failed to lock|unable to resolve reference|remote ref updated since checkout"
)
_BYSTANDER = re.compile(r"atomic push failed|atomic transaction (failed|aborted)|transaction (failed|aborted)$")
"""What is said of a ref that would have moved but for another one."""
_CUT = re.compile(r"remote failed to report status|unpacker error|unable to migrate objects|missing necessary objects")
_NOT_ALLOWED = re.compile(
    r"returned error: 40[13]|Authentication failed|could not read (Username|Password)|Permission( to \S+)? denied"
    r"|access denied|service not enabled|not authorized",
    re.IGNORECASE,
)
_NOT_HERE = re.compile(
    r"src refspec \S+ does not match any|bad object|unable to read|missing (blob|tree|commit|object)"
)
_SAID = re.compile(r"^remote: ?(.*)$", re.MULTILINE)
_LONGEST = 500


class Pushed(Struct, frozen=True):
    """The remote has accepted all of it."""


class RaceLost(Struct, frozen=True):
    """A ref was not where the push expected it; nothing has moved."""

    ref: str
    words: str


class PushRefused(Struct, frozen=True):
    """The remote does not want it, in its own words; nothing has moved, and asking again does not help."""

    ref: str
    """One of those refused; empty where it was the whole push."""
    words: str


class NotHere(Struct, frozen=True):
    """An object that was to be sent is not in the clone any more; nothing was sent."""

    words: str


class Unanswered(Struct, frozen=True):
    """There was no answer: the remote may have accepted it or not."""

    words: str


PushAnswer = Pushed | RaceLost | PushRefused | NotHere | Unanswered


def read_push(done: Completed, refs: Iterable[str]) -> PushAnswer:
    """Say what came of a push of these refs."""
    lines = {ref: (flag, summary) for flag, _, ref, summary in _LINE.findall(done.out.decode("utf-8", "replace"))}
    failed = {ref: _reason(summary) for ref, (flag, summary) in lines.items() if flag == "!"}
    if not failed:
        return _without_lines(done, all_told=all(ref in lines for ref in refs))
    told = [(ref, why) for ref, why in failed.items() if not _BYSTANDER.search(why)]
    for kind in (_refused, _lost):
        answer = next((found for ref, why in told if (found := kind(ref, why, done)) is not None), None)
        if answer is not None:
            return answer
    if told:
        return Unanswered(told[0][1])
    ref, why = next(iter(failed.items()))
    return RaceLost(ref, why)


def _refused(ref: str, why: str, done: Completed) -> PushAnswer | None:
    if _LOST.search(why) or _CUT.search(why):
        return None
    said = " ".join(" ".join(_SAID.findall(done.complaint())).split())
    return PushRefused(ref, f"{said} ({why})"[:_LONGEST] if said else why[:_LONGEST])


def _lost(ref: str, why: str, _done: Completed) -> PushAnswer | None:
    return RaceLost(ref, why) if _LOST.search(why) else None


def _without_lines(done: Completed, *, all_told: bool) -> PushAnswer:
    if done.ok and all_told:
        return Pushed()
    words = " ".join(done.complaint().split())[-_LONGEST:] or f"git ended with {done.code} and said nothing"
    if _NOT_HERE.search(words):
        return NotHere(words)
    return PushRefused("", words) if is_denied(words) else Unanswered(words)


def is_denied(words: str) -> bool:
    """Say whether a remote answered, and will not have us."""
    return _NOT_ALLOWED.search(words) is not None


def _reason(summary: str) -> str:
    found = _REASON.search(summary)
    return found[1] if found else summary
