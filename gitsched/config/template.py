"""A first gitsched.toml: what was found, written; what can be changed, as a comment."""

from dataclasses import dataclass

from gitsched.config.detect import SuiteFacts
from gitsched.config.presets import PRESETS
from gitsched.config.reading import leaves_of
from gitsched.config.rules import list_of, quoted
from gitsched.config.settings import Settings
from gitsched.config.spot import dotted


@dataclass(frozen=True, slots=True)
class InitFacts:
    """What `gitsched init` found, or was told."""

    target: str
    suite: SuiteFacts | None = None
    agent: str | None = None
    """The preset whose program was found; None: none."""
    forge: str = "local"
    remote: str = ""


def render_template(facts: InitFacts) -> str:
    """Write a file that `parse_settings` accepts, commented lines taken in or not.

    A line that starts with `#` and a letter or bracket, without a blank, is a setting at its
    default; taking the `#` away changes nothing until the value is changed.
    """
    parts = (_project(facts), _suite(facts.suite), _gates(), _agents(facts.agent), _limits(), _ship())
    return "\n".join(parts)


def _project(facts: InitFacts) -> str:
    return f"""\
# gitsched: what this repository asks of it. Lines that start with "#" and no blank show defaults.
# Every key and what it takes: docs/reference/configuration.md of gitsched.

[project]
target = {quoted(facts.target)}  # the branch that batches ship to
forge = {quoted(facts.forge)}
remote = {quoted(facts.remote)}  # "" keeps all state in this clone
"""


def _suite(suite: SuiteFacts | None) -> str:
    head = "# The suite judges the whole batch before it ships.\n"
    if suite is None:
        return f"""\
{head}# No test runner was recognised: take these three lines in, with your own command.
# Without any test, `run = "none"` says so, and the pull request will too.
#[suite]
#run = ["make", "test"]
#timeout = {_default("suite.timeout")}
"""
    lines = [f"{head}[suite]", f"run = {list_of(suite.run)}"]
    if suite.report != "none":
        lines += [
            f"report = {quoted(suite.report)}",
            f"rerun = {list_of(suite.rerun)}  # runs single tests again",
            f"ids = {quoted(suite.ids)}  # how a test of the report is named to it",
        ]
    lines += [f"#timeout = {_default('suite.timeout')}", f"#flaky = {_default('suite.flaky')}"]
    return "\n".join(lines) + "\n"


def _gates() -> str:
    return """\
# Gates judge one member's own tree before it lands; the suite covers what they leave out.
#[[gates]]
#name = "lint"
#run = ["make", "lint"]
#kind = "check"
"""


def _agents(agent: str | None) -> str:
    found = f"{agent} was found" if agent else "none of the presets was found on PATH"
    return f"""\
# The agent that does the work: {found}.
# "auto" takes the first of {", ".join(PRESETS)}; for any other command, name its profile here.
[agents]
default = {quoted(agent or "auto")}
#[agents.mine]
#command = ["./scripts/agent.sh", "{{prompt_file}}"]
#completion = "exit"
"""


def _limits() -> str:
    return f"""\
[slots]
#max = {_default("slots.max")}  # agents at once

[batch]
#max_members = {_default("batch.max_members")}

[worktrees]
#setup = [["npm", "ci"]]
#copy = [".env.test"]
"""


def _ship() -> str:
    return f"""\
[ship]
#merge = {_default("ship.merge")}  # "direct" merges by itself once the suite is green
"""


def _default(key: str) -> str:
    leaf = next(leaf for leaf in leaves_of(Settings()) if dotted(leaf.path) == key)
    return leaf.rule.render(leaf.default)
