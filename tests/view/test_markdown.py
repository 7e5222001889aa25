"""Text of others stays text inside Markdown."""

import pytest
from hypothesis import given

from gitsched.view.markdown import code, escaped, fenced
from tests.view.reading import kinds, parse, texts
from tests.view.test_clean import HOSTILE

MARKS = [
    *(
        "*bold* _em_ __x__",
        "[a](http://x)",
        "![i](x)",
        "<b>html</b>",
        "~~gone~~",
        "a | b",
        "`code`",
        "# head",
        "- item",
    ),
    *("1. one", "> quote", "&#64;me", "back\\slash", "C #", "***", "===", "+ x", "``` x", "<!-- c -->", "a \\# b #"),
]


@pytest.mark.parametrize("text", MARKS)
def test_marks_are_shown_as_they_were_written(text: str) -> None:
    for page in (escaped(text), f"- {escaped(text)}", f"### {escaped(text)}"):
        assert kinds(page) <= {
            *("inline", "text", "paragraph_open", "paragraph_close", "heading_open", "heading_close"),
            *("bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close", "text_special"),
        }
        shown = "".join(texts(page)).replace("\u200b", "")
        assert shown == text


@given(HOSTILE)
def test_code_is_one_span_and_a_fence_closes_where_we_close_it(text: str) -> None:
    inline = next(token for token in parse(f"x {code(text)} y") if token.type == "inline")
    assert [child.type for child in inline.children or []] == ["text", "code_inline", "text"]
    blocks = [token.type for token in parse(f"{fenced(text, 300)}\n\nafter")]
    assert blocks == ["fence", "paragraph_open", "inline", "paragraph_close"]


def test_runs_of_backticks_stay_short() -> None:
    page = fenced("`" * 1000, 5000)
    assert len(page.splitlines()[0]) < 60
    assert [token.type for token in parse(page)] == ["fence"]
    assert escaped("snake_case_name") == "snake_case_name"
    assert (escaped(" "), code("")) == ("(nothing)", "`(nothing)`")
