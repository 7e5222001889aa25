"""gitsched.toml is edited while a driver runs."""

from gitsched.domain.words import EntryStatus
from gitsched.engine.driver import Until
from gitsched.ports.store import Entry as JournalEntry
from tests.engine.world import World

RARE = '[agents.rare]\ncommand = ["{command}"]\ncompletion = "exit"\n'


def spawned(entry: JournalEntry) -> list[int | None]:
    return [event.issue for event in entry.events if event.name == "spawned"]


def test_i_05_a_wrong_edit_is_told_once_and_the_last_good_one_stays(world: World) -> None:
    """I-05: while a driver runs; a second wrong edit is told again, each with its line and key."""
    world.issues(1, 2)
    world.agents(1, 2)
    world.enqueue(1, batch="b1")
    world.enqueue(2, deps=(1,), solo=True)
    told: list[str] = []
    file = world.repo / "gitsched.toml"
    good = file.read_text()

    def on_entry(entry: JournalEntry) -> None:
        for issue in spawned(entry):
            file.write_text(f"{'nonsense' if issue == 1 else 'folly'} = 1\n{good}")

    world.driver_with(look_again_s=0.05).run(Until.IDLE, None, on_entry, told.append)
    file.write_text(good)
    assert [world.entry(n).status for n in (1, 2)] == [EntryStatus.DONE] * 2
    assert ["line 1: 'nonsense'" in told[0], "line 1: 'folly'" in told[1]] == [True, True]
    assert len(told) == 2
    assert told[0].endswith("Until then the last good configuration stays in use.")


def test_a_good_edit_is_taken_by_a_driver_that_runs(world: World) -> None:
    """Also one that comes after a moment without any file, as editors make it."""
    world.configure(RARE.format(command="no-such-program"))
    gate = world.barrier("go")
    world.issues(1, 2)
    world.agent(1, f"read -r _ < {gate}; echo 1 > file1.txt")
    world.agents(2)
    world.enqueue(1, solo=True)
    world.enqueue(2, solo=True, profile="rare")
    file = world.repo / "gitsched.toml"

    def on_entry(entry: JournalEntry) -> None:
        if spawned(entry) == [1]:
            text = file.read_text().replace('"no-such-program"', f'"sh", "{world.scripts}/agent"')
            file.unlink()
            file.write_text(text)
        elif spawned(entry) == [2]:
            gate.open()

    world.driver_with(look_again_s=0.05).run(Until.IDLE, None, on_entry)
    assert sorted(world.started()) == ["1 0", "2 0"]
    assert [world.entry(n).status for n in (1, 2)] == [EntryStatus.DONE] * 2
