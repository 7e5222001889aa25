"""What the local forge does not offer, and says so."""

import pytest

from gitsched.domain.forge import HeadMoved
from gitsched.domain.merging import merge_by
from gitsched.errors import RefusedError
from tests.forge.places import SOURCE, Place


def test_nothing_merges_by_itself_here(place: Place) -> None:
    pull = place.ready()
    with pytest.raises(RefusedError):
        place.forge.park(pull.number, pull.head, merge_by("auto"), "rebase")
    assert place.forge.rules("main").mechanisms == {"direct"}
    assert place.forge.publish(SOURCE, pull.head, ()) is None
    assert place.forge.publish(SOURCE, "elsewhere", ()) == HeadMoved(found=pull.head)
