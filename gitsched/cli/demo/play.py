"""The play: make the project, fill the queue, run, and tell what it came to."""

from collections.abc import Iterator, Sequence
from typing import Final

from gitsched.cli.call import Call
from gitsched.cli.demo.fates import BATCH, SOLO, differences, fates_of
from gitsched.cli.demo.leftovers import end_processes
from gitsched.cli.demo.stage import SLOTS, Stage
from gitsched.cli.fault import INTERRUPTED
from gitsched.view.table import render_table
from gitsched.view.words import sentence_of

WRONG: Final = 1


def play(call: Call, stage: Stage) -> int:
    """Play it through and give the exit code: 0 when all went as it should."""
    began_s = _now_s()
    try:
        base = stage.build()
        _announce(call, stage)
        code = _run(call, stage)
        if code == INTERRUPTED:
            call.remark("Interrupted: nothing was compared.")
            return code
        _tell(call, stage, base)
        found = list(differences(stage, base, code))
        call.tell(_verdict(stage, found, _now_s() - began_s))
    finally:
        end_processes(stage)
    return WRONG if found else 0


def _now_s() -> float:
    from gitsched.adapters.clock import SystemClock

    return SystemClock.of_environment().monotonic_s()


def _announce(call: Call, stage: Stage) -> None:
    call.remark(f"A small shop stands in {stage.repo}: prices and a cart, with tests.")
    call.remark(
        f"Eleven issues are imported; {SLOTS} agents at a time work on them. One member will conflict, one fail"
    )
    call.remark("its gate, one hand back, and one break the suite, but only together with the others. One issue waits")
    call.remark("for the batch.\n")


def _run(call: Call, stage: Stage) -> int:
    quiet = ["--quiet"] if call.is_quiet else []
    for words in _commands(stage):
        shown = ["issues/*.md" if word.endswith(".md") else word for word in words]
        call.remark(f"$ gitsched {' '.join(dict.fromkeys(shown))}")
        if words[0] == "run":
            return stage.play(*words, *quiet)
        stage.gitsched(*words)
    raise AssertionError("the last command is the run")


def _commands(stage: Stage) -> Iterator[Sequence[str]]:
    yield ("init",)
    yield ("issue", "import", *stage.issue_files())
    yield ("enqueue", *map(str, BATCH))
    yield ("enqueue", str(SOLO))
    yield ("run", "--until-idle")


def _tell(call: Call, stage: Stage, base: str) -> None:
    status = stage.ask("status", "--all")
    titles = {entry["issue"]: entry["title"] for entry in status["entries"]}
    rows = [
        (f"#{issue}", titles.get(issue, ""), fate.kind, sentence_of(fate.reason), ", ".join(fate.evidence))
        for issue, fate in sorted(fates_of(stage, status).items())
    ]
    stage.gitsched("report", "b1", "--html", str(stage.report))
    call.tell("\nWhat did not ship, each kept on its branch:\n")
    call.tell(render_table(("issue", "title", "came to", "why", "evidence"), rows, call.look))
    call.tell(f"\n$ git log --oneline {base[:7]}..main\n")
    call.tell(stage.git("log", "--oneline", f"{base}..main"))
    call.tell(f"\nReport: {stage.report}")


def _verdict(stage: Stage, found: Sequence[str], took_s: float) -> str:
    if not found:
        return f"All went as it should, in {took_s:.0f} s."
    told = (f"- {sentence}." for sentence in found)
    return "\n".join([f"This is not as it should be; {stage.repo} is kept to look at:", *told])
