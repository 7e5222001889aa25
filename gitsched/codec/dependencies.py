"""Dependencies that an issue's text declares: lines such as `Depends on #3` or `- Blocked by: #4, #5`.

Only a line that begins with the words counts, and only outside of code and quotes: a sentence that mentions another
issue is no declaration. An issue of another repository is none of this queue.
"""

import re

_LINE = re.compile(
    r"\s{0,3}(?:[-*+]\s+(?:\[[ xX]\]\s+)?)?(?:\*\*|__)?(?:depends[ -]on|blocked[ -]by)(?:\*\*|__)?\s{0,3}:?(?:\*\*|__)?"
    r"\s{0,3}(?:issues?\s)?(?P<rest>#\d+(?:\s{0,3}(?:,|and|&|,\s{0,3}and)\s{0,3}#\d+)*)\b",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^\s{0,3}(?P<mark>`{3,}|~{3,})")
_LINE_END = re.compile(r"\r\n?|\n")
"""CommonMark, section 2.1: a line separator or a form feed begins no line, and so no declaration and no fence."""
_NUMBER = re.compile(r"#(\d{1,15})")


def dependencies_in(body: str) -> tuple[int, ...]:
    """Read the issues that a text says it depends on, each once, in the order in which they stand."""
    found: list[int] = []
    fence: str | None = None
    for line in _LINE_END.split(body):
        mark = _FENCE.match(line)
        if mark is not None:
            fence = _fence_after(fence, mark["mark"])
        elif fence is None:
            declared = _LINE.match(line)
            found += map(int, _NUMBER.findall(declared["rest"])) if declared else ()
    return tuple(dict.fromkeys(number for number in found if number > 0))


def _fence_after(fence: str | None, mark: str) -> str | None:
    """Say which fence is open after such a line: a fence is closed by its own sign, at least as long."""
    if fence is None:
        return mark
    return None if mark[0] == fence[0] and len(mark) >= len(fence) else fence
