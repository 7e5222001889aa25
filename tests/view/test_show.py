"""One unit in full."""

from msgspec.structs import replace

from gitsched.domain.records import Settings
from gitsched.view.show import render_show, show_document
from tests.view.pictures import a_batch, a_lease, a_member, a_picture, an_entry


def test_an_issue_is_shown_with_its_memberships_and_runs_but_not_what_proves_them() -> None:
    entry = replace(an_entry(3, batch="b1"), extra={"new": 1})
    state = a_picture(entry, a_batch(3), a_member(3), a_lease(3), an_entry(4), a_member(4, 2)).state
    document = show_document(state, entry, "f" * 40)
    assert (document["unit"], document["commit"]) == ("3", "f" * 40)
    assert document["entry"]["new"] == 1
    assert [member["issue"] for member in document["members"]] == [3]
    assert "token" not in document["leases"][0]


def test_a_batch_is_shown_with_everything_below_it() -> None:
    batch = a_batch(3)
    state = a_picture(batch, a_member(3), a_lease(3), Settings(batch="b1", hash="h", data={"a": 1})).state
    document = show_document(state, batch, None)
    assert document["settings"] == {"batch": "b1", "hash": "h", "data": {"a": 1}}
    assert (len(document["members"]), len(document["leases"]), document["jobs"]) == (1, 1, [])


def test_text_leaves_out_what_is_empty_and_cleans_the_rest() -> None:
    text = render_show(
        {
            "unit": "3",
            "reason": None,
            "list": ["a", "b\x1b[2J"],
            "members": [{"x": 1}],
            "deep": {"y": {"decimal": "0.5"}},
        }
    )
    assert text.splitlines() == ["unit: 3", "list: a, b", "members:", "  x: 1", "deep:", "  y: 0.5"]
