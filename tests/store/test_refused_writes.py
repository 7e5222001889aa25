"""What a refused write is called: no room, no right, or what the system said."""

import errno
import os

from gitsched.adapters.store.loose import as_ours
from gitsched.errors import RefusedError, StorageFullError


def test_a_write_without_room_or_right_is_told_in_a_sentence() -> None:
    full = as_ours(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
    assert isinstance(full, StorageFullError)
    for number in (errno.EACCES, errno.EPERM, errno.EROFS):
        refused = as_ours(OSError(number, os.strerror(number), "objects/ab"))
        assert isinstance(refused, RefusedError)
        assert "objects/ab" in str(refused)
    odd = OSError(errno.EIO, "odd")
    assert as_ours(odd) is odd
