"""Read what git itself wrote down of the commands of a run (git's trace2, event format).

An agent is started with `GIT_TRACE2_EVENT`, so that what its git commands did, and where, is known without changing
what they do. What is no event, or is torn, says nothing.
"""

from collections.abc import Iterator

import msgspec

from gitsched.domain.runs import GitCommand

_WANTED = (b'"event":"def_repo"', b'"event":"cmd_name"', b'"event":"exit"')


class _Event(msgspec.Struct):
    event: str
    sid: str
    worktree: str | None = None
    name: str | None = None
    code: int | None = None


_DECODER = msgspec.json.Decoder(_Event)


def read_trace(trace: bytes) -> tuple[GitCommand, ...]:
    """List the git commands that worked in a worktree, in the order of their begin."""
    places: dict[str, str] = {}
    names: dict[str, str] = {}
    codes: dict[str, int] = {}
    for event in _events(trace):
        if event.worktree is not None:
            places[event.sid] = event.worktree
        elif event.name is not None:
            names[event.sid] = event.name
        elif event.code is not None:
            codes[event.sid] = event.code
    return tuple(
        GitCommand(name=names[sid], worktree=place, code=codes.get(sid))
        for sid, place in places.items()
        if sid in names
    )


def _events(trace: bytes) -> Iterator[_Event]:
    for line in trace.split(b"\n"):
        if any(word in line[:40] for word in _WANTED):
            try:
                yield _DECODER.decode(line)
            except msgspec.DecodeError:
                continue
