"""P10: what one tick costs, with the list of its calls."""

from collections.abc import Callable

from msgspec.structs import replace

from gitsched.domain.forge import PullRequestView
from tests.forge.hub_place import LOOKS, HubPlace


def test_p10_a_tick_over_a_hundred_issues_in_ten_batches(
    place: HubPlace, record_property: Callable[[str, object], None]
) -> None:
    """P10 (show 2): at most 6 calls when everything has changed, none when it is not time to look."""
    place.repository.protect(contexts=("ci",))
    place.looks = replace(LOOKS, issues_s=600.0, requests_s=150.0)
    numbers = [place.issue(f"Issue {at}") for at in range(100)]
    pulls = []
    for batch in range(10):
        head = place.commit(f"gitsched/b{batch}/integration", f"file{batch}.txt")
        pulls.append(place.repository.pull(f"gitsched/b{batch}/integration").number)
        place.repository.check(head)
    forge = place.connected()

    def look() -> None:
        assert forge.cursor
        found = forge.issues(numbers)
        assert len(found) == 100  # type: ignore[arg-type]
        forge.foresee(pulls)
        for pull in pulls:
            seen = forge.pull_request(pull)
            assert isinstance(seen, PullRequestView)
            assert seen.standing is not None
            assert seen.standing.checks

    look()
    for number in numbers:
        place.repository.label(number, "changed")
    place.clock.at = "2026-01-02T09:00:00.000Z"
    place.hub.audit.clear()
    look()
    calls = place.hub.audit.calls()
    assert sum(calls.values()) <= 6
    record_property("told", f"P10: {sum(calls.values())} calls of one tick: {dict(calls)}; one call per issue: 110")
    place.hub.audit.clear()
    look()
    assert not place.hub.audit.calls()
