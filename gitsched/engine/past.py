"""The past of a repository as members of batches: who took back whom, and who could not have worked side by side."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from gitsched.domain.landing import Conflict, Signature, Terms, Work
from gitsched.domain.past import PastMember
from gitsched.ports.landing import Lander

_REVERTS: Final = re.compile(r"^This reverts commit ([0-9a-f]{7,64})", re.MULTILINE)
_ISSUE: Final = re.compile(r"^Gitsched-Issue: (\d+)$", re.MULTILINE)
_NOBODY: Final = Signature(name="gitsched", email="backtest@localhost", at_s=0)


class PastCommit(NamedTuple):
    """A commit of the history."""

    parents: tuple[str, ...]
    message: str


class Change(NamedTuple):
    """A member's commits as they stand in the history: before..head."""

    before: str
    head: str


def members_of(head: str, commits: Mapping[str, PastCommit]) -> tuple[list[PastMember], list[Change]]:
    """Read a history along its first parents, oldest first.

    A merge, with all that it brought, or a commit is a member; commits in a row of one issue are one. Who takes back a
    member is read from what git writes into a revert, wherever in a member it stands.
    """
    members: list[PastMember] = []
    changes: list[Change] = []
    homes: dict[str, int] = {}
    issue_before = ""
    for commit in _line(head, commits):
        brought = list(_brought(commit, commits, homes))
        message = commits[commit].message
        found = _ISSUE.search(message)
        goes_on = found is not None and found[1] == issue_before
        issue_before = found[1] if found else ""
        reverts = tuple(dict.fromkeys(_homes(homes, [commits[one].message for one in brought])))
        if goes_on:
            last = members.pop()
            members.append(
                PastMember(number=last.number, commit=commit, title=last.title, reverts=last.reverts + reverts)
            )
            changes[-1] = Change(changes[-1].before, commit)
        else:
            title = message.partition("\n")[0]
            members.append(PastMember(number=len(members) + 1, commit=commit, title=title, reverts=reverts))
            changes.append(Change(commits[commit].parents[0], commit))
        homes.update(dict.fromkeys(brought, len(members)))
    return members, changes


def _line(head: str, commits: Mapping[str, PastCommit]) -> list[str]:
    line, at = [], head
    while at in commits and commits[at].parents:
        line.append(at)
        at = commits[at].parents[0]
    return line[::-1]


def _brought(commit: str, commits: Mapping[str, PastCommit], homes: Mapping[str, int]) -> Iterator[str]:
    """Give a commit and all that it brought into its line."""
    before = commits[commit].parents[0]
    seen, waiting = {before}, [commit]
    while waiting:
        at = waiting.pop()
        if at not in seen and at in commits and at not in homes:
            seen.add(at)
            yield at
            waiting += commits[at].parents


def _homes(homes: Mapping[str, int], messages: Sequence[str]) -> Iterator[int]:
    for message in messages:
        for named in _REVERTS.findall(message):
            yield from (number for commit, number in homes.items() if commit.startswith(named))


def conflicts(lander: Lander, changes: Sequence[Change], size: int) -> list[int]:
    """Name the members whose work does not apply where their batch begins: side by side they would conflict."""
    found = []
    terms = Terms(committer=_NOBODY, decoration=None)
    for index, change in enumerate(changes):
        base = changes[index - index % size].before
        if base != change.before and isinstance(lander.land(Work(change.before, change.head), base, terms), Conflict):
            found.append(index + 1)
    return found
