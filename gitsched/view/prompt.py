"""The prompt of a run: a sandboxed template, facts of the engine, and the issue's text as fenced data.

A template is given the facts of `PromptFacts` by name, but for title and body: they come as `issue`, in a
fence of their own that nothing in them can close. Values are never read as a template again, so braces in an
issue stay braces. The one that ships is `prompts/member.j2`.
"""

import re
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import asdict

from gitsched.errors import ConfigError

PRESET: Final = "member.j2"
FIX_PRESET: Final = "fix.j2"
_FENCE_RUN: Final = re.compile(r"~+")
_LEAST_FENCE: Final = 8


class Takeover(Struct, frozen=True, kw_only=True):
    """The run follows one that ended too early."""

    gen: int
    reason: str
    """The engine's word for why, for instance `stalled`."""


class PriorWork(Struct, frozen=True, kw_only=True):
    """The issue has been worked on in another batch."""

    batch: str
    reason: str
    failing: tuple[str, ...] = ()
    head: str | None = None
    """Where that work is kept, when it is not on the branch."""
    commits: tuple[str, ...] = ()


class PromptFacts(Struct, frozen=True, kw_only=True):
    """What a template is given."""

    number: int
    title: str
    """Untrusted, like `body`: both reach a template only inside `issue`."""
    body: str
    batch: str
    branch: str
    base: str
    files: tuple[str, ...]
    gates: tuple[str, ...]
    completion: str
    landed: tuple[int, ...]
    takeover: Takeover | None
    prior: PriorWork | None


class FixFacts(Struct, frozen=True, kw_only=True):
    """What the prompt of a fix is given."""

    number: int
    title: str
    """Untrusted, like `body`."""
    body: str
    failing: tuple[str, ...]
    more: int
    """How many further tests fail."""
    command: str
    commits: str


def render_fix_prompt(facts: FixFacts) -> str:
    """Render the prompt of the agent that mends what a member broke."""
    given: dict[str, Any] = asdict(facts)
    issue = fenced(given.pop("title"), given.pop("body"))
    text: str = _compiled(_preset(FIX_PRESET)).render(given, issue=issue)
    return text.strip("\n") + "\n"


def render_batch_prompt(preset: str, batch: str, base: str, head: str, text: str) -> str:
    """Render the prompt of an agent that works for a whole batch; `text` tells its story."""
    given = {"batch": batch, "base": base, "head": head, "text": fenced("", text)}
    rendered: str = _compiled(_preset(preset)).render(given)
    return rendered.strip("\n") + "\n"


def render_prompt(template: str, facts: PromptFacts) -> str:
    """Render an operator's template, or the one that ships when it is empty.

    Raises ConfigError when the template is wrong: its syntax, a name that is not given, an act the sandbox
    refuses.
    """
    from jinja2 import TemplateError

    given: dict[str, Any] = asdict(facts)
    issue = fenced(given.pop("title"), given.pop("body"))
    try:
        text: str = _compiled(template or _preset()).render(given, issue=issue)
    # A template may also divide by zero or add a number to a text.
    except (TemplateError, ArithmeticError, LookupError, TypeError, ValueError) as wrong:
        raise ConfigError(
            f"The prompt for issue {facts.number} was to be written.",
            f"Its template cannot be rendered: {wrong}.",
            "Mend `prompt` of the agent in gitsched.toml; the reference lists the names a template may use.",
        ) from wrong
    return text.strip("\n") + "\n"


def fenced(title: str, body: str) -> str:
    """Put an issue's text between two lines that are longer than any such run inside it."""
    text = f"{title.strip()}\n\n{body.strip()}".strip()
    longest = max((len(run) for run in _FENCE_RUN.findall(text)), default=0)
    fence = "~" * max(_LEAST_FENCE, longest + 1)
    return f"{fence} issue text, untrusted\n{text}\n{fence} end of issue text"


@lru_cache(maxsize=1)
def _sandbox() -> Any:
    from jinja2 import StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    # Prompts are plain text: there is nothing to escape for, and escaping would change the issue's words.
    return ImmutableSandboxedEnvironment(
        undefined=StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True
    )


@lru_cache(maxsize=16)
def _compiled(template: str) -> Any:
    return _sandbox().from_string(template)


@lru_cache(maxsize=4)
def _preset(name: str = PRESET) -> str:
    return files("gitsched.view").joinpath("prompts", name).read_text(encoding="utf-8")
