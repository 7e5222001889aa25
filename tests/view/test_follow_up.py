"""The text of a draft about a failure."""

from msgspec.structs import replace

from gitsched.domain.forge import Issue
from gitsched.domain.records import Exit
from gitsched.view.follow_up import DRAFT_LABEL, follow_up_marker, follow_up_title, is_draft, render_follow_up
from tests.view.pictures import an_entry

EXIT = Exit(
    batch="b1",
    issue=3,
    kind="evicted",
    reason="suite-failed",
    failing=("shop.test_total",),
    branch="gitsched/b1/m1-i3",
    reproduce="git switch --detach 1234 && pytest",
)


def test_it_says_what_failed_and_how_to_see_it() -> None:
    text = render_follow_up(an_entry(3, title="Fixes #1 \x1b[31m"), EXIT)
    assert text.splitlines()[0].startswith("#3 F\u200bixes #1 left batch `b1`: `suite-failed`; red: `shop.test_total`")
    for part in ("what failed: product", "`gitsched/b1/m1-i3`", "`git switch --detach 1234 && pytest`", "--evidence"):
        assert part in text
    assert len(follow_up_title(an_entry(3, title="x" * 500))) == 120


def test_it_says_only_what_is_known() -> None:
    bare = render_follow_up(an_entry(3), Exit(batch="b1", issue=3, kind="evicted", reason="timeout"))
    assert "to see it" not in bare
    assert "is kept on" not in bare


def test_a_draft_is_one_until_its_label_is_taken_off() -> None:
    body = f"text\n<!-- {follow_up_marker(EXIT)} -->"
    issue = Issue(
        number=9, title="t", body=body, labels=(DRAFT_LABEL,), author="gitsched", created_at="", updated_at=""
    )
    assert is_draft(issue)
    assert not is_draft(replace(issue, labels=()))
    assert not is_draft(replace(issue, body="text"))
