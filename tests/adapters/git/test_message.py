"""What landing adds to a message, and what it leaves alone."""

import pytest

from gitsched.adapters.git.authorship import one_commit_of
from gitsched.adapters.git.message import decorated
from gitsched.adapters.git.objects import Commit
from gitsched.domain.landing import Decoration

OURS = "Gitsched-Batch: b1\nGitsched-Issue: 7\n"
DECORATION = Decoration.of_member("b1", 7)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Fix total\n", f"Fix total (#7)\n\n{OURS}"),
        ("Fix total", f"Fix total (#7)\n\n{OURS}"),
        ("", f"(#7)\n\n{OURS}"),
        ("\n\nFix total  \r\n", f"Fix total (#7)\n\n{OURS}"),
        ("Fix total (#7)\n", f"Fix total (#7)\n\n{OURS}"),
        ("Fix total (#7) (#7)\n", f"Fix total (#7)\n\n{OURS}"),
        ("Fix total (#17)\n", f"Fix total (#17) (#7)\n\n{OURS}"),
        ("Fix (#7) total\n", f"Fix (#7) total (#7)\n\n{OURS}"),
        ("Fix: total\n", f"Fix: total (#7)\n\n{OURS}"),
        ("Fix\ntotal\n\nbody\n", f"Fix\ntotal (#7)\n\nbody\n\n{OURS}"),
        ("Fix\n\nbody\n\n\n  two\n", f"Fix (#7)\n\nbody\n\n\n  two\n\n{OURS}"),
        ("Fix\n\nSee: a\nand more\n", f"Fix (#7)\n\nSee: a\nand more\n\n{OURS}"),
        ("Fix\n\nA: b\nC: d\n", f"Fix (#7)\n\nA: b\nC: d\n{OURS}"),
        ("Fix\n\nbody\n\nA: b\n  folded\n", f"Fix (#7)\n\nbody\n\nA: b\n  folded\n{OURS}"),
        ("Fix\n\nA: b\nGitsched-Batch: b0\n", f"Fix (#7)\n\nA: b\n{OURS}"),
        ("Fix\nCo-authored-by: A <a@b>\n", f"Fix (#7)\n\nCo-authored-by: A <a@b>\n{OURS}"),
        (
            "Fix\n\nodd line\nSigned-off-by: A <a@b>\n",
            f"Fix (#7)\n\nodd line\nSigned-off-by: A <a@b>\n{OURS}",
        ),
    ],
)
def test_messages(message: str, expected: str) -> None:
    """L-20: the number once at the end of the subject, trailers in their block, the rest as it was."""
    once = decorated(message.encode(), DECORATION)
    assert once.decode() == expected
    assert decorated(once, DECORATION) == once


def test_bytes_of_another_encoding_are_kept() -> None:
    """A message in latin-1 stays latin-1 around what is added."""
    assert decorated("Größe\n".encode("latin-1"), DECORATION).startswith("Größe (#7)".encode("latin-1"))


def _commit(author: str, message: str, encoding: str | None = None) -> Commit:
    who = f"{author} <{author.lower()}@example.org> 1600000000 +0200"
    coded = encoding or "utf-8"
    header = encoding.encode() if encoding else None
    return Commit("tree", ("parent",), who.encode(coded), b"", header, message.encode(coded))


def test_one_commit_of_several_names_everybody_once() -> None:
    """L-21: the author of most commits leads; others, and those named in trailers, are co-authors once."""
    commits = [
        _commit("Ann", "First\n\nwhy\n\nCo-authored-by: Dee <dee@example.org>\n"),
        _commit("Ben", "Second\n\nCo-authored-by: Ann <ann@example.org>\n"),
        _commit("Ben", "Third\n"),
    ]
    joined = one_commit_of(commits)
    assert joined.author.startswith(b"Ben <ben@example.org> ")
    assert joined.message.decode() == (
        "First\n\n* First\n\n  why\n\n* Second\n\n* Third\n\n"
        "Co-authored-by: Dee <dee@example.org>\nCo-authored-by: Ann <ann@example.org>\n"
    )


def test_mixed_encodings_become_one() -> None:
    """L-21: commits of several encodings are joined in UTF-8."""
    joined = one_commit_of([_commit("Ann", "Eins\n"), _commit("Zoë", "Größe\n", "ISO-8859-1")])
    assert joined.encoding is None
    assert "* Größe" in joined.message.decode()
    assert "Co-authored-by: Zoë <zoë@example.org>" in joined.message.decode()


def test_orders_to_close_become_references_and_no_other_byte_changes() -> None:
    message = "Fixes #3: total\n\nIt CLOSES a/b#4 and fixed nothing. Résumé.\n\nResolves: https://x/1\n".encode(
        "latin-1"
    )
    quiet = Decoration(7, (), is_closing=False)
    wanted = "Refs #3: total (#7)\n\nIt Refs a/b#4 and fixed nothing. Résumé.\n\nRefs: https://x/1\n"
    assert decorated(message, quiet) == wanted.encode("latin-1")
    assert b"Fixes #3" in decorated(message, Decoration(7, ()))
