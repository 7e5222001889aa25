"""`fsck`: look at everything that is kept, and name what is not as it has to be.

The world is looked at first and the records after it: they move first in every transaction, so that what a driver does
meanwhile is not taken for damage.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from gitsched.domain.ids import evidence_ref
from gitsched.domain.integrity import Finding, MoveLock, RemoveTree
from gitsched.domain.replay import statuses_of
from gitsched.domain.state import State
from gitsched.domain.words import Liveness
from gitsched.engine.doctor.looks import driver_liveness
from gitsched.engine.hygiene.premises import Premises
from gitsched.engine.hygiene.projection import notes_findings
from gitsched.policy.audit import audit
from gitsched.policy.integrity import Inspection, commits_named, integrity

_ALL = "refs/"


def findings_of(around: Premises) -> tuple[Finding, ...]:
    """Look at a clone and name what is wrong; nothing is changed."""
    refs, runs, owners = around.refs.below(_ALL), around.runner.runs(), around.trees.owners()
    state, archived = around.store.read(), around.store.ended()
    named = {**commits_named(archived), **commits_named(state)}
    missing = around.care.missing(named)
    look = Inspection(
        state=state,
        archived=archived,
        refs=refs,
        runs=runs,
        missing=missing,
        unkept=around.care.unkept(named.keys() - missing),
    )
    return (
        *_journal(around, state),
        *integrity(look),
        *notes_findings(around, state, archived),
        *_evidence(around),
        *_locks(around),
        *_trees(around, state, owners),
    )


def _journal(around: Premises, state: State) -> Iterator[Finding]:
    history = list(around.care.audited())
    cut = next((audited.commit for audited in history if audited.cut), None)
    base = statuses_of(around.store.read_at(cut)) if cut is not None else {}
    for finding in audit(history, statuses_of(state), base):
        # Of a record that cannot be read the status is not known; that is told already.
        if not (finding.code == "journal-differs" and finding.unit in state.unreadable):
            yield finding


def _evidence(around: Premises) -> Iterator[Finding]:
    for batch, path, what in around.care.damage():
        ref = evidence_ref(batch)
        message = f"The evidence {path}: {what}."
        fix = f"Take it from another clone, or say what happened; `git log {ref} -- {path}` shows who wrote it."
        yield Finding(code="evidence-damaged", unit=batch, message=message, fix=fix)


def _locks(around: Premises) -> Iterator[Finding]:
    for lock in around.care.stale_locks():
        message = f"The lock '{lock.file}' is held by no process."
        fix = "`gitsched fsck --fix` moves it aside."
        yield Finding(code="lock-stale", unit=lock.ref, message=message, fix=fix, mend=MoveLock(lock))


def _trees(around: Premises, state: State, owners: Mapping[Path, str | None]) -> Iterator[Finding]:
    named = {member.tree for member in state.members.values()} | {job.place for job in state.jobs.values()}
    drivers = {name for name, seen in driver_liveness(state, around.processes).items() if seen is not Liveness.GONE}
    for path, owner in sorted(owners.items()):
        # A driver names the trees in which it tries things out after itself, and puts them on no record.
        if str(path) in named or (owner is not None and owner.rpartition("/")[2] in drivers):
            continue
        holds_work = path.is_dir() and bool(around.work.uncommitted(path))
        message = f"The worktree {path} belongs to nothing on record" + (
            " and holds uncommitted work." if holds_work else "."
        )
        fix = f"Look at it: `git -C {path} status`." if holds_work else "`gitsched fsck --fix` removes it."
        mend = None if holds_work else RemoveTree(str(path))
        yield Finding(code="worktree-orphan", unit=owner or str(path), message=message, fix=fix, mend=mend)
