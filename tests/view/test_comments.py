"""Comments: a report per member, one per batch, and the status that is edited in place."""

from hypothesis import given
from msgspec.structs import replace

from gitsched.domain.records import PullRequest
from gitsched.domain.words import BatchStatus, MemberStatus, PullRequestState
from gitsched.view.comments import (
    MAX_COMMENT,
    batch_marker,
    member_marker,
    render_batch_report,
    render_member_report,
    render_status_comment,
    request_marker,
    status_marker,
)
from tests.golden import Golden
from tests.view.reading import kinds, mentions, orders, parse
from tests.view.stories import HEAD, a_gate, a_story, a_story_of, an_exit, g_01
from tests.view.test_clean import HOSTILE


def test_a_shipped_member_is_told_where_it_landed() -> None:
    pr = PullRequest(number=7, state=PullRequestState.MERGED, head=HEAD)
    member = replace(a_story_of(3, landed=HEAD, gates={"unit": a_gate()}), told=("One commit was dropped.",))
    report = render_member_report(a_story(member, pr=pr), 3)
    assert f"Shipped to `main` as `{HEAD[:12]}`, by pull request #7, in batch `b1`." in report
    assert "Gates: `unit` `passed`." in report
    assert "- One commit was dropped." in report
    assert orders(report) == []
    assert "Gates:" not in render_member_report(a_story(a_story_of(3), gates=()), 3)


def test_a_member_that_left_is_told_why_and_what_to_do() -> None:
    story = g_01()
    assert "found by `bisect`; red: `tests/test_cart.py::test_sum`" in render_member_report(story, 5)
    assert "- to have it done again: `gitsched requeue 5`" in render_member_report(story, 5)
    assert "It said: Which of the two?" in render_member_report(story, 6)
    exit_ = an_exit(5, reproduce="git switch -d abc && make test")
    told = render_member_report(a_story(a_story_of(5, status=MemberStatus.EVICTED), evictions=(exit_,)), 5)
    assert "- to see it: `git switch -d abc && make test`" in told
    assert "its work is kept" not in told
    stopped = render_member_report(a_story(a_story_of(5, status=MemberStatus.STOPPED, reason="operator")), 5)
    assert "`stopped` from batch `b1`, `operator`" in stopped
    assert "its work is kept on `gitsched/b1/m3-i5`" in stopped


def test_the_batch_report_reads_well(golden: Golden) -> None:
    story = replace(g_01(), batch=replace(g_01().batch, status=BatchStatus.DONE, leftovers=("tree /x: in use",)))
    golden("tests/data/golden/view/batch-report.md", render_batch_report(story))
    assert orders(render_batch_report(story)) == []
    blocked = replace(story, batch=replace(story.batch, reason="suite-broken", leftovers=()))
    assert "is `done` (`suite-broken`)" in render_batch_report(blocked)


def test_the_status_comment_reads_well(golden: Golden) -> None:
    story = a_story(
        a_story_of(3, title="Pipes | and *stars*"),
        a_story_of(4, status=MemberStatus.WAITING, reason="landing-conflict", hold="a|b"),
        status=BatchStatus.BLOCKED,
        reason="gate-inconclusive:unit",
    )
    page = render_status_comment(story, {4: ("capacity",)}, "gitsched resume b1")
    golden("tests/data/golden/view/status-comment.md", page)
    assert {"table_open", "td_open"} <= kinds(page)
    cells = [token for token in parse(page) if token.type == "td_open"]
    assert len(cells) == 2 * 4


@given(HOSTILE)
def test_hostile_words_do_nothing_in_comments(text: str) -> None:
    story = replace(a_story_of(4, status=MemberStatus.EVICTED, title=text, reason=text), summary=text)
    whole = a_story(replace(a_story_of(3, title=text, message=text), summary=text), story, reason=text)
    pages = [render_member_report(whole, 3), render_member_report(whole, 4), render_batch_report(whole)]
    pages.append(render_status_comment(whole, {3: (text,)}, text))
    for page in pages:
        assert orders(page) == []
        assert mentions(page) == []
        assert len(page) <= MAX_COMMENT
    assert len([token for token in parse(pages[-1]) if token.type == "td_open"]) == 2 * 4


def test_markers_are_all_different() -> None:
    markers = {member_marker("b1", 3), batch_marker("b1"), status_marker("b1"), request_marker("b1")}
    assert len(markers) == 4
