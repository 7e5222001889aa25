"""What is said about commands of comments: one answer for all lines of a comment, and the help."""

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final

from msgspec import Struct

from gitsched.domain.commands import CommandVerb, Fate, HeardLine, Role
from gitsched.errors import GitschedError
from gitsched.view.markdown import cell, code, escaped

_QUOTED: Final = re.compile(r"`gitsched ([^`\n]*)`")
_AS_SAID: Final = {"seal": "start", "reprioritize": "priority"}
"""Verbs of the command line that have another name in comments."""
_LONGEST: Final = 400


class Reply(Struct, frozen=True, kw_only=True):
    """One line of a comment, as it was written, and what became of it."""

    text: str
    heard: HeardLine


class HelpRow(Struct, frozen=True):
    """One verb of the help."""

    usage: str
    does: str
    role: Role


def answer_marker(comment: int) -> str:
    """Name the answer to a comment, so that it is given once."""
    return f"gitsched:answer:{comment}"


def render_answer(replies: Sequence[Reply]) -> str:
    """Write the answer to a comment's commands; empty where there is nothing to say."""
    answered = (reply for reply in replies if reply.heard.answer)
    parts = groupby(answered, key=lambda reply: (reply.heard.fate, reply.heard.answer))
    return "\n\n".join(_part(fate, answer, list(same)) for (fate, answer), same in parts)


def _part(fate: Fate, answer: str, replies: Sequence[Reply]) -> str:
    head = ", ".join(code(f"/gitsched {reply.text}") for reply in replies)
    if fate is Fate.REFUSED:
        return f"{head} {'was' if len(replies) == 1 else 'were'} refused. {answer}"
    return f"{head}\n\n{answer}"


def render_refusal(refused: GitschedError) -> str:
    """Write what a refusal says, its commands as comments give them; nothing of it can run or notify."""
    said = str(refused)
    parts, at = [], 0
    for found in _QUOTED.finditer(said):
        parts += [_plain(said[at : found.start()]), code(_as_comment(found[1]))]
        at = found.end()
    return "".join([*parts, _plain(said[at:])])


def _plain(text: str) -> str:
    if not text.strip():
        return text
    before, after = " " * (text[0] == " "), " " * (text[-1] == " ")
    return f"{before}{escaped(text, _LONGEST)}{after}"


def _as_comment(text: str) -> str:
    """Write a command as it is given here: in a comment where comments have it, else on the command line."""
    verb, _, rest = text.partition(" ")
    spoken = _AS_SAID.get(verb, verb)
    if spoken not in set(CommandVerb):
        return f"gitsched {text}"
    return f"/gitsched {spoken} {rest}".rstrip()


def render_help(rows: Iterable[HelpRow]) -> str:
    """Write the help: a table of verbs; shown as code, none of it runs."""
    lines = ["| command | what it does | who |", "|---|---|---|"]
    for row in rows:
        who = "anyone" if row.role is Role.NONE else f"{row.role} and above"
        lines.append(f"| {cell(code(f'/gitsched {row.usage}'))} | {row.does} | {who} |")
    return "\n".join(lines)
