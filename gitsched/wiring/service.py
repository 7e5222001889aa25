"""A repository as the webhook service has it: its inbox, its office, and its configuration as its target holds it."""

import os
import sys
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from gitsched.adapters.clock import SystemClock
from gitsched.adapters.store.inbox import InboxRef
from gitsched.config.settings import Settings
from gitsched.domain.deliveries import Delivery
from gitsched.domain.ids import branch_ref
from gitsched.domain.words import ENDED_ENTRIES, LIVE_RUNS, TERMINAL_BATCHES, EntryStatus
from gitsched.errors import ConfigError, GitschedError, RefusedError
from gitsched.wiring.clone import Clone

if TYPE_CHECKING:
    from gitsched.engine.commands.office import Office
    from gitsched.engine.deliveries.draining import Drained
    from gitsched.ports.inbox import Courier


class Repository:
    """One repository that the service serves."""

    def __init__(self, path: Path) -> None:
        """Stand on a repository: bare, or with a checkout."""
        self.path = path.resolve()
        self.clone = _as_targeted(path)
        self._number_file = self.clone.place.own / "repository-number"

    @cached_property
    def inbox(self) -> InboxRef:
        """Give its inbox."""
        return InboxRef(self.clone.common_dir, SystemClock(), fsync=self.settings.store.fsync)

    @property
    def name(self) -> str:
        """Name it as people do."""
        return self.settings.github.repository or self.path.name.removesuffix(".git")

    @property
    def settings(self) -> Settings:
        """Give its configuration. What cannot be read holds everything: nothing is acted on."""
        return self.clone.settings

    @cached_property
    def number(self) -> int | None:
        """Give the number by which the forge knows it; None before its first delivery."""
        try:
            return int(self._number_file.read_text(encoding="ascii"))
        except (FileNotFoundError, ValueError):
            return None

    def learn_number(self, number: int) -> None:
        """Keep the number that a delivery told, so that a rename changes nothing."""
        self._number_file.parent.mkdir(parents=True, exist_ok=True)
        self._number_file.write_text(str(number), encoding="ascii")
        self.number = number

    def answers_to(self, full_name: str) -> bool:
        """Say whether `OWNER/NAME` is what it is called here: in its configuration, or by its folder."""
        configured = self.settings.github.repository
        if configured:
            return configured.lower() == full_name.lower()
        folder = self.path.parent if self.path.name == ".git" else self.path
        parts = [part.removesuffix(".git").lower() for part in folder.parts[-2:]]
        return full_name.lower() in ("/".join(parts), parts[-1])

    def refresh(self) -> None:
        """Read the configuration again; one that is broken keeps the last good one."""
        try:
            fresh = _as_targeted(self.path)
            if fresh.settings != self.clone.settings:
                self.clone = fresh
        except ConfigError:
            return

    @property
    def is_disabled(self) -> bool:
        """Say whether its kill switch is on."""
        return self.settings.webhook.disabled

    @property
    def has_work(self) -> bool:
        """Say whether a driver could find something to do."""
        try:
            state = self.clone.store.read()
        except RefusedError:
            return False
        is_over = ENDED_ENTRIES | {EntryStatus.PARKED}
        return any(batch.status not in TERMINAL_BATCHES for batch in state.batches.values()) or any(
            entry.status not in is_over for entry in state.entries.values()
        )

    @property
    def slots_count(self) -> int:
        """Say how many slots it has: what its state says, or its configuration before there is one."""
        try:
            return self.clone.store.read().control.slots_max
        except RefusedError:
            return self.settings.slots.max

    @property
    def live_count(self) -> int:
        """Count its live runs."""
        try:
            state = self.clone.store.read()
        except RefusedError:
            return 0
        return sum(lease.status in LIVE_RUNS for lease in state.leases.values())

    def office(self) -> "Office":
        """Give the office where its comments are heard."""
        from gitsched.domain.records import Control
        from gitsched.wiring.commands import conversation_of, office_of

        self.clone.store.initialise(Control(slots_max=self.settings.slots.max))
        return office_of(self.clone, conversation_of(self.clone))

    def drain(self, deliveries: Sequence[Delivery], may_go_on: Callable[[], bool]) -> "Drained":
        """Work these deliveries off."""
        from gitsched.engine.deliveries.draining import drain

        return drain(self.office(), self.inbox, deliveries, may_go_on)

    def look_again(self, courier: "Courier | None") -> None:
        """Look for what may have been missed. Raises GitschedError where the forge gives no answer."""
        from gitsched.engine.deliveries.looking_again import expect_all_heard, poll_comments, sweep_deliveries

        office = self.office()
        office.reconcile()
        polled = poll_comments(office)
        if courier is not None:
            sweep_deliveries(self.inbox, courier, office.clock.now())
        expect_all_heard(polled)

    def driver_command(self, at_most: int | None) -> list[str]:
        """Give the command that drives it until nothing can move, with at most so many runs at once."""
        bound = [] if at_most is None else ["--at-most", str(at_most)]
        return [sys.executable, "-m", "gitsched", "run", "-C", str(self.path), "--until-idle", "--quiet", *bound]


def _as_targeted(path: Path) -> Clone:
    """Open a repository that goes by what its target branch says, once that holds a configuration.

    A member's branch, or what lies about in a checkout, can then not change how it is judged.
    """
    clone = Clone(path)
    settings = clone.settings_or_default
    targeted = Clone(path)
    targeted.configured_at = branch_ref(settings.project.target)
    return targeted if targeted.configuration is not None else clone


def courier_of(repository: Repository) -> "Courier | None":
    """Give the App's list of deliveries; None where there is no App."""
    from gitsched.wiring.github import github_courier

    return github_courier(repository.clone)


def repositories_of(clone: Clone) -> list[Repository]:
    """List what a service serves: the bare clones of `github.repositories_dir`, or else this very clone.

    One that cannot be opened, or has no configuration, is left out.
    """
    folder = clone.settings.github.repositories_dir
    if not folder:
        return [Repository(clone.root)]
    found = []
    root = Path(folder).expanduser()
    for path in sorted((*root.glob("*.git"), *root.glob("*/*.git"))):
        try:
            repository = Repository(path)
            repository.settings  # noqa: B018  # raises where there is none
        except GitschedError:
            continue
        found.append(repository)
    return found


def webhook_secrets(settings: Settings) -> tuple[bytes, ...]:
    """Give the values of `github.webhook_secrets_env` that are set, newest first as they are listed.

    A name that ends in `_FILE` names a file with one secret a line, so that the list changes without a restart.
    """
    found: list[bytes] = []
    for name in settings.github.webhook_secrets_env:
        value = os.environ.get(name, "")
        if name.endswith("_FILE") and value:
            lines = Path(value).read_bytes().splitlines()
            found += [line.strip() for line in lines if line.strip()]
        elif value:
            found.append(value.encode())
    return tuple(found)
