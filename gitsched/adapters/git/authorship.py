"""Make one commit of several without losing an author."""

from collections import Counter

from gitsched.adapters.git.message import squashed
from gitsched.adapters.git.objects import Commit


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


def _in_utf8(commit: Commit) -> Commit:
    if commit.encoding is None:
        return commit
    return commit._replace(
        encoding=None,
        author=_recoded(commit.author, commit.encoding),
        message=_recoded(commit.message, commit.encoding),
    )


def _recoded(text: bytes, encoding: bytes) -> bytes:
    """Recode text; what its encoding cannot say, or an encoding nobody knows, leaves it as it is."""
    try:
        return text.decode(encoding.decode("ascii")).encode()
    except (LookupError, UnicodeDecodeError):
        return text
