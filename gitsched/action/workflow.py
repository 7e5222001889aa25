"""What a job tells its runner: outputs, a summary, annotations. Nothing of others' text is read as a command there.

Source: docs.github.com, "Workflow commands for GitHub Actions".
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from secrets import token_hex
from typing import Final, Literal

from gitsched.view.clean import clean, one_line

Level = Literal["notice", "warning", "error"]
_MOST_ANNOTATIONS: Final = 10
"""A step shows no more of each level."""
_OLD_COMMAND: Final = "##["


def annotation(level: Level, title: str, text: str) -> str:
    """Write an annotation; no text can end it or begin another command."""
    return f"::{level} title={_property(one_line(title))}::{_data(clean(text))}"


def _data(text: str) -> str:
    return _harmless(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _harmless(text: str) -> str:
    """Break the older form of commands, which is looked for anywhere in a line."""
    return text.replace(_OLD_COMMAND, "##\u200b[")


class Runner:
    """The runner of a job, by the files and the log that it reads."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Find the files by the runner's own variables; without them nothing is written."""
        self._output = environment.get("GITHUB_OUTPUT")
        self._summary = environment.get("GITHUB_STEP_SUMMARY")
        self._counts: dict[Level, int] = {}

    def put_out(self, name: str, value: str) -> None:
        """Set an output, whatever its value holds."""
        if self._output is None:
            return
        end = f"end-{token_hex(16)}"
        with Path(self._output).open("a", encoding="utf-8") as file:
            file.write(f"{name}<<{end}\n{value}\n{end}\n")

    def summarise(self, markdown: str) -> None:
        """Add to the job's summary."""
        if self._summary is not None:
            with Path(self._summary).open("a", encoding="utf-8") as file:
                file.write(f"{markdown}\n")

    def annotate(self, level: Level, title: str, text: str) -> None:
        """Show an annotation, as long as there is room for one."""
        self._counts[level] = self._counts.get(level, 0) + 1
        if self._counts[level] <= _MOST_ANNOTATIONS:
            sys.stdout.write(f"{annotation(level, title, text)}\n")
            sys.stdout.flush()

    def log(self, text: str) -> None:
        """Write lines into the log; commands in them are not followed."""
        pause = token_hex(16)
        lines = "\n".join(f"  {_harmless(line)}" for line in clean(text).splitlines())
        if lines:
            sys.stdout.write(f"::stop-commands::{pause}\n{lines}\n::{pause}::\n")
            sys.stdout.flush()
