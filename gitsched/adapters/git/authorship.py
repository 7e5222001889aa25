"""Make one commit of several without losing an author."""

import codecs
import re
from collections import Counter

import pygit2

from gitsched.adapters.git.message import squashed
from gitsched.adapters.git.objects import Commit

_BLANK_LINES = re.compile(rb"\A(?:[ \t\r]*\n)+")


def one_commit_of(commits: list[Commit]) -> Commit:
    """Join commits, oldest first: the author of most of them (the first of equals), the others as co-authors.

    The author line, its date included, is that author's first one. Text becomes UTF-8 where the commits
    are not all of one encoding. Tree and parents are left to the caller.
    """
    if len({commit.encoding for commit in commits}) > 1:
        commits = [_in_utf8(commit) for commit in commits]
    counts = Counter(_address(commit.author) for commit in commits)
    main = max(counts, key=counts.__getitem__)
    people: dict[bytes, bytes] = {}
    for commit in commits:
        people.setdefault(_address(commit.author), commit.author)
    others = [_person(author) for address, author in people.items() if address != main]
    linear = [commit for commit in commits if len(commit.parents) <= 1] or commits
    message = squashed([commit.message for commit in linear], others)
    return commits[0]._replace(author=people[main], message=message, parents=())


def _person(author: bytes) -> bytes:
    return author[: author.rindex(b">") + 1]


def _address(author: bytes) -> bytes:
    return author[author.rindex(b"<") : author.rindex(b">") + 1].lower()


def commit_encoding(repository: pygit2.Repository) -> bytes:
    """Tell the encoding that git writes messages in (git-commit page, "DISCUSSION")."""
    config = repository.config
    named = config["i18n.commitEncoding"] if "i18n.commitEncoding" in config else None  # noqa: SIM401 - no `get`
    return (named or "UTF-8").encode()


def as_git_rewrites(commit: Commit, encoding: bytes) -> Commit:
    """Change author and message as a rebase does: into this encoding, and without blank lines in front."""
    message = _BLANK_LINES.sub(b"", commit.message)
    return _recoded_commit(commit._replace(message=message), encoding)


def _in_utf8(commit: Commit) -> Commit:
    return _recoded_commit(commit, b"UTF-8")


def _recoded_commit(commit: Commit, encoding: bytes) -> Commit:
    """Recode author and message; what one of the encodings cannot say leaves the commit as it is."""
    old = (commit.encoding or b"UTF-8").decode("ascii", "replace")
    new = encoding.decode("ascii", "replace")
    try:
        author, message = (text.decode(old).encode(new) for text in (commit.author, commit.message))
    except (LookupError, UnicodeError):
        return commit
    header = None if codecs.lookup(new).name == "utf-8" else encoding
    return commit._replace(author=author, message=message, encoding=header)
