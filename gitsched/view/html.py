"""Pages: values into HTML by sandboxed templates. Whatever is written into one is cleaned and escaped.

Only the style sheet, and parts that were rendered here, go in as they are.
"""

from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

from gitsched.domain.instants import Instant
from gitsched.view.clean import clean
from gitsched.view.night import Document, sections, spent_words
from gitsched.view.overview import BatchLine, Overview
from gitsched.view.sheet import Sheet
from gitsched.view.spans import span
from gitsched.view.table import STYLES

_TONES: Final = {"green": "good", "red": "bad", "yellow": "wait", "cyan": "live"}
_MORE: Final = {
    **dict.fromkeys(("exit 0", "passes", "complete"), "good"),
    **dict.fromkeys(("fails", "broken", "timed-out", "stopped", "landing-conflict", "killed"), "bad"),
    "live": "live",
}


def render_report_page(shown: Sheet) -> str:
    """Write a batch's report as one page that needs nothing else; `at` is when it was looked at."""
    body = _rendered("batch.j2", sheet=shown, log_base="", evidence_base="")
    return _page(f"Batch {shown.line.id}", body, shown.at)


def render_night_page(night: Document, at: Instant) -> str:
    """Write the report of a night as one page that needs nothing else."""
    body = _rendered("night.j2", night=night, sections=sections(night), spent=spent_words(night["costs"]))
    return _page("The night", body, at)


def render_overview(shown: Overview, over: tuple[BatchLine, ...], name: str, base: str) -> str:
    """Write the middle of the dashboard's first page; links begin with `base`."""
    return _rendered("overview.j2", shown=shown, over=over, name=name, base=base)


def render_sheet(shown: Sheet, base: str) -> str:
    """Write the middle of a batch's page of the dashboard."""
    own = f"{base}/batch/{shown.line.id}"
    return _rendered("batch.j2", sheet=shown, log_base=f"{own}/log", evidence_base=f"{own}/evidence")


def render_part(template: str, **values: Any) -> str:
    """Write the middle of one of the dashboard's small pages."""
    return _rendered(template, **values)


def render_frame(body: str, **values: Any) -> str:
    """Put a rendered middle into the dashboard's page."""
    from markupsafe import Markup

    return _rendered("frame.j2", body=Markup(body), **values)  # noqa: S704 - rendered here


def asset(name: str) -> str:
    """Read the style sheet or the script."""
    return files("gitsched.view").joinpath("pages", name).read_text(encoding="utf-8")


def _page(title: str, body: str, at: Instant) -> str:
    from markupsafe import Markup

    style = asset("style.css")
    return _rendered("report.j2", title=title, body=Markup(body), style=Markup(style), at=at)  # noqa: S704 - ours


def _rendered(template: str, **values: Any) -> str:
    text: str = _templates().get_template(template).render(values)
    return text


@lru_cache(maxsize=1)
def _templates() -> Any:
    from jinja2 import FunctionLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    found = ImmutableSandboxedEnvironment(
        loader=FunctionLoader(asset),
        undefined=StrictUndefined,
        autoescape=True,
        finalize=_cleaned,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.globals.update(tone=_tone, duration=_duration)
    return found


def _cleaned(value: Any) -> Any:
    """Take out of a text what steers a terminal or hides; markup of our own stays as it is."""
    return clean(value) if type(value) is str else value


def _tone(word: str) -> str:
    return _MORE.get(word) or _TONES.get(STYLES.get(word, ""), "")


def _duration(seconds: float | None) -> str:
    return "" if seconds is None else span(seconds)
