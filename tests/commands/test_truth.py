"""What is answered to a command is what became of it."""

import pytest

from gitsched.domain.commands import Reaction
from gitsched.domain.words import BatchStatus as B
from gitsched.errors import BusyError, GitschedError, RefusedError
from tests.commands.conftest import Hall


@pytest.mark.parametrize("verb", ["why", "status"])
def test_a_question_about_what_nobody_knows_is_refused_in_words(hall: Hall, verb: str) -> None:
    assert hall.say(f"/gitsched {verb} #999").refused_count == 1
    assert "999" in hall.answer()
    assert hall.talk.reactions[1000] == [Reaction.SEEN, Reaction.REFUSED]


@pytest.mark.parametrize("wrong", [RefusedError("It was to be merged.", "Denied."), BusyError("Not now.", "Denied.")])
def test_a_merge_that_was_not_done_is_told_and_not_tried_again(
    hall: Hall, monkeypatch: pytest.MonkeyPatch, wrong: GitschedError
) -> None:
    """Also where the forge that gave no answer takes none for a while either."""
    hall.enqueue(1, 2)
    hall.bring("b1", B.AWAITING_MERGE)
    tried: list[str] = []

    def fails(batch: str) -> str:
        tried.append(batch)
        raise wrong

    def away(*_: object) -> None:
        raise BusyError("It was to be answered.", "Not now.")

    monkeypatch.setattr(hall, "_ship", fails)
    spoken = hall.talk.say(1, "/gitsched ship b1")
    with monkeypatch.context() as patched:
        patched.setattr(hall.talk, "answer", away)
        with pytest.raises(BusyError):
            hall.hear(spoken)
    assert hall.hear(spoken).refused_count == 1
    assert "Denied." in hall.answer()
    assert hall.talk.reactions[1000] == [Reaction.SEEN, Reaction.REFUSED]
    assert tried == ["b1"]
