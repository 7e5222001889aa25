"""Command lines of a comment: read from its Markdown, so that nothing that is shown can run.

A command is a whole line of a paragraph at the top level that begins with `/gitsched` and a space. The raw line
counts, because `files=src/*_test*.py` is emphasis to Markdown. A line does not count when it is begun inside code, a
link or an image, when it holds any of these or raw HTML, or when raw HTML before it has left something open.

Source: CommonMark 0.31; tables and footnotes as GitHub reads them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from html.parser import HTMLParser
from itertools import takewhile
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import Struct

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

WORD: Final = "/gitsched"

_COMMAND = re.compile(r"/gitsched(?:[ \t]+(.*))?", re.DOTALL)
_HARMLESS = frozenset({"text", "em_open", "em_close", "strong_open", "strong_close"})
_FOOTNOTE = re.compile(r"\[\^[^\]]*\]:")
_VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)


class CommandLine(Struct, frozen=True):
    """One command as it was written."""

    line: int
    """Number of the line in the comment, from 1: with the comment's id the key of the ledger."""
    text: str
    """What stands behind `/gitsched`, as it was typed."""

    @property
    def words(self) -> tuple[str, ...]:
        """Split it at blanks."""
        return tuple(self.text.split())


def command_lines(body: str) -> tuple[CommandLine, ...]:
    """List the commands of a comment in their order."""
    if WORD not in body:
        return ()
    rows = re.split(r"\r\n|\n|\r", body)
    return tuple(_commands(_parser().parse(body), rows))


def _commands(tokens: Sequence[Token], rows: Sequence[str]) -> Iterator[CommandLine]:
    html, is_open = _OpenHtml(), False
    for token in tokens:
        if token.type == "html_block":
            html.feed(token.content)
        elif token.type == "inline":
            lines = list(_lines(token.children or (), html))
            if is_open and not _is_special(token, rows):
                yield from _read(token, lines)
        is_open = token.type == "paragraph_open" and token.level == 0


def _is_special(inline: Token, rows: Sequence[str]) -> bool:
    """Say whether GitHub shows a paragraph as mathematics or as a footnote, which CommonMark knows nothing of."""
    above = takewhile(str.strip, reversed(rows[: (inline.map or [0])[0]]))
    return "$$" in inline.content or any(_FOOTNOTE.match(row) for row in (inline.content, *above))


def _read(inline: Token, lines: Sequence[_Line]) -> Iterator[CommandLine]:
    content, first = inline.content, (inline.map or [0])[0]
    for line in lines:
        found = _COMMAND.fullmatch(content[line.start :].split("\n", 1)[0])
        if found is not None and line.is_plain:
            number = first + content.count("\n", 0, line.start) + 1
            yield CommandLine(number, (found[1] or "").strip())


class _Line(NamedTuple):
    start: int
    is_plain: bool
    """It holds nothing but text, and no raw HTML is open where it begins."""


def _lines(children: Sequence[Token], html: _OpenHtml) -> Iterator[_Line]:
    """Yield each line that is begun outside of code, links and images; raw HTML is followed on the way."""
    start: int | None = 0
    is_plain, links = html.is_closed, 0
    for child in children:
        if child.type in ("softbreak", "hardbreak"):
            if start is not None:
                yield _Line(start, is_plain)
            start = child.meta.get(_NEXT) if links == 0 else None
            is_plain = html.is_closed
        else:
            links += {"link_open": 1, "link_close": -1}.get(child.type, 0)
            is_plain = is_plain and child.type in _HARMLESS
            if child.type == "html_inline":
                html.feed(child.content)
    if start is not None:
        yield _Line(start, is_plain)


class _OpenHtml(HTMLParser):
    """Follows raw HTML, and knows whether all that it began has ended."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self._open: list[str] = []

    @property
    def is_closed(self) -> bool:
        """Say whether no element and no comment is open."""
        return not self._open and not self.rawdata

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """Remember an element that must be closed."""
        if tag not in _VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Forget an element, and what stands open inside it."""
        if tag in self._open:
            while self._open.pop() != tag:
                pass


_NEXT: Final = "next"


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    """Make the parser: CommonMark with GitHub's tables, each line break marked with where the next line begins."""
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import escape, newline

    def breaking(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - the signature of a rule
        return _marked(state, newline(state, silent))

    def escaped(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - the signature of a rule
        return _marked(state, escape(state, silent))

    parser = MarkdownIt("commonmark").enable("table")
    parser.inline.ruler.at("newline", breaking)
    parser.inline.ruler.at("escape", escaped)
    return parser


def _marked(state: StateInline, matched: bool) -> bool:  # noqa: FBT001 - the answer of a rule
    """Mark a break that was just made. Blanks that begin the next line were skipped: such a line is no command."""
    last = state.tokens[-1] if state.tokens else None
    if matched and last is not None and last.type in ("softbreak", "hardbreak") and _NEXT not in last.meta:
        last.meta[_NEXT] = state.src.rfind("\n", 0, state.pos) + 1
    return matched
