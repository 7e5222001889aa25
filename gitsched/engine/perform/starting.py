"""Starting: the last step of a launch, here in a tree of this host, or away, where a worker makes its own.

What an agent away needs is moved with the transaction that records its start: whoever sees that it was started can
have its order, and of an order that was not accepted nobody ever hears.
"""

from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from gitsched.config.profiles import agent_argv
from gitsched.domain.ids import branch_ref
from gitsched.domain.records import Lease, Member
from gitsched.domain.runs import FAR_FOLDER, FAR_TREE, FarOrder, RunOrder
from gitsched.domain.state import RefMove
from gitsched.engine.briefing import Briefing
from gitsched.engine.desk import Desk
from gitsched.engine.release import give_tree_back, tree_owner
from gitsched.policy.budget import amounts_of
from gitsched.policy.environment import agent_environment
from gitsched.ports.runner import Fleet
from gitsched.ports.worktrees import CheckoutLook, Tree, TreeRefused

SIGNS = 3
"""So many signs of life a ttl has room for."""


class Footing(Struct, frozen=True, kw_only=True):
    """What the record of a start says of the place where the agent works."""

    tree: str | None = None
    look: CheckoutLook | None = None
    """The user's checkout right before; None: the agent is nowhere near it."""
    moves: tuple[RefMove, ...] = ()
    keep: str | None = None


def footing_here(tree: Tree, look: CheckoutLook) -> Footing:
    """Stand in a tree of this host."""
    return Footing(tree=str(tree.path), look=look)


def tree_away(desk: Desk, member: Member, at: str) -> Tree | TreeRefused:
    """Stand for the tree that a worker makes; one that the member has here is given back: its branch must be free."""
    if member.tree is not None:
        desk.around.store.settle()
    why = give_tree_back(desk, member)
    if why is not None:
        return TreeRefused(reason="setup-failed:worktree", detail=why)
    return Tree(path=Path(FAR_TREE), branch=member.branch, head=at)


def footing_away(desk: Desk, fleet: Fleet, briefing: Briefing, prompt: str) -> Footing:
    """Let branch and order move with the record of the start."""
    member, at = briefing.member, briefing.tree.head or briefing.cut
    ref = branch_ref(member.branch)
    current = desk.around.refs.resolve(ref)
    move = fleet.move_for(_far_order(desk, briefing, prompt, at))
    if current == at:
        return Footing(moves=(move,))
    return Footing(moves=(RefMove(ref, current, at), move), keep=current)


def _far_order(desk: Desk, briefing: Briefing, prompt: str, at: str) -> FarOrder:
    folder = Path(FAR_FOLDER)
    return FarOrder(
        order=replace(_order(desk, briefing, folder), repository="", secrets=()),
        identity=briefing.identity(folder),
        env=tuple(briefing.profile.env),
        files={"prompt.md": prompt, "issue.md": briefing.issue_text().decode()},
        branch=briefing.member.branch,
        integration=briefing.batch.integration.branch,
        at=at,
        host=desk.me.host,
        ordered_at=desk.around.clock.now(),
        sign_s=desk.current.dispatch.ttl_s / SIGNS,
    )


def start_here(desk: Desk, briefing: Briefing, prompt: str) -> None:
    """Start a worker on this host."""
    lease, profile = briefing.lease, briefing.profile
    runner, text = desk.around.runner, prompt.encode()
    files = {"prompt.md": text, "issue.md": briefing.issue_text()}
    folder = runner.place(lease.batch, str(lease.issue), lease.gen, files)
    env, secret_names = agent_environment(desk.around.environment, profile.env, briefing.identity(folder))
    runner.start(replace(_order(desk, briefing, folder), secrets=secret_names), env, text)


def _order(desk: Desk, briefing: Briefing, folder: Path) -> RunOrder:
    lease, profile, tree = briefing.lease, briefing.profile, briefing.tree
    return RunOrder(
        batch=lease.batch,
        name=str(lease.issue),
        gen=lease.gen,
        token=lease.token,
        argv=agent_argv(profile, str(folder / "prompt.md")),
        cwd=str(tree.path),
        folder=str(folder),
        repository=str(desk.around.common_dir),
        stdin_file=str(folder / "prompt.md"),
        log_file=str(folder / "log"),
        timeout_s=profile.timeout_s,
        output_bytes=profile.output_bytes,
        kill_grace_s=desk.settings_of(briefing.batch).stall.kill_grace_s,
        usage=profile.usage,
        caps=amounts_of(desk.current.budget.run),
        head_of=str(tree.path),
    )


def brought_home(desk: Desk, lease: Lease, member: Member, left: str | None) -> Member | None:
    """Give a member whose worker was away a tree here, as the worker left its own; None: it cannot be had now.

    `left` is the commit that holds what was uncommitted there.
    """
    head = desk.around.refs.resolve(branch_ref(member.branch)) or member.cut or ""
    owner = tree_owner(member.batch, member.issue, lease.gen)
    tree = desk.around.trees.acquire(owner, head, member.branch, move_from=head)
    if isinstance(tree, TreeRefused):
        return None
    if left is not None:
        desk.around.work.lay_out(tree.path, left)
    return replace(member, tree=str(tree.path), tree_host=desk.me.host)
