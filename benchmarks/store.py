"""P1, P2 and P3 of the store, and P8 on one clone: what an idle read, a cold load and a durable transaction cost.

Prints one JSON line per figure: name, value, unit, baseline, ratio, target, met. Every figure stands beside its
baseline measured in the same run, turn by turn, because machines are noisy and ratios are what count.
"""

import fcntl
import json
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from shutil import copytree, rmtree

import msgspec

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from gitsched.adapters.store.store import GitStore
from gitsched.domain.events import EventName
from gitsched.domain.instants import instant_of
from gitsched.domain.records import Control, Entry
from gitsched.domain.state import Draft
from gitsched.domain.words import EntryStatus

MEMORY = Path("/dev/shm")  # noqa: S108 - a folder of its own is made in it
ROUNDS = 7
PER_ROUND = 40
PROCESS_SECONDS = 3.0
WARM_UP = 300


class Clock:
    """The machine's clock."""

    def now(self) -> str:
        return instant_of(datetime.now(UTC))

    def monotonic_s(self) -> float:
        return time.monotonic()


def tell(  # many-parameters: one figure is written down field by field
    name: str, value: float, unit: str, baseline: float, ratio: float, target: str, *, met: bool
) -> None:
    line = {
        "name": name,
        "value": round(value, 4),
        "unit": unit,
        "baseline": round(baseline, 4),
        "ratio": round(ratio, 3),
        "target": target,
        "met": met,
    }
    print(json.dumps(line), flush=True)


def entry(issue: int, at: str) -> Entry:
    return Entry(
        issue=issue,
        title=f"Let the report of issue {issue} name the file that broke",
        status=EntryStatus.QUEUED,
        files=("src/report/**", f"tests/report/test_{issue}.py"),
        created_at=at,
        updated_at=at,
    )


def filled(folder: Path, count: int) -> GitStore:
    """Fill a packed repository, in memory where there is such a folder, and copy it to where it is measured.

    Packing deletes a hundred thousand loose objects. On the disk that is measured that would be all that is measured:
    an ext4 without a journal looks for inodes that were deleted just now whenever it makes a file, for minutes.
    """
    with tempfile.TemporaryDirectory(prefix="gitsched-bench-", dir=MEMORY if MEMORY.is_dir() else None) as made:
        place = Path(made) / "filled.git"
        subprocess.run(["git", "init", "-q", "--bare", place], check=True)
        store = GitStore(place, Clock(), "bench")
        store.initialise(Control())
        for first in range(1, count + 1, 10_000):
            store.apply(lambda draft, first=first: enqueue(draft, range(first, min(first + 10_000, count + 1))))
        subprocess.run(["git", "-C", place, "repack", "-adq"], check=True)
        copytree(place, folder)
    return GitStore(folder, Clock(), "bench")


def enqueue(draft: Draft, issues: range) -> None:
    for issue in issues:
        draft.note(EventName.ENQUEUED, f"Enqueued {issue}.", entry(issue, draft.at), issue=issue)


def reprioritise(store: GitStore, issues: list[int], value: int) -> None:
    def intent(draft: Draft) -> None:
        for issue in issues:
            changed = msgspec.structs.replace(draft.state.entries[issue], priority=value, updated_at=draft.at)
            draft.note(EventName.REPRIORITIZED, f"Issue {issue} now has priority {value}.", changed, issue=issue)

    store.apply(intent)


class OneFile:
    """The baseline: the same state as one JSON file, rewritten, fsynced and renamed under a lock per change."""

    def __init__(self, folder: Path, store: GitStore) -> None:
        self.file = folder / "state.json"
        self.lock = folder / "state.lock"
        rows = {str(issue): msgspec.to_builtins(row) for issue, row in store.read().entries.items()}
        self.file.write_text(json.dumps({"control": {}, "entries": rows}))

    def change(self, issues: list[int], value: int) -> None:
        with self.lock.open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            state = json.loads(self.file.read_text())
            for issue in issues:
                state["entries"][str(issue)]["priority"] = value
            new = self.file.with_suffix(".new")
            with new.open("w") as out:
                out.write(json.dumps(state))
                out.flush()
                os.fsync(out.fileno())
            new.replace(self.file)


def seconds(act: Callable[[int], None], repeat: int) -> float:
    began = time.perf_counter()
    for index in range(repeat):
        act(index)
    return (time.perf_counter() - began) / repeat


def by_turns(acts: dict[str, tuple[Callable[[int], None], int]]) -> dict[str, float]:
    """Measure all in turn, several rounds; give each one's median."""
    taken: dict[str, list[float]] = {name: [] for name in acts}
    for act, _ in acts.values():
        act(0)
    for _ in range(ROUNDS):
        for name, (act, repeat) in acts.items():
            taken[name].append(seconds(act, repeat))
    return {name: statistics.median(values) for name, values in taken.items()}


def idle(stores: dict[int, GitStore]) -> None:
    taken = by_turns({str(count): (lambda _, s=store: s.read() and None, 200) for count, store in stores.items()})
    small = taken[str(min(stores))]
    for count in stores:
        value = taken[str(count)]
        met = value <= 0.005 and (value <= 1.5 * small or value <= 0.0001)
        name = f"P1 idle read, {count} entries"
        tell(name, value * 1000, "ms", small * 1000, value / small, "<= 5 ms, <= 1.5 x the smallest", met=met)


def cold(folders: dict[int, Path]) -> None:
    def start(code: str) -> Callable[[int], None]:
        return lambda _: subprocess.run([sys.executable, "-c", code], check=True) and None

    program = (
        "import sys; sys.path.insert(0, {root!r}); from pathlib import Path; "
        "from gitsched.adapters.store.store import GitStore; GitStore(Path({folder!r}), None).read()"
    )
    root = str(Path(__file__).resolve().parent.parent)
    acts = {"pass": (start("pass"), 3)}
    acts |= {str(n): (start(program.format(root=root, folder=str(f))), 3) for n, f in folders.items()}
    taken = by_turns(acts)
    for count, limit in ((10, 0.15), (10_000, 0.4)):
        value = taken[str(count)]
        name = f"P2 cold read as a process, {count} entries"
        tell(
            name,
            value,
            "s",
            taken["pass"],
            value / taken["pass"],
            f"<= {limit} s for all of status",
            met=value <= limit,
        )


def single(count: int, folder: Path, store: GitStore) -> float:
    baseline = OneFile(folder, store)
    for index in range(WARM_UP):  # so that git's 256 object folders are there, as they are in any used repository
        reprioritise(store, [1 + index % count], index)
    spread = [1 + (index * 7919) % count for index in range(1000)]
    grouped = [[1 + (index * 7919 + step * 104_729) % count for step in range(10)] for index in range(1000)]
    taken = by_turns(
        {
            "ours": (lambda index: reprioritise(store, [spread[index % 1000]], index), PER_ROUND),
            "file": (lambda index: baseline.change([spread[index % 1000]], index), 4 if count >= 10_000 else PER_ROUND),
            "grouped": (lambda index: reprioritise(store, sorted(set(grouped[index % 1000])), index), PER_ROUND // 4),
        }
    )
    ours, file = 1 / taken["ours"], 1 / taken["file"]
    wanted = {100: 1, 10_000: 20}.get(count)
    if wanted:
        target = f">= {wanted} x one JSON file"
        tell(
            f"P3 durable transactions, {count} entries",
            ours,
            "1/s",
            file,
            ours / file,
            target,
            met=ours / file >= wanted,
        )
        many = 10 / taken["grouped"]
        name = f"P3 durable changes grouped by 10, {count} entries"
        tell(name, many, "1/s", ours, many / ours, ">= 3 x single", met=many / ours >= 3)
    return ours


def raise_one(store: GitStore, issue: int) -> None:
    """Add one to a priority: a lost update shows in the sum."""

    def intent(draft: Draft) -> None:
        entry = draft.state.entries[issue]
        changed = msgspec.structs.replace(entry, priority=entry.priority + 1, updated_at=draft.at)
        draft.note(EventName.REPRIORITIZED, f"Raised {issue}.", changed, issue=issue)

    store.apply(intent)


def write_on(folder: str, number: int, start: object, answers: object) -> None:
    store, taken = GitStore(Path(folder), Clock(), f"bench{number}"), list[float]()
    raise_one(store, 1)
    start.wait()
    ends_s = time.perf_counter() + PROCESS_SECONDS
    while (began_s := time.perf_counter()) < ends_s:
        raise_one(store, 1 + (len(taken) * 7919 + number * 311) % 10_000)
        taken.append(time.perf_counter() - began_s)
    answers.put(taken)


def crowd(folder: Path, processes: int) -> tuple[float, float]:
    """Let so many processes write at once; give how many they write a second, and how uneven the worst one's waits are.

    That is the 99th percentile of what its transactions took, as a multiple of their median.
    """
    context = multiprocessing.get_context("fork")
    store = GitStore(folder, Clock(), "count")
    before = sum(entry.priority for entry in store.read().entries.values())
    start, answers = context.Barrier(processes), context.Queue()
    writers = [context.Process(target=write_on, args=(str(folder), n, start, answers)) for n in range(processes)]
    for one in writers:
        one.start()
    found = [answers.get() for _ in writers]
    for one in writers:
        one.join()
    count = sum(map(len, found))
    after = sum(entry.priority for entry in store.read().entries.values())
    assert after - before == count + processes, "an update was lost"
    worst = max(statistics.quantiles(taken, n=100)[-1] / statistics.median(taken) for taken in found if len(taken) > 3)
    spread = f"slowest {min(map(len, found))}, quickest {max(map(len, found))} transactions"
    print(json.dumps({"note": f"{processes} processes: {spread}"}), flush=True)
    return count / PROCESS_SECONDS, worst


def rivals(folder: Path) -> None:
    rate, worst = dict[int, float](), dict[int, float]()
    for processes in (1, 8, 1, 32, 1):
        found, worst[processes] = crowd(folder, processes)
        rate[processes] = max(rate.get(processes, 0.0), found)
    alone = rate[1]
    for processes in (8, 32):
        many = rate[processes]
        for number, wanted in (("P3", 0.8), ("P8", 0.5)):
            name = f"{number} durable transactions, {processes} processes on one clone"
            tell(name, many, "1/s", alone, many / alone, f">= {wanted} x one process", met=many >= wanted * alone)
        name = f"P8 p99 / median of the slowest of {processes} processes on one clone"
        tell(name, worst[processes], "", worst[1], worst[processes] / worst[1], "<= 20", met=worst[processes] <= 20)


def main() -> None:
    folder = Path(tempfile.mkdtemp(prefix="gitsched-bench-"))
    try:
        folders = {count: folder / f"{count}.git" for count in (10, 100, 1_000, 10_000, 100_000)}
        stores = {count: filled(place, count) for count, place in folders.items()}
        os.sync()  # else what filling them left to be written is paid by whoever syncs first
        idle({count: store for count, store in stores.items() if count >= 100})
        cold(folders)
        rates = {count: single(count, folders[count], stores[count]) for count in (100, 1_000, 10_000, 100_000)}
        ratio = max(rates.values()) / min(rates.values())
        slowest, fastest = min(rates.values()), max(rates.values())
        tell("P3 flat from 100 to 100,000", slowest, "1/s", fastest, ratio, "<= 2 x", met=ratio <= 2)
        rivals(folders[10_000])
    finally:
        rmtree(folder)


if __name__ == "__main__":
    main()
