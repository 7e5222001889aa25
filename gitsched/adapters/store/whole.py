"""The store with what `gc` has moved out of the state, for verbs that look."""

from msgspec.structs import replace

from gitsched.adapters.store.store import GitStore
from gitsched.domain.state import State


class WholeStore(GitStore):
    """Reads the state with the ended batches beside its own, as it was before they were archived."""

    def read(self) -> State:
        """Give the current state and every batch that has ended."""
        state, ended = super().read(), self.ended()
        return replace(
            state,
            batches=ended.batches.update(state.batches),
            members=ended.members.update(state.members),
            settings=ended.settings.update(state.settings),
        )
