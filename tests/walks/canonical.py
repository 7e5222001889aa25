"""A town as it stands, without the names that are drawn by chance: two that are equal have the same future.

The clock of a swept town stands still, so that commits of the same content are the same commits.
"""

import json
import re
from hashlib import sha256
from typing import Any

import msgspec

from gitsched.domain.state import record_path
from tests.real_git import run_git
from tests.walks.town import Town

_BY_CHANCE = frozenset(
    ("token", "holder", "owner", "driver", "worker", "agent", "store", "evidence", "evidence_sha256")
)
_BY_TREE = ("refs/gitsched/forge", "refs/notes/")
_BY_NAMES = ("refs/gitsched/evidence/",)
_MARK = re.compile(r"(?<=-\d)\.[0-9a-f]{8}(?=/)")
"""What tells two runs of one check apart: the folder of what it left is called by it, and verdicts name the folder."""
_LEFT_OUT = (
    "refs/notes/gitsched/verdicts",
    "refs/gitsched/state",
    "refs/gitsched/keep",
    "refs/gitsched/runs/",
    "refs/gitsched/hosts/",
)
"""State and verdicts are compared record by record; what is kept only grows; runs by name and generation."""


def canonical(town: Town) -> str:
    """Digest everything that decides what becomes of a town."""
    return sha256(json.dumps(picture(town), sort_keys=True).encode()).hexdigest()


def picture(town: Town) -> dict[str, Any]:
    """Give everything that decides what becomes of a town."""
    return {
        "records": _records(town),
        "refs": _refs(town),
        "runs": sorted([batch, _named(name), gen] for (batch, name), gen in town.runner.runs().items()),
        "live": sorted([key[0], _named(key[1]), key[2], key in town.runner.orphans] for key in town.runner.live),
        "trees": sorted([str(path), owner is None] for path, owner in town.clone.trees.owners().items()),
    }


def _named(run: str) -> str:
    """Leave out the mark that tells two runs of one job apart."""
    return run.partition(".")[0]


def _records(town: Town) -> dict[str, Any]:
    state = town.state
    tables = (state.entries, state.batches, state.members, state.settings, state.leases, state.jobs, state.judged)
    others = (state.heard, state.costs, state.rates, state.schedules)
    rows = {record_path(record): record for table in (*tables, *others) for record in table.values()}
    return {path: _plain(msgspec.to_builtins(record)) for path, record in {**rows, "control": state.control}.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(name): _plain(part) for name, part in value.items() if name not in _BY_CHANCE}
    return [_plain(part) for part in value] if isinstance(value, list | tuple) else value


def _refs(town: Town) -> dict[str, Any]:
    lines = run_git(town.repo, "for-each-ref", "--format=%(refname) %(objectname) %(tree)").splitlines()
    found: dict[str, Any] = {}
    for line in lines:
        name, commit, tree = line.split(" ")
        if name.startswith(_BY_NAMES):
            listed = run_git(town.repo, "ls-tree", "-r", "--name-only", commit).splitlines()
            found[name] = sorted(_MARK.sub("", path) for path in listed)
        elif not name.startswith(_LEFT_OUT):
            found[name] = tree if name.startswith(_BY_TREE) else commit
    return found
