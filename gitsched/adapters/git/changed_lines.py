"""Which lines of files two trees differ in, by the numbers that the earlier one gives them."""

from collections.abc import Iterator, Mapping

import pygit2

from gitsched.adapters.git.objects import GITLINK_MODE, Objects, shown


def changed_lines(objects: Objects, before: str, after: str) -> Mapping[str, frozenset[int]]:
    """Give the lines of the earlier tree that are changed or removed, by path; where one is inserted, those beside it.

    A file that is new has none.
    """
    found = {}
    for change in objects.changes(before, after):
        if change.old is None or GITLINK_MODE in (change.old.mode, change.new.mode if change.new else 0):
            continue
        old = objects.repository[change.old.oid]
        new = objects.repository[change.new.oid] if change.new is not None else None
        assert isinstance(old, pygit2.Blob)
        assert new is None or isinstance(new, pygit2.Blob)
        patch = pygit2.Patch.create_from(old, new, context_lines=0)
        found[shown(change.path)] = frozenset(_lines(patch))
    return found


def _lines(patch: pygit2.Patch) -> Iterator[int]:
    for hunk in patch.hunks:
        if hunk.old_lines:
            yield from range(hunk.old_start, hunk.old_start + hunk.old_lines)
        else:
            yield from (hunk.old_start, hunk.old_start + 1)
