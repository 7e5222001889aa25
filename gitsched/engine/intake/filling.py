"""Filling the queue from a list of issues, as `run` and `plan` do: cut into batches, what is there left alone."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from gitsched.config.settings import Settings
from gitsched.domain.forge import Issue
from gitsched.domain.state import State
from gitsched.domain.words import EntryStatus
from gitsched.policy.compose import member_order
from gitsched.policy.depend import find_cycle

_BEGUN_ANEW = (EntryStatus.FAILED, EntryStatus.STOPPED)


def to_enqueue(state: State, issues: Iterable[int]) -> tuple[int, ...]:
    """Leave out the issues whose rows stand: the same call again continues, and starts nothing twice.

    Rows that failed or were stopped are begun anew, as by `enqueue`.
    """
    rows = {issue: state.entries.get(issue) for issue in dict.fromkeys(issues)}
    return tuple(issue for issue, row in rows.items() if row is None or row.status in _BEGUN_ANEW)


def portions(issues: Sequence[int], found: Mapping[int, Issue], settings: Settings) -> Iterator[tuple[int, ...]]:
    """Cut a list into batches of at most `batch.max_members`, each issue after those it depends on.

    A cycle is left whole, for `enqueue` to refuse by name.
    """
    deps = {issue: found[issue].deps for issue in issues if issue in found}
    if find_cycle(deps) is not None:
        yield tuple(issues)
        return
    ordered = member_order(tuple(dict.fromkeys(issues)), deps)
    most = settings.batch.max_members
    for start in range(0, len(ordered), most):
        yield ordered[start : start + most]
