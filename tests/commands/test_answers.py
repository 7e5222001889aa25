"""What commands have to say reaches the comment, also when GitHub was not there at first."""

import pytest

from gitsched.errors import TemporaryError
from tests.commands.conftest import Hall


@pytest.mark.parametrize("verb", ["undo", "approve"])
def test_what_a_command_has_to_say_is_not_lost_with_a_failed_post(
    hall: Hall, verb: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer is recorded with the act: whoever hears the comment again posts it."""
    hall.enqueue(1, 2, batch="open", leave_open=True)
    hall.book("open")
    if verb == "undo":
        hall.say("/gitsched hold #1")
    spoken = hall.talk.say(1, f"/gitsched {verb} {hall.token() if verb == 'approve' else ''}")

    def fail(*_words: object) -> None:
        raise TemporaryError("An answer was to be posted.", "Not now.")

    with monkeypatch.context() as patched:
        patched.setattr(hall.talk, "answer", fail)
        with pytest.raises(TemporaryError):
            hall.hear(spoken)
    assert not hall.state.heard[spoken.comment].is_answered
    assert hall.hear(spoken).accepted_count == 1
    wanted = "Taken back: Hold" if verb == "undo" else "s1 is approved; it opens at "
    assert wanted in hall.answer(comment=spoken.comment)
