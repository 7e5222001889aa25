"""Front matter: a small strict subset of YAML, and every refusal names file, line and key."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitsched.codec.frontmatter import parse_issue_file
from gitsched.domain.forge import IssueDraft
from gitsched.errors import UsageError

WHOLE = """\
---
# a comment
title: Add login: step #1
labels: [bug, "needs, a comma", 'it''s']

deps:
  - 3
- "#4"
  # and another comment
files:
  - src/**/*.py
  - "[ab]*.c"
  - -rf
milestone: v1
---

# Heading

Body with --- inside.
---
"""


def test_a_whole_file() -> None:
    assert parse_issue_file(WHOLE, "a.md") == IssueDraft(
        title="Add login: step #1",
        labels=("bug", "needs, a comma", "it's"),
        deps=(3, 4),
        files=("src/**/*.py", "[ab]*.c", "-rf"),
        milestone="v1",
        body="# Heading\n\nBody with --- inside.\n---",
    )


def test_line_ends_and_a_byte_order_mark_change_nothing() -> None:
    assert parse_issue_file("\ufeff" + WHOLE.replace("\n", "\r\n"), "a.md") == parse_issue_file(WHOLE, "a.md")


@pytest.mark.parametrize(
    ("text", "draft"),
    [
        ("# Only a *heading*\n\ntext", IssueDraft(title="Only a *heading*", body="# Only a *heading*\n\ntext")),
        ("---\nlabels: []\ndeps:\nmilestone:\n---\ntext\n# T\n", IssueDraft(title="T", body="text\n# T")),
        ("---\ntitle: x\nlabels: [a, a , b]\n---\n", IssueDraft(title="x", labels=("a", "b"))),
        ("---\ntitle: x\ndeps: [#3, 4]\n---", IssueDraft(title="x", deps=(3, 4))),
        ('---\ntitle: "q \\" \\\\ \\/ \\u00e4\\t"\n---', IssueDraft(title='q " \\ / ä')),
        ("---\ntitle: 'l''été'\n---", IssueDraft(title="l'été")),
        ("---\ntitle: -- dash 👩‍💻\n---", IssueDraft(title="-- dash 👩‍💻")),
        ("---\ntitle : x\n---\t\n\n\nb\n\n", IssueDraft(title="x", body="b")),
    ],
)
def test_small_files(text: str, draft: IssueDraft) -> None:
    assert parse_issue_file(text, "a.md") == draft


KNOWN = "Known here: title, labels, deps, files, milestone."
REFUSED = {
    "title: x\nlables: [a]": f"a.md, line 3: 'lables'. There is no such key; the nearest is 'labels'. {KNOWN}",
    "number: 3": "a.md, line 2: 'number'. There is no such key; the nearest is",
    "title: x\n\ntitle: y": "a.md, line 4: 'title'. Line 2 has the same key. Keep one of the two.",
    "title: x\n  more": f"a.md, line 3: 'more'. This is neither `key: value` nor an item of a list. {KNOWN}",
    "title: x\n- y": f"a.md, line 3: '- y'. This is neither `key: value` nor an item of a list. {KNOWN}",
    "title:x": f"a.md, line 2: 'title:x'. This is neither `key: value` nor an item of a list. {KNOWN}",
    "- x": f"a.md, line 2: '- x'. This is neither `key: value` nor an item of a list. {KNOWN}",
    "labels: [a]": "a.md, line 1: 'title'. The title holds nothing.",
    "title:": "a.md, line 2: 'title'. The title holds nothing.",
    "title:\n  - x": "a.md, line 2: 'title'. The value is a list.",
    "title: [WIP] x": "a.md, line 2: 'title'. The value is a list. It takes text; where",
    'title: "a\\nb"': "a.md, line 2: 'title'. The title is not one line of text.",
    f"title: {'x' * 257}": "a.md, line 2: 'title'. The title has 257 characters, more than 256.",
    "title: |": "a.md, line 2: 'title'. The value begins with '|', which is not plain text. Put it in quotes.",
    'title: "a': "a.md, line 2: 'title'. The quoted text does not end where its line ends.",
    "title: 'a' b": "a.md, line 2: 'title'. The quoted text does not end where its line ends.",
    'title: "\\q"': "a.md, line 2: 'title'. The escape \\q is not known.",
    'title: "\\ud800"': "a.md, line 2: 'title'. The escape \\ud800 is not known.",
    "title: x\nlabels: bug": "a.md, line 3: 'labels'. The value is no list.",
    "title: x\nlabels: [bug": "a.md, line 3: 'labels'. The value is no list.",
    "title: x\nlabels: [a,,b]": "a.md, line 3: 'labels'. An item is empty.",
    'title: x\nlabels: ["a" b]': "a.md, line 3: 'labels'. The item \"a\" goes on after its quote.",
    "title: x\nlabels: [a]b]": "a.md, line 3: 'labels'. The item 'a]b' is not plain text.",
    "title: x\nlabels:\n  - a\n  -": "a.md, line 5: 'labels'. The item '' is empty or not one line.",
    "title: x\ndeps:\n  - 3\n  - four": "a.md, line 5: 'deps'. The item 'four' is not the number of an issue.",
    "title: x\ndeps: [0]": "a.md, line 3: 'deps'. The item '0' is not the number of an issue.",
    'title: x\nmilestone: "a\\nb"': "a.md, line 3: 'milestone'. The item 'a\\nb' is empty or not one line.",
}


@pytest.mark.parametrize("head", REFUSED)
def test_refusals_name_file_line_and_key(head: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_issue_file(f"---\n{head}\n---\nbody\n", "a.md")
    assert str(refused.value).startswith(REFUSED[head])
    assert refused.value.exit_code == 2


def test_front_matter_without_an_end_is_refused() -> None:
    with pytest.raises(UsageError, match=r"a.md, line 1: '---'\. The front matter has no end"):
        parse_issue_file("---\ntitle: x\n", "a.md")
    with pytest.raises(UsageError, match="The title holds nothing"):
        parse_issue_file("", "a.md")


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    for whole in (text, f"---\n{text}\n---\n"):
        try:
            assert parse_issue_file(whole, "a.md").title
        except UsageError as refused:
            said = str(refused)
        else:
            said = "a.md, line "
        assert "a.md, line " in said
