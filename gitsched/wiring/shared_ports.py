"""The ports that are others where a remote is the authority: they stand on its word, and act once it was given."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from gitsched.adapters.git.remote import SEEN
from gitsched.adapters.runner.local import LocalRunner
from gitsched.adapters.store.ref_moves import GitRefs
from gitsched.domain.ids import branch_ref
from gitsched.domain.words import Liveness

if TYPE_CHECKING:
    from gitsched.adapters.git.place import Place
    from gitsched.adapters.runner.refs import RunRefs
    from gitsched.adapters.store.shared import SharedStore
    from gitsched.domain.runs import RunLook, RunOrder
    from gitsched.ports.runner import HostClock, Processes


class SharedRefs(GitRefs):
    """The refs of such a clone: its target is the remote's, the user's own branch of that name is theirs."""

    def __init__(self, place: "Place", store: "SharedStore", target: str) -> None:
        """Stand on a clone."""
        super().__init__(place)
        self._store = store
        self._target = branch_ref(target)

    def resolve(self, name: str) -> str | None:
        """Name the object that a full ref name points at; the target as the remote had it at the last look."""
        seen = f"{SEEN}{name.removeprefix('refs/')}" if name == self._target else name
        return self._store.placed(name, seen)

    def there(self, name: str) -> str | None:
        """Name where the remote had a ref at the last look."""
        return self._store.there(name)


class SharedRunner(LocalRunner):
    """Starts and forgets runs once the remote has accepted the record of it."""

    def __init__(  # many-parameters: those of any runner, and the store that it waits for
        self,
        common: Path,
        refs: "RunRefs",
        processes: "Processes",
        clock: "HostClock",
        wake: Callable[[], None],
        store: "SharedStore",
    ) -> None:
        """Stand on a clone."""
        super().__init__(common, refs, processes, clock, wake)
        self._store = store
        self._starting: set[tuple[str, str, int]] = set()

    def start(self, order: "RunOrder", env: Mapping[str, str], stdin: bytes) -> None:
        """Start a worker once what asks for it is accepted."""
        self._starting.add((order.batch, order.name, order.gen))
        self._store.afterwards(lambda: LocalRunner.start(self, order, env, stdin))

    def look(self, batch: str, name: str, gen: int) -> "RunLook":
        """Read one run as it stands; of one that is about to start nothing is known."""
        if not self._store.has_waiting:
            self._starting.clear()
        look = super().look(batch, name, gen)
        return replace(look, worker=Liveness.UNKNOWN) if (batch, name, gen) in self._starting else look

    def stop(self, batch: str, name: str, gen: int, *, kill: bool) -> Liveness:
        """Send TERM (or KILL), once what asks for it is accepted."""
        self._store.settle()
        return super().stop(batch, name, gen, kill=kill)

    def forget(self, batch: str, name: str, gen: int) -> None:
        """Forget a run once it is settled for everybody."""
        self._store.afterwards(lambda: LocalRunner.forget(self, batch, name, gen))
