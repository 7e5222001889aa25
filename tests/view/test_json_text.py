"""JSON is ASCII: whatever stands in a title, nothing but text leaves."""

import json

from hypothesis import given
from hypothesis import strategies as st

from gitsched.view.json_text import document_text, line_text


@given(st.text())
def test_every_text_comes_back_and_no_code_leaves(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        return  # half a surrogate pair cannot stand in a record
    for written in (document_text({"title": text}), line_text({"title": text})):
        assert json.loads(written) == {"title": text}
        assert all(sign == "\n" or " " <= sign <= "~" for sign in written)


def test_a_line_is_one_line() -> None:
    assert line_text({"a": "1\n2", "b": [1]}) == '{"a":"1\\n2","b":[1]}'
