"""Launch: prepare a member's tree, confirm its lease, and spawn its agent (second section of admission)."""

from hashlib import sha256
from pathlib import Path
from typing import assert_never

from msgspec import Struct
from msgspec.structs import asdict, replace

from gitsched.config.profiles import resolve_profile
from gitsched.domain.effects import Launch
from gitsched.domain.events import EventName
from gitsched.domain.forge import Issue
from gitsched.domain.ids import branch_ref
from gitsched.domain.landing import Rebased, Terms, Work
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.records import Batch, Exit, Lease, Member
from gitsched.domain.state import Draft, State
from gitsched.domain.words import MemberStatus, RunStatus
from gitsched.engine.briefing import Briefing, prompt_facts
from gitsched.engine.conversion import noting_rules, rules_of
from gitsched.engine.desk import Desk, was_applied
from gitsched.engine.perform.setup import claim_setup
from gitsched.engine.perform.starting import Footing, footing_away, footing_here, start_here, tree_away
from gitsched.engine.release import give_slot_back, has_tree_here, release_unstarted, tree_owner
from gitsched.engine.sweep import release_earlier_trees
from gitsched.policy.depend import needs_head
from gitsched.policy.health import stops_everything
from gitsched.policy.launching import Anew, BranchLook, Carry, GoOn, beginning, stands_against
from gitsched.ports.worktrees import Tree, TreeRefused
from gitsched.view.prompt import render_prompt

RECUTS = 3
"""How often a tree is cut again because the integration head moved under it, within one launch."""


class Start(Struct, frozen=True, kw_only=True):
    """Where a member's branch begins."""

    cut: str
    """Its own commits are those beyond this one."""
    at: str
    """The commit its tree is handed out at: beyond `cut` when earlier work was carried along."""
    since: str
    """The commit beyond which work counts as its own in this batch; before `at` where its branch is gone on with."""
    earlier: str | None = None
    """Head of earlier work that could not be carried, for the agent to look at."""


def launch(effect: Launch, desk: Desk) -> None:
    """Prepare the tree and spawn the agent; a refusal gives the slot back and leaves nothing behind."""
    is_away = desk.around.fleet is not None
    for _ in range(RECUTS):
        lease, member = _leased(desk, effect)
        if lease is None or member is None:
            return
        if isinstance(desk.facts.issues, Unreachable):
            return  # nobody is sent to work on what cannot be read
        batch = desk.state.batches[effect.batch]
        against = stands_against(desk.state, desk.current, member, desk.facts.issues.get(member.issue))
        if against is not None:
            give_slot_back(desk, lease, against)
            return
        start = start_of(desk, batch, member, lease, is_away=is_away)
        tree = tree_away(desk, member, start.at) if is_away else tree_for(desk, member, lease, start)
        if isinstance(tree, TreeRefused):
            release_unstarted(desk, lease, tree)
            return
        if not is_away and member.setup_done < len(desk.settings_of(batch).worktrees.setup):
            claim_setup(desk, member, lease, tree, (start.cut, start.since))
            return
        if _spawn(desk, batch, lease, tree, start):
            return
        if member.tree is None and not is_away:
            desk.around.trees.release(tree.path, [tree_owner(member.batch, member.issue, lease.gen)])


def _leased(desk: Desk, effect: Launch) -> tuple[Lease | None, Member | None]:
    key = (effect.batch, effect.issue)
    lease, member = desk.state.leases.get(key), desk.state.members.get(key)
    waits = (RunStatus.ASSIGNED, RunStatus.RECOVERING)
    if lease is None or lease.gen != effect.gen or lease.status not in waits:
        return None, None
    return lease, member if member is not None and member.status is MemberStatus.PREPARING else None


def start_of(desk: Desk, batch: Batch, member: Member, lease: Lease, *, is_away: bool = False) -> Start:
    """Say where a run begins: in the tree it has, on what its branch holds, or on a new cut."""
    lander, tip = desk.around.lander, desk.around.refs.resolve(branch_ref(member.branch))
    look = BranchLook(
        tree_is_here=not is_away and has_tree_here(desk, member),
        tip=tip,
        tip_holds_cut=member.cut is not None and tip is not None and lander.is_ancestor(member.cut, tip),
        kept=_kept_head(desk, member.prior) if member.prior is not None else None,
    )
    begins = beginning(batch, member, desk.state.members_of(batch), look)
    match begins:
        case GoOn(cut, at, since):
            return Start(cut=cut, at=at, since=since)
        case Anew(onto, earlier):
            return Start(cut=onto, at=onto, since=onto, earlier=earlier)
        case Carry(onto, cut, kept):
            terms = Terms(committer=desk.committer(lease.acquired_at), decoration=None)
            carried = lander.land(Work(cut=cut, pinned=kept), onto, terms)
            if isinstance(carried, Rebased):
                return Start(cut=onto, at=carried.head, since=carried.head)
            return Start(cut=onto, at=onto, since=onto, earlier=kept)
        case _:
            assert_never(begins)


def _kept_head(desk: Desk, prior: Exit) -> str | None:
    """Name the head of the kept work: the branch as it is now, while that holds what was pinned.

    A run that was cut short has no pinned head, and a person may have gone on with a parked branch.
    """
    tip = desk.around.refs.resolve(branch_ref(prior.branch)) if prior.branch is not None else None
    if tip is None or (prior.head is not None and not desk.around.lander.is_ancestor(prior.head, tip)):
        return prior.head
    return tip


def tree_for(desk: Desk, member: Member, lease: Lease, start: Start) -> Tree | TreeRefused:
    """Give a run its tree: the one that its member has, or another."""
    owner = tree_owner(member.batch, member.issue, lease.gen)
    broken = desk.mend(member)
    if has_tree_here(desk, member) and (broken is None or broken.left is None):
        return desk.around.trees.reclaim(owner, Path(member.tree or ""))
    if broken is None and member.tree is not None and member.tree_host == desk.me.host:
        desk.around.trees.remove(Path(member.tree))
    if lease.gen > 0:
        release_earlier_trees(desk, member.batch, member.issue, owner)
    current = desk.around.refs.resolve(branch_ref(member.branch))
    if current is not None and not desk.around.lander.is_ancestor(current, start.at):
        desk.record(lambda draft: draft.keeps.append(current))
    tree = desk.around.trees.acquire(owner, start.at, member.branch, move_from=current)
    names = desk.settings_of(desk.state.batches[member.batch]).worktrees.copy
    if isinstance(tree, Tree) and names:
        desk.around.trees.copy_list(tree.path, names)
    return tree


def _spawn(desk: Desk, batch: Batch, lease: Lease, tree: Tree, start: Start) -> bool:
    """Confirm and spawn; False when the tree is not wanted any more, or must be cut again as the head has moved.

    `batch` is as it was when it was decided where the tree is cut.
    """
    member = desk.state.members[lease.batch, lease.issue]
    issue = _issue(desk, member)
    if issue is None:
        return False
    profile = resolve_profile(desk.settings_of(batch).agents, lease.profile, lease.tier)
    if profile is None:
        release_unstarted(desk, lease, TreeRefused(reason=f"profile-missing:{lease.profile}", detail=""))
        return False
    briefing = Briefing(
        batch=batch,
        member=member,
        lease=lease,
        issue=issue,
        profile=profile,
        tree=tree,
        cut=start.cut,
        earlier=start.earlier,
    )
    prompt = render_prompt(profile.prompt, prompt_facts(desk, briefing))
    look = desk.look or desk.look_at_checkout()
    against = stands_against(desk.state, desk.current, member, issue)
    if against is not None:
        give_slot_back(desk, lease, against)
        return False
    fleet = desk.around.fleet
    footing = footing_here(tree, look) if fleet is None else footing_away(desk, fleet, briefing, prompt)
    if not was_applied(desk.record(lambda draft: _confirm(draft, desk, briefing, start, footing))):
        return False
    if fleet is None:
        start_here(desk, briefing, prompt)
    else:
        fleet.send(lease.batch, str(lease.issue), lease.gen)
    return True


def _confirm(draft: Draft, desk: Desk, briefing: Briefing, start: Start, footing: Footing) -> None:
    """Record the spawn, unless the lease, the member or the world is not what the tree was made for any more."""
    wanted = _still_wanted(draft.state, desk, briefing)
    if wanted is None:
        return
    now, unit = wanted
    spawned = replace(
        unit,
        status=MemberStatus.RUNNING,
        cut=start.cut,
        start=start.since,
        tree=footing.tree,
        tree_host=now.holder.host if footing.tree is not None else None,
        text_hash=_text_hash(briefing.issue),
    )
    draft.keeps += [start.at, *([footing.keep] if footing.keep is not None else [])]
    draft.moves += footing.moves
    host, look = now.holder.host, footing.look
    watched = None if look is None else replace(look, conversion=rules_of(draft.state, host, look.conversion))
    draft.note(
        EventName.SPAWNED,
        f"Start {briefing.profile.name} on issue {unit.issue} of {unit.batch}, run {now.gen}",
        replace(now, status=RunStatus.RUNNING, spawned_at=draft.at, reason=None, checkout=watched and asdict(watched)),
        spawned,
        *(noting_rules(draft.state, host, look.conversion) if look is not None else ()),
        batch=unit.batch,
        issue=unit.issue,
        gen=now.gen,
        profile=briefing.profile.name,
        tier=str(briefing.profile.tier),
        cut=start.cut,
    )


def _still_wanted(state: State, desk: Desk, briefing: Briefing) -> tuple[Lease, Member] | None:
    """Give lease and member as they are, if the tree was made for them as they are; None: it is of no use."""
    lease, key = briefing.lease, (briefing.lease.batch, briefing.lease.issue)
    now, unit = state.leases.get(key), state.members.get(key)
    if now is None or now.gen != lease.gen or now.status is not lease.status:
        return None
    if unit is None or unit.status is not MemberStatus.PREPARING:
        return None
    if stops_everything(state.control):
        return None  # somebody has paused since it was decided; it is launched when that is over
    if stands_against(state, desk.current, unit, briefing.issue) is not None:
        return None  # the next look at it gives the slot back
    batch = state.batches[lease.batch]
    has_moved = batch.integration.head != briefing.batch.integration.head
    is_cut_too_early = has_moved and unit.tree is None and needs_head(batch, unit, state.members_of(batch))
    return None if is_cut_too_early else (now, unit)


def _text_hash(issue: Issue) -> str:
    return sha256(f"{issue.title}\n{issue.body}".encode()).hexdigest()


def _issue(desk: Desk, member: Member) -> Issue | None:
    """Read the issue as it is now; None where the forge cannot be read, and what it is called where it has none."""
    found = desk.around.forge.issues([member.issue])
    if isinstance(found, Unreachable):
        return None
    return found.get(member.issue, Issue(number=member.issue, title=member.title))


def redispatch(draft: Draft, lease: Lease, member: Member, desk: Desk, *, cause: str) -> None:
    """Record that a run starts again under the next generation, in the same tree, held by this driver."""
    gen = lease.gen + 1
    next_lease = replace(
        lease,
        gen=gen,
        status=RunStatus.RECOVERING if lease.status is not RunStatus.ASSIGNED else lease.status,
        holder=desk.me,
        reason=cause,
        stop_sent_at=None,
        kill_sent_at=None,
    )
    again = replace(member, status=MemberStatus.PREPARING, gen=gen)
    sentence = f"Start issue {member.issue} of {member.batch} again as run {gen}: {cause}"
    draft.note(
        EventName.REDISPATCHED,
        sentence,
        next_lease,
        again,
        batch=member.batch,
        issue=member.issue,
        gen=gen,
        reason=cause,
    )
