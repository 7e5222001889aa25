"""The App's own list of deliveries: which of them failed, and asking for one again.

Source: GitHub REST, "Webhook deliveries": `guid` names the event, `id` one try of it.
"""

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

from gitsched.adapters.forge.github.answers import DeniedError, UnansweredError, UnfitAnswerError
from gitsched.adapters.forge.github.shapes import instant
from gitsched.adapters.forge.github.wire import Wire
from gitsched.domain.deliveries import FailedDelivery
from gitsched.domain.instants import Instant
from gitsched.domain.outcomes import Unreachable

_MOST_PAGES = 30


class GitHubCourier:
    """The Courier port by an App's own claim."""

    def __init__(self, wire: Wire) -> None:
        """Ask by a wire that carries the App's claim."""
        self._wire = wire

    def failed_since(self, at: Instant) -> tuple[FailedDelivery, ...] | Unreachable:
        """List the events of which no try was taken, each by its newest try."""
        try:
            rows = [row for row in self._rows(at) if instant(row.get("delivered_at")) >= at]
        except (UnansweredError, DeniedError, UnfitAnswerError) as failed:
            return Unreachable(what="GitHub", detail=str(failed))
        taken = {row.get("guid") for row in rows if 200 <= int(row.get("status_code") or 0) < 300}
        newest: dict[str, dict[str, Any]] = {}
        for row in rows:
            newest.setdefault(str(row.get("guid")), row)
        return tuple(
            FailedDelivery(attempt=int(row["id"]), id=guid, repository=row.get("repository_id"))
            for guid, row in newest.items()
            if guid not in taken
        )

    def ask_again(self, attempt: int) -> None:
        """Ask for another try; where that is refused, it is not asked for here again."""
        try:
            self._wire.send("POST", f"/app/hook/deliveries/{attempt}/attempts")
        except DeniedError:
            return

    def _rows(self, at: Instant) -> Iterator[dict[str, Any]]:
        """Walk the list, newest first, until it is older than `at`."""
        cursor: dict[str, str] = {}
        for _ in range(_MOST_PAGES):
            answer = self._wire.get("/app/hook/deliveries", per_page=100, **cursor)
            if not isinstance(answer.body, list):
                raise UnfitAnswerError("the App's deliveries", answer)
            yield from answer.body
            following = _cursor(answer.headers.get("link", ""))
            if following is None or not answer.body or instant(answer.body[-1].get("delivered_at")) < at:
                return
            cursor = {"cursor": following}


def _cursor(link: str) -> str | None:
    for part in link.split(","):
        address, _, rel = part.partition(";")
        if 'rel="next"' in rel:
            return next(iter(parse_qs(urlsplit(address.strip(" <>")).query).get("cursor", [])), None)
    return None
