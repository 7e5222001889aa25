"""The log of a run: bounded, redacted, and never in the command's way."""

import subprocess
import sys
from pathlib import Path

from gitsched.codec.redact import Redactor
from gitsched.engine.worker.output import Output
from tests.golden import ROOT


def output(log: Path, limit_bytes: int = 1_000) -> Output:
    return Output(log, limit_bytes, Redactor([]))


def test_a_log_is_appended_to_and_its_own_part_is_read_back(tmp_path: Path) -> None:
    log = tmp_path / "deep/log"
    first = output(log)
    first.feed(b"gen 0\n", 0.0)
    first.finish()
    second = output(log)
    second.feed(b"gen 1\n", 0.0)
    second.finish()
    assert log.read_bytes() == b"gen 0\ngen 1\n"
    assert (second.start, second.read_back(), second.recent) == (6, b"gen 1\n", b"gen 1\n")


def test_what_was_cut_off_is_read_back_as_far_as_it_is_kept(tmp_path: Path) -> None:
    out = output(tmp_path / "log", 4)
    out.feed(b"abcdef", 0.0)
    out.feed(b"ghi", 5.0)
    out.finish()
    kept, mark, rest = out.read_back().partition(b"\n[gitsched: the log is cut here: its limit]\n")
    assert (kept, bool(mark), rest) == (b"abcd", True, b"efghi")


def test_a_full_disk_ends_the_log_and_not_the_run(tmp_path: Path) -> None:
    """A limit on the size of files stands for the full disk: the system refuses the write."""
    script = (
        "import resource, sys; from pathlib import Path; from gitsched.codec.redact import Redactor;"
        "from gitsched.engine.worker.output import Output; out = Output(Path(sys.argv[1]), 10**6, Redactor([]));"
        "size = resource.RLIMIT_FSIZE; before = resource.getrlimit(size); resource.setrlimit(size, (1000, before[1]));"
        "[out.feed(b'x' * 300, 0.0) for _ in range(9)]; out.finish(); print(out.is_cut, len(out.read_back()));"
        "resource.setrlimit(size, before)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script, tmp_path / "log"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ended.stdout == "True 2700\n"
