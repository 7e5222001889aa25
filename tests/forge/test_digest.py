"""A glance shows what the forge holds, whatever the digest has of it."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from gitsched.adapters.clock import SystemClock
from gitsched.adapters.forge.digest import FEW
from gitsched.adapters.forge.glance import Glance
from gitsched.adapters.forge.local import LocalForge
from gitsched.adapters.forge.tracker import Tracker
from gitsched.domain.forge import Issue, IssueDraft

DIGEST = "gitsched/cache/issues"


@pytest.fixture
def common(repo: Path) -> Path:
    """Give a forge with just enough issues for a digest."""
    files = ((f"{number}.md", f"# Issue {number}\n\nText\n") for number in range(1, FEW + 1))
    Tracker(repo / ".git", SystemClock(), "ada", fsync=False).import_issues(files)
    return repo / ".git"


def seen(common: Path) -> dict[int, Issue]:
    return dict(Glance(common).issues(range(1, FEW + 10)))


def held(common: Path) -> dict[int, Issue]:
    issues = LocalForge(common, SystemClock()).issues()
    return {number: replace(issue, body="") for number, issue in issues.items()}


def test_a_digest_is_made_of_many_issues(common: Path) -> None:
    assert (common / DIGEST).exists()
    assert seen(common) == held(common)


def test_what_changed_since_is_read(common: Path) -> None:
    made = (common / DIGEST).read_bytes()
    tracker = Tracker(common, SystemClock(), "ada", fsync=False)
    tracker.edit_issue(3, add_labels=["epic"])
    tracker.close(4)
    tracker.new_issue(IssueDraft(title="One more"))
    assert (common / DIGEST).read_bytes() == made
    assert seen(common) == held(common)
    assert seen(common)[3].labels == ("epic",)


@pytest.mark.parametrize("content", [None, b"", b"\x93\xa0"])
def test_a_digest_that_is_gone_or_torn_is_done_without(common: Path, content: bytes | None) -> None:
    if content is None:
        (common / DIGEST).unlink()
    else:
        (common / DIGEST).write_bytes(content)
    assert seen(common) == held(common)


def test_only_what_was_asked_for_is_shown(common: Path) -> None:
    assert list(Glance(common).issues([2, FEW + 5])) == [2]
    assert Glance(common).issues([]) == {}
