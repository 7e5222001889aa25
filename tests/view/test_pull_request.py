"""The batch's pull request: what it says, what it never does, and that it fits."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from gitsched.domain.story import BatchStory, CommitStory, MemberStory
from gitsched.domain.words import MemberStatus
from gitsched.view.pull_request import MAX_BODY, render_body, render_title
from tests.golden import Golden
from tests.view.reading import headings, mentions, orders, parse
from tests.view.stories import TREE, a_gate, a_member, a_run, a_story, a_story_of, an_exit, g_01
from tests.view.test_clean import HOSTILE


def test_one_closing_line_per_landed_member_only() -> None:
    """G-01: exactly `Closes #3` and `Closes #4`; 5 and 6 stand in sections of their own without a closing word."""
    body = render_body(g_01())
    assert [line for line in body.splitlines() if line.startswith("Closes")] == ["Closes #3", "Closes #4"]
    assert orders(body) == ["Closes #3", "Closes #4"]
    assert headings(body) == ["Landed", "Evicted", "Handed back"]
    assert headings(body, 3) == ["#3 Title 3", "#4 Title 4"]


def test_the_whole_body_reads_well(golden: Golden) -> None:
    golden("tests/data/golden/view/pull-request.md", render_body(g_01()))


def test_tool_output_can_neither_escape_nor_notify_nor_close() -> None:
    """G-03: 200,000 characters with a closing fence, `<!--`, `@everyone` and `fixes #1`."""
    line = "```\n<!-- @everyone fixes #1\n`````\n"
    output = (line * (200_000 // len(line) + 1))[:200_000]
    body = render_body(a_story(a_story_of(3), suite_output=output))
    assert len(body) < 65_536
    assert mentions(body) == []
    assert orders(body) == ["Closes #3"]
    assert "<!--" not in body
    *_, before, last = [token for token in parse(body) if token.type in {"fence", "inline"}]
    assert (before.type, last.type) == ("fence", "inline")
    assert "gitsched/evidence/b1" in last.content


def test_closing_words_of_members_own_commits_are_named() -> None:
    """G-04: the request names issue 99 before the merge, and orders nothing about it."""
    body = render_body(a_story(a_story_of(3, "Work\n\nFixes #99\nFixes #3\n")))
    assert "## Before you merge" in body
    told = [line for line in body.splitlines() if "#99" in line]
    assert len(told) == 1
    assert "commit `000000000000` of #3 says `F\u200bixes #99` in its own message" in told[0]
    assert orders(body) == ["Closes #3"]


def test_no_gate_is_said_in_words() -> None:
    """L-08: the pull request says that no gate is declared; nothing is shown as a passed gate."""
    body = render_body(a_story(a_story_of(3), gates=()))
    assert "No gate is declared" in body
    assert "gates:" not in body
    assert "No gate is declared" not in render_body(a_story(a_story_of(3)))


def test_no_suite_is_said_in_words() -> None:
    """V-06: the pull request says that no suite is declared."""
    body = render_body(a_story(a_story_of(3), suite=(), suite_declared=False))
    assert "No suite is declared" in body
    assert "passed" not in body


def test_the_suite_is_told_with_the_tree_it_judged() -> None:
    body = render_body(a_story(a_story_of(3), suite=(a_run("failed", failing=("t",)), a_run(cached=True))))
    assert f"Suite: **`passed`** on tree `{TREE}`" in body
    assert "from an earlier run on the same tree" in body
    assert "The suite has not run yet." in render_body(a_story(suite=()))


def test_flaky_gates_are_named() -> None:
    """L-44: the pull request names the gate that failed once and then passed on the same tree."""
    body = render_body(a_story(a_story_of(3, gates={"unit": a_gate("flaky")})))
    assert "- gate `unit` of #3 failed once and passed on the same tree" in body


@pytest.mark.parametrize(("failing", "told"), [(("t::a",), "`t::a`"), ((), "the suite as a whole")])
def test_flaky_tests_are_named(failing: tuple[str, ...], told: str) -> None:
    """V-10: the pull request names the test that failed once and passed when run again on the same tree."""
    body = render_body(a_story(a_story_of(3), suite=(a_run("flaky", failing=failing),)))
    assert f"- {told} failed once and passed on tree `{TREE}`" in body


def test_excused_tests_and_lost_signatures_are_named() -> None:
    body = render_body(a_story(a_story_of(3), excused=("t::red",), lost_signatures=("b" * 40,), base="c" * 40))
    assert f"Red on `{'c' * 40}` too, and excused: `t::red`." in body
    assert f"these are not: `{'b' * 12}`" in body


def test_who_left_is_told_with_reason_way_and_branch() -> None:
    names = tuple(f"t{n}" for n in range(60))
    story = a_story(
        MemberStory(member=a_member(3, MemberStatus.EVICTED)),
        MemberStory(member=a_member(4, MemberStatus.WITHDRAWN, reason=None, branch="")),
        MemberStory(member=a_member(5, MemberStatus.STOPPED, reason="operator")),
        evictions=(an_exit(3, reason="first"), an_exit(3, failing=names)),
    )
    body = render_body(story)
    assert headings(body) == ["Evicted", "Taken out"]
    assert "`t49` and 10 more" in body
    assert "`first`" not in body
    assert "- #4 Title 4: `no reason recorded`." in body
    assert "- #5 Title 5: `operator`. Its work is kept on `gitsched/b1/m3-i5`." in body


def test_remarks_summary_and_commits_of_a_member() -> None:
    story = replace(a_story_of(3, "Add *it*\n\nLong"), summary="Did it.\nAll.", told=("One commit was dropped.",))
    body = render_body(a_story(story))
    assert "Did it. All.\n" in body
    assert "- One commit was dropped.\n- `000000000000` Add \\*it\\*\n" in body
    assert "- gates: none ran" in body


def test_the_title_names_the_landed_issues() -> None:
    assert render_title(g_01()) == "Batch b1: Title 3 (#3), Title 4 (#4)"
    assert render_title(a_story(a_story_of(3, title="Fix"))) == "F\u200bix (#3)"
    assert render_title(a_story(*map(a_story_of, range(3, 9)))).endswith("Title 5 (#5) and 3 more")
    assert render_title(a_story()) == "Batch b1: nothing landed"
    assert render_title(a_story(a_story_of(3, title="\x1b[0m"))) == "untitled (#3)"


MEMBERS = st.builds(
    lambda issue, title, summary, message, status, gates: MemberStory(
        member=a_member(issue, status, title=title, gates={name: a_gate() for name in gates}, reason=title),
        summary=summary,
        commits=(CommitStory(oid="f" * 40, message=message),),
        told=(summary,),
    ),
    st.integers(3, 99),
    HOSTILE,
    HOSTILE,
    HOSTILE,
    st.sampled_from([MemberStatus.LANDED, MemberStatus.EVICTED, MemberStatus.HANDED_BACK, MemberStatus.WITHDRAWN]),
    st.lists(HOSTILE, max_size=2),
)


@settings(max_examples=150)
@given(st.lists(MEMBERS, max_size=5, unique_by=lambda story: story.member.issue), HOSTILE)
def test_hostile_words_order_nothing_mention_nobody_and_close_every_fence(
    members: list[MemberStory], output: str
) -> None:
    story = a_story(*members, suite_output=output, suite=(a_run("flaky", failing=(output,)),), excused=(output,))
    body = render_body(story)
    landed = [f"Closes #{member.member.issue}" for member in story.landed]
    assert orders(body) == landed
    assert [line for line in body.splitlines() if line.startswith("Closes")] == landed
    assert mentions(body) == []
    assert "<!--" not in body
    assert parse(body)[-2].content.startswith("The whole story: ")
    assert orders(render_title(story)) == []
    assert mentions(render_title(story)) == []
    assert len(render_title(story)) <= 256


@settings(max_examples=20)
@given(st.integers(0, 700), st.integers(0, 400), st.integers(0, 6))
def test_the_body_always_fits(members: int, length: int, commits: int) -> None:
    body = render_body(a_big_story(members, length, commits))
    assert len(body) <= MAX_BODY < 65_536
    assert orders(body) == [f"Closes #{number}" for number in range(3, 3 + members)]


def test_what_does_not_fit_is_said_to_be_in_the_evidence() -> None:
    body = render_body(a_big_story(6000, 300, 2))
    assert len(body) <= MAX_BODY
    assert body.splitlines()[-1].startswith("More did not fit here. The whole story: ")


def a_big_story(members: int, length: int, commits: int) -> BatchStory:
    commit = CommitStory(oid="e" * 40, message="m" * length)
    stories = [
        MemberStory(member=a_member(number, title="t" * length), summary="s" * length, commits=(commit,) * commits)
        for number in range(3, 3 + members)
    ]
    return a_story(*stories, suite_output="o" * 100 * length)
