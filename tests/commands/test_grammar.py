"""How the verbs are written: what each takes, and the words in which the rest is refused."""

import pytest

from gitsched.codec.commands import CommandLine
from gitsched.domain.commands import CommandVerb
from gitsched.domain.words import Tier
from gitsched.engine.commands.grammar import GRAMMAR, Command, Fault, read


def read_text(text: str) -> Command | Fault:
    return read(CommandLine(1, text))


def test_every_verb_has_its_grammar() -> None:
    assert GRAMMAR.keys() == set(CommandVerb)
    assert all(grammar.usage.split()[0] == verb for verb, grammar in GRAMMAR.items())


def test_values_are_read() -> None:
    command = read_text("enqueue #4 5 batch=login priority=-3 after=#1,#2 files=a/**,b_*.py tier=strong")
    assert isinstance(command, Command)
    assert command.names == ("#4", "5")
    assert command.options == {
        "batch": "login",
        "priority": -3,
        "after": (1, 2),
        "files": ("a/**", "b_*.py"),
        "tier": Tier.STRONG,
    }


@pytest.mark.parametrize(
    ("text", "verb", "names"),
    [
        ("", "help", ()),
        ("why", "why", ()),
        ("why b1", "why", ("b1",)),
        ("order b1 #4 #9", "order", ("b1", "#4", "#9")),
        ("order #4", "order", ("#4",)),
        ("priority 7", "priority", ("7",)),
        ("priority b1 7", "priority", ("b1", "7")),
        ("requeue #3 allow=hazard:size", "requeue", ("#3",)),
        ("approve abc", "approve", ("abc",)),
        ("stop at=7", "stop", ()),
        ("stop at=ABCDEF0", "stop", ()),
    ],
)
def test_names_are_taken(text: str, verb: str, names: tuple[str, ...]) -> None:
    command = read_text(text)
    assert isinstance(command, Command), command
    assert (command.verb, command.names) == (verb, names)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("stopall", "Did you mean `gitsched stop`?"),
        ("qqqq", "There is no such verb."),
        ("enqueue prioritty=7", "Did you mean priority=?"),
        ("enqueue colour=red", "This verb does not take it."),
        ("enqueue priority=abc", "a whole number from"),
        ("enqueue files=/etc/passwd", "a glob from the root"),
        ("enqueue tier=giant", "one of mechanical, mid, strong"),
        ("enqueue now", "It takes issues"),
        ("pause now", "It takes nothing"),
        ("stop #1 #2", "It takes an issue or a batch"),
        ("hold b1", "It takes an issue"),
        ("order", "It takes a batch and issues"),
        ("order b1", "It takes a batch and issues"),
        ("order b1 #4 b2", "It takes a batch and issues"),
        ("priority", "It takes a number"),
        ("priority b1 many", "a whole number from"),
        ("approve", "It takes a token"),
        ("stop at=", "neither a generation"),
        ("stop at=abc", "neither a generation"),
        ("requeue allow=everything", "hazard:"),
    ],
)
def test_what_does_not_fit_is_refused_with_what_does(text: str, said: str) -> None:
    fault = read_text(text)
    assert isinstance(fault, Fault)
    assert said in str(fault.error)
