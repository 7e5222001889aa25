"""Formats: an older one is read by everybody and migrated by the first writer; a newer one is refused."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from gitsched.adapters.store.care import GitCare
from gitsched.adapters.store.migrations import FORMATS, Formats
from gitsched.adapters.store.store import GitStore
from gitsched.domain.events import EventName
from gitsched.domain.ids import ARCHIVE_REF, STATE_REF
from gitsched.domain.replay import statuses_of
from gitsched.domain.state import Draft
from gitsched.errors import FormatError
from gitsched.policy.audit import audit
from tests.real_git import Git
from tests.store.test_care import everything, overwrite
from tests.store.test_gc import put_away
from tests.store.verbs import TickingClock, applied, begun, enqueue, form, opened, raise_priority


def second(path: str, fields: dict[str, Any]) -> dict[str, Any]:
    """Have the issue's number in its title, as a format 2 might."""
    return {**fields, "title": f"#{fields['issue']}: {fields['title']}"} if path.startswith("queue/") else fields


def third(path: str, fields: dict[str, Any]) -> dict[str, Any]:
    return {**fields, "priority": fields["priority"] + 1} if path.startswith("queue/") else fields


TWO = Formats(newest=2, steps={1: second})
THREE = Formats(newest=3, steps={1: second, 2: third})


def newer(repo: Path, formats: Formats = TWO) -> GitStore:
    return GitStore(repo, TickingClock(), "new", fsync=False, formats=formats)


def test_there_is_a_step_from_every_older_format() -> None:
    assert sorted(FORMATS.steps) == list(range(1, FORMATS.newest))


def test_an_older_store_is_read_as_it_would_be_written_and_stays_as_it_is(repo: Path, git: Git) -> None:
    store = begun(repo)
    store.apply(enqueue(7))
    before = everything(repo, git)
    one = newer(repo)
    assert (one.read().entries[7].title, one.read().format.format) == ("#7: Mend part 7", 1)
    assert newer(repo, THREE).read().entries[7].priority == 1
    store.apply(raise_priority(7))
    assert one.read().entries[7].title == "#7: Mend part 7", "a reader that follows migrates what it reads"
    assert everything(repo, git) != before


def test_the_first_writer_migrates_in_one_transaction(repo: Path, git: Git) -> None:
    """S-24 (older): one commit brings the state to the new format, unknown fields survive, and the write follows."""
    store = begun(repo)
    store.apply(enqueue(7, 8))
    store.apply(form("b1", 8))
    told = git(repo, "show", f"{STATE_REF}:queue/07/7")
    overwrite(repo, git, "queue/07/7", told.replace('"attempt":0', '"attempt":0,"colour":{"deep":["blue"]}'))
    one = newer(repo)
    applied(one.apply(raise_priority(7)))
    written, migrated, *_ = one.history()
    assert [event.name for event in migrated.events] == [EventName.MIGRATED]
    assert [event.name for event in written.events] == [EventName.REPRIORITIZED]
    assert migrated.events[0].claims.keys() == {"format", "queue/07/7", "queue/08/8"}, "what differs, and no more"
    fields = git(repo, "show", f"{STATE_REF}:queue/07/7")
    assert '"colour":{"deep":["blue"]}' in fields
    assert '"title":"#7: Mend part 7"' in fields
    assert '"priority":1' in fields
    assert one.read().format.format == 2
    assert one.read() == newer(repo).read()
    assert one.read_at(git(repo, "rev-parse", f"{STATE_REF}~2")).entries[7].title == "#7: Mend part 7"
    history = list(GitCare(one).audited())
    unclaimed = [found.unit for found in audit(history, statuses_of(one.read()), {})]
    assert unclaimed == ["queue/07/7"], "the hand that wrote the colour, and nothing else"


def test_what_was_migrated_is_newer_than_the_old_version_knows(repo: Path, git: Git) -> None:
    store = begun(repo)
    store.apply(enqueue(7))
    newer(repo).apply(raise_priority(7))
    before = everything(repo, git)
    for old in (store, opened(repo)):
        with pytest.raises(FormatError, match="format 2; this gitsched knows 1"):
            old.apply(raise_priority(7))
    assert everything(repo, git) == before


def test_two_writers_migrate_once(repo: Path) -> None:
    begun(repo).apply(enqueue(7))
    one, other = newer(repo), newer(repo)
    one.read()
    other.read()
    one.apply(raise_priority(7))
    other.apply(raise_priority(7))
    names = [event.name for entry in one.history() for event in entry.events]
    assert names.count(EventName.MIGRATED) == 1
    assert other.read().entries[7].priority == 2


def test_the_archive_follows_with_the_next_batch(repo: Path, git: Git) -> None:
    store = begun(repo)
    store.apply(enqueue(1, 2))
    store.apply(form("b1", 1))
    put_away(store, "b1")

    def titled(path: str, fields: dict[str, Any]) -> dict[str, Any]:
        return {**fields, "title": "new"} if "/members/" in path else fields

    one = newer(repo, Formats(newest=2, steps={1: titled}))
    assert one.ended().members["b1", 1].title == "new"
    one.apply(form("b2", 2))
    put_away(one, "b2")
    assert (one.ended().members["b1", 1].title, one.ended().format.format) == ("new", 2)
    assert '"title":"new"' in git(repo, "show", f"{ARCHIVE_REF}:batches/b1/members/1-1")


def test_a_record_that_cannot_be_read_stays_as_it_is(repo: Path, git: Git) -> None:
    store = begun(repo)
    store.apply(enqueue(7, 8))
    blob = overwrite(repo, git, "queue/08/8", "garbage")
    one = newer(repo)
    applied(one.apply(raise_priority(7)))
    assert git(repo, "rev-parse", f"{STATE_REF}:queue/08/8") == blob
    assert list(one.read().unreadable) == ["queue/08/8"]


def test_a_draft_that_raised_the_format_itself_is_left_alone(repo: Path) -> None:
    begun(repo)

    def raise_it(draft: Draft) -> None:
        draft.note(EventName.MIGRATED, "x", replace(draft.state.format, format=2))

    one = newer(repo)
    one._migrate(Draft(replace(one.read(), format=replace(one.read().format, format=2)), "now"))
    applied(one.apply(raise_it))
    assert one.read().format.format == 2
