"""Opening an issue of ours in the embedded forge, once."""

from msgspec.structs import replace

from gitsched.adapters.forge.ledger import Writing
from gitsched.adapters.forge.marking import carries, marked
from gitsched.domain.forge import Issue


def open_once(forge: Writing, wanted: Issue, marker: str) -> int:
    """Open an issue, unless an open one of the same author carries the marker; give its number."""
    for number in forge.issue_numbers():
        known = forge.issue(number)
        if known is not None and known.is_open and known.author == wanted.author and carries(known.body, marker):
            return number
    number = forge.take_number()
    opened = replace(wanted, number=number, body=marked(wanted.body, marker))
    forge.write_issue(opened, f"Open issue {number}: {marker}")
    return number
