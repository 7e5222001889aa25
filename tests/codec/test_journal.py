"""Events as a commit message, and back."""

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitsched.codec.journal import events_of, message_of
from gitsched.domain.events import Claim, Event, EventName

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
names = st.from_regex(r"[a-z_]{1,8}", fullmatch=True).filter(
    lambda name: name not in {"event", "at", "sentence", "batch", "issue", "gen", "claims"}
)
values = texts | st.integers(-(2**60), 2**60) | st.booleans() | st.none() | st.lists(texts, max_size=3)
events = st.builds(
    Event,
    name=st.sampled_from(EventName),
    at=st.just("2026-05-06T07:08:09.000Z"),
    sentence=texts,
    batch=st.none() | texts,
    issue=st.none() | st.integers(1, 9999),
    gen=st.none() | st.integers(0, 9),
    fields=st.dictionaries(names, values, max_size=3),
    claims=st.dictionaries(texts, st.builds(Claim, status=st.none() | texts, removed=st.booleans()), max_size=3),
)


@given(st.lists(events, min_size=1, max_size=4))
def test_events_survive(told: list[Event]) -> None:
    message = message_of(told)
    assert events_of(message) == tuple(told)
    subject, empty, *rest = message.rstrip("\n").split("\n")
    assert (bool(subject.strip()), empty, len(rest)) == (True, "", len(told))


def test_git_reads_the_trailers() -> None:
    told = [
        Event(
            name=EventName.ENQUEUED, at="2026-05-06T07:08:09.000Z", sentence="Enqueued\n 3.", issue=3, fields={"x": 1}
        ),
        Event(
            name=EventName.SEALED,
            at="2026-05-06T07:08:09.000Z",
            sentence="Sealed b1.",
            claims={"a": Claim(removed=True)},
        ),
    ]
    message = message_of(told)
    assert message.startswith("Enqueued 3.\n\nEvent: {")
    parsed = subprocess.run(
        ["git", "interpret-trailers", "--parse"], input=message.encode(), capture_output=True, check=True
    ).stdout.decode()
    assert parsed == message.partition("\n\n")[2]
    assert '"event":"enqueued"' in parsed
    assert '"x":1' in parsed
    assert '"claims":{"a":{"removed":true}}' in parsed


@pytest.mark.parametrize(
    "message",
    [
        "",
        "By hand",
        "By hand\n\nEvent: {}\nEvent: nonsense\n",
        'By hand\n\nEvent: {"event":"never-heard-of","at":"x","sentence":"y"}\nSigned-off-by: a\n',
    ],
)
def test_what_is_not_ours_claims_nothing(message: str) -> None:
    assert events_of(message) == ()


def test_a_field_may_not_hide_a_fact() -> None:
    with pytest.raises(AssertionError, match="batch"):
        message_of([Event(name=EventName.SEALED, at="x", sentence="y", fields={"batch": "b2"})])
