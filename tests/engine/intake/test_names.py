"""Names of units, as people write them."""

import pytest

from gitsched.engine.intake.names import BatchUnit, IssueUnit, batch_named, entry_named, unit_of
from gitsched.errors import RefusedError, UnknownUnitError
from tests.engine.intake.office import Office


def test_every_way_to_name_a_unit(office: Office) -> None:
    office.enqueue(3)
    office.enqueue(1, 2)
    state = office.state
    assert [unit_of(state, text) for text in ("3", "#3", " 3 ", "i3")] == [IssueUnit(3)] * 4
    assert unit_of(state, "b1") == BatchUnit("b1")
    office.form_solo(3)
    assert unit_of(office.state, "i3") == BatchUnit("i3")
    assert entry_named(office.state, "i3").issue == 3


def test_an_unknown_name_tells_those_near_it(office: Office) -> None:
    office.enqueue(1, batch="night-shift", leave_open=True)
    with pytest.raises(UnknownUnitError, match="Near it are night-shift"):
        unit_of(office.state, "nigth-shift")
    with pytest.raises(UnknownUnitError, match="`gitsched enqueue 8`"):
        unit_of(office.state, "#8")
    with pytest.raises(UnknownUnitError, match="`gitsched status --all`"):
        unit_of(office.state, "")


def test_an_issue_is_no_batch_and_a_batch_no_issue(office: Office) -> None:
    office.enqueue(1, 2)
    office.enqueue(3)
    with pytest.raises(RefusedError, match="a member of b1"):
        batch_named(office.state, "1")
    with pytest.raises(RefusedError, match="in no batch yet"):
        batch_named(office.state, "3")
    with pytest.raises(RefusedError, match="its members are 1, 2"):
        entry_named(office.state, "b1")
