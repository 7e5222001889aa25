"""What evidence there is of a red suite: what each member changed, and which lines each failing test runs."""

from collections.abc import Container, Mapping
from pathlib import Path

from gitsched.codec.coverage import read_coverage
from gitsched.domain.records import Batch, Member
from gitsched.domain.verdicts import Case
from gitsched.engine.desk import Desk
from gitsched.policy.attribute import MemberChange
from gitsched.policy.identify import rerun_ids
from gitsched.policy.inquest import cases_of


def change_of(desk: Desk, member: Member, *, with_lines: bool) -> MemberChange:
    """Say what a landed member changed, down to the lines where that is asked for."""
    lander = desk.around.lander
    paths = lander.changed_paths(member.landed_from or "", member.landed or "")
    lines: Mapping[str, frozenset[int]] = {}
    if with_lines and member.cut is not None and member.head is not None:
        lines = lander.changed_lines(member.cut, member.head)
    return MemberChange(issue=member.issue, paths=frozenset(paths), lines=lines)


def covered_lines(desk: Desk, batch: Batch, tracked: Container[str]) -> Mapping[Case, Mapping[str, frozenset[int]]]:
    """Read the lines that each failing test runs; nothing where no map is configured or there is none to be read.

    The map is looked for in the user's checkout: it is made beside the code, and seldom committed.
    """
    suite = desk.settings_of(batch).suite
    checkout = desk.around.trees.look_at_checkout().path if suite.coverage else None
    if checkout is None:
        return {}
    try:
        covered = read_coverage((Path(checkout) / suite.coverage).read_bytes())
    except OSError:
        return {}
    found = {}
    for case in cases_of(batch):
        names = rerun_ids([case], suite.ids, tracked)
        lines = covered.get(names[0]) if names else None
        if lines is not None:
            found[case] = lines
    return found
