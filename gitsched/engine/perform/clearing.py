"""Clearing away: trees that members need no more, and branches that a merge has made needless."""

from msgspec.structs import replace

from gitsched.domain.effects import ReleaseTree, TearDown
from gitsched.domain.events import EventName
from gitsched.domain.ids import branch_ref
from gitsched.domain.records import Batch, Member
from gitsched.domain.state import Draft, RefMove
from gitsched.domain.words import LEFT_MEMBERS, BatchStatus, MemberStatus
from gitsched.engine.desk import Desk
from gitsched.engine.release import give_tree_back, without_tree
from gitsched.policy.hosts import is_elsewhere


def tear_down(effect: TearDown, desk: Desk) -> None:
    """Give trees back and prune the branches that a merge has made needless; what stays is named."""
    batch = desk.state.batches[effect.batch]
    if batch.status is not BatchStatus.REPORTED:
        return
    members = desk.state.members_of(batch)
    failures, freed = [], []
    for member in members:
        if member.tree is None or is_elsewhere(desk.situation(desk.state), member.tree_host):
            continue  # a driver there gives it back
        why = give_tree_back(desk, member)
        if why is None:
            freed.append(without_tree(member))
        else:
            failures.append(f"{member.tree}: {why}")
    kept = _prune_branches(desk, batch, members)
    desk.record(lambda draft: _torn_down(draft, batch, freed, failures, kept))


def _prune_branches(desk: Desk, batch: Batch, members: tuple[Member, ...]) -> list[str]:
    kept = [f"{member.branch}: {member.reason}" for member in members if member.status in LEFT_MEMBERS and member.cut]
    needless = {member.branch: member.head for member in members if member.status is MemberStatus.SHIPPED}
    needless[batch.integration.branch] = batch.integration.head
    for name, head in needless.items():
        found = desk.around.refs.resolve(branch_ref(name))
        if found is None:
            continue
        if head is None or not desk.around.lander.is_ancestor(found, head):
            kept.append(f"{name}: it holds commits that were not merged")
            continue
        held_in = desk.around.refs.held_in(name)
        if held_in is not None:
            kept.append(f"{name}: it is checked out in '{held_in}'")
            continue
        # First there, then here: who dies between the two comes by again as long as it is here.
        desk.around.forge.withdraw(name, found)
        desk.around.refs.move([RefMove(branch_ref(name), found, None)])
    return kept


def _torn_down(draft: Draft, batch: Batch, freed: list[Member], failures: list[str], kept: list[str]) -> None:
    now = draft.state.batches[batch.id]
    if now.status is not BatchStatus.REPORTED:
        return
    draft.keeps += [member.head for member in draft.state.members_of(now) if member.head is not None]
    done = replace(now, status=BatchStatus.DONE, leftovers=(*now.leftovers, *failures, *kept), updated_at=draft.at)
    event = EventName.TEARDOWN_FAILED if failures else EventName.TEARDOWN_DONE
    sentence = f"{now.id} is done" + (f"; left over: {failures[0]}" if failures else "")
    draft.note(event, sentence[:200], done, *freed, batch=now.id, left=failures, kept=kept)


def release_tree(effect: ReleaseTree, desk: Desk) -> None:
    """Give a member's tree back, and record that it has none; a failure is told once and shown."""
    key = (effect.batch, effect.issue)
    member = desk.state.members.get(key)
    if member is None or member.tree is None:
        return
    why = give_tree_back(desk, member)

    def intent(draft: Draft) -> None:
        now, batch = draft.state.members.get(key), draft.state.batches.get(effect.batch)
        if now is None or batch is None or now.tree != member.tree:
            return
        if why is None:
            sentence = f"Give the tree of issue {now.issue} of {now.batch} back"
            draft.note(EventName.PROGRESS, sentence, without_tree(now), batch=now.batch, issue=now.issue)
            return
        left = replace(batch, leftovers=(*batch.leftovers, f"{now.tree}: {why}"))
        sentence = f"The tree of issue {now.issue} of {now.batch} could not be given back: {why}"
        draft.note(
            EventName.TEARDOWN_FAILED,
            sentence[:200],
            left,
            replace(without_tree(now), tree=None),
            batch=now.batch,
            issue=now.issue,
            left=[f"{now.tree}: {why}"],
        )

    desk.record(intent)
