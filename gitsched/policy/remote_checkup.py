"""What the doctor says of a remote that is the authority: how often it is pushed to, and what stays here."""

from collections.abc import Iterator

from msgspec import Struct

from gitsched.policy.precondition import Precondition, green


class RemoteLook(Struct, frozen=True, kw_only=True):
    """What is known of a remote without asking it."""

    name: str
    pushes_per_minute: int = 0
    """0: no limit."""
    is_discreet: bool = False
    """Logs, evidence and rescued work stay here."""


def remote_lines(look: RemoteLook) -> Iterator[Precondition]:
    """Say what holds of the remote; nothing of it is wrong."""
    many = f"at most {look.pushes_per_minute} pushes a minute go there" if look.pushes_per_minute else "pushes are free"
    yield green("remote-budget", f"The state is shared by '{look.name}': {many}.")
    if look.is_discreet:
        told = f"Logs, evidence and rescued work stay here: '{look.name}' is public, or GitHub has not been asked yet."
        yield green("remote-privacy", told, "Set store.publish = true to give them to it.")
    else:
        told = f"Logs, evidence and rescued work go to '{look.name}' with everything else."
        yield green("remote-privacy", told)
