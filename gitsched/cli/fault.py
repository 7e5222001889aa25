"""Faults: the one place where an error becomes three sentences, an exit code and, for ours, a report."""

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import click

from gitsched.errors import GitschedError, out_of_space

INTERNAL: Final = 3
INTERRUPTED: Final = 130
_REMEDY: Final = "`gitsched doctor` looks at every precondition."
_AGAIN: Final = "Call again; if it stays so, `gitsched doctor` looks at every precondition."


def guarded(action: Callable[[], int | None], argv: Sequence[str]) -> int:
    """Run the command line and give its exit code; what goes wrong is told on standard error."""
    try:
        return action() or 0
    except GitschedError as error:
        return _refused(out_of_space(error) or error, argv)
    except click.exceptions.NoArgsIsHelpError as error:
        sys.stderr.write(f"{error.format_message()}\n")  # a screen of help, not a sentence
        return 2
    except click.UsageError as error:
        _tell(*_usage_sentences(error, argv))
        return 2
    except click.ClickException as error:
        _tell(f"{_shown(argv)} was asked.", error.format_message(), "`gitsched --help` names the verbs.")
        return 2
    except (KeyboardInterrupt, click.Abort):
        _tell(f"{_shown(argv)} was interrupted.", "What was running goes on by itself.", "The same command continues.")
        return INTERRUPTED
    except BrokenPipeError:
        sys.stdout = None  # whoever read it has enough; there is nothing left to flush
        return 0
    except Exception as error:  # noqa: BLE001 - this face answers for whatever nobody foresaw
        full = out_of_space(error)
        if full is not None:
            return _refused(full, argv)
        return _internal(f"{_shown(argv)} was asked.", "gitsched itself failed.", argv)


def _refused(error: GitschedError, argv: Sequence[str]) -> int:
    if error.exit_code == INTERNAL:
        return _internal(error.asked, error.against, argv)
    _tell(error.asked, error.against, error.remedy or (_REMEDY if error.retry == "never" else _AGAIN))
    return error.exit_code


def _internal(asked: str, against: str, argv: Sequence[str]) -> int:
    from gitsched.cli.crash import write_report

    path = write_report(argv)
    _tell(asked, against, f"Please attach this report: {path}" if path else "No report could be written.")
    return INTERNAL


def _usage_sentences(error: click.UsageError, argv: Sequence[str]) -> Iterator[str]:
    path = error.ctx.command_path if error.ctx is not None else "gitsched"
    yield f"{_shown(argv)} was asked."
    yield error.format_message()
    yield f"`{path} --help` says what it takes."


def _shown(argv: Sequence[str]) -> str:
    return f"`gitsched {' '.join(argv[:2])}`" if argv else "`gitsched`"


def _tell(*sentences: str) -> None:
    from gitsched.view.clean import one_line

    told = [one_line(sentence, 1000) for sentence in sentences if sentence]
    sys.stderr.write("\n".join(told) + "\n")
    sys.stderr.flush()


def contained(step: Callable[[], None]) -> Exception | None:
    """Run one step of a driver; what it raises beyond the expected holds its unit, never the tick.

    The tick tells what is only temporary, a full disk or a race that was lost too often, from a unit's own failure.
    """
    try:
        step()
    except GitschedError as error:
        return out_of_space(error) or error
    except Exception as error:  # noqa: BLE001 - one unit's surprise must not stop the others
        full = out_of_space(error)
        if full is not None:
            return full
        from gitsched.cli.crash import write_report

        write_report(("run",))
        return error
    return None
