"""The office of a clone: where the commands of its comments are heard."""

from functools import partial
from typing import TYPE_CHECKING

from gitsched.domain.outcomes import Unreachable
from gitsched.engine.commands.office import Office
from gitsched.wiring.clone import Clone

if TYPE_CHECKING:
    from gitsched.engine.commands.hearing import Hearing
    from gitsched.ports.conversation import Conversation
    from gitsched.ports.milestones import Milestones
    from gitsched.view.picture import Picture


def office_of(clone: Clone, talk: "Conversation") -> Office:
    """Make the office of a clone whose comments are those of `talk`."""
    return Office(
        store=clone.store,
        forge=clone.served_forge,
        talk=talk,
        clock=clone.clock,
        settings=clone.settings,
        look=partial(_look, clone),
        situation=clone.situation,
        refs=clone.refs,
        ship=partial(_ship, clone),
        reconcile=partial(_reconcile, clone, talk),
        wake=partial(_wake, clone),
    )


def local_conversation_of(clone: Clone) -> "Conversation":
    """Give the comments of the local forge."""
    from gitsched.adapters.forge.local_conversation import LocalConversation

    return LocalConversation(clone.common_dir, clone.clock, fsync=clone.settings_or_default.store.fsync)


def hear_own(clone: Clone, comment: int) -> "Hearing":
    """Hear a comment that a person has just made at the local forge."""
    from gitsched.engine.commands.hearing import Hearing, hear

    talk = local_conversation_of(clone)
    spoken = talk.spoken(comment)
    if spoken is None or isinstance(spoken, Unreachable):
        return Hearing(ignored="comment-gone")
    return hear(office_of(clone, talk), spoken)


def conversation_of(clone: Clone) -> "Conversation":
    """Give the comments of the forge that a clone's configuration names."""
    if clone.settings.project.forge == "local":
        return local_conversation_of(clone)
    from gitsched.wiring.github import github_conversation

    return github_conversation(clone)


def milestones_of(clone: Clone) -> "Milestones":
    """Give the GitHub milestones of a clone's forge."""
    if clone.settings.project.forge != "local":
        from gitsched.wiring.github import github_milestones

        return github_milestones(clone)
    from gitsched.adapters.forge.local_milestones import LocalMilestones

    return LocalMilestones(clone.forge)


def _reconcile(clone: Clone, talk: "Conversation") -> None:
    from gitsched.engine.milestones import Table, reconcile

    reconcile(
        Table(
            store=clone.store,
            forge=clone.served_forge,
            milestones=milestones_of(clone),
            talk=talk,
            clock=clone.clock,
            settings=clone.settings,
        )
    )


def _wake(clone: Clone) -> None:
    """Let the drivers look, and the forge be asked, however young what is known of it is."""
    if clone.settings.project.forge != "local":
        from gitsched.adapters.forge.github.memory import Memory

        Memory(clone.common_dir).poke()
    clone.wake_all()


def _look(clone: Clone) -> "Picture":
    from gitsched.engine.looking import picture_in

    situation = clone.situation()
    return picture_in(situation, clone.store.tip)


def _ship(clone: Clone, batch: str) -> str:
    from gitsched.domain.effects import Merge
    from gitsched.engine.perform.table import perform
    from gitsched.wiring.operator import desk_of, leave_to_forge

    if leave_to_forge(clone, clone.store.read().batches[batch]) is None:
        with desk_of(clone) as desk:
            perform(Merge(batch), desk)
    now = clone.store.read().batches[batch]
    return "" if now.reason is None else f"{batch} is {now.status}: {now.reason}."
