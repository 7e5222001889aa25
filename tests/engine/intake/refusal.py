"""What every refusal has in common."""

from collections.abc import Callable

import pytest

from gitsched.errors import GitschedError
from tests.engine.intake.office import Office


def refused(office: Office, exit_code: int, call: Callable[[], object]) -> GitschedError:
    """Check that a call is refused with three sentences, and that nothing of it is written."""
    office.store.read()
    before = office.store.tip
    with pytest.raises(GitschedError) as caught:
        call()
    office.store.read()
    assert office.store.tip == before
    assert caught.value.exit_code == exit_code
    assert caught.value.asked
    assert caught.value.against
    assert "`gitsched " in caught.value.remedy
    return caught.value
