"""Which lines of a comment are commands: what stands in the open runs, what is shown does not."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from gitsched.codec.commands import CommandLine, command_lines

STOP = "/gitsched stop"
HIDING = {
    "code span": f"`{STOP}`",
    "code span over lines": f"a `x\n{STOP}\ny` b",
    "fence": f"```\n{STOP}\n```",
    "fence that never ends": f"~~~\n{STOP}",
    "indented block": f"    {STOP}",
    "tab": f"\t{STOP}",
    "quote": f"> {STOP}",
    "quote that goes on lazily": f"> a\n{STOP}",
    "comment": f"<!-- {STOP} -->",
    "comment over lines": f"<!--\n{STOP}\n-->",
    "comment that never ends": f"<div><!--\n\n{STOP}\n\n-->",
    "element around a paragraph": f"<details>\n\n{STOP}\n\n</details>",
    "element inside a paragraph": f"x <b>\n{STOP}\n</b>",
    "element in a heading": f"# x <kbd>\n\n{STOP}",
    "raw html behind it": f"{STOP} <!-- x -->",
    "html block": f"<pre>\n{STOP}\n</pre>",
    "table": f"| a |\n|---|\n| {STOP} |",
    "link text": f"[{STOP}](http://example.org)",
    "link text over lines": f"[a\n{STOP}\nb](http://example.org)",
    "link title": f'[a](/u "t\n{STOP}\nx")',
    "definition's title": f'[a]: /u "t\n{STOP}\nx"\n\n[a]',
    "image": f"![a\n{STOP}](x)",
    "list": f"- {STOP}",
    "list that goes on": f"- a\n{STOP}",
    "heading": f"# {STOP}",
    "heading by underline": f"{STOP}\n---",
    "footnote": f"[^1]: a\n{STOP}",
    "footnote, undefined": f"[^1]:\n{STOP}",
    "mathematics": f"$$\n{STOP}\n$$",
    "other words before it": f"please {STOP}",
    "blanks before it": f"a\n  {STOP}",
    "entity": "&#47;gitsched stop",
    "escape": "\\/gitsched stop",
    "another word": "/gitsched-stop",
    "a longer word": "/gitschedule stop",
    "a blank that is none": "/gitsched\u00a0stop",
    "something invisible": "\u200b/gitsched stop",
    "capitals": "/GITSCHED stop",
}


@pytest.mark.parametrize("body", HIDING.values(), ids=HIDING.keys())
def test_what_is_shown_does_not_run(body: str) -> None:
    """W-15: in code, quotes, HTML, tables, links and behind other words nothing runs."""
    assert command_lines(body) == ()


SHOWING = {
    "alone": (STOP, 1),
    "among lines": (f"hello\n{STOP}\nbye", 2),
    "among paragraphs": (f"hello\n\n{STOP}\n\nbye", 3),
    "behind a hard break": (f"x\\\n{STOP}", 2),
    "behind blanks": (f"x  \n{STOP}", 2),
    "Windows' line ends": (f"hello\r\n\r\n{STOP}\r\n", 3),
    "after a list": (f"- a\n\n{STOP}", 3),
    "after closed html": (f"<details>\n\na\n\n</details>\n<br>\n\n{STOP}", 8),
    "after html that closes more at once": (f"<div><b>\n\nx\n\n</div>\n\n{STOP}", 7),
    "after inline html": (f"a <b>b</b> <img src=x>\n{STOP}", 2),
    "after code in the same paragraph": (f"a `x\ny` b\n{STOP}", 3),
    "after a definition": (f"[a]: /u\n{STOP}", 2),
    "after an image": (f"![x\ny](z)\n{STOP}", 3),
    "after an autolink": (f"<http://example.org>\n{STOP}", 2),
    "after a closing tag of nothing": (f"</b>\n\n{STOP}", 3),
    "inside an emphasis": (f"*a\n{STOP}\nb*", 2),
}


@pytest.mark.parametrize(("body", "line"), SHOWING.values(), ids=SHOWING.keys())
def test_a_line_of_its_own_runs(body: str, line: int) -> None:
    """W-15: on a line of its own it runs."""
    assert command_lines(body) == (CommandLine(line, "stop"),)


def test_arguments_arrive_as_they_were_written() -> None:
    """W-19: stars and underscores are no emphasis."""
    body = "/gitsched enqueue files=src/*_test*.py priority=7\n/gitsched enqueue files=*.js _a_ __b__ a\\*b"
    assert [line.words for line in command_lines(body)] == [
        ("enqueue", "files=src/*_test*.py", "priority=7"),
        ("enqueue", "files=*.js", "_a_", "__b__", "a\\*b"),
    ]


def test_the_word_alone_is_a_command_without_words() -> None:
    assert [line.words for line in command_lines("/gitsched\n\n/gitsched \n")] == [(), ()]


WORDS = st.text("abc*_[]()!<>&;\"'\\`~|#-=.:^$1/ \t", max_size=12)
LINES = st.lists(st.one_of(WORDS, st.just(STOP), st.just("")), max_size=6)
WRAPPED = {
    "code": lambda inside: "\n".join(f"    {line}" for line in inside),
    "fence": lambda inside: "\n".join(["`````", *inside, "`````"]),
    "quote": lambda inside: "\n".join(f"> {line}" for line in inside),
    "comment": lambda inside: "\n".join(["<!--", *(line.replace("-->", "") for line in inside), "-->"]),
    "table": lambda inside: "\n".join(
        ["| a |", "|---|", *(f"| {line.replace('|', '')} |" for line in inside if line.strip())]
    ),
    "script": lambda inside: "\n".join(["<script>", *(line.replace("</", "") for line in inside), "</script>"]),
    "list": lambda inside: "\n".join(["- a", *(f"  {line}" for line in inside)]),
}


@given(st.sampled_from(sorted(WRAPPED)), LINES)
def test_nothing_wrapped_ever_runs(wrapping: str, inside: list[str]) -> None:
    """W-15: whatever else is written there."""
    assert command_lines(WRAPPED[wrapping](inside)) == ()


@given(LINES, LINES, st.sampled_from(["[x](/u", "`", "``", "<b ", "<!-- ", "![", "[", "&", "\\"]))
def test_every_command_is_a_whole_line_and_begins_with_the_word(
    before: list[str], after: list[str], opened: str
) -> None:
    body = "\n".join([*before, opened, STOP, *after])
    rows = body.split("\n")
    for found in command_lines(body):
        assert rows[found.line - 1].strip().startswith("/gitsched")


@given(WORDS, st.sampled_from(["`", "``", "```"]), LINES)
def test_a_line_inside_a_code_span_never_runs(text: str, ticks: str, more: list[str]) -> None:
    quiet = text.replace("`", "").replace("<", "").replace("[", "").replace("\\", "").strip() or "x"
    body = f"a{quiet} {ticks}b\n{STOP}\nc{ticks} d"
    assert command_lines(body) == ()


@given(st.text(max_size=200))
def test_no_text_breaks_the_reader(text: str) -> None:
    for body in (text, f"{text}\n{STOP}", f"{STOP}{text}"):
        assert all(found.line >= 1 for found in command_lines(body))


class Standing(HTMLParser):
    """Tells inside which elements a marker stands."""

    def __init__(self, marker: str) -> None:
        super().__init__()
        self.marker, self.stack, self.found = marker, list[str](), list[tuple[str, ...]]()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in ("br", "img", "hr"):
            self.stack.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.stack:
            while self.stack.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if self.marker in data:
            self.found.append(tuple(self.stack))


@given(LINES, LINES, WORDS)
def test_what_runs_is_shown_as_a_plain_paragraph(before: list[str], after: list[str], arguments: str) -> None:
    """W-15: seen from the page that a renderer makes of the comment."""
    rows = "\n".join([*before, f"{STOP} {arguments}", *after]).split("\n")
    for found in command_lines("\n".join(rows)):
        marked = [*rows[: found.line - 1], "MARKER", *rows[found.line :]]
        page = Standing("MARKER")
        page.feed(MarkdownIt("commonmark").enable("table").render("\n".join(marked)))
        assert [set(stack) - {"em", "strong"} for stack in page.found] == [{"p"}], rows
