"""What a run has used so far, told by its stream while it works."""

import json
from typing import get_args

from gitsched.codec.usage.meter import SPENDING, Meter
from gitsched.codec.usage.reading import READERS
from gitsched.codec.usage.signatures import SIGNATURES
from gitsched.config.agents import Usage
from gitsched.policy.budget import MEASURED

STEP = {"type": "step_finish", "part": {"tokens": {"input": 40, "output": 10}, "cost": 0.5}}
TURN = {"type": "turn.completed", "usage": {"input_tokens": 60, "output_tokens": 20}}
TALK = {"type": "text", "part": {"text": 'I say "step_finish" and mean nothing'}}


def lines(*events: object) -> bytes:
    """Write events as a stream."""
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


def test_a_stream_that_tells_on_the_way_is_held_to_its_cap() -> None:
    """Steps add up, whatever chunks they come in; the first kind that is over is named."""
    meter = Meter("opencode-json", {"usd_micros": 1_200_000, "tokens": 120})
    assert meter.feed(lines(TALK, STEP)) is None
    text = lines(STEP, STEP)
    assert meter.feed(text[:30]) is None
    assert meter.feed(text[30:]) == "usd_micros"
    codex = Meter("codex-json", {"tokens": 100})
    assert codex.feed(lines(TURN)) is None
    assert codex.feed(lines(TALK)) is None
    assert codex.feed(lines(TURN)) == "tokens"


def test_nothing_is_said_without_a_reader_or_a_cap() -> None:
    """And what only looks like an event is none."""
    assert Meter("none", {"tokens": 1}).feed(lines(STEP, STEP)) is None
    assert Meter("opencode-json", {}).feed(lines(STEP, STEP)) is None
    assert Meter("opencode-json", {"tokens": 1}).feed(b'{"result" is not JSON\n') is None


def test_every_reader_has_its_row_in_each_table() -> None:
    """A row that is left out says nothing: its caps would hold nobody, and its provider's words would not be known."""
    named = set(get_args(Usage)) - {"none"}
    assert READERS.keys() == named
    assert SPENDING.keys() == named
    assert SIGNATURES.keys() - {"none"} == named
    assert MEASURED.keys() == named
