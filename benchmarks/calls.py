"""P10: calls to GitHub of one tick over a hundred issues in ten batches, all of which have changed, and of an idle one.

GitHub is the fake one of the tests, over loopback, which writes every call down.
"""

import os
import tempfile
from pathlib import Path

from msgspec.structs import replace

from benchmarks.figures import Measured, tell
from benchmarks.ground import settle_environment
from tests.forge.hub_place import LOOKS, NAME, HubPlace
from tests.github.fake.hub import Hub

_WHO = ("NAME", "EMAIL")
ISSUES, BATCHES, MOST = 100, 10, 6


def looked(place: HubPlace, numbers: list[int], pulls: list[int]) -> int:
    """Look at everything as a tick does, and count the calls."""
    place.hub.audit.clear()
    forge = place.connected()
    assert forge.cursor
    forge.issues(numbers)
    forge.foresee(pulls)
    for pull in pulls:
        forge.pull_request(pull)
    return sum(place.hub.audit.calls().values())


def main() -> None:
    """Measure both."""
    with tempfile.TemporaryDirectory(prefix="gitsched-calls-") as folder:
        home = Path(folder)
        settle_environment(home)
        os.environ |= {f"GIT_{who}_{what}": "ada@example.org" for who in ("AUTHOR", "COMMITTER") for what in _WHO}
        hub = Hub(home / "hub", description=None).start()
        try:
            place = HubPlace(hub, home / "clone")
            place.looks = replace(LOOKS, issues_s=600.0, requests_s=150.0)
            numbers = [place.issue(f"Issue {at}") for at in range(ISSUES)]
            pulls = []
            for batch in range(BATCHES):
                head = place.commit(f"gitsched/b{batch}/integration", f"file{batch}.txt")
                pulls.append(hub.repository(NAME).pull(f"gitsched/b{batch}/integration").number)
                hub.repository(NAME).check(head)
            looked(place, numbers, pulls)
            for number in numbers:
                hub.repository(NAME).label(number, "changed")
            place.clock.at = "2026-01-02T09:00:00.000Z"
            single = float(ISSUES + BATCHES)
            busy, idle = looked(place, numbers, pulls), looked(place, numbers, pulls)
        finally:
            hub.stop()
    name = f"P10 a tick over {ISSUES} issues in {BATCHES} batches, all changed"
    tell(name, Measured(busy, "calls", single), f"<= {MOST}", met=busy <= MOST)
    tell("P10 an idle tick", Measured(idle, "calls", single), "0", met=idle == 0)


if __name__ == "__main__":
    main()
