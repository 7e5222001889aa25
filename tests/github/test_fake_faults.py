"""What goes wrong on purpose."""

import threading

import pytest
import urllib3

from tests.github.asking import Asking, Reply
from tests.github.fake.hub import Hub

COMMENTS = "/repos/acme/shop/issues/1/comments"


@pytest.fixture
def asking(hub: Hub) -> Asking:
    hub.repository("acme/shop").issue(1)
    return Asking(hub, hub.app.token())


def posted(hub: Hub) -> list[str | None]:
    return [comment.body for comment in hub.repository("acme/shop").comments(1)]


def test_a_lost_reply_is_an_act_without_an_answer(hub: Hub, asking: Asking) -> None:
    hub.lose_reply(method="POST", path="/comments", after=1)
    assert asking.post(COMMENTS, {"body": "one"}).status == 201
    with pytest.raises(urllib3.exceptions.ProtocolError):
        asking.post(COMMENTS, {"body": "two"})
    assert posted(hub) == ["one", "two"]
    assert [heard.status for heard in hub.audit.requests("POST")] == [201, 0]
    assert asking.post(COMMENTS, {"body": "three"}).status == 201


def test_a_cut_request_is_no_act(hub: Hub, asking: Asking) -> None:
    hub.cut(method="POST")
    with pytest.raises(urllib3.exceptions.ProtocolError):
        asking.post(COMMENTS, {"body": "one"})
    assert posted(hub) == []


def test_an_error_may_or_may_not_have_acted(hub: Hub, asking: Asking) -> None:
    """G-02 (the fake's part): a 502 although it was created."""
    hub.spoil(502, method="POST", text="one")
    hub.answer(500, method="POST", text="two")
    assert asking.post(COMMENTS, {"body": "one"}).status == 502
    assert asking.post(COMMENTS, {"body": "two"}).status == 500
    assert posted(hub) == ["one"]


def test_a_doubled_call_acts_twice(hub: Hub, asking: Asking) -> None:
    hub.double(method="POST")
    asking.post(COMMENTS, {"body": "one"})
    assert posted(hub) == ["one", "one"]


def test_a_service_that_is_down_comes_back(hub: Hub, asking: Asking) -> None:
    outage = hub.down()
    assert [asking.get("/repos/acme/shop").status for _ in range(3)] == [503] * 3
    outage.stop()
    assert asking.get("/repos/acme/shop").status == 200
    assert outage.came_count == 3


def test_a_held_call_waits_for_its_release(hub: Hub, asking: Asking) -> None:
    held = hub.hold(path="/issues/1$")
    replies: list[Reply] = []
    caller = threading.Thread(target=lambda: replies.append(asking.get("/repos/acme/shop/issues/1")))
    caller.start()
    other = Asking(hub, hub.app.token())
    assert other.get("/repos/acme/shop").status == 200
    assert replies == []
    held.release()
    caller.join(10)
    assert [reply.status for reply in replies] == [200]
    hub.delay(0.01)
    assert asking.get("/repos/acme/shop").status == 200


def test_a_list_that_lags_shows_what_was(hub: Hub, asking: Asking) -> None:
    hub.lag(2, path="/comments")
    asking.post(COMMENTS, {"body": "one"})
    told = [len(asking.get(COMMENTS).json) for _ in range(3)]
    assert told == [0, 0, 1]
    asking.post(COMMENTS, {"body": "two"})
    assert [len(asking.get(COMMENTS).json) for _ in range(3)] == [1, 1, 2]
    assert hub.lags.shown_count == 4


def test_single_objects_do_not_lag(hub: Hub, asking: Asking) -> None:
    hub.lag(5)
    made = asking.post(COMMENTS, {"body": "one"}).json
    assert asking.get(f"/repos/acme/shop/issues/comments/{made['id']}").status == 200


def test_a_lagging_list_hides_a_request_that_github_will_not_open_twice(hub: Hub, asking: Asking) -> None:
    hub.repository("acme/shop").commit("topic", {"a.txt": "x\n"})
    hub.lag(1, path="/pulls")
    body = {"title": "T", "head": "topic", "base": "main"}
    assert asking.post("/repos/acme/shop/pulls", body).status == 201
    assert asking.get("/repos/acme/shop/pulls?head=acme:topic").json == []
    again = asking.post("/repos/acme/shop/pulls", body)
    assert again.status == 422
    assert "already exists" in again.json["errors"][0]["message"]


def test_the_audit_counts_calls_and_finds_leaks(hub: Hub, asking: Asking) -> None:
    token = hub.app.token()
    Asking(hub, token).get("/repos/acme/shop/issues/1")
    assert hub.audit.calls() == {"GET /repos/{owner}/{repo}/issues/{issue_number}": 1}
    assert hub.audit.leaks(token) == []
    asking.post(COMMENTS, {"body": f"my token is {token}"})
    asking.get(f"/repos/acme/shop?access_token={token}")
    hub.description = None  # GitHub's knows no such query
    assert len(hub.audit.leaks(token)) == 2
    assert [heard.path for heard in hub.audit.writes()] == [COMMENTS]
    hub.audit.clear()
    assert hub.audit.requests() == []


def test_what_is_too_long_or_empty_is_refused(asking: Asking) -> None:
    assert asking.post(COMMENTS, {"body": "x" * 65_536}).status == 201
    assert asking.post(COMMENTS, {"body": "x" * 65_537}).status == 422
    assert asking.post(COMMENTS, {"body": " "}).status == 422
    assert asking.post(COMMENTS, {}).status == 422
    assert asking.post("/repos/acme/shop/issues", {"title": ""}).status == 422
    assert asking.post("/repos/acme/shop/issues", {"title": "x" * 257}).status == 422
    assert asking.patch("/repos/acme/shop/issues/1", {"body": "x" * 65_537}).status == 422
