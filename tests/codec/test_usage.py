"""What agents' own output says of their end, in the streams that the tools document."""

# over-length: the documented output forms of five tools, side by side

import json
from typing import Any, Final

import pytest

from gitsched.codec.usage import Findings, read_output

NOW = "2026-01-02T03:00:00.000Z"
CLAUDE, CODEX, OPENCODE, GEMINI = "claude-stream-json", "codex-json", "opencode-json", "gemini-json"


def stream(*events: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


def read(parser: str, *events: dict[str, Any], before: str = "", after: str = "") -> Findings:
    return read_output(parser, before.encode() + stream(*events) + after.encode(), NOW)


def claude_result(**changes: Any) -> dict[str, Any]:
    usage = {
        "input_tokens": 10,
        "cache_creation_input_tokens": 20,
        "cache_read_input_tokens": 30,
        "output_tokens": 40,
        "service_tier": "standard",
    }
    ordinary = {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "num_turns": 3,
        "result": "All done.",
        "total_cost_usd": 0.0123456,
        "usage": usage,
    }
    return ordinary | changes


def claude_said(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"type": "assistant", "message": {"role": "assistant", "content": list(parts)}}


def rate_limit(status: str, resets_at: Any = 1767351600) -> dict[str, Any]:
    return {"type": "rate_limit_event", "rate_limit_info": {"status": status, "resetsAt": resets_at}}


class TestClaude:
    def test_usage_cost_turns_and_last_tool(self) -> None:
        tools = claude_said(
            {"type": "text", "text": "I look."}, {"type": "tool_use", "name": "Bash"}, {"type": "thinking"}
        )
        found = read(CLAUDE, {"type": "system", "subtype": "init"}, tools, rate_limit("allowed"), claude_result())
        assert found == Findings(usage={"usd_micros": 12_346, "tokens": 100, "turns": 3}, last_tool="Bash")

    def test_used_up_turns_are_a_budget_and_no_silent_success(self) -> None:
        """R-43: the outcome names the budget `turns`."""
        found = read(CLAUDE, claude_result(subtype="error_max_turns", is_error=True, result=None))
        assert (found.budget, found.provider) == ("turns", None)
        assert read(CLAUDE, claude_result(subtype="error_max_budget_usd", is_error=True)).budget == "usd"

    @pytest.mark.parametrize(
        ("words", "status", "resets_at"),
        [
            ("Claude AI usage limit reached|1767351600", 429, "2026-01-02T11:00:00.000Z"),
            ('API Error: 529 {"type":"error","error":{"type":"overloaded_error"}}', 529, None),
            ('API Error (500 {"type":"error"}) · Retrying', 500, None),
            ("API Error: Repeated 529 Overloaded errors", 529, None),
            ("API Error: Connection error.", None, None),
            ("You've hit your limit · resets 4pm (Europe/Berlin)", 429, "2026-01-02T15:00:00.000Z"),
            ("Credit balance is too low", None, None),
            ("Invalid API key · Please run /login", None, None),
        ],
    )
    def test_provider_errors(self, words: str, status: int | None, resets_at: str | None) -> None:
        """R-44 (recognition): a run that ends in a provider error carries its status and reset."""
        provider = read(CLAUDE, claude_result(is_error=True, result=words)).provider
        assert provider is not None
        assert (provider.status, provider.resets_at) == (status, resets_at)
        assert provider.detail == words
        assert provider.fields() == {"status": status, "resets_at": resets_at, "detail": words}

    def test_some_versions_do_not_flag_a_limit(self) -> None:
        found = read(CLAUDE, claude_result(result="Claude AI usage limit reached|1767351600"))
        assert found.provider is not None

    def test_a_rejected_rate_limit_tells_when_it_ends(self) -> None:
        found = read(CLAUDE, rate_limit("rejected"), claude_result(is_error=True, result="You are out of messages"))
        assert found.provider is not None
        assert (found.provider.status, found.provider.resets_at) == (429, "2026-01-02T11:00:00.000Z")
        strange = read(CLAUDE, rate_limit("rejected", "soon"), claude_result(is_error=True, result="no"))
        assert strange.provider is not None
        assert strange.provider.resets_at is None

    def test_a_limit_that_was_lifted_on_the_way_is_no_error(self) -> None:
        found = read(CLAUDE, rate_limit("rejected"), rate_limit("allowed_warning"), claude_result(is_error=True))
        assert found.provider is None

    def test_a_status_of_its_own_decides(self) -> None:
        found = read(CLAUDE, claude_result(is_error=True, result="overloaded?", api_error_status=503))
        assert found.provider is not None
        assert found.provider.status == 503
        assert (
            read(CLAUDE, claude_result(is_error=True, result="prompt too long", api_error_status=400)).provider is None
        )

    def test_an_error_of_the_work_is_the_works(self) -> None:
        failed = claude_result(is_error=True, subtype="error_during_execution", result=None)
        assert read(CLAUDE, failed).provider is None

    def test_talk_of_errors_on_the_way_is_talk(self) -> None:
        said = claude_said({"type": "text", "text": "The log says API Error: 529, so I retried."})
        assert read(CLAUDE, said, claude_result(), before="API Error: 529\n").provider is None

    def test_a_stream_without_its_end_is_judged_by_what_was_printed_last(self) -> None:
        found = read(CLAUDE, claude_said({"type": "text", "text": "hm"}), after="API Error: 529 overloaded\n")
        assert found.usage is None
        assert found.provider is not None
        assert found.provider.status == 529

    def test_an_announced_wait_is_heard(self) -> None:
        """R-47 (recognition): last words that announce waiting for background work."""
        assert read(CLAUDE, claude_result(result="I will wait for the background job to finish.")).waiting
        assert read(CLAUDE, claude_result(result="Started.\nI'll wait for the test suite to complete.")).waiting
        assert not read(CLAUDE, claude_result(result="I will wait for your review of the build.")).waiting
        assert not read(CLAUDE, claude_result(result="I waited for the build; it passed.")).waiting


class TestCodex:
    def test_usage_adds_up_over_turns(self) -> None:
        found = read(
            CODEX,
            {"type": "thread.started", "thread_id": "t"},
            {"type": "turn.started"},
            {"type": "item.started", "item": {"id": "1", "type": "command_execution", "command": "ls"}},
            {"type": "item.completed", "item": {"id": "2", "type": "reasoning", "text": "hm"}},
            {
                "type": "item.completed",
                "item": {"id": "3", "type": "agent_message", "text": "I'm waiting for the build job."},
            },
            {"type": "turn.completed", "usage": {"input_tokens": 100, "cached_input_tokens": 60, "output_tokens": 7}},
            {"type": "item.completed", "item": {"id": "4", "type": "mcp_tool_call", "tool": "search"}},
            {"type": "turn.completed", "usage": {"input_tokens": 1, "cached_input_tokens": 0, "output_tokens": 2}},
        )
        assert found == Findings(usage={"tokens": 110, "turns": 2}, last_tool="search", waiting=True)

    @pytest.mark.parametrize(
        ("words", "status", "resets_at"),
        [
            (
                "You've hit your usage limit. Upgrade to Pro or try again in 2 hours 5 minutes.",
                429,
                "2026-01-02T05:05:00.000Z",
            ),
            ("You've hit your usage limit. Try again at 4:30 PM.", 429, "2026-01-02T16:30:00.000Z"),
            ("exceeded retry limit, last status: 429 Too Many Requests, request id: x", 429, None),
            ("unexpected status 401 Unauthorized: Missing bearer", 401, None),
            ("stream disconnected before completion: idle timeout", None, None),
            (
                '{"error":{"type":"usage_limit_reached","resets_at":1767351600,"resets_in_seconds":9}}',
                429,
                "2026-01-02T11:00:00.000Z",
            ),
            ('{"error":{"type":"usage_limit_reached","resets_in_seconds": 90}}', 429, "2026-01-02T03:01:30.000Z"),
        ],
    )
    def test_provider_errors(self, words: str, status: int | None, resets_at: str | None) -> None:
        for event in ({"type": "turn.failed", "error": {"message": words}}, {"type": "error", "message": words}):
            provider = read(CODEX, event).provider
            assert provider is not None
            assert (provider.status, provider.resets_at) == (status, resets_at)

    def test_a_reconnect_that_worked_is_no_error(self) -> None:
        found = read(
            CODEX,
            {"type": "error", "message": "stream disconnected before completion"},
            {"type": "turn.completed", "usage": {}},
        )
        assert found == Findings(usage={"tokens": 0, "turns": 1})

    def test_a_failure_without_words_is_no_providers(self) -> None:
        assert read(CODEX, {"type": "turn.failed"}).provider is None
        assert read(CODEX, {"type": "error"}, {"type": "news"}).provider is None


def step(cost: Any = 0.002, **tokens: Any) -> dict[str, Any]:
    return {"type": "step_finish", "part": {"type": "step-finish", "tokens": tokens, "cost": cost}}


def opencode_error(status: Any = 429, message: str = "Too many requests") -> dict[str, Any]:
    data = {"message": message, "statusCode": status, "isRetryable": True}
    return {"type": "error", "error": {"name": "APIError", "data": data}}


class TestOpencode:
    def test_usage_adds_up_over_steps(self) -> None:
        found = read(
            OPENCODE,
            {"type": "step_start", "part": {}},
            {"type": "tool_use", "part": {"tool": "bash", "state": {}}},
            {"type": "text", "part": {"text": "Now waiting for the tests to complete."}},
            step(input=10, output=5, reasoning=1, cache={"read": 3, "write": 2}),
            step(cost=0.001, input=1, output=1),
            {"type": "reasoning"},
        )
        assert found == Findings(usage={"usd_micros": 3_000, "tokens": 23, "turns": 2}, last_tool="bash", waiting=True)

    def test_provider_errors(self) -> None:
        provider = read(OPENCODE, step(input=1), opencode_error()).provider
        assert provider is not None
        assert (provider.status, provider.detail) == (429, "APIError: Too many requests")
        unnamed = {"type": "error", "error": {"message": "HTTP 503 from upstream"}}
        provider = read(OPENCODE, unnamed).provider
        assert provider is not None
        assert provider.status == 503

    def test_a_request_that_was_wrong_is_no_providers(self) -> None:
        assert read(OPENCODE, opencode_error(400, "server_error: prompt too long")).provider is None
        assert read(OPENCODE, {"type": "error"}).provider is None

    def test_a_step_after_an_error_takes_it_back(self) -> None:
        assert read(OPENCODE, opencode_error(), {"type": "step_start"}, step(input=1)).provider is None


GEMINI_STATS: Final = {
    "models": {
        "gemini-pro": {"api": {"totalRequests": 2}, "tokens": {"prompt": 90, "candidates": 10, "total": 100}},
        "gemini-flash": {"api": {"totalRequests": 1}, "tokens": {"total": 11}},
        "broken": None,
    },
    "tools": {"byName": {"read_file": {}, "run_shell_command": {}}},
}


class TestGemini:
    def test_one_object_at_the_end(self) -> None:
        output = {"response": "I will wait for the background task.", "stats": GEMINI_STATS}
        pretty = json.dumps(output, indent=2)
        for raw in (pretty, json.dumps(output)):
            found = read_output(GEMINI, f"Loaded cached credentials.\n{raw}\n".encode(), NOW)
            assert found == Findings(usage={"tokens": 111, "turns": 3}, last_tool="run_shell_command", waiting=True)

    def test_a_stream_of_events(self) -> None:
        found = read(
            GEMINI,
            {"type": "init", "session_id": "s", "model": "m"},
            {"type": "message", "role": "user", "content": "I will wait for the background task"},
            {"type": "message", "role": "assistant", "content": "I am wait", "delta": True},
            {"type": "message", "role": "assistant", "content": "ing for the job.", "delta": True},
            {"type": "tool_use", "tool_name": "write_file", "tool_id": "1", "parameters": {}},
            {"type": "result", "status": "success", "stats": {"total_tokens": 50, "input_tokens": 40, "tool_calls": 1}},
        )
        assert found == Findings(usage={"tokens": 50}, last_tool="write_file", waiting=True)
        whole = read(GEMINI, {"type": "message", "role": "assistant", "content": "Done."})
        assert not whole.waiting

    @pytest.mark.parametrize(
        ("error", "status", "resets_at"),
        [
            ({"type": "ApiError", "message": "Unavailable", "code": 503}, 503, None),
            (
                {
                    "type": "Error",
                    "message": "You have exhausted your capacity on this model. Your quota will reset after 2h52m39s.",
                },
                429,
                "2026-01-02T05:52:39.000Z",
            ),
            ({"type": "Error", "message": "Please set an Auth method in settings.json", "code": 41}, None, None),
        ],
    )
    def test_provider_errors(self, error: dict[str, Any], status: int | None, resets_at: str | None) -> None:
        provider = read(GEMINI, {"session_id": "s", "error": error}).provider
        assert provider is not None
        assert (provider.status, provider.resets_at) == (status, resets_at)

    @pytest.mark.parametrize("error", [{"code": 53}, {"type": "FatalTurnLimitedError", "message": "Reached max turns"}])
    def test_used_up_turns_are_a_budget(self, error: dict[str, Any]) -> None:
        """R-43: the same for a tool that tells it by its exit code."""
        found = read(GEMINI, {"error": error})
        assert (found.budget, found.provider) == ("turns", None)

    def test_an_input_error_is_no_providers(self) -> None:
        assert read(GEMINI, {"error": {"type": "FatalInputError", "code": 42}}).provider is None
        assert read(GEMINI, {"error": {"code": 42}}).provider is None


class TestPlain:
    @pytest.mark.parametrize(
        ("last", "status"),
        [
            ("litellm.RateLimitError: RateLimitError: GroqException - Rate limit reached", None),
            ("Error: HTTP 502 from the gateway", 502),
            ("openai.APIStatusError: Error code: 500 - {'error': {}}", 500),
            ("API Error: 529 overloaded", 529),
            ('{"level":"x"}\nstatus: 429', 429),
        ],
    )
    def test_provider_errors_at_the_end(self, last: str, status: int | None) -> None:
        for parser in ("none", "unheard-of"):
            provider = read_output(parser, f"working\n{last}\n\n".encode(), NOW).provider
            assert provider is not None
            assert provider.status == status

    def test_errors_further_up_are_over(self) -> None:
        """R-46 (the end decides): what stands before the last lines is not how it ended."""
        assert read_output("none", b"API Error: 529\nretrying\nworking\nfine\n", NOW).provider is None

    def test_words_never_decide(self) -> None:
        """R-30 (the words): neither success nor failure is read from them."""
        for words in (b"SUCCESS", b"unsuccessful, giving up", b"error: it failed", b""):
            assert read_output("none", words, NOW) == Findings()

    def test_used_up_turns(self) -> None:
        assert read_output("none", b"Error: Reached max turns (5)\n", NOW) == Findings(budget="turns")

    def test_an_announced_wait(self) -> None:
        """R-47 (recognition): also of an agent without a stream."""
        assert read_output("none", b"I will wait for the background job to finish\n", NOW).waiting

    def test_a_provider_error_is_no_announced_wait(self) -> None:
        assert not read_output("none", b"I will wait for the background job\nAPI Error: 529\n", NOW).waiting


@pytest.mark.parametrize(
    "output",
    [
        b'{"type":"result","usage":',
        b"{\nnot json\n}\n",
        b"{]\n",
        b"\xff\xfe{}\n",
        b'{"type":"assistant","message":{"content":"text"}}\n{"type":"assistant","message":7}\n',
        b'{"type":"item.completed","item":{"type":5}}\n',
        b'{"type":"step_finish","part":{"tokens":{"input":-4,"output":true},"cost":"free"}}\n',
        b"{" + b'"a":{' * 2_000 + b"}" * 2_001 + b"\n",
        b"{\n",
    ],
)
@pytest.mark.parametrize("parser", [CLAUDE, CODEX, OPENCODE, GEMINI, "none"])
def test_damaged_streams_are_read_without_harm(parser: str, output: bytes) -> None:
    found = read_output(parser, output, NOW)
    assert found.provider is None
    assert found.budget is None
