"""What cannot be done for one milestone stands in no other's way."""

import pytest

from gitsched.domain.events import EventName
from gitsched.domain.words import BatchStatus as B
from gitsched.errors import GitschedError, RefusedError
from tests.commands.conftest import Hall
from tests.commands.test_milestones import _to


@pytest.mark.parametrize("wrong", [RefusedError("It was to be closed.", "Denied."), GitschedError("Closed.", "422.")])
def test_a_milestone_that_cannot_be_closed_keeps_no_other_from_being_read(
    hall: Hall, monkeypatch: pytest.MonkeyPatch, wrong: GitschedError
) -> None:
    """One that may not be closed is left open; what may go better the next time is told, after all others."""
    hall.milestones.put("batch/login", 1)
    hall.milestones.put("batch/logout", 2)
    hall.reconcile()
    hall.bring("login", B.AWAITING_MERGE)
    for event, status in (
        (EventName.MERGE_ACCEPTED, B.MERGED),
        (EventName.DEPLOYED, B.DEPLOYED),
        (EventName.REPORTED, B.REPORTED),
        (EventName.TEARDOWN_DONE, B.DONE),
    ):
        hall.store.apply(lambda draft, e=event, s=status: _to(draft, e, s))  # type: ignore[misc]

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
