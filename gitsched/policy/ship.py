"""Ship: whether an integration branch holds exactly what its landed members brought.

Source: spec 05, "Review", deterministic checks; spec 01, property 4.
"""

from collections.abc import Sequence


def mismatch(found: Sequence[str], spans: Sequence[tuple[int, Sequence[str]]]) -> str | None:
    """Name what is wrong: the issue whose commits are missing or out of order, or `foreign` for a commit of nobody's.

    `found` are the commits of base..head, oldest first; `spans` each landed member's, in member order. None: they
    agree.
    """
    at = 0
    for issue, commits in spans:
        if tuple(found[at : at + len(commits)]) != tuple(commits):
            return str(issue)
        at += len(commits)
    return "foreign" if at != len(found) else None
