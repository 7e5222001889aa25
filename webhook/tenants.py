"""Tenants: the repositories of one service, each with its own inbox, found by number first and by name second."""

from collections.abc import Callable, Sequence
from threading import Lock

from gitsched.domain.deliveries import Delivery
from gitsched.wiring.service import Repository

Find = Callable[[], Sequence[Repository]]
"""Lists the repositories that there are now."""


class Tenants:
    """Finds the repository that a delivery is for."""

    def __init__(self, find: Find) -> None:
        """Serve what `find` lists; it is asked again when something unknown comes in."""
        self._find = find
        self._lock = Lock()
        self._listed: tuple[Repository, ...] = tuple(find())

    @property
    def all(self) -> tuple[Repository, ...]:
        """List the repositories."""
        return self._listed

    def look_again(self) -> None:
        """List the repositories anew, and keep those that stay."""
        with self._lock:
            known = {repository.path: repository for repository in self._listed}
            self._listed = tuple(known.get(found.path, found) for found in self._find())

    def take(self, delivery: Delivery) -> str:
        """Store a delivery in its repository's inbox; one for nobody here is told of and left."""
        repository = self._home(delivery)
        if repository is None and delivery.repository is not None:
            self.look_again()
            repository = self._home(delivery)
        if repository is None:
            return "ignored:unknown-repository" if delivery.repository is not None else "ignored:no-repository"
        repository.inbox.receive(delivery)
        return "stored"

    def _home(self, delivery: Delivery) -> Repository | None:
        """Find by the number, which outlives a name; a repository that has not learnt its number goes by its name."""
        if delivery.repository is None:
            return None
        found = next((one for one in self._listed if one.number == delivery.repository), None)
        if found is not None:
            return found
        named = (one for one in self._listed if one.number is None and one.answers_to(delivery.full_name))
        found = next(named, None)
        if found is not None:
            found.learn_number(delivery.repository)
        return found
