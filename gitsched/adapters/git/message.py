"""Write what landing adds to a commit's message, and nothing else of it.

Works on bytes, so that a message in any encoding that holds ASCII is kept as it is. What counts as a block
of trailers is git's rule (`git interpret-trailers` page, "DESCRIPTION"): the last paragraph, not the first,
of trailer lines only, or with one line that git writes itself and at least a quarter of trailer lines.
"""

import re

from gitsched.domain.landing import Decoration
from gitsched.view.clean import unclosed

OURS = b"gitsched-"
_TRAILER = re.compile(rb"[A-Za-z0-9-]+[ \t]*:")
_BY_GIT = (b"Signed-off-by: ", b"(cherry picked from commit ")
_PARAGRAPHS = re.compile(rb"\n(?:[ \t\r]*\n)+")


def decorated(message: bytes, decoration: Decoration) -> bytes:
    """End the subject with the issue's number, once, and add the trailers beside those that are there.

    Where closing words are not to close anything they become "Refs", which names an issue and no more.
    """
    subject, body = _split(message if decoration.is_closing else unclosed(message))
    head = _numbered(subject, decoration.issue)
    text, trailers = split_trailers(body)
    added = [f"{name}: {value}".encode() for name, value in decoration.trailers]
    kept = [line for line in trailers if not line.lower().startswith(OURS)]
    return joined(head, text, [*kept, *added])


def split_trailers(body: bytes) -> tuple[bytes, list[bytes]]:
    """Split what follows the subject into text and trailers; a folded trailer stays one piece."""
    paragraphs = _PARAGRAPHS.split(body)
    lines = _unfolded(paragraphs[-1])
    if not _is_block(lines):
        return body, []
    return body[: len(body) - len(paragraphs[-1])].rstrip(), lines


def joined(subject: bytes, text: bytes, trailers: list[bytes]) -> bytes:
    """Put a message together, one blank line between its parts."""
    return b"\n\n".join(filter(None, (subject, text, b"\n".join(trailers)))) + b"\n"


def squashed(messages: list[bytes], co_authors: list[bytes]) -> bytes:
    """Make one message of several: the first subject, every message in order, all trailers once.

    `co_authors` are `Name <address>`, and come after those that the messages name.
    """
    subject, _ = _split(messages[0])
    trailers: dict[bytes, bytes] = {}
    texts: list[bytes] = []
    for message in messages:
        title, body = _split(message)
        text, found = split_trailers(body)
        trailers |= {line.strip().lower(): line for line in found if not line.lower().startswith(OURS)}
        texts.append(_item(title, text) if len(messages) > 1 else text)
    for author in co_authors:
        line = b"Co-authored-by: " + author
        trailers.setdefault(line.lower(), line)
    return joined(subject, b"\n\n".join(filter(None, texts)), list(trailers.values()))


def _item(title: bytes, text: bytes) -> bytes:
    lines = [b"* " + title.replace(b"\n", b" "), *([b""] if text else []), *text.splitlines()]
    return b"\n".join(b"  " + line if number and line else line for number, line in enumerate(lines))


def _split(message: bytes) -> tuple[bytes, bytes]:
    """Split subject (the first paragraph, as git has it) and the rest.

    Trailers that stand right under a one-line subject are no part of it.
    """
    subject, *rest = _PARAGRAPHS.split(message.strip(b" \t\r\n"), maxsplit=1)
    body = rest[0] if rest else b""
    first, _, below = subject.partition(b"\n")
    if below and all(_TRAILER.match(line) for line in below.split(b"\n")):
        return first.rstrip(), below + (b"\n\n" + body if body else b"")
    return subject.rstrip(), body


def _numbered(subject: bytes, issue: int) -> bytes:
    number = b"(#%d)" % issue
    while subject.endswith(number):
        subject = subject[: -len(number)].rstrip()
    return subject + b" " + number if subject else number


def _unfolded(paragraph: bytes) -> list[bytes]:
    """Join continuation lines to the line that they continue."""
    lines: list[bytes] = []
    for line in paragraph.split(b"\n"):
        if lines and line[:1] in {b" ", b"\t"}:
            lines[-1] += b"\n" + line
        elif line.strip():
            lines.append(line.rstrip())
    return lines


def _is_block(lines: list[bytes]) -> bool:
    trailers = sum(1 for line in lines if _TRAILER.match(line) or line.startswith(_BY_GIT))
    by_git = any(line.startswith(_BY_GIT) for line in lines)
    return bool(lines) and (trailers == len(lines) or (by_git and trailers * 4 >= len(lines)))
