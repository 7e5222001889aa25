"""What the faces show of a clone: the picture, the overview, a batch's sheet. Nothing is written."""

from typing import TYPE_CHECKING

from gitsched.domain.ids import STATE_REF
from gitsched.domain.words import TERMINAL_BATCHES
from gitsched.errors import NotSetUpError, RefusedError

if TYPE_CHECKING:
    from gitsched.domain.records import Batch, Member
    from gitsched.policy.situation import Situation
    from gitsched.view.overview import BatchLine, Overview
    from gitsched.view.picture import Picture
    from gitsched.view.sheet import Sheet
    from gitsched.wiring.clone import Clone


def situation_of(clone: "Clone") -> "Situation":
    """Look at a clone's situation; one that is configured and holds nothing yet has an empty state.

    Raises RefusedError where the state has not been fetched, StateLostError where it is gone: that is no empty queue.
    """
    try:
        return clone.situation()
    except NotSetUpError:
        if _is_unfetched(clone):
            against = f"This clone has not fetched it from '{clone.settings.project.remote}': it has branches only."
            raise RefusedError("The state was to be read.", against, "`gitsched sync` fetches it.") from None
        from gitsched.wiring.operator import first_situation

        return first_situation(clone)


def _is_unfetched(clone: "Clone") -> bool:
    """Say whether the state is to be the remote's and this clone has never asked for it."""
    return clone.shared is not None and clone.refs.resolve(STATE_REF) is None and not clone.shared.store.has_looked


def picture_of(clone: "Clone") -> "Picture":
    """Look at a clone as it is now."""
    from gitsched.engine.looking import picture_in

    return picture_in(situation_of(clone), clone.store.tip)


def overview_of(clone: "Clone", *, include_ended: bool = False) -> "Overview":
    """Look at everything at once, with the last signs of life of what runs here."""
    from gitsched.engine.signs import signs_of
    from gitsched.view.overview import overview

    picture = picture_of(clone)
    signs = signs_of(picture.state, clone.runner)
    return overview(picture, signs, clone.clock.now(), include_ended=include_ended)


def sheet_of(clone: "Clone", batch: "Batch") -> "Sheet":
    """Gather everything that is shown of one batch; of one that is over it is the same each time."""
    from gitsched.engine.looking import picture_in
    from gitsched.engine.signs import signs_of
    from gitsched.engine.story import batch_events, batch_story
    from gitsched.view.overview import batch_line
    from gitsched.view.sheet import sheet
    from gitsched.view.why import why

    situation = situation_of(clone)
    picture = picture_in(situation, clone.store.tip)
    now = batch.updated_at if batch.status in TERMINAL_BATCHES else clone.clock.now()
    line = batch_line(picture, batch, signs_of(picture.state, clone.runner), now)
    story = batch_story(clone.store, clone.lander, batch, situation.settings_of(batch))
    return sheet(story, batch_events(clone.store, batch.id), line, why(picture, batch), now)


def overview_and_ended_of(clone: "Clone") -> "tuple[Overview, tuple[BatchLine, ...]]":
    """Look at everything at once, and list the batches that are over, each as one line: both of one look."""
    from gitsched.engine.signs import signs_of
    from gitsched.view.overview import batch_line, overview

    picture, now = picture_of(clone), clone.clock.now()
    shown = overview(picture, signs_of(picture.state, clone.runner), now)
    ended = (batch for batch in picture.state.batches_in_order() if batch.status in TERMINAL_BATCHES)
    return shown, tuple(batch_line(picture, batch, {}, now) for batch in ended)


def log_of(clone: "Clone", member: "Member", gen: int) -> bytes:
    """Read a run's log: on this host while the run's folder stands, else from the evidence."""
    raw = clone.runner.log(member.batch, str(member.issue), gen)
    return raw or clone.store.evidence(member.batch).get(f"runs/{member.issue}/{gen}/log", b"")
