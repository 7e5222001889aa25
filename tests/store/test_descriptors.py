"""A store that nobody holds any more holds no file open: a service opens many in its life."""

import gc
from contextlib import suppress
from pathlib import Path

from tests.store.verbs import begun, enqueue, opened


def open_files() -> set[str]:
    found = set()
    for descriptor in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # the one that lists them
            found.add(str(descriptor.readlink()))
    return found


def test_a_store_that_is_let_go_lets_its_files_go(repo: Path) -> None:
    begun(repo)
    store = opened(repo, fsync=True)
    store.apply(enqueue(1))
    own = str(repo / ".git" / "gitsched")
    assert any(file.startswith(own) for file in open_files())
    del store
    gc.collect()
    assert not any(file.startswith(own) for file in open_files())
