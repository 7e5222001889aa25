"""How tools and their providers word a failure that is not the work's: one table per reader.

Taken from the tools' documentation and public issue trackers. They are looked for in the tool's own last
words only, never in the middle of an agent's talk.
"""

import re
from collections.abc import Mapping
from typing import Final

# HTTP statuses of a provider that refuses or fails: credentials, limits, and everything of theirs.
PROVIDER_STATUSES: Final = frozenset({401, 402, 403, 408, 429, *range(500, 600)})

_STATUS: Final = r"(?P<status>40[1238]|429|5\d\d)"

_ANTHROPIC: Final = (
    r"Claude AI usage limit reached\|\d+",
    r"(?:You've|You have) (?:hit|reached) your\b.*\blimit\b.*",
    r"(?:5-hour|Weekly|Opus weekly|Session) limit reached\b.*",
    rf"(?:API Error|Error):? \(?(?:Repeated )?{_STATUS}\b.*",
    r"API Error:? \(?(?:Connection error|Request timed out|Network error|fetch failed)\b.*",
    r"Credit balance is too low\b.*",
    r"(?:Invalid API key|OAuth token has expired|Not logged in)\b.*",
    r".*\"type\": ?\"(?:overloaded_error|rate_limit_error|authentication_error|permission_error|api_error)\".*",
)
_OPENAI: Final = (
    r"(?:.*: )?You've hit your usage limit\b.*",
    r".*\busage_limit_reached\b.*",
    rf".*exceeded retry limit, last status: {_STATUS}\b.*",
    rf".*unexpected status {_STATUS}\b.*",
    r".*stream disconnected before completion\b.*",
    r".*Quota exceeded\. Check your plan and billing details\b.*",
    r".*\b(?:rate_limit_exceeded|insufficient_quota|server_error|invalid_api_key)\b.*",
    r".*We're currently experiencing high demand\b.*",
    r".*Selected model is at capacity\b.*",
)
_GOOGLE: Final = (
    r".*You have exhausted your (?:capacity|daily quota)\b.*",
    r".*\bRESOURCE_EXHAUSTED\b.*",
    r".*\bQuota exceeded for (?:quota )?metric\b.*",
    rf".*\[?API Error: .*\b(?:code\"?: ?|status:? ?){_STATUS}\b.*",
    r".*\b(?:UNAUTHENTICATED|PERMISSION_DENIED|UNAVAILABLE)\b.*",
    r".*\bPlease set an Auth method\b.*",
)
_ANY_HTTP: Final = (
    rf".*\bHTTP(?:/\d(?:\.\d)?)? (?:error |status |code )*:?{_STATUS}\b.*",
    rf"(?:[A-Za-z.]*Error: )?(?:Error code|status(?: ?code)?):? ?{_STATUS}\b.*",
    rf".*\"(?:status|statusCode|status_code|code)\": ?{_STATUS}\b.*",
)
# aider prints the exceptions of the library that it calls providers with.
_LITELLM: Final = (
    (
        r"(?:litellm\.)?(?:RateLimitError|AuthenticationError|ServiceUnavailableError|InternalServerError"
        r"|APIConnectionError|APIError|Timeout|PermissionDeniedError|BadGatewayError)\b:? .*"
    ),
)


def _table(*parts: tuple[str, ...]) -> re.Pattern[str]:
    # Every alternative ends by itself, so each may name the status.
    names = iter(range(1_000))
    words = [part.replace("?P<status>", f"?P<status{next(names)}>") for group in parts for part in group]
    return re.compile("|".join(f"(?:{word})" for word in words), re.IGNORECASE)


SIGNATURES: Final[Mapping[str, re.Pattern[str]]] = {
    "claude-stream-json": _table(_ANTHROPIC, _ANY_HTTP),
    "codex-json": _table(_OPENAI, _ANY_HTTP),
    "opencode-json": _table(_ANTHROPIC, _OPENAI, _GOOGLE, _ANY_HTTP),
    "gemini-json": _table(_GOOGLE, _ANY_HTTP),
    "none": _table(_ANTHROPIC, _OPENAI, _GOOGLE, _LITELLM, _ANY_HTTP),
}

WAITS: Final = re.compile(
    r"\b(?:I(?:'ll| will| am|'m)(?: now| just)?|Now|Still) wait(?:ing)?\b"
    r"(?!\s+for (?:your|you|instructions|input|approval))"
    r".*\b(?:background|job|task|process|command|build|test|suite|install|finish|complet|done|notif)"
    r"|\bwaiting for (?:the |its )?background\b",
    re.IGNORECASE,
)
"""Last words that announce waiting for work that goes on without the agent."""

TURNS_USED_UP: Final = re.compile(r"(?:Error: )?Reached max(?:imum)? (?:number of )?turns\b.*", re.IGNORECASE)


def status_in(found: re.Match[str]) -> int | None:
    """Take the HTTP status that a signature found, if it names one."""
    return next((int(text) for text in found.groupdict().values() if text), None)
