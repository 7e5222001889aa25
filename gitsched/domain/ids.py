"""Names: ids of batches, branches and refs, and what makes each of them valid."""

import re
from collections.abc import Iterator
from itertools import count

STATE_REF = "refs/gitsched/state"
KEEP_REF = "refs/gitsched/keep"
FORGE_REF = "refs/gitsched/forge"
INBOX_REF = "refs/gitsched/inbox"
RUNS_PREFIX = "refs/gitsched/runs/"
ARCHIVE_REF = "refs/gitsched/archive"
VERDICT_NOTES = "refs/notes/gitsched/verdicts"
LANDING_NOTES = "refs/notes/gitsched/landings"
BATCH_NOTES = "refs/notes/gitsched/batches"

_BATCH_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_FAR_RUN = re.compile(r"([a-z0-9][a-z0-9-]{0,39})/([1-9][0-9]{0,17})/([0-9]{1,9})/([0-9a-f]{8})")
_SOLO_ID = re.compile(r"i\d+(-\d+)?(-[0-9a-f]{4})?")


def is_batch_id(text: str) -> bool:
    """Say whether `text` may name a batch."""
    return _BATCH_ID.fullmatch(text) is not None


def is_reserved_batch_id(text: str) -> bool:
    """Say whether `text` has the form that solo batches are given by themselves."""
    return _SOLO_ID.fullmatch(text) is not None


def integration_branch(folder: str) -> str:
    """Name the branch on which a batch's members land, without `refs/heads/`; `folder` is its id, if that is free."""
    return f"gitsched/{folder}/integration"


def member_branch(folder: str, index: int, issue: int) -> str:
    """Name a member's own branch, without `refs/heads/`; `folder` as for `integration_branch`."""
    return f"gitsched/{folder}/m{index}-i{issue}"


def branch_folder(branch: str) -> str:
    """Name the folder that an integration or member branch lies in."""
    return branch.split("/")[1]


def branch_folders(batch: str) -> Iterator[str]:
    """Yield the folders that a batch's branches may lie in, its id first: no other batch can have any of them."""
    yield batch
    yield from (f"{batch}.{number}" for number in count(2))


def branch_ref(branch: str) -> str:
    """Name the full ref of a branch."""
    return f"refs/heads/{branch}"


def run_ref(batch: str, name: str) -> str:
    """Name the ref of one run: `name` is the issue's number, or a job's name."""
    return f"refs/gitsched/runs/{batch}/{name}"


def far_run(batch: str, name: str, gen: int, token: str) -> str:
    """Name one run for a worker on another machine: `b1/3/0/1a2b3c4d`."""
    return f"{batch}/{name}/{gen}/{token[:8]}"


def far_run_in(text: str) -> tuple[str, str, int, str] | None:
    """Read batch, issue, generation and the beginning of the token from such a name; None: it is none."""
    found = _FAR_RUN.fullmatch(text)
    return (found[1], found[2], int(found[3]), found[4]) if found is not None else None


def far_ref(run: str, kind: str) -> str:
    """Name a ref beside the run ref of a far run: its `order`, its `log`, or the word to `stop`."""
    batch, name, gen, token = run.split("/")
    return f"{run_ref(batch, name)}.{gen}.{token}.{kind}"


def run_id(batch: str, name: str, gen: int) -> str:
    """Name one run of a clone: for people, and in the reflog of what it commits."""
    return f"{batch}/{name}/{gen}"


def run_folder(common: str, batch: str, name: str, gen: int) -> str:
    """Name the folder of one run below the common git directory: its order, prompt and log lie there."""
    return f"{common}/gitsched/runs/{run_id(batch, name, gen)}"


def evidence_ref(batch: str) -> str:
    """Name the ref that keeps a batch's evidence."""
    return f"refs/gitsched/evidence/{batch}"


def rescue_prefix(batch: str, issue: int) -> str:
    """Name what all refs of a member's rescued work begin with."""
    return f"refs/gitsched/rescue/{batch}/{issue}/"


def rescue_ref(batch: str, issue: int, number: int) -> str:
    """Name the ref of the `number`-th rescue of a member's uncommitted work."""
    return f"{rescue_prefix(batch, issue)}{number}"


def solo_id(issue: int, attempt: int, mark: str = "") -> str:
    """Name the `attempt`-th (1-based) solo batch of an issue; `mark` is the clone's that works apart from others."""
    return marked(f"i{issue}" if attempt == 1 else f"i{issue}-{attempt}", mark)


def marked(name: str, mark: str) -> str:
    """End an id with the mark of the clone that gives it, if it has one."""
    return f"{name}-{mark}" if mark else name


def host_name(machine: str, mark: str) -> str:
    """Name a clone as a host: its machine, and its mark where it shares a remote."""
    return f"{machine}+{mark}" if mark else machine


def is_other_clone(host: str, own: str) -> bool:
    """Say whether two hosts are clones with marks of their own. A machine's name changes, a mark does not."""
    mark, own_mark = (name.rpartition("+")[2] if "+" in name else "" for name in (host, own))
    return bool(mark) and bool(own_mark) and mark != own_mark
