"""The output of a command on its way into the log: redacted, bounded, never in the command's way.

The log keeps bytes as they come, colours included. At its limit it is cut with a mark, and what follows is
read and dropped, so that the command is not held up. The end of the output is kept in memory for those who
read how it ended.
"""

from contextlib import suppress
from pathlib import Path

from gitsched.codec.redact import Redactor

_RECENT_BYTES = 256 * 1024
_TOUCH_EVERY_S = 1.0


class Output:
    """Takes what a command prints."""

    def __init__(self, log: Path, limit_bytes: int, redactor: Redactor) -> None:
        """Append to `log`, at most `limit_bytes` from here on. Raises OSError."""
        log.parent.mkdir(parents=True, exist_ok=True)
        self._file = log.open("ab", buffering=0)
        self._log = log
        self._redactor = redactor
        self._left_bytes = limit_bytes
        self._recent = bytearray()
        self._after_cut_bytes = 0
        self._touched_s = 0.0
        self.start = self._file.tell()
        """Where this run's own part of the log begins."""
        self.is_cut = False

    def feed(self, chunk: bytes, now_s: float) -> None:
        """Take a chunk that was read at `now_s` of a monotonic clock."""
        self._take(self._redactor.feed(chunk))
        if self.is_cut and now_s - self._touched_s >= _TOUCH_EVERY_S:
            self._touched_s = now_s
            self._log.touch()  # its time tells when the command last showed life

    def finish(self) -> None:
        """Write what was held back, and close the log."""
        self._take(self._redactor.finish())
        self._file.close()

    def read_back(self) -> bytes:
        """Give this run's own output: what the log holds of it, and the end of what was cut off."""
        with self._log.open("rb") as file:
            file.seek(self.start)
            kept = file.read()
        return kept + bytes(self._recent[max(0, len(self._recent) - self._after_cut_bytes) :])

    @property
    def recent(self) -> bytes:
        """Give the end of the output, the part that was cut off included."""
        return bytes(self._recent)

    def _take(self, shown: bytes) -> None:
        self._recent += shown
        del self._recent[:-_RECENT_BYTES]
        if self.is_cut:
            self._after_cut_bytes += len(shown)
            return
        kept = shown[: self._left_bytes]
        self._write(kept)
        self._left_bytes -= len(kept)
        if len(kept) < len(shown):
            self._cut(len(shown) - len(kept), "its limit")

    def _write(self, data: bytes) -> None:
        try:
            while data:
                data = data[self._file.write(data) or 0 :]
        except OSError as full:
            # A full disk ends the log, not the run.
            self._cut(len(data), str(full.strerror))

    def _cut(self, left_out: int, reason: str) -> None:
        self.is_cut = True
        self._after_cut_bytes = left_out
        with suppress(OSError):  # the disk is full: the record says that the log is cut
            self._file.write(f"\n[gitsched: the log is cut here: {reason}]\n".encode())
