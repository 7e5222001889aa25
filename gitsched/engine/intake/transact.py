"""One verb, one transaction: the answer is that of the attempt which was written."""

from collections.abc import Callable
from typing import TypeVar

from gitsched.domain.state import Draft
from gitsched.ports.store import Store

Answer = TypeVar("Answer")


def transact(store: Store, actor: str, build: Callable[[Draft], Answer]) -> Answer:
    """Apply what `build` puts into the draft, and give what it gave last; what it raises leaves nothing written."""
    answers: list[Answer] = []

    def intent(draft: Draft) -> None:
        answers.append(build(draft))

    store.apply(intent, actor)
    return answers[-1]
