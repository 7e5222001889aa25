"""Errors: each class has its exit code, whatever it is is told in sentences, and a step of a driver is contained."""

import errno
import sys
from collections.abc import Callable
from typing import NoReturn

import click
import pytest

from gitsched import errors
from gitsched.cli.fault import contained, guarded
from gitsched.cli.main import run


def raising(error: BaseException) -> Callable[[], NoReturn]:
    def action() -> NoReturn:
        raise error

    return action


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.RefusedError("Asked.", "Against.", "Do."), 1),
        (errors.TransitionError("batch", "done", "sealed"), 1),
        (errors.UnknownUnitError("Asked.", "Against.", "Do."), 1),
        (errors.UsageError("Asked.", "Against.", "Do."), 2),
        (errors.ConfigError("Asked.", "Against.", "Do."), 2),
        (errors.FormatError("Asked.", "Against.", "Do."), 2),
        (click.BadParameter("No such thing."), 2),
        (click.ClickException("Odd."), 2),
        (errors.RecordUnreadableError("control", "1" * 40, "no JSON"), 3),
        (errors.GitFailedError("fetch", 128, "no"), 3),
        (ZeroDivisionError(), 3),
        (errors.SupersededError("Asked.", "Against.", "Do."), 4),
        (errors.BusyError("Asked.", "Against.", "Do."), 75),
        (errors.StorageFullError("Asked.", "Against."), 75),
        (OSError(errno.ENOSPC, "No space left on device"), 75),
        (errors.GitFailedError("add", 128, "error: a: No space left on device"), 75),
        (errors.PausedError("Asked.", "Against.", "Do."), 75),
        (errors.InterruptedByUserError("Asked.", "Against.", "Do."), 130),
        (KeyboardInterrupt(), 130),
        (click.Abort(), 130),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else str(value),
)
def test_every_error_has_its_code_and_three_sentences(
    error: BaseException, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """I-03: one case per exit code; I-04: three sentences, and nothing on standard output."""
    assert guarded(raising(error), ["seal", "b1"]) == code
    told = capsys.readouterr()
    assert (told.out, len(told.err.splitlines())) == ("", 3)


def test_a_good_end_is_0_and_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert [guarded(lambda: None, []), guarded(lambda: 0, []), guarded(lambda: 1, [])] == [0, 0, 1]
    assert capsys.readouterr() == ("", "")


def test_a_reader_that_has_enough_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", sys.stdout)
    assert guarded(raising(BrokenPipeError()), ["log"]) == 0


def test_other_peoples_words_in_an_error_steer_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    guarded(raising(errors.RefusedError("A\x1b[2J\nB.", "\u202eC.", "D.")), [])
    assert capsys.readouterr().err == "A B.\nC.\nD.\n"


def test_a_step_of_a_driver_is_contained() -> None:
    """What a step raises is given back, for the driver to judge; what nobody expected leaves a report as well."""
    errors_given = [ZeroDivisionError(), errors.RefusedError("Asked."), errors.BusyError("Asked.")]
    assert contained(lambda: None) is None
    assert [contained(raising(error)) for error in errors_given] == errors_given


@pytest.mark.parametrize(("argv", "line"), [([], "  doctor  Check every"), (["issue"], "  new      Make an issue")])
def test_without_a_verb_the_whole_help_is_shown(argv: list[str], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A group called alone says what it takes as `--help` does, line by line, and ends with 2."""
    assert run(argv) == 2
    told = capsys.readouterr()
    assert run([*argv, "--help"]) == 0
    assert (told.out, told.err) == ("", capsys.readouterr().out)
    assert line in told.err


def test_two_verbs_that_are_as_near_are_both_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["statsu"]) == 2
    assert "The nearest are 'stats' and 'status'." in capsys.readouterr().err
    assert run(["docter"]) == 2
    assert "The nearest is 'doctor'." in capsys.readouterr().err


def test_what_the_system_refuses_is_told_without_its_number() -> None:
    assert errors.in_words(FileNotFoundError(errno.ENOENT, "No such file or directory", "x.md")) == (
        "No such file or directory"
    )
    assert errors.in_words(ValueError("odd")) == "odd"
