"""The report of a batch as Markdown: deterministic, whole, and honest about what is unknown."""

from hypothesis import example, given
from msgspec.structs import replace

from gitsched.domain.records import PullRequest
from gitsched.domain.story import BatchStory, Happening
from gitsched.domain.words import PullRequestState
from gitsched.view.report import render_report
from gitsched.view.searched import SearchRow, SearchStory
from tests.golden import Golden
from tests.view.reading import headings, mentions, orders, parse
from tests.view.stories import HEAD, a_run, a_story, a_story_of, g_01
from tests.view.test_clean import HOSTILE, STEERS


def a_whole_story() -> BatchStory:
    story = g_01()
    spent = {"runs": 2, "usd_micros": 1_230_000, "tokens": 4000, "agent_ms": 12_400, "unknown_runs": 1}
    member = replace(story.members[0], member=replace(story.members[0].member, usage=spent))
    pr = PullRequest(number=7, state=PullRequestState.MERGED, head=HEAD, merge_commit=HEAD)
    batch = replace(
        story.batch,
        reason="done-by-hand",
        base="b" * 40,
        pr=pr,
        suite=(a_run("failed", failing=("t",), evidence="suite/0", duration_ms=3100), a_run(generation=1)),
        leftovers=("branch x: kept",),
        created_at="2026-01-02T03:04:05.000Z",
    )
    other = replace(story.members[1], member=replace(story.members[1].member, usage={"runs": 1, "unknown_runs": 1}))
    return replace(
        story,
        batch=batch,
        members=(member, other, *story.members[2:]),
        evidence=("suite/0/report.xml", "members/3/log"),
        journal=(Happening("2026-01-02T03:04:05.000Z", "Batch b1 was sealed with 4 members"),),
    )


def test_the_report_reads_well(golden: Golden) -> None:
    report = render_report(a_whole_story())
    golden("tests/data/golden/view/report.md", report)
    assert report == render_report(a_whole_story())
    expected = ["Members", "Landed", "Evicted", "Handed back", "Suite", "Costs", "Evidence", "Kept", "Journal"]
    assert headings(report) == expected


def test_unknown_costs_are_shown_as_unknown() -> None:
    report = render_report(a_whole_story())
    assert "| #3 | 2 (1 unknown) | ≥ $1.23 | ≥ 4000 | 12.4 s |" in report
    assert "| #4 | 1 (1 unknown) | unknown | unknown | unknown |" in report
    assert "| #5 | 0 | - | - | - |" in report
    assert "| together | 3 (2 unknown) | ≥ $1.23 | ≥ 4000 | 12.4 s |" in report


def test_a_search_is_told_run_by_run_and_how_to_see_what_it_found() -> None:
    row = SearchRow(
        at="2026-01-02T03:04:05.000Z",
        depth=0,
        purpose="confirm",
        outcome="fails",
        cached=True,
        held=(True, False, True, False),
        sentence="1 of 1 test fails on the tree with #3, #5",
        evidence="",
    )
    end = replace(row, purpose="", outcome="bisect", cached=False, held=(False, False, True, False), evidence="it did")
    story = a_whole_story()
    issues = tuple(member.member.issue for member in story.members)
    exit_ = replace(story.batch.evictions[0], reproduce="git switch --detach abc && make test")
    story = replace(story, batch=replace(story.batch, evictions=(exit_, *story.batch.evictions[1:])))
    lines = render_report(story, [SearchStory(members=issues, failing=("t",), rows=(row, end))]).splitlines()
    assert f"- #{exit_.issue}: `git switch --detach abc && make test`" in lines
    assert "Asked of `t`: 0 runs; the rest was known already." in lines
    assert any(line.startswith(f"| confirm (known) | #{issues[0]}, #{issues[2]} | `fails` | 1 of 1") for line in lines)
    assert any(line.startswith(f"| conclusion | #{issues[2]} | `bisect` |") for line in lines)


def test_a_batch_that_has_done_nothing_yet() -> None:
    story = a_story(a_story_of(3, gen=-1), suite=())
    report = render_report(
        replace(story, batch=replace(story.batch, integration=replace(story.batch.integration, head=None)))
    )
    assert "| 1 | #3 Title 3 | `landed` |  | none |" in report
    assert headings(report) == ["Members", "Landed", "Suite", "Costs"]


@given(HOSTILE)
@example("Fixes\u2028#A")
@example("Fixes\u2028#1")
@example("Fixes\u2028#A#1")
def test_hostile_words_stay_words(text: str) -> None:
    """I-13: escape codes, right-to-left marks and NUL in a title reach no terminal through the report."""
    member = replace(a_story_of(3, text, title=text, reason=text), summary=text, told=(text,))
    report = render_report(a_story(member, journal=(Happening("", text),), evidence=(text,), leftovers=(text,)))
    assert not STEERS.search(report)
    assert orders(report) == []
    assert mentions(report) == []
    assert len([token for token in parse(report) if token.type == "tr_open"]) == 2 + 3
