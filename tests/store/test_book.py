"""What the book remembers is believed only as far as it can be true."""

import time
from pathlib import Path

from gitsched.adapters.store.book import BookFile
from tests.store.remotes import joined, shared
from tests.store.verbs import applied, enqueue


def test_a_clone_looks_at_its_remote_again_after_a_reboot(repo: Path, other: Path) -> None:
    """The clock since boot begins anew: what was fetched before that is not what was fetched just now."""
    here, there = shared(repo), joined(other)
    file = BookFile(here.place.own / "shared" / "book")
    book = file.read()
    book.fetched_s = time.monotonic() + 1_000_000
    book.pushed_s = [book.fetched_s]
    file.write(book)
    there.catch_up()
    applied(there.apply(enqueue(1)))
    again = joined(repo)
    assert again.catch_up() is None
    assert sorted(again.read().entries) == [1]


def test_a_clone_has_not_pushed_before_its_boot(repo: Path, remote: Path) -> None:
    """Else it gives no sign of life until it has run for as long as it did then, and its work is taken over."""
    here = shared(repo)
    file = BookFile(here.place.own / "shared" / "book")
    book = file.read()
    book.pushed_s = [time.monotonic() + 1_000_000]
    file.write(book)
    assert here.quiet_s() > 1_000
