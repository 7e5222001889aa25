"""What rides along with the next push: everything of gitsched's that this clone moved and no transaction names."""

from collections.abc import Mapping

from gitsched.adapters.git.process import Git
from gitsched.adapters.store.book import Book
from gitsched.adapters.store.following import LASTING, is_by_transaction
from gitsched.domain.ids import STATE_REF, branch_ref
from gitsched.domain.state import RefMove, State
from gitsched.domain.words import MemberStatus

_RIDING = ("refs/gitsched/", "refs/heads/gitsched/")
_NEVER = ("refs/gitsched/inbox",)
PRIVATE = ("refs/gitsched/evidence/", "refs/gitsched/rescue/")
"""Logs, reports and unfinished work: what a remote that everybody can read is not given unless asked."""
_PINNED = (MemberStatus.VERIFYING, MemberStatus.VERIFIED, MemberStatus.LANDED)


def pins(state: State) -> dict[str, str]:
    """Name the branches whose members' heads are pinned: what came later stays here until somebody has looked."""
    return {branch_ref(one.branch): one.head for one in state.members.values() if one.status in _PINNED and one.head}


def riders(git: Git, book: Book, pinned: Mapping[str, str], kept_back: tuple[str, ...] = ()) -> list[RefMove]:
    """List the moves that bring the remote to where this clone is, by what is known of the remote.

    What begins with `kept_back` is not brought there; what is gone here goes there too.
    """
    listed = git.run("for-each-ref", "--format=%(objectname) %(refname)", *_RIDING).lines()
    local = {name: oid for oid, name in (line.split(" ", 1) for line in listed)}
    local |= {name: head for name, head in pinned.items() if name in local}
    named = [*local, *(name for name in book.known if name not in local and name.startswith(_RIDING))]
    return [
        RefMove(name, book.known.get(name), local.get(name))
        for name in named
        if book.known.get(name) != local.get(name)
        and (not is_by_transaction(name) or _is_lost(name, book))
        and name not in book.astray
        and not name.startswith(_NEVER)
        and not (name in local and name.startswith(kept_back))
    ]


def _is_lost(name: str, book: Book) -> bool:
    """Say whether the remote lacks what transactions alone change there, and this clone has it: state aside."""
    return name in LASTING and name != STATE_REF and name not in book.known
