"""`gitsched backtest`."""

from typing import TYPE_CHECKING

import click

from gitsched.cli.call import Call
from gitsched.cli.verb import verb
from gitsched.errors import UsageError

if TYPE_CHECKING:
    from gitsched.config.settings import Settings
    from gitsched.domain.past import PastMember
    from gitsched.engine.past import Change
    from gitsched.view.backtest import Replay

_SIZES = (4, 8)


@verb(example="gitsched backtest HEAD~200..HEAD --batch-size 4 8", reads=True)
@click.argument("words", nargs=-1, metavar="RANGE [N]...")
@click.option(
    "--batch-size", "size", type=click.IntRange(1, 64), metavar="N...", help="Batches of so many; default: 4 8."
)
@click.option("--policy", metavar="FILE", help="Take slots and [bisect] from this file instead of gitsched.toml.")
@click.option("--svg", metavar="FILE", help="Draw the suite runs into this file.")
def backtest(
    call: Call, words: tuple[str, ...], *, size: int | None, policy: str | None, svg: str | None, as_json: bool
) -> int:  # many-parameters: click hands each option over
    """Replay the repository's own history, and change nothing.

    Takes every merge, or commit, of a range as a member (commits in a row of one issue as one), and whoever was
    reverted later as a culprit. Prints what batching would have cost: runs of the suite and of failing tests, rounds,
    who would have been caught and who sent back in vain, by gitsched's own search and by the ways of other queues; and
    how many members of a batch could not have worked side by side. The same history always gives the same numbers.
    """
    from gitsched.view.backtest import backtest_document, render_backtest, render_plot
    from gitsched.wiring.past import past_of

    span, sizes = _asked(words, size)
    settings = _settings(call, policy)
    members, changes = past_of(call.clone, span)
    document = backtest_document(span, members, _replays(call, members, changes, sizes, settings))
    if svg is not None:
        (call.directory / svg).write_text(render_plot(document), encoding="utf-8")
    if as_json:
        from gitsched.view.json_text import document_text

        call.show(document_text(document))
    else:
        call.show(render_backtest(document, members, call.look))
    return 0


def _asked(words: tuple[str, ...], size: int | None) -> tuple[str, tuple[int, ...]]:
    """Tell the range from the further sizes, which stand behind the option without its name."""
    spans = [word for word in words if not word.isdecimal()]
    sizes = [*([size] if size is not None else []), *(int(word) for word in words if word.isdecimal())]
    if len(spans) != 1 or not all(1 <= one <= 64 for one in sizes):
        raise UsageError(
            "A history was to be replayed.",
            "It takes one range of commits, and batch sizes from 1 to 64.",
            "Try `gitsched backtest HEAD~200..HEAD --batch-size 4 8`.",
        )
    return spans[0], tuple(dict.fromkeys(sizes)) or _SIZES


def _settings(call: Call, policy: str | None) -> "Settings":
    from gitsched.config.parse import parse_settings

    if policy is None:
        return call.clone.settings_or_default
    path = call.directory / policy
    try:
        return parse_settings(path.read_text(encoding="utf-8"), str(path))
    except OSError as failed:
        raise UsageError(
            f"'{path}' was to be read.", f"{failed.strerror}.", "Name a file like gitsched.toml."
        ) from failed


def _replays(
    call: Call,
    members: "list[PastMember]",
    changes: "list[Change]",
    sizes: tuple[int, ...],
    settings: "Settings",
) -> "list[Replay]":
    from gitsched.engine.past import conflicts
    from gitsched.policy.backtest import WAYS, Terms, replayed
    from gitsched.view.backtest import Replay
    from gitsched.wiring.past import lander_beside

    terms = Terms(slots=settings.bisect.parallel or settings.slots.max, confirm_count=settings.bisect.confirm_count)
    found = []
    with lander_beside(call.clone) as lander:
        for size in sizes:
            call.progress(f"Replaying {len(members)} members in batches of {size}.")
            count = len(conflicts(lander, changes, size))
            for name, way in WAYS.items():
                bill = replayed(members, size, way, terms)
                found.append(Replay(size=size, policy=name, bill=bill, conflict_count=count))
    return found
