"""The Action's one step: take the event in, make a tick, and tell what came of it.

Level-triggered: a job that is lost loses nothing, because the next one looks at everything itself.
"""

import json
import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from gitsched.action.driving import Ended, call
from gitsched.action.event import Event, event_of
from gitsched.action.workflow import Runner
from gitsched.errors import GitschedError, RemoteAwayError, TemporaryError, UsageError
from gitsched.view.markdown import fenced
from gitsched.wiring.clone import Clone

TEMPORARY: Final = 75
CONFIGURED_AT: Final = "GITSCHED_CONFIGURED_AT"
_LONGEST_SUMMARY: Final = 100_000
_NO_WORKFLOWS: Final = (
    "Pushes and pull requests made with the workflow's own token start no workflows, so required checks may never run. "
    "Give the Action an App (`app-id`, `private-key`) or a token of its own; or let a person approve the checks."
)


def run(directory: Path, environment: Mapping[str, str] | None = None) -> int:
    """Do the step in a checkout and give the step's exit code."""
    given = dict(os.environ if environment is None else environment)
    runner = Runner(given)
    try:
        return _run(Clone(directory), given, runner)
    except TemporaryError as later:
        return _later(runner, str(later))
    except GitschedError as failed:
        runner.annotate("error", "gitsched", str(failed))
        runner.put_out("exit", str(failed.exit_code))
        return failed.exit_code


def _run(clone: Clone, environment: dict[str, str], runner: Runner) -> int:
    from gitsched.wiring.job import begin

    event = event_of(environment, clone.clock.now())
    if event.is_from_fork:
        told = "A pull request of a fork started this job: it has no secrets, and no agent is started."
        runner.annotate("notice", "Nothing is driven", told)
        runner.put_out("exit", "0")
        return 0
    clone.configured_at = environment.get("INPUT_CONFIG") or _default_branch(clone, event)
    credentials = begin(clone, environment)
    surroundings = {**environment, **credentials, CONFIGURED_AT: clone.configured_at or ""}
    wanted = environment.get("INPUT_COMMAND", "").strip()
    if wanted:
        ended = call([wanted, *_words(environment.get("INPUT_ARGS", "")), "-C", str(clone.root)], surroundings)
    else:
        later = _take_in(clone, event, runner)
        ended = call(["tick", "--until-blocked", "-C", str(clone.root)], surroundings)
        if later is not None and ended.code == 0:
            ended = Ended(TEMPORARY, f"{ended.said}\n{later}")
    runner.log(ended.said)
    afterwards = Clone(clone.root)
    afterwards.configured_at = clone.configured_at
    return _tell(afterwards, environment, runner, ended)


def _take_in(clone: Clone, event: Event, runner: Runner) -> str | None:
    """Take the event in; say why that is for another time where the forge gives no answer: work here goes on."""
    from gitsched.wiring.job import take_in

    try:
        runner.log(f"event: {take_in(clone, event.delivery)}")
    except RemoteAwayError:
        raise  # without the remote nothing is decided at all
    except TemporaryError as later:
        return str(later)
    return None


def _words(arguments: str) -> list[str]:
    try:
        return shlex.split(arguments)
    except ValueError as wrong:
        raise UsageError(
            f"`args` was to be read: {arguments!r}.", f"{wrong}.", "Close each quote; write \\' for the sign itself."
        ) from wrong


def _default_branch(clone: Clone, event: Event) -> str | None:
    """Name the revision whose configuration counts: the remote's default branch, else what is checked out."""
    from gitsched.wiring.job import has_ref

    named = (f"refs/remotes/origin/{event.default_branch}", f"refs/heads/{event.default_branch}")
    return next((name for name in named if event.default_branch and has_ref(clone, name)), None)


def _tell(clone: Clone, environment: Mapping[str, str], runner: Runner, ended: Ended) -> int:
    from gitsched.wiring.job import screen_of, status_of

    document = status_of(clone)
    live = document["batches"]
    runner.put_out("status", json.dumps(document, sort_keys=True, separators=(",", ":"), default=list))
    runner.put_out("batch", live[-1]["id"] if live else "")
    requests = [batch["pr"]["number"] for batch in live if batch["pr"]]
    runner.put_out("pr", str(requests[-1]) if requests else "")
    runner.summarise(f"### gitsched\n\n{fenced(screen_of(document), _LONGEST_SUMMARY)}\n")
    for batch in live:
        for exit_ in batch["evictions"]:
            title = f"Issue {exit_['issue']} left {batch['id']}"
            runner.annotate("warning", title, f"{exit_['kind']}: {exit_['reason']}")
    if requests and environment.get("GITSCHED_DEFAULT_TOKEN") == "true":
        runner.annotate("notice", "Checks will not start by themselves", _NO_WORKFLOWS)
        runner.summarise(f"> {_NO_WORKFLOWS}\n")
    if ended.code == TEMPORARY:
        return _later(runner, ended.said.strip() or "It is to be tried again.")
    runner.put_out("exit", str(ended.code))
    if ended.code != 0:
        runner.annotate("error", f"gitsched ended with {ended.code}", ended.said[-2_000:])
    return ended.code


def _later(runner: Runner, why: str) -> int:
    """End well where the moment is wrong: the next event or the schedule comes again."""
    runner.annotate("notice", "Come again", why[-2_000:])
    runner.put_out("exit", str(TEMPORARY))
    return 0
