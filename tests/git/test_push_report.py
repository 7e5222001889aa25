"""What a push printed, read as an answer."""

import pytest

from gitsched.adapters.git.process import Completed
from gitsched.adapters.git.push_report import NotHere, PushAnswer, Pushed, PushRefused, RaceLost, Unanswered, read_push

STATE, BRANCH = "refs/gitsched/state", "refs/heads/gitsched/b1/integration"


def told(*lines: str, err: str = "", code: int = 1) -> PushAnswer:
    """Read a push of the state and a branch that printed these lines."""
    out = "".join(f"{line}\n" for line in ("To /there", *lines, "Done"))
    return read_push(Completed(code, out.encode(), err.encode()), [STATE, BRANCH])


@pytest.mark.parametrize(
    "words",
    [
        "[rejected] (stale info)",
        "[rejected] (fetch first)",
        "[rejected] (non-fast-forward)",
        f"[remote rejected] (cannot lock ref '{STATE}': is at aaa but expected bbb)",
        "[remote rejected] (incorrect old value provided)",
        "[remote rejected] (reference already exists)",
        "[remote rejected] (failed to update ref)",
    ],
)
def test_s_10_words_of_a_lost_race(words: str) -> None:
    """S-10: each is a lost race, whatever else did not move because of it."""
    answer = told(f"!\ta:{BRANCH}\t[rejected] (atomic push failed)", f"!\tb:{STATE}\t{words}")
    assert isinstance(answer, RaceLost)
    assert answer.ref == STATE


@pytest.mark.parametrize("words", ["protected branch hook declined", "permission denied", "hook declined"])
def test_s_10_words_of_a_refusal(words: str) -> None:
    """S-10: a refusal has the server's own words, and wins over what it drew along."""
    answer = told(
        f"!\ta:{STATE}\t[remote rejected] (atomic transaction failed)",
        f"!\tb:{BRANCH}\t[remote rejected] ({words})",
        err="remote: frozen until  Monday        \nremote: \nerror: failed to push some refs\n",
    )
    assert answer == PushRefused(BRANCH, f"frozen until Monday ({words})")


def test_a_refusal_without_a_word_of_its_own() -> None:
    assert told(f"!\tb:{BRANCH}\t[remote rejected] (hook declined)") == PushRefused(BRANCH, "hook declined")


def test_all_that_was_asked_for_was_done() -> None:
    lines = (f"*\tb:{BRANCH}\t[new reference]", f" \ta:{STATE}\ta..b", f"-\t:{STATE}x\t[deleted]")
    assert told(*lines, code=0) == Pushed()


@pytest.mark.parametrize(
    ("lines", "err", "code"),
    [
        ((f"!\ta:{STATE}\t[remote failure] (remote failed to report status)",), "", 1),
        ((f"!\ta:{STATE}\t[remote rejected] (missing necessary objects)",), "", 1),
        ((f" \ta:{STATE}\ta..b",), "", 0),
        ((f" \ta:{STATE}\ta..b", f" \ta:{BRANCH}\ta..b"), "fatal: the remote end hung up unexpectedly", 128),
        ((), "fatal: unable to access 'http://h/': Could not resolve host", 128),
        ((), "", 1),
    ],
)
def test_no_answer_decides_nothing(lines: tuple[str, ...], err: str, code: int) -> None:
    """A push whose end was not heard may have happened, whatever the exit code says."""
    assert isinstance(told(*lines, err=err, code=code), Unanswered)


def test_a_whole_push_is_refused() -> None:
    answer = told(err="fatal: unable to access 'https://h/': The requested URL returned error: 403", code=128)
    assert isinstance(answer, PushRefused)
    assert answer.ref == ""


def test_an_object_that_is_not_here_any_more() -> None:
    assert isinstance(told(err="error: src refspec 1234 does not match any", code=1), NotHere)


def test_bystanders_alone_tell_of_a_race() -> None:
    assert isinstance(told(f"!\ta:{STATE}\t[rejected] (atomic push failed)"), RaceLost)
