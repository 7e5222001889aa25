"""Lists in pages, with GitHub's Link header: its addresses name the repository by number."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from tests.github.fake.calls import Answer, Call

DEFAULT, MOST = 30, 100


@dataclass
class Page:
    """A list that is to be shown as far as was asked."""

    items: Sequence[Any]
    render: Callable[[Any], Any]
    key: str | None = None
    """Where the list stands in an object with `total_count`; None for a bare list."""

    def told(self, call: Call) -> Answer:
        """Render the page that the call asks for."""
        size = min(MOST, max(1, _whole(call.query.get("per_page"), DEFAULT)))
        number = max(1, _whole(call.query.get("page"), 1))
        last = max(1, -(-len(self.items) // size))
        shown = [self.render(item) for item in self.items[(number - 1) * size : number * size]]
        links: dict[str, int] = {}
        if number < last:
            links |= {"next": number + 1, "last": last}
        if number > 1:
            links |= {"prev": min(number - 1, last), "first": 1}
        headers = (
            {"Link": ", ".join(f'<{_address(call, at)}>; rel="{name}"' for name, at in links.items())} if links else {}
        )
        body = shown if self.key is None else {"total_count": len(self.items), self.key: shown}
        return Answer(body, headers=headers)


def paged(items: Sequence[Any], render: Callable[[Any], Any], key: str | None = None) -> Answer:
    """Answer with a list, in pages."""
    return Answer(Page(items, render, key))


def _whole(text: str | None, default: int) -> int:
    return int(text) if text and text.isdigit() else default


def _address(call: Call, page: int) -> str:
    path = call.path
    if call.repository is not None:
        rest = path.split("/", 4)[4]
        path = f"/repositories/{call.repository.id}/{rest}"
    return f"{call.hub.api_url}{path}?{urlencode({**call.query, 'page': page})}"
