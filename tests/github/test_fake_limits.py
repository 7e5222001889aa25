"""Limits, conditional requests, pages."""

import pytest

from tests.github.asking import Asking
from tests.github.fake.hub import Hub


@pytest.fixture
def asking(hub: Hub) -> Asking:
    hub.repository("acme/shop")
    return Asking(hub, hub.app.token())


@pytest.mark.parametrize("status", [403, 429])
def test_the_primary_limit_says_when_it_ends(hub: Hub, asking: Asking, status: int) -> None:
    """G-30 (the fake's part): remaining 0, and a reset in the future; then it goes on."""
    asking = Asking(hub, hub.token("ada"))
    hub.limits.core, hub.limits.status = 2, status
    assert [asking.get("/repos/acme/shop").headers["X-RateLimit-Remaining"] for _ in range(2)] == ["1", "0"]
    refused = asking.get("/repos/acme/shop")
    assert refused.status == status
    assert refused.headers["X-RateLimit-Remaining"] == "0"
    assert int(refused.headers["X-RateLimit-Reset"]) == hub.now_s() + 3600
    assert asking.get("/rate_limit").json["resources"]["core"]["remaining"] == 0
    hub.clock.advance(3600)
    assert asking.get("/repos/acme/shop").status == 200


def test_each_caller_has_a_budget_of_its_own(hub: Hub, asking: Asking) -> None:
    hub.limits.core = 1
    asking.get("/repos/acme/shop")
    assert asking.get("/repos/acme/shop").status == 403
    assert Asking(hub, hub.token("ada")).get("/repos/acme/shop").status == 200


def test_what_has_not_changed_costs_nothing(hub: Hub, asking: Asking) -> None:
    hub.repository("acme/shop").issue(1)
    first = asking.get("/repos/acme/shop/issues")
    again = asking.get("/repos/acme/shop/issues", If_None_Match=first.headers["ETag"])
    assert (again.status, again.json) == (304, None)
    assert again.headers["X-RateLimit-Remaining"] == first.headers["X-RateLimit-Remaining"]
    hub.repository("acme/shop").comment(1, "x")
    assert asking.get("/repos/acme/shop/issues", If_None_Match=first.headers["ETag"]).status == 200


def test_too_many_writes_meet_the_secondary_limit(hub: Hub, asking: Asking) -> None:
    """G-31 (the fake's part): 80 writes of content a minute, and no more."""
    hub.repository("acme/shop").issue(1)
    hub.limits.writes_per_minute = 3
    hub.clock = type(hub.clock)(lambda: "2026-01-02T03:04:05.000Z")  # time that does not pass
    told = [asking.post("/repos/acme/shop/issues/1/comments", {"body": "x"}) for _ in range(4)]
    assert [reply.status for reply in told] == [201, 201, 201, 403]
    assert told[-1].headers["Retry-After"] == "60"
    assert "secondary rate limit" in told[-1].json["message"]
    assert int(told[-1].headers["X-RateLimit-Remaining"]) > 0
    assert (hub.limits.refused_count, hub.limits.most_writes_in_a_minute) == (1, 3)
    hub.limits.with_retry_after = False
    assert "Retry-After" not in asking.post("/repos/acme/shop/issues/1/comments", {"body": "x"}).headers
    assert asking.get("/repos/acme/shop").status == 200


def test_long_lists_come_in_pages_whose_links_name_the_repository_by_number(hub: Hub, asking: Asking) -> None:
    """G-37 (the fake's part): 250 comments, none beyond the first page missed."""
    repo = hub.repository("acme/shop")
    repo.issue(1)
    for number in range(250):
        repo.comment(1, f"comment {number}")
    bodies, url = [], "/repos/acme/shop/issues/1/comments?per_page=100"
    while url:
        reply = asking.get(url)
        bodies += [comment["body"] for comment in reply.json]
        url = reply.link("next") or ""
        assert f"/repositories/{repo.id}/issues/1/comments" in (url or reply.link("prev") or "")
    assert bodies == [f"comment {number}" for number in range(250)]
    assert len(asking.get("/repos/acme/shop/issues/1/comments").json) == 30
    assert asking.get("/repos/acme/shop/issues/1/comments?page=9").link("first") is not None


def test_the_scripted_forms_of_a_limit(hub: Hub, asking: Asking) -> None:
    """G-30 (the fake's part): the four answers that a client has to tell apart."""
    hub.limit("primary", 403)
    hub.limit("secondary", 403, retry_after=30)
    hub.limit("secondary", 429)
    hub.forbid()
    told = [asking.get("/repos/acme/shop") for _ in range(5)]
    assert [reply.status for reply in told] == [403, 403, 429, 403, 200]
    assert [reply.headers.get("Retry-After") for reply in told] == [None, "30", None, None, None]
    assert [reply.headers.get("X-RateLimit-Remaining") for reply in told[:4]] == ["0", None, None, None]
