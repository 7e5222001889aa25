"""What a job tells its runner: no text of others is read as a command, ends an output, or closes a fence."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitsched.action.workflow import Runner, annotation

HOSTILE = "$(curl x)\n::set-output name=a::b\r\n::error::no\n##[set-env name=a]b\n%0A::stop-commands::x\x1b[31m"


def commands(log: str) -> list[str]:
    """List the lines that a runner would follow, as it reads them."""
    found, pause = [], None
    for line in log.splitlines():
        text = line.lstrip()
        if pause is not None:
            pause = None if text == f"::{pause}::" else pause
        elif text.startswith("::stop-commands::"):
            pause = text.removeprefix("::stop-commands::")
        elif text.startswith("::") or "##[" in text:
            found.append(text)
    return found


def test_no_command_is_injected_into_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    """W-30, the log and the annotations."""
    runner = Runner({})
    runner.log(HOSTILE)
    runner.log("")
    runner.annotate("warning", HOSTILE, HOSTILE)
    told = capsys.readouterr().out
    (only,) = commands(told)
    assert only.startswith("::warning title=")
    assert "##[" not in told


@given(st.text(), st.text())
def test_an_annotation_is_one_command_whatever_it_says(title: str, text: str) -> None:
    told = annotation("error", title, text)
    assert len(told.splitlines()) == 1
    assert re.fullmatch(r"::error title=[^:,]*::.*", told)


@given(st.text())
def test_a_log_holds_no_command(text: str) -> None:
    runner = Runner({})
    lines: list[str] = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("sys.stdout", _Lines(lines))
        runner.log(text)
    assert commands("".join(lines)) == []


class _Lines:
    def __init__(self, lines: list[str]) -> None:
        self.write, self.flush = lines.append, lambda: None


def test_an_output_holds_what_it_was_given(tmp_path: Path) -> None:
    """W-30, the outputs: nothing in a value can end it."""
    file = tmp_path / "output"
    runner = Runner({"GITHUB_OUTPUT": str(file), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary")})
    for _ in range(2):
        runner.put_out("status", "a\nEOF\nbatch<<x\nevil\nx\n::set-output name=a::b")
    runner.summarise("**done**")
    first = file.read_text().splitlines()
    end = first[0].removeprefix("status<<")
    assert re.fullmatch(r"end-[0-9a-f]{32}", end)
    assert first.index(end) == 7
    assert file.read_text().count("status<<end-") == 2
    assert len(set(re.findall(r"<<(end-\w+)", file.read_text()))) == 2
    assert (tmp_path / "summary").read_text() == "**done**\n"


def test_annotations_have_a_bound(capsys: pytest.CaptureFixture[str]) -> None:
    runner = Runner({})
    for number in range(15):
        runner.annotate("warning", "x", str(number))
    assert len(commands(capsys.readouterr().out)) == 10
