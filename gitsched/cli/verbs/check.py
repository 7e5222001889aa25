"""`gitsched check`."""

from gitsched.cli.call import Call
from gitsched.cli.verb import verb


@verb(example="gitsched check || exit")
def check(call: Call) -> int:
    """Ask whether this run is still the current one.

    Exit code 0: it is. Exit code 4: a newer run has taken over, stop working.
    """
    from gitsched.cli import inside
    from gitsched.errors import SupersededError

    who = inside.identity()
    if not inside.at_work(call, who).poster.check(who.batch, who.name, who.gen, who.token):
        raise SupersededError(
            f"Generation {who.gen} of issue {who.name} in {who.batch} asked whether it is current.",
            "A newer generation has taken over.",
            f"Stop working; `gitsched why {who.name}` tells the rest.",
        )
    call.tell(f"Generation {who.gen} is current.")
    return 0
