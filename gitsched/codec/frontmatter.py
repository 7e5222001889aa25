"""Read an issue from Markdown with front matter: a small strict subset of YAML, refused where it ends.

    ---
    # a comment has a line of its own
    title: Add login: the first step
    labels: [bug, "needs, a comma"]
    deps:
      - 3
      - 4
    files: [src/**/*.py]
    milestone: v1
    ---
    The body, to the end of the file.

Without a title the first `# heading` of the body is one. Nothing is guessed: an unknown or doubled key, a list
where text belongs, text where a list belongs, each is an error that names file, line and key.
"""

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from gitsched.codec.scalars import Spot, items_of, read_name, read_number, read_text
from gitsched.domain.forge import IssueDraft, title_fault

KEYS: Final = ("title", "labels", "deps", "files", "milestone")

_FENCE = re.compile(r"---[ \t]*")
_PAIR = re.compile(r"([A-Za-z_][\w-]*)[ \t]*:(?:[ \t]+(.*))?")
_ITEM = re.compile(r"[ \t]*-(?:[ \t]+(.*))?")
_HEADING = re.compile(r"#[ \t]+(\S.*)")
_KNOWN = f"Known here: {', '.join(KEYS)}."

V = TypeVar("V", str, int)


@dataclass(slots=True)
class _Value:
    spot: Spot
    inline: str
    items: list[tuple[int, str]] = field(default_factory=list)
    """Line and text of each `- item` below the key."""


def parse_issue_file(text: str, filename: str) -> IssueDraft:
    """Read one file. Raises UsageError naming file, line and key; `filename` is shown as it is given."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    head, body = _split(lines, filename)
    values = _values(head, filename)
    return IssueDraft(
        title=_title(values.get("title"), body, filename),
        body="\n".join(body).strip("\n"),
        labels=_list(values.get("labels"), read_name),
        deps=_list(values.get("deps"), read_number),
        files=_list(values.get("files"), read_name),
        milestone=_milestone(values.get("milestone")),
    )


def _split(lines: Sequence[str], filename: str) -> tuple[Sequence[str], Sequence[str]]:
    if not _FENCE.fullmatch(lines[0]):
        return (), lines
    for number, line in enumerate(lines[1:], 1):
        if _FENCE.fullmatch(line):
            return lines[1:number], lines[number + 1 :]
    raise Spot(filename, 1, "---").refusal("The front matter has no end.", "Close it by a line of only `---`.")


def _values(head: Sequence[str], filename: str) -> Mapping[str, _Value]:
    values: dict[str, _Value] = {}
    last: _Value | None = None
    for number, line in enumerate(head, 2):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        item = _ITEM.fullmatch(line)
        if item is not None and last is not None and not last.inline:
            last.items.append((number, (item[1] or "").strip()))
            continue
        pair = _PAIR.fullmatch(line)
        if pair is None:
            spot = Spot(filename, number, line.strip())
            raise spot.refusal("This is neither `key: value` nor an item of a list.", _KNOWN)
        last = _Value(Spot(filename, number, pair[1]), (pair[2] or "").strip())
        _check_key(last.spot, values)
        values[pair[1]] = last
    return values


def _check_key(spot: Spot, before: Mapping[str, _Value]) -> None:
    if spot.key not in KEYS:
        wanted = spot.key.lower()
        near = max(KEYS, key=lambda known: difflib.SequenceMatcher(None, wanted, known).ratio())
        raise spot.refusal(f"There is no such key; the nearest is '{near}'.", _KNOWN)
    if spot.key in before:
        line = before[spot.key].spot.line
        raise spot.refusal(f"Line {line} has the same key.", "Keep one of the two.")


def _title(value: _Value | None, body: Sequence[str], filename: str) -> str:
    if value is not None:
        spot, title = value.spot, _single(value, read_text)
    else:
        spot = Spot(filename, 1, "title")
        headings = (found[1] for line in body if (found := _HEADING.fullmatch(line)) is not None)
        title = next(headings, "")
    fault = title_fault(title)
    if fault is not None:
        raise spot.refusal(f"The title {fault}.", "Give one line of text: `title: …`, or a heading `# …`.")
    return title.strip()


def _milestone(value: _Value | None) -> str | None:
    return None if value is None or not (value.inline or value.items) else _single(value, read_name)


def _single(value: _Value, read: Callable[[str, Spot], str]) -> str:
    if value.items or value.inline.startswith("["):
        raise value.spot.refusal("The value is a list.", "It takes text; where that begins with `[`, quote it.")
    return read(value.inline, value.spot)


def _list(value: _Value | None, read: Callable[[str, Spot], V]) -> tuple[V, ...]:
    """Read each item once, in order."""
    if value is None:
        return ()
    spot = value.spot
    items = [(spot.line, item) for item in items_of(value.inline, spot)] if value.inline else value.items
    return tuple(dict.fromkeys(read(item, Spot(spot.filename, line, spot.key)) for line, item in items))
