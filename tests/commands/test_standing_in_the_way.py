"""What cannot be done for one milestone stands in no other's way."""

import pytest

from gitsched.errors import GitschedError, RefusedError
from tests.commands.conftest import Hall
from tests.commands.test_milestones import bring_to_its_end


@pytest.mark.parametrize("wrong", [RefusedError("It was to be closed.", "Denied."), GitschedError("Closed.", "422.")])
def test_a_milestone_that_cannot_be_closed_keeps_no_other_from_being_read(
    hall: Hall, monkeypatch: pytest.MonkeyPatch, wrong: GitschedError
) -> None:
    """One that may not be closed is left open; what may go better the next time is told, after all others."""
    hall.milestones.put("batch/login", 1)
    hall.milestones.put("batch/logout", 2)
    hall.reconcile()
    bring_to_its_end(hall)

    def denied(_number: int, _told: str) -> None:
        raise wrong

    monkeypatch.setattr(hall.milestones, "close_milestone", denied)
    hall.milestones.put("batch/logout", 2, 3)
    if isinstance(wrong, RefusedError):
        hall.reconcile()
    else:
        with pytest.raises(GitschedError, match="422"):
            hall.reconcile()
    assert hall.entry(3).batch == "logout"
