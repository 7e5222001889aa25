"""Read a page as a forge does: its structure by CommonMark, its orders and mentions by eye of a suspicious forge."""

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

# Wider than GitHub's own reading: any space between word and number, and code is looked at too. A reference without a
# number (`#A`) is none to GitHub ("KEYWORD #ISSUE-NUMBER"), and so none here.
ORDER = re.compile(
    r"(?i)\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+(?:(?:[\w.-]+/[\w.-]+)?(?:#|GH-)\d\S*|https?://\S*)"
)
MENTION = re.compile(r"@\w")


def parse(page: str) -> list[Token]:
    """Parse a page with GitHub's tables."""
    return MarkdownIt("commonmark", {"html": True}).enable("table").parse(page)


def texts(page: str) -> Iterator[str]:
    """Yield each text as it is rendered: of lines, code and fences."""
    for token in parse(page):
        if token.type == "inline":
            yield "".join(child.content if child.type != "softbreak" else "\n" for child in token.children or [])
        elif token.type in {"fence", "code_block"}:
            yield token.content


def orders(page: str) -> list[str]:
    """List all orders to close something, in the source and as rendered, each once."""
    found = [match[0] for text in (page, *texts(page)) for match in ORDER.finditer(text)]
    return list(dict.fromkeys(found))


def mentions(page: str) -> list[str]:
    """List whoever would be notified."""
    return [match[0] for text in (page, *texts(page)) for match in MENTION.finditer(text)]


def headings(page: str, level: int = 2) -> list[str]:
    """List the headings of one level."""
    tokens = parse(page)
    return [tokens[i + 1].content for i, token in enumerate(tokens) if token.tag == f"h{level}" and token.nesting == 1]


def kinds(page: str) -> set[str]:
    """Tell which kinds of blocks and of inline marks a page holds."""
    tokens = parse(page)
    return {token.type for token in tokens} | {child.type for token in tokens for child in token.children or []}
