"""A stand-in fleet: machines that run the member workflow's own step, with nothing but what it declares."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from threading import Thread

import psutil

from tests.github.fake.hub import Hub
from tests.github.fake.model_evidence import WorkflowRun
from tests.github.fake.verbs import RepositoryVerbs
from tests.golden import ROOT
from tests.real_git import run_git

FILE = ROOT / "docs/how-to/workflows/gitsched-member.yml"
_EXPRESSION = re.compile(r"\$\{\{ *([a-z_.]+) *\}\}")
_TERM_AFTER_S, _KILL_AFTER_S = 7.5, 2.5
"""What GitHub leaves a cancelled step."""


class Machines:
    """Starts a job for each dispatch, unless it is told to lose it."""

    def __init__(self, hub: Hub, repository: RepositoryVerbs, folder: Path) -> None:
        """Have machines at hand."""
        self._hub, self._repository, self._folder = hub, repository, folder
        self._text = FILE.read_text()
        self.runs: list[WorkflowRun] = []
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.lost: set[str] = set()
        """Runs of ours whose job never starts."""
        self._threads: list[Thread] = []

    def start(self, run: WorkflowRun) -> None:
        """Run a job on a machine of its own."""
        self.runs.append(run)
        if str(run.inputs["work"]).rsplit("/", 1)[0] not in self.lost:
            self._threads.append(Thread(target=self._job, args=(run,), daemon=True))
            self._threads[-1].start()

    def cancel(self, run: WorkflowRun) -> None:
        """Send a cancelled job what GitHub's runners send, without waiting."""
        process = self.processes.get(str(run.inputs["work"]))
        if process is None:
            self._repository.end_run(run, "cancelled")
            return
        self._threads.append(Thread(target=_end, args=(process,), daemon=True))
        self._threads[-1].start()

    def kill(self, run: str) -> None:
        """Let a machine go without a word."""
        found = next(process for name, process in self.processes.items() if name.startswith(run))
        whole = psutil.Process(found.pid)
        for process in (whole, *whole.children(recursive=True)):
            process.kill()

    def cancel_named(self, run: str) -> None:
        """Cancel the job of a run of ours, as a person does on GitHub's page."""
        self.cancel(next(one for one in self.runs if str(one.inputs["work"]).startswith(run)))

    def await_end(self, run: str) -> None:
        """Wait until the job of a run of ours is over, whose steps may end as they like."""
        next(process for name, process in self.processes.items() if name.startswith(run)).wait(60.0)

    def asked(self) -> list[str]:
        """List the runs that a job was dispatched for, without the beginnings of their tokens."""
        return [str(run.inputs["work"]).rsplit("/", 1)[0] for run in self.runs]

    def join(self) -> None:
        """Wait until every job is over."""
        for thread in self._threads:
            thread.join(60.0)
            assert not thread.is_alive()

    def _job(self, run: WorkflowRun) -> None:
        home = self._folder / str(run.id)
        (home / "gitsched/bin").mkdir(parents=True)
        python = home / "gitsched/bin/python"
        python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
        python.chmod(0o755)
        run_git(home, "clone", "-q", "--depth=1", f"file://{self._repository.model.path}", "work")
        values = {"inputs.work": str(run.inputs["work"]), "runner.temp": str(home), "github.token": self._token()}
        env, script = self._step(values)
        run.status = "in_progress"
        with (home / "errors").open("wb") as errors:
            process = subprocess.Popen(
                ["bash", "-e", "-c", script],
                cwd=home / "work",
                env={**env, **self._machine(run, home)},
                start_new_session=True,
                stdout=errors,
                stderr=subprocess.STDOUT,
            )
        self.processes[values["inputs.work"]] = process
        self._repository.end_run(run, "success" if process.wait() == 0 else "failure")

    def _step(self, values: dict[str, str]) -> tuple[dict[str, str], str]:
        """Read the last step's own environment and command."""
        step = self._text.rpartition("- name: ")[2]
        env = dict(re.findall(r"^ {10}([A-Z_]+): (.*)$", step, re.MULTILINE))
        script = re.search(r"^ {8}run: (.*)$", step, re.MULTILINE)
        assert script is not None
        assert "${{" not in script[1]
        return {name: _EXPRESSION.sub(lambda found: values[found[1]], text) for name, text in env.items()}, script[1]

    def _machine(self, run: WorkflowRun, home: Path) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "GITHUB_ACTIONS": "true",
            "GITHUB_RUN_ID": str(run.id),
            "GITHUB_SERVER_URL": self._hub.web_url,
            "GITHUB_REPOSITORY": "acme/shop",
            "GITHUB_ENV": str(home / "env"),
        }

    def _token(self) -> str:
        return self._hub.app.token(contents="write")


def _end(process: subprocess.Popen[bytes]) -> None:
    for number, left_s in ((signal.SIGINT, _TERM_AFTER_S), (signal.SIGTERM, _KILL_AFTER_S), (signal.SIGKILL, 5.0)):
        process.send_signal(number)
        try:
            process.wait(left_s)
        except subprocess.TimeoutExpired:
            continue
        return
