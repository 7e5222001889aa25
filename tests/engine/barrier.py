"""A place where scripts wait until the test lets them go on."""

import os
from pathlib import Path


class Barrier:
    """A named pipe: whoever reads it waits until it is opened, without polling."""

    def __init__(self, path: Path) -> None:
        """Make it, closed."""
        self.path = path
        os.mkfifo(path)
        self._fd = os.open(path, os.O_RDWR)

    def __str__(self) -> str:
        """Name it as a script does."""
        return str(self.path)

    def open(self, readers: int = 1) -> None:
        """Let that many readers go on, those that come later included."""
        os.write(self._fd, b"go\n" * readers)
