"""The live view: the overview as one screen of a given width and height, what needs you first."""

from collections.abc import Iterator

from gitsched.view.clean import cut
from gitsched.view.overview import BatchLine, MemberLine, Overview
from gitsched.view.spans import span
from gitsched.view.table import Cell, Look, render_table, styled

_NARROW = 100
"""Below so many columns the tier of detail drops: no generation, no cost, shorter titles."""


def render_watch(shown: Overview, look: Look, height: int | None = None) -> str:
    """Write the screen; with a height, what does not fit is cut with a line that says how much."""
    parts = [styled(f"{shown.head} · {_clock(shown)}", "yellow" if shown.is_paused else "bold", look)]
    parts += [_needs(shown, look)] if shown.needs else []
    parts += [_batch(batch, look) for batch in shown.batches]
    parts += [_queue(shown, look)]
    parts += ["\n".join([*(f"driver {driver}" for driver in shown.drivers), shown.costs])]
    return _fitted("\n\n".join(part for part in parts if part), height)


def _clock(shown: Overview) -> str:
    return f"{shown.at[11:19]} UTC"


def _needs(shown: Overview, look: Look) -> str:
    rows = [(need.unit, need.state, Cell(need.next, "bold"), need.says) for need in shown.needs]
    return f"{styled('Needs you', 'bold', look)}\n{render_table(('', 'state', 'next', 'why'), rows, look)}"


def _batch(batch: BatchLine, look: Look) -> str:
    age = f" · for {span(batch.age_s)}" if batch.age_s is not None and not batch.is_over else ""
    is_narrow = look.width is not None and look.width < _NARROW
    rows = [_member(member, is_narrow=is_narrow) for member in batch.members]
    headings = ("", "issue", "title", "status", "age", "alive", "why")
    wide = (*headings[:4], "gen", *headings[4:6], "cost", "why")
    table = render_table(headings if is_narrow else wide, rows, look) if rows else ""
    red = styled(batch.red, "red", look) if batch.red else ""
    left = [f"left over: {line}" for line in batch.leftovers]
    return "\n".join(line for line in (styled(batch.head + age, "bold", look), red, table, *left) if line)


def _member(member: MemberLine, *, is_narrow: bool) -> tuple[str | Cell, ...]:
    alive = "" if member.silent_s is None else f"{span(member.silent_s)} ago"
    age = "" if member.age_s is None else span(member.age_s)
    why = " · ".join(part for part in (member.phase, member.why) if part)
    begin = (str(member.index), f"#{member.issue}", Cell(cut(member.title, 22 if is_narrow else 40)), member.status)
    return (*begin, age, alive, why) if is_narrow else (*begin, member.gen, age, alive, member.cost, why)


def _queue(shown: Overview, look: Look) -> str:
    rows = [(f"#{line.issue}", Cell(cut(line.title, 40)), line.status, line.why) for line in shown.queue]
    if not rows:
        return "" if shown.batches else "Nothing is queued."
    return render_table(("issue", "title", "status", "why"), rows, look)


def _fitted(text: str, height: int | None) -> str:
    lines = text.splitlines()
    if height is None or len(lines) <= height:
        return text
    return "\n".join(_kept(lines, height))


def _kept(lines: list[str], height: int) -> Iterator[str]:
    """Keep the beginning and the last line, which tells the costs."""
    room = max(1, height - 2)
    yield from lines[:room]
    yield f"… {len(lines) - room - 1} more lines; `gitsched status` shows all"
    yield lines[-1]
