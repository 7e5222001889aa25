"""`gitsched completion`."""

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb

_HOW = {
    "bash": 'eval "$(gitsched completion bash)" in ~/.bashrc',
    "zsh": 'eval "$(gitsched completion zsh)" in ~/.zshrc, after compinit',
    "fish": "gitsched completion fish > ~/.config/fish/completions/gitsched.fish",
}


@verb(example="gitsched completion bash >> ~/.bashrc")
@click.argument("shell", type=click.Choice(sorted(_HOW)))
def completion(call: Call, shell: str) -> int:
    """Print what lets a shell complete verbs and options.

    The shell asks gitsched itself, so that what it offers is what this version has.
    """
    from click.shell_completion import get_completion_class

    from gitsched.cli.main import gitsched

    kind = get_completion_class(shell)
    assert kind is not None, "click knows every shell that may be named"
    call.show(f"# {_HOW[shell]}\n{kind(gitsched, {}, 'gitsched', '_GITSCHED_COMPLETE').source().strip()}")
    return 0
