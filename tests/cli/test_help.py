"""Help: every verb has its line, an example, -C and --quiet; the page of the reference is made of the same."""

import contextlib
import io
from collections.abc import Iterator

import click
import pytest

from gitsched.cli.catalogue import APP_VERBS, EVIDENCE_VERBS, ISSUE_VERBS, PR_VERBS, SCHEDULE_VERBS, VERBS
from gitsched.cli.lazy import LazyGroup
from gitsched.cli.main import gitsched, run
from tests.cli.calling import call
from tests.golden import Golden

READING = {
    "evidence verify",
    "logs",
    "report",
    "schedule list",
    "schedule show",
    *(
        "backtest",
        "stats",
        "status",
        "watch",
        "why",
        "show",
        "log",
        "plan",
        "doctor",
        "fsck",
        "app manifest",
        "issue list",
        "issue show",
        "pr list",
        "pr show",
    ),
}
HEAD = """\
# Command line

Written from the commands themselves by `make golden`; do not edit. The same is shown by `gitsched VERB --help`.

Exit codes: 0 done · 1 refused, or something needs a person · 2 usage or configuration · 3 internal error, with a
report to attach · 4 superseded by a newer run · 75 come again (busy, paused) · 130 interrupted.
"""


def commands() -> Iterator[tuple[str, click.Command]]:
    """Yield every verb with its full name, groups apart."""
    context = click.Context(gitsched, info_name="gitsched")
    for name in gitsched.list_commands(context):
        command = gitsched.get_command(context, name)
        assert command is not None
        if isinstance(command, LazyGroup):
            below = click.Context(command, info_name=name, parent=context)
            for inner in command.list_commands(below):
                found = command.get_command(below, inner)
                assert found is not None
                yield f"{name} {inner}", found
        else:
            yield name, command


VERB_LIST = list(commands())


@pytest.mark.parametrize(("name", "command"), VERB_LIST, ids=[name for name, _ in VERB_LIST])
def test_every_verb_has_an_example_and_the_options_of_all(name: str, command: click.Command) -> None:
    ended = call(*name.split(), "--help")
    assert ended.code == 0
    assert "Example:\n\n    gitsched " + name in ended.out
    assert "-C DIR" in ended.out
    assert "--quiet" in ended.out
    assert ("--json" in ended.out) is (name in READING)


def test_the_first_sentence_of_every_verb_is_its_line_in_the_list() -> None:
    lines = {
        **{verb: line for section in VERBS.values() for verb, line in section.items()},
        **{f"app {verb}": line for verb, line in APP_VERBS["Commands"].items()},
        **{f"issue {verb}": line for verb, line in ISSUE_VERBS["Commands"].items()},
        **{f"pr {verb}": line for verb, line in PR_VERBS["Commands"].items()},
        **{f"evidence {verb}": line for verb, line in EVIDENCE_VERBS["Commands"].items()},
        **{f"schedule {verb}": line for verb, line in SCHEDULE_VERBS["Commands"].items()},
    }
    assert {name: (command.help or "").split("\n")[0] for name, command in VERB_LIST} == {
        name: line for name, line in lines.items() if name not in ("app", "issue", "pr", "schedule", "evidence")
    }


def test_help_loads_no_verb_and_names_all() -> None:
    ended = call("--help")
    assert ended.code == 0
    assert all(f"  {verb} " in ended.out for section in VERBS.values() for verb in section)


def test_a_nearly_right_verb_is_corrected() -> None:
    ended = call("statis")
    assert (ended.code, ended.sentences[1]) == (2, "There is no verb 'statis'. The nearest are 'stats' and 'status'.")


def test_the_version_is_told() -> None:
    assert call("--version").out.startswith("gitsched, version ")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_can_complete(shell: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_GITSCHED_COMPLETE", f"{shell}_complete")
    monkeypatch.setenv("COMP_WORDS", "gitsched sta")
    monkeypatch.setenv("COMP_CWORD", "sta" if shell == "fish" else "1")
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with contextlib.redirect_stdout(out), pytest.raises(SystemExit):
        run([])
    out.seek(0)
    assert "status" in out.read()


def test_the_reference_is_what_the_commands_say(golden: Golden) -> None:
    golden("docs/reference/cli.md", "\n".join([HEAD, *(page(name, command) for name, command in VERB_LIST)]))


def page(name: str, command: click.Command) -> str:
    """Write one verb as a section of the reference."""
    # The help option is made once per command, with the names that the first context gives it.
    names = ["-h", "--help"]
    context = click.Context(
        command, info_name=f"gitsched {name}", max_content_width=100, terminal_width=100, help_option_names=names
    )
    return f"## {name}\n\n```text\n{command.get_help(context).replace(chr(8), '').rstrip()}\n```\n"
