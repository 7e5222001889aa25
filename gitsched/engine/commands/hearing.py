"""Hear a comment: read its commands, look at rights, run what is allowed once, and acknowledge.

The same for a webhook, a poll and the Action: whichever comes first runs a line, and its row in the ledger keeps the
others from it. What stopped half-way is taken up where it stopped.
"""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from gitsched.codec.commands import command_lines
from gitsched.domain.commands import CommandVerb, Fate, Heard, HeardLine, Person, Reaction, Role, Spoken
from gitsched.domain.outcomes import Unreachable
from gitsched.domain.state import Draft
from gitsched.engine.commands.grammar import Command, Fault, read
from gitsched.engine.commands.ledger import (
    Ledgered,
    Terms,
    is_heard,
    note_answered,
    note_ignored,
    note_line,
    note_undone,
)
from gitsched.engine.commands.office import Office
from gitsched.engine.commands.verbs import SERVED, Change, Question, Said, Undone, silent
from gitsched.errors import GitschedError, RefusedError, TemporaryError, UsageError
from gitsched.policy.commands import MOST_COMMANDS, is_enough, needed_role, why_unheard
from gitsched.view.commands import Reply, answer_marker, render_answer, render_refusal


class Hearing(Struct, frozen=True, kw_only=True):
    """What became of a comment."""

    accepted_count: int = 0
    refused_count: int = 0
    ignored: str | None = None
    """Why nothing in it was looked at, or run."""
    answer: str = ""
    """What was answered just now, in Markdown."""


def hear(office: Office, spoken: Spoken) -> Hearing:
    """Run the commands of a comment that have not run yet.

    Raises TemporaryError where a right could not be looked up, or the moment is wrong: then it is to be heard again.
    """
    lines = command_lines(spoken.body)
    if not lines:
        return Hearing(ignored="no-command")
    row = office.store.read().heard.get(spoken.comment)
    if row is not None and row.is_answered:
        return _told(row)
    why = why_unheard(spoken, office.clock.now())
    if why is not None:
        office.store.apply(lambda draft: note_ignored(draft, spoken, why))
        return Hearing(ignored=why)
    if row is None:
        office.talk.react(spoken.comment, Reaction.SEEN)
    parsed = [read(line) for line in lines]
    replies = [_reply(office, spoken, one, len(parsed)) for one in parsed]
    answer = render_answer(replies)
    _acknowledge(office, spoken, replies, answer)
    return _told(office.store.read().heard[spoken.comment], answer)


def _told(row: Heard, answer: str = "") -> Hearing:
    fates = [line.fate for line in row.lines]
    accepted = fates.count(Fate.ACCEPTED)
    refused = len(fates) - accepted
    return Hearing(accepted_count=accepted, refused_count=refused, ignored=row.ignored, answer=answer)


def _reply(office: Office, spoken: Spoken, parsed: Command | Fault, count: int) -> Reply:
    row = office.store.read().heard.get(spoken.comment)
    known = None if row is None else row.line(parsed.line)
    if known is not None and not (isinstance(parsed, Command) and isinstance(SERVED[parsed.verb], Question)):
        return Reply(text=parsed.text, heard=known)
    try:
        heard = _run(office, spoken, _allowed(parsed, count))
    except (RefusedError, UsageError) as refused:
        heard = _refuse(office, spoken, parsed, refused)
    return Reply(text=parsed.text, heard=heard)


def _allowed(parsed: Command | Fault, count: int) -> Command:
    """Give a command back that may be looked at. Raises RefusedError, UsageError."""
    if count > MOST_COMMANDS:
        asked = f"This comment holds {count} commands."
        raise RefusedError(asked, f"At most {MOST_COMMANDS} are run: none was.", "Give them in several comments.")
    if isinstance(parsed, Fault):
        raise parsed.error
    return parsed


def _run(office: Office, spoken: Spoken, command: Command) -> HeardLine:
    """Run one command by its author's right at this moment. Raises RefusedError, UsageError."""
    author = spoken.author
    assert author is not None, "a comment by nobody is not heard"
    _check_right(office, author, command.verb)
    said = Said(command=command, number=spoken.number, actor=author.login or f"user-{author.id}")
    line = HeardLine(line=command.line, verb=command.verb, fate=Fate.ACCEPTED)
    served = SERVED[command.verb]
    tells = served.tells if isinstance(served, Change) else silent
    store = Ledgered(office.store, spoken, line, Terms(said.check_binding, tells))
    if isinstance(served, Question):
        answer = served.answer(office, said)
        if not is_heard(office.store.read(), spoken, command.line):
            store.apply(lambda _draft: None, said.actor)
        return replace(line, answer=answer)
    told = served.run(office, store, said)
    if not isinstance(told, Undone):
        return _recorded(office, spoken, command.line)
    undone = replace(line, fate=Fate.REFUSED, answer=told.told)
    office.store.apply(lambda draft: note_undone(draft, spoken.comment, undone))
    return undone


def _recorded(office: Office, spoken: Spoken, number: int) -> HeardLine:
    line = office.store.read().heard[spoken.comment].line(number)
    assert line is not None, "a command and its row are one transaction"
    return line


def _check_right(office: Office, author: Person, verb: CommandVerb) -> None:
    needed = needed_role(verb, office.settings.github.commands)
    if needed is Role.NONE:
        return
    role = office.talk.role_of(author)
    if isinstance(role, Unreachable):
        raise TemporaryError(f"The rights of account {author.id} were to be looked up.", f"{role.what}: {role.detail}.")
    if not is_enough(role, needed):
        against = f"It takes the role {needed}, and yours here is {role}."
        raise RefusedError(f"'{verb}' was asked for.", against, "Somebody with that role can give it.")


def _refuse(office: Office, spoken: Spoken, parsed: Command | Fault, refused: GitschedError) -> HeardLine:
    line = HeardLine(line=parsed.line, verb=str(parsed.verb), fate=Fate.REFUSED, answer=render_refusal(refused))
    found: list[HeardLine] = []

    def intent(draft: Draft) -> None:
        row = draft.state.heard.get(spoken.comment)
        known = None if row is None else row.line(line.line)
        found[:] = [known or line]
        if known is None:
            note_line(draft, spoken, line)

    office.store.apply(intent)
    return found[0]


def _acknowledge(office: Office, spoken: Spoken, replies: Sequence[Reply], answer: str) -> None:
    """React, answer where there is something to say, and record that; done again after a death in between."""
    all_accepted = all(reply.heard.fate is Fate.ACCEPTED for reply in replies)
    if answer:
        office.talk.answer(spoken.number, answer, answer_marker(spoken.comment))
    office.talk.react(spoken.comment, Reaction.FULFILLED if all_accepted else Reaction.REFUSED)
    office.store.apply(lambda draft: note_answered(draft, spoken.comment))
    office.wake()
