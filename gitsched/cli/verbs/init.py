"""`gitsched init`."""

from typing import TYPE_CHECKING

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb
from gitsched.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

    from gitsched.config.detect import SuiteFacts
    from gitsched.wiring.clone import Clone


@verb(example="gitsched init --target main")
@click.option("--forge", type=click.Choice(["local", "github"]), default="local", help="Where issues live.")
@click.option("--target", metavar="BRANCH", help="The branch to ship to; default: the one that is checked out.")
def init(call: Call, forge: str, target: str | None) -> int:
    """Write gitsched.toml with what is found here.

    Recognises the test runner, the agent and the remote that shares the state. Never overwrites, and writes no other
    file of yours; its own state lives in refs of the repository.
    """
    from gitsched.cli.driving import refuse_missing_target
    from gitsched.config.parse import FILENAME, parse_settings
    from gitsched.config.template import InitFacts, render_template
    from gitsched.wiring.survey import agent_here, remote_here, suite_here

    clone = call.clone
    file = clone.root / FILENAME
    if file.exists():
        call.set_up()
        call.tell(f"{file} is there already and is left as it is; the state is set up.")
        return 0
    branch = target or _target(clone)
    refuse_missing_target(clone, branch)
    suite, agent = suite_here(clone), agent_here()
    remote = remote_here(clone)
    text = render_template(InitFacts(target=branch, suite=suite, agent=agent, forge=forge, remote=remote))
    parse_settings(text, str(file))
    with file.open("x", encoding="utf-8") as written:
        written.write(text)
    call.afresh().set_up()
    call.tell(_told(file, branch, suite, agent))
    return 0


def _target(clone: "Clone") -> str:
    from gitsched.domain.ids import branch_ref
    from gitsched.wiring.survey import current_branch

    current = current_branch(clone)
    if current is not None:
        return current
    for name in ("main", "master"):
        if clone.refs.resolve(branch_ref(name)) is not None:
            return name
    raise ConfigError(
        "A branch to ship to was looked for.",
        "HEAD is detached, and there is no branch main or master.",
        "Name one: `gitsched init --target BRANCH`.",
    )


def _told(file: "Path", branch: str, suite: "SuiteFacts | None", agent: str | None) -> str:
    found = f"suite {' '.join(suite.run)}" if suite else "no test runner: declare [suite] before the first run"
    return "\n".join(
        [
            f"Wrote {file}: ships to {branch}; {found}; agent {agent or 'none found on PATH'}.",
            "Next: `gitsched doctor`.",
        ]
    )
