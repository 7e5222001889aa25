"""Follow symbolic links inside a tree, to see whether one leads out of it."""

import re

from gitsched.adapters.git.objects import TREE_MODE, Objects

_LINK = b"120000"
_MAX_HOPS = 40  # what Linux follows before it gives up: path_resolution(7)
_ELSEWHERE = re.compile(rb"[/\\]|[A-Za-z]:")


def leaves_the_tree(objects: Objects, tree: str, path: bytes) -> bool:
    """Say whether the link at `path` leads out of the tree, through other links of it too.

    The git folder is no part of the tree. A link that goes round in circles leads nowhere: it stays.
    """
    at: list[bytes] = []
    ahead, hops = path.split(b"/"), 0
    while ahead:
        step = ahead.pop(0)
        if step == b"..":
            if not at:
                return True
            at.pop()
        elif step not in {b"", b"."}:
            at.append(step)
            if at[0].lower() == b".git":
                return True
            entry = objects.entry_at(tree, b"/".join(at))
            if entry is not None and entry[0] == _LINK:
                target = _target(objects, tree, b"/".join(at))
                hops += 1
                if hops > _MAX_HOPS:
                    return False
                if _ELSEWHERE.match(target):
                    return True
                at.pop()
                ahead = target.split(b"/") + ahead
    return False


def _target(objects: Objects, tree: str, path: bytes) -> bytes:
    entry = objects.entry_at(tree, path)
    assert entry is not None
    assert entry[0] != TREE_MODE
    return objects.blob(entry[1].hex())
