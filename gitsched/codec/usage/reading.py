"""One reader per `usage` parser, and the rules that hold for all of them."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Final

import msgspec

from gitsched.codec.plain import one_line, plain_text
from gitsched.codec.usage import claude, codex, gemini, opencode
from gitsched.codec.usage.fields import Json
from gitsched.codec.usage.findings import Findings, ProviderError, Told
from gitsched.codec.usage.resets import reset_in
from gitsched.codec.usage.signatures import PROVIDER_STATUSES, SIGNATURES, TURNS_USED_UP, WAITS, status_in
from gitsched.domain.instants import Instant

READERS: Final[Mapping[str, Callable[[list[Json]], Told]]] = {
    "claude-stream-json": claude.read,
    "codex-json": codex.read,
    "opencode-json": opencode.read,
    "gemini-json": gemini.read,
}
_END_BYTES: Final = 16 * 1024
_LAST_LINES: Final = 3
"""A tool's complaint may be followed by a line or two of its own; more is talk."""
_LAST_WORDS_CHARS: Final = 600
_SHOWN_CHARS: Final = 200


def read_output(parser: str, output: bytes, now: Instant) -> Findings:
    """Read one run's own output with the reader of that name; an unknown name reads as `none`.

    `now` is when the run ended: limits that end "in two hours" are counted from there.
    """
    reader = READERS.get(parser)
    told = reader(list(events_of(output))) if reader else Told()
    if told.failure is None and told.usage is None:
        _listen_to_text(told, output)
    provider = _provider(told, SIGNATURES.get(parser, SIGNATURES["none"]), now)
    announced = WAITS.search(told.last_words[-_LAST_WORDS_CHARS:]) is not None
    return Findings(
        usage=told.usage,
        budget=told.budget,
        provider=provider,
        waiting=announced and provider is None and told.budget is None,
        last_tool=told.last_tool,
    )


def events_of(output: bytes) -> Iterator[Json]:
    """Give the JSON objects that stand on a line each, or are spread over lines from `{` to `}`."""
    block: list[bytes] = []
    for line in output.splitlines():
        if block:
            block.append(line)
            if line == b"}":
                yield from _decoded(b"\n".join(block))
                block = []
        elif line == b"{":
            block = [line]
        elif line.startswith(b"{"):
            yield from _decoded(line)


def _decoded(raw: bytes) -> Iterator[Json]:
    with suppress(msgspec.MsgspecError, RecursionError):  # cut, mixed with other output, or only looks like JSON
        yield msgspec.json.decode(raw, type=Json)


def _listen_to_text(told: Told, output: bytes) -> None:
    """Take the last printed lines for the tool's words: it has no stream, or its stream has no end."""
    text = plain_text(output[-_END_BYTES:])
    lines = [line for line in map(str.strip, text.splitlines()) if line and not line.startswith("{")]
    lines = lines[-_LAST_LINES:]
    told.last_words = told.last_words or "\n".join(lines)
    if any(TURNS_USED_UP.fullmatch(line) for line in lines):
        told.budget = "turns"
    else:
        told.failure = "\n".join(lines) or None


def _provider(told: Told, signatures: re.Pattern[str], now: Instant) -> ProviderError | None:
    """Recognise a provider's failure by its status or by the tool's words for it."""
    if told.failure is None or (told.status is not None and told.status not in PROVIDER_STATUSES):
        return None
    lines = [line.strip() for line in told.failure.splitlines()]
    found = next((match for line in lines if (match := signatures.fullmatch(line))), None)
    if found is None and told.status is None:
        return None
    resets_at = told.resets_at or reset_in(told.failure, now)
    status = told.status or (status_in(found) if found else None)
    return ProviderError(
        status=status or (429 if resets_at else None),
        resets_at=resets_at,
        detail=one_line(found[0] if found else told.failure, _SHOWN_CHARS),
    )
