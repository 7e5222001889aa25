"""What people see of real batches, while they run and afterwards: reasons, the page, the sums."""

import re
from collections.abc import Iterator
from datetime import UTC

from msgspec.structs import replace

from gitsched.domain.words import LEFT_MEMBERS, BatchStatus, EntryStatus, MemberStatus
from gitsched.engine.driver import Until
from gitsched.ports.store import Entry as JournalEntry
from gitsched.view.html import render_report_page
from gitsched.view.picture import Picture
from gitsched.view.stats import stats_document, stats_rows
from gitsched.view.why import AT_WORK, bearer, reasons_of_member, why
from gitsched.wiring.clone import Clone
from gitsched.wiring.showing import picture_of, sheet_of
from tests.engine.suites import PARTS, parts, without_file
from tests.engine.test_budgets import measured, told
from tests.engine.world import World
from tests.view.test_html import Page

EVIL = "<script>alert(1)</script> & {{ 7 * 7 }}"


def silent(picture: Picture) -> Iterator[str]:
    """Name every unit that does not run and has no reason, or that has no word of its table as its state."""
    state = picture.state
    for unit in (*state.entries.values(), *state.batches.values()):
        answer = why(picture, unit)
        words = {str(word) for word in (*EntryStatus, *MemberStatus, *BatchStatus)}
        borne = bearer(picture, unit)
        runs = borne.status in AT_WORK if borne is not unit else any(key[0] == answer.unit for key in state.leases)
        runs = runs or any(key[0] == answer.unit for key in state.jobs)
        if answer.state not in words or not answer.next or not (runs or (all(answer.reasons) and answer.reasons)):
            yield f"{answer.unit}: {answer.document}"
    for member in state.members.values():
        runs = member.status in AT_WORK
        reasons = reasons_of_member(picture, member)
        if not runs and not (reasons and all(reasons)):
            yield f"{member.batch}/{member.issue} is {member.status} without a reason"
        if member.status in LEFT_MEMBERS and not member.reason:
            yield f"{member.batch}/{member.issue} left without a reason"


def prepare(world: World) -> None:
    """Let 2 and 3 write one file, 5 break a test, 6 hand back, 7 do nothing, 8 wait for a label, 9 for 7."""
    measured(world, '[ladder]\nrecoveries = 0\n[land]\nconflict = "evict"\n', PARTS)
    parts(world, one="true", two=without_file(5))
    world.issue(1, EVIL)
    world.issues(2, 3, 4, 5, 6, 7)
    world.issue(8, labels=("epic",))
    world.issue(9, deps=(7,))
    world.agent(1, f"{told(0.5)}; echo 1 > file1.txt")
    for issue in (2, 3):
        world.agent(issue, f"echo {issue} > same.txt")
    world.agents(4, 5, 8, 9)
    world.agent(6, "true", ends='gitsched hand-back --reason "no key"')
    world.agent(7, "true")
    world.enqueue(1, 2, 3, 4, 5, 6, 7, batch="b1")
    world.enqueue(8, solo=True)
    world.enqueue(9, solo=True)


def test_i_09_nobody_waits_or_has_left_without_a_reason(world: World) -> None:
    """I-09: at every moment of a run in which much goes wrong, and again for every commit of its journal.

    I-14: its page shows who ran when, in which order they landed, the search, evidence and unknown costs; no title of
    another becomes markup, and nothing is loaded from elsewhere.
    """
    prepare(world)
    found: list[str] = []

    def on_entry(_entry: JournalEntry) -> None:
        found.extend(silent(picture_of(Clone(world.repo))))

    world.driver().run(Until.IDLE, None, on_entry)
    clone = Clone(world.repo)
    now, commits = picture_of(clone), [entry.commit for entry in world.journal()]
    assert len(commits) > 30
    for commit in commits:
        then = replace(now, state=clone.store.read_at(commit), waits={}, batch_waits={})
        found += [f"{commit[:8]} {told}" for told in silent(then)]
    assert found == []
    reasons = {issue: entry.reason for issue, entry in world.state.entries.items() if entry.reason}
    assert reasons == {
        3: "landing-conflict",
        5: "suite-failed",
        6: "no key",
        7: "no-changes",
        8: "label:epic",
    }
    assert world.waits(9) == ("dependency:7",)
    page(world)


def page(world: World) -> None:
    """Look at the page of the batch."""
    clone = Clone(world.repo)
    text = render_report_page(sheet_of(clone, world.batch()))
    assert {address for address in Page(text).addresses if not address.startswith("#")} == set()
    assert not {"script", "img", "link", "iframe"} & set(Page(text).tags)
    assert "&lt;script&gt;alert(1)" in text
    for heading in ("Landing order", "Who ran when", "Search", "Verdicts", "Costs", "Evidence"):
        assert re.search(rf"<h2[^>]*>{heading}</h2>", text), heading
    for words in ("landing-conflict", "suite-failed", "found by bisect", "≥ $0.50", "runs/1/0/log"):
        assert words in text, words
    costs = re.search(r"<tr><td>together</td>(.*?)</tr>", text)
    assert costs is not None
    assert "unknown)" in costs[1]


def test_i_15_what_a_killed_agent_has_told_counts_once(world: World) -> None:
    """I-15: 1 is killed after 0.25 USD and works again for 1 USD, 2 tells nothing: each row holds only its own."""
    measured(world, "")
    world.issues(1, 2)
    world.agent(1, f"{told(0.25, 5)}; kill -9 $$", gen=0)
    world.agents(2)
    world.enqueue(1, 2, batch="b1")
    world.run()
    assert (world.entry(1).status, world.entry(1).reason) == (EntryStatus.PARKED, "killed")
    world.agent(1, f"{told(1, 7)}; echo 1 > file1.txt", gen=0)
    world.requeue(1)
    world.run()
    own = {"b1/1": (1, 0.25, 5, 0), "b1/2": (1, None, None, 1), "i1/1": (1, 1.0, 7, 0)}
    assert sums(world, "member") == own
    assert sums(world, "batch") == {"b1": (2, 0.25, 5, 1), "i1": own["i1/1"]}
    assert list(sums(world, "day").values()) == [(3, 1.25, 12, 1)]


def sums(world: World, by: str) -> dict[str, tuple[int, float | None, int | None, int]]:
    """Read what `gitsched stats` sums up: runs, money, tokens and runs that told nothing."""
    rows = stats_document(stats_rows(world.state, by, UTC))["rows"]
    return {row["key"]: (row["runs"], row["usd"], row["tokens"], row["unknown_runs"]) for row in rows}


def test_i_09_a_hand_back_without_words_has_a_reason_all_the_same(world: World) -> None:
    """I-09: never an empty reason on a parked one, and none that steers a terminal."""
    world.issues(1, 2)
    world.agent(1, "true", ends="gitsched post --phase implement --status blocked || true")
    world.agent(2, "true", ends="gitsched hand-back --partial --reason \"$(printf 'no\\033[2J key')\"")
    world.enqueue(1, solo=True)
    world.enqueue(2, solo=True)
    world.run()
    found = {issue: (world.entry(issue).status, world.entry(issue).reason) for issue in (1, 2)}
    assert found[2] == (EntryStatus.PARKED, "partial: no key")
    assert found[1] in ((EntryStatus.PARKED, "handed-back"), (EntryStatus.PARKED, "no-changes"))
