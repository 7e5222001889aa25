"""HTML pages: one file, nothing from elsewhere, and nobody's text is markup."""

import re
from html.parser import HTMLParser

from gitsched.domain.events import Event, EventName, FieldValue
from gitsched.domain.story import CommitStory, MemberStory
from gitsched.domain.words import MemberStatus, Method
from gitsched.view.html import render_night_page, render_report_page
from gitsched.view.night import night_document
from gitsched.view.overview import BatchLine, batch_line
from gitsched.view.sheet import Sheet, sheet
from gitsched.view.why import why
from tests.view.pictures import AT, a_picture, an_entry
from tests.view.stories import TREE, a_batch, a_gate, a_member, a_run, a_story, an_exit

EVIL = '<script>alert(1)</script>"><img src=x onerror=alert(2)> {{ 7 * 7 }} \x1b[31m\u202e\x00 javascript:x'
NOW = "2026-01-02T03:14:05.000Z"


class Page(HTMLParser):
    """What a browser would make of it: tags, and addresses that it would load or follow."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.handlers: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href", "action", "data")]
        self.handlers += [name for name, _ in attrs if name.startswith("on") or name == "style"]


def a_step(purpose: str, outcomes: str, *members: int) -> Event:
    fields: dict[str, FieldValue] = {
        "purpose": purpose,
        "outcomes": outcomes,
        "members": list(members),
        "cached": False,
        "evidence": None,
    }
    return Event(name=EventName.BISECT_STEP, at=NOW, sentence=EVIL, batch="b1", fields=fields)


EVENTS = [
    Event(name=EventName.ASSIGNED, at=AT, sentence=EVIL, batch="b1", issue=3, fields={"slot": 1}),
    Event(name=EventName.SUITE_FAILED, at=NOW, sentence=EVIL, batch="b1", fields={"failing": [EVIL]}),
    a_step("origin", "p"),
    a_step("probe", "f", 3, 4),
    a_step("confirm", "b", 3),
    Event(
        name=EventName.ATTRIBUTED,
        at=NOW,
        sentence=EVIL,
        batch="b1",
        issue=4,
        fields={"method": "bisect", "suspects": [4]},
    ),
    Event(name=EventName.BATCH_REBUILT, at=NOW, sentence=EVIL, batch="b1"),
]


def a_sheet() -> Sheet:
    """Give a batch with a landing conflict, a bisect, costs that are partly unknown, and hostile text all over."""
    gone = a_member(4, MemberStatus.EVICTED, title=EVIL, usage={"runs": 1, "unknown_runs": 1})
    stays = a_member(
        3, title=EVIL, gates={"unit": a_gate(evidence="checks/gate")}, usage={"runs": 1, "usd_micros": 20_000}
    )
    conflict = an_exit(5, reason="landing-conflict", detail=EVIL, branch=EVIL, reproduce=EVIL)
    story = a_story(
        MemberStory(member=stays, summary=EVIL, commits=(CommitStory(oid="a" * 40, message=EVIL),), told=(EVIL,)),
        MemberStory(member=gone),
        MemberStory(member=a_member(5, MemberStatus.EVICTED, title=EVIL)),
        evictions=(conflict, an_exit(4, method=Method.BISECT, failing=(EVIL,))),
        suite=(a_run("failed", failing=(EVIL,), evidence="checks/suite/1"), a_run("passed", cached=True)),
        leftovers=(EVIL,),
        evidence=("runs/3/0/log", EVIL),
    )
    members = [found.member for found in story.members]
    picture = a_picture(story.batch, *members, an_entry(3, title=EVIL))
    line: BatchLine = batch_line(picture, story.batch, {}, NOW)
    return sheet(story, EVENTS, line, why(picture, story.batch), NOW)


def test_the_report_is_one_page_that_shows_everything() -> None:
    """I-14: members over time, landing order, the search, evidence; unknown costs are shown as unknown."""
    text = render_report_page(a_sheet())
    page = Page(text)
    assert {address for address in page.addresses if not address.startswith("#")} == set()
    assert not {"script", "img", "link", "iframe", "object", "base", "form"} & set(page.tags)
    assert page.handlers == []
    assert "default-src &#39;none&#39;" in text or "default-src 'none'" in text
    for heading in ("Landing order", "Who ran when", "Search", "Verdicts", "Costs", "Evidence", "Story"):
        assert re.search(rf"<h2[^>]*>{heading}</h2>", text), heading
    together = re.search(r"<tr><td>together</td>(.*?)</tr>", text)
    assert together is not None
    assert re.findall(r"<td>(.*?)</td>", together[1]) == ["2 (1 unknown)", "≥ $0.02", "unknown", "-"]
    assert "found by bisect" in text
    assert text.count("<rect") >= 1


def test_text_of_others_is_escaped_and_cleaned() -> None:
    """I-13, I-14: no title, branch, test name, command or sentence becomes markup, a template or a hidden sign."""
    text = render_report_page(a_sheet())
    assert "&lt;script&gt;" in text
    assert "<script" not in text
    assert "{{ 7 * 7 }}" in text
    assert not {"\x1b", "\u202e", "\x00"} & set(text)


def test_the_search_shows_what_was_in_each_tree() -> None:
    found = a_sheet().searches[0]
    assert (found.members, found.run_count) == ((3, 4, 5), 3)
    assert [(row.purpose, row.outcome, row.held, row.depth) for row in found.rows] == [
        ("origin", "passes", (False, False, False), 0),
        ("probe", "fails", (True, True, False), 1),
        ("confirm", "proves nothing", (True, False, False), 0),
        ("", "bisect", (False, True, False), 0),
    ]


def test_a_search_that_goes_on_is_shown_too() -> None:
    from gitsched.view.searched import searches

    dropped = Event(name=EventName.SUSPICION_DROPPED, at=NOW, sentence="", batch="b1", issue=3)
    assert searches([dropped], [3])[0].rows[0].outcome == "dropped"


def test_a_night_has_its_page() -> None:
    picture = a_picture(an_entry(1, title=EVIL), waits={1: ("capacity",)})
    text = render_night_page(night_document(picture, AT), NOW)
    assert "capacity" in text
    assert "<script" not in text
    assert "Nothing was queued." in render_night_page(night_document(a_picture(), AT), NOW)


def test_a_story_without_suite_or_runs_is_short() -> None:
    story = a_story(MemberStory(member=a_member(3, MemberStatus.WAITING, gen=-1)), suite=(), suite_declared=False)
    picture = a_picture(story.batch, *(found.member for found in story.members))
    shown = sheet(story, [], batch_line(picture, story.batch, {}, NOW), why(picture, story.batch), NOW)
    text = render_report_page(shown)
    assert "No suite is declared" in text
    assert "Who ran when" not in text
    assert TREE[:12] not in text
    assert a_batch(suite=()).suite == ()
