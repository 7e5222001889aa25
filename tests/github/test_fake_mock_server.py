"""Every call of the adapter, held against GitHub's description by another's program: under `make real` only."""

from collections.abc import Callable

import pytest
import urllib3

from gitsched.domain.merging import merge_by
from gitsched.domain.words import PullRequestState
from tests.forge.hub_place import HubPlace
from tests.forge.places import SOURCE
from tests.github.fake.audit import Heard
from tests.github.fake.description import MISSING, whole
from tests.github.prism import install, refusal, served


@pytest.fixture(scope="module")
def mock_server() -> None:
    if whole() is None:
        pytest.skip(MISSING)
    reason = install()
    if reason is not None:
        pytest.skip(reason)


def live(place: HubPlace) -> None:
    """Make the adapter call all that it calls in the life of a batch."""
    repo, forge = place.repository, place.forge
    first, second = place.issue("One", deps=(9,), milestone="batch/1"), place.issue("Two", by="bob")
    repo.comment(first, "hello", by="bob")
    forge.issues()
    forge.issues([first, second, 99])
    forge.comments(first)
    forge.comment(first, "Report", "gitsched:member:b1:1")
    forge.comment(first, "Report, longer", "gitsched:member:b1:1")
    forge.target("main")
    forge.rules("main")
    repo.protect(contexts=("ci",))
    pull = place.ready()
    forge.open_pull_request(place.request(title="New", state=PullRequestState.DRAFT), "gitsched:request:b1")
    forge.make_ready(pull.number)
    forge.pull_request(pull.number)
    forge.pull_requests()
    forge.pull_requests_from(SOURCE)
    forge.park(pull.number, place.tip(SOURCE), merge_by("auto"), "rebase")
    forge.park(pull.number, place.tip(SOURCE), merge_by("label:ship"), "rebase")
    repo.protect(contexts=())
    forge.merge(pull.number, place.tip(SOURCE))
    forge.close_issue(first)
    forge.close_issue(second, as_not_planned=True)
    forge.withdraw(SOURCE, place.tip(SOURCE))


@pytest.mark.real
@pytest.mark.timeout(600)
def test_no_call_of_the_adapter_is_refused(
    place: HubPlace, mock_server: None, record_property: Callable[[str, object], None]
) -> None:
    live(place)
    calls = [heard for heard in place.hub.audit.requests() if heard.operation not in {"git", "graphql"}]
    wrong = Heard(
        "POST", "/repos/acme/shop/issues/1/comments", "", {"Content-Type": "application/json"}, b'{"text": "x"}', 0
    )
    with served() as address, urllib3.PoolManager(retries=False) as pool:
        assert refusal(pool, address, wrong) is not None
        refused = [told for heard in calls if (told := refusal(pool, address, heard))]
    record_property("told", f"{len(calls)} calls of {len(place.hub.audit.calls())} kinds held against the mock server")
    assert refused == []
