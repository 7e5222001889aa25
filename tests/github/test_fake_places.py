"""Repositories that move, people who go, issues that leave, and the rules of branches."""

import pytest

from tests.github.asking import Asking
from tests.github.fake.description import MISSING, whole
from tests.github.fake.hub import Hub
from tests.github.fake.routes import routes_known


@pytest.fixture
def asking(hub: Hub) -> Asking:
    hub.repository("acme/shop")
    return Asking(hub, hub.app.token())


def test_every_route_is_an_operation_of_githubs() -> None:
    described = whole()
    if described is None:
        pytest.skip(MISSING)
    strange = [
        f"{method} {template}"
        for method, template in routes_known()
        if method.lower() not in described["paths"].get(template, {})
    ]
    assert strange == []


def test_a_renamed_and_transferred_repository_is_followed_by_its_id(hub: Hub, asking: Asking) -> None:
    """G-35 (the fake's part): 301 with a body that is no data; the id stays."""
    repo = hub.repository("acme/shop")
    repo.issue(1)
    repo.rename("store")
    repo.transfer("globex")
    moved = asking.get("/repos/acme/shop/issues/1?x=1")
    assert (moved.status, moved.json["message"]) == (301, "Moved Permanently")
    assert moved.headers["Location"] == moved.json["url"] == f"{hub.api_url}/repositories/{repo.id}/issues/1?x=1"
    assert asking.get("/repos/acme/store").status == 301
    followed = asking.get(f"/repositories/{repo.id}/issues/1")
    assert followed.json["repository_url"].endswith("/repos/globex/store")
    assert asking.post("/repos/acme/shop/issues/1/comments", {"body": "x"}).status == 307
    assert asking.get("/repos/globex/store").json["id"] == repo.id
    assert asking.get("/repos/acme/none").status == 404


def test_issues_that_left_say_so(hub: Hub, asking: Asking) -> None:
    """G-36 (the fake's part): deleted 410, transferred 301, a null body, an author who is gone."""
    repo, other = hub.repository("acme/shop"), hub.repository("acme/other")
    for number in (1, 2, 3):
        repo.issue(number, by="bob", body=None)
    repo.delete_issue(1)
    repo.transfer_issue(2, other)
    repo.comment(3, "mine", by="bob")
    hub.delete_user("bob")
    assert asking.get("/repos/acme/shop/issues/1").status == 410
    moved = asking.get("/repos/acme/shop/issues/2")
    assert moved.status == 301
    assert asking.get(moved.headers["Location"]).json["number"] == 1
    left = asking.get("/repos/acme/shop/issues/3").json
    assert (left["body"], left["user"]) == (None, None)
    assert asking.get("/repos/acme/shop/issues/3/comments").json[0]["user"] is None
    assert [found["number"] for found in asking.get("/repos/acme/shop/issues").json] == [3]


def test_a_request_whose_head_repository_is_gone_is_still_read(hub: Hub, asking: Asking) -> None:
    """G-36 (the fake's part): `head.repo` is null."""
    repo = hub.repository("acme/shop")
    fork = repo.fork("bob")
    fork.commit("topic", {"a.txt": "x\n"})
    issue = repo.pull("topic", fork=fork)
    assert asking.get(f"/repos/acme/shop/pulls/{issue.number}").json["head"]["label"] == "bob:topic"
    fork.delete()
    told = asking.get(f"/repos/acme/shop/pulls/{issue.number}").json
    assert (told["head"]["repo"], told["head"]["user"]) == (None, None)
    assert told["head"]["ref"] == "topic"


def test_what_may_not_be_seen_is_not_there(hub: Hub) -> None:
    hub.repository("acme/secret", is_private=True).role("ada", "read")
    assert Asking(hub, hub.token("eve")).get("/repos/acme/secret").status == 404
    assert Asking(hub).get("/repos/acme/secret").status == 404
    ada = Asking(hub, hub.token("ada"))
    assert ada.get("/repos/acme/secret").json["permissions"]["push"] is False
    assert ada.put("/repos/acme/secret/issues/1/lock").status == 403
    assert Asking(hub, "ghp_unknown").get("/repos/acme/secret").json["message"] == "Bad credentials"


def test_a_missing_permission_is_told_with_what_would_do(hub: Hub) -> None:
    """G-30 (the fake's part): a plain 403 carries no sign of a limit."""
    hub.repository("acme/shop").issue(1)
    reply = Asking(hub, hub.app.token(issues="read")).post("/repos/acme/shop/issues/1/comments", {"body": "x"})
    assert (reply.status, reply.json["message"]) == (403, "Resource not accessible by integration")
    assert reply.headers["X-Accepted-GitHub-Permissions"] == "issues=write"
    assert int(reply.headers["X-RateLimit-Remaining"]) > 0
    assert "Retry-After" not in reply.headers


@pytest.mark.parametrize(
    ("role", "permission"),
    [("maintain", "write"), ("triage", "read"), ("admin", "admin"), ("deployer", "write"), ("none", "none")],
)
def test_roles_are_folded_but_for_their_name(hub: Hub, asking: Asking, role: str, permission: str) -> None:
    hub.repository("acme/shop").role("bob", role)
    told = asking.get("/repos/acme/shop/collaborators/bob/permission").json
    assert (told["permission"], told["role_name"], told["user"]["id"]) == (permission, role, hub.user("bob").id)
    assert asking.get("/repos/acme/shop/collaborators").json[0]["role_name"] == role
    assert asking.get("/repos/acme/shop/collaborators/nobody/permission").status == 404


def test_rules_of_a_branch_are_read_without_a_special_right(hub: Hub, asking: Asking) -> None:
    repo = hub.repository("acme/shop")
    repo.protect(contexts=("ci",), strict=True, approvals=1, linear=True, signatures=True, queue=True)
    kinds = [rule["type"] for rule in asking.get("/repos/acme/shop/rules/branches/main").json]
    assert kinds == [
        *("required_status_checks", "pull_request", "required_linear_history", "required_signatures"),
        *("non_fast_forward", "merge_queue"),
    ]
    assert asking.get("/repos/acme/shop/rules/branches/no/such").json == []
    assert asking.get("/repos/acme/shop/branches/main").json["protected"]
    assert asking.get("/repos/acme/shop/branches/main/protection").status == 403


def test_a_classic_protection_stands_elsewhere(hub: Hub) -> None:
    repo = hub.repository("acme/shop")
    repo.protect(contexts=("ci",), approvals=1, as_ruleset=False)
    repo.role("ada", "admin")
    ada = Asking(hub, hub.token("ada"))
    assert ada.get("/repos/acme/shop/rules/branches/main").json == []
    told = ada.get("/repos/acme/shop/branches/main/protection").json
    assert told["required_status_checks"]["contexts"] == ["ci"]
    assert ada.get("/repos/acme/shop/branches").json[0] == {
        "name": "main",
        "commit": {"sha": repo.tip(), "url": f"{hub.api_url}/repos/acme/shop/commits/{repo.tip()}"},
        "protected": True,
    }


def test_people_are_found_by_login_and_by_number(hub: Hub) -> None:
    ada = Asking(hub, hub.token("Ada"))
    me = ada.get("/user").json
    assert ada.get("/users/ada").json["id"] == me["id"]
    assert ada.get(f"/user/{me['id']}").json["login"] == "Ada"
    assert ada.get("/users/nobody").status == 404
    assert ada.get("/user/1").status == 404
    assert Asking(hub, hub.app.token()).get("/user").status == 403
    assert Asking(hub).get("/user").status == 401
    assert ada.get("/meta").json["hooks"] == ["127.0.0.0/8"]


def test_an_archived_repository_is_read_only(hub: Hub, asking: Asking) -> None:
    hub.repository("acme/shop").issue(1)
    hub.repository("acme/shop", is_archived=True)
    assert asking.get("/repos/acme/shop").json["archived"] is True
    assert asking.post("/repos/acme/shop/issues/1/comments", {"body": "x"}).status == 403


def test_the_newer_version_lost_some_keys(hub: Hub, asking: Asking) -> None:
    repo = hub.repository("acme/shop")
    repo.commit("topic", {"a.txt": "x\n"})
    repo.pull("topic")
    new = {"X_GitHub_Api_Version": "2026-03-10"}
    assert "merge_commit_sha" in asking.get("/repos/acme/shop/pulls/1").json
    hub.description = None  # the description at hand is of the older version
    told = asking.get("/repos/acme/shop/pulls/1", **new)
    assert told.headers["X-GitHub-Api-Version-Selected"] == "2026-03-10"
    assert {"merge_commit_sha", "assignee"} & told.json.keys() == set()
    assert "rate" not in asking.get("/rate_limit", **new).json


def test_an_enterprise_has_its_api_elsewhere(own_hub: object) -> None:
    hub = own_hub(is_enterprise=True)  # type: ignore[operator]
    hub.repository("acme/shop")
    asking = Asking(hub, hub.app.token())
    assert hub.api_url.endswith("/api/v3")
    assert asking.get("/repos/acme/shop").json["url"] == f"{hub.api_url}/repos/acme/shop"
    assert asking.graphql("{ viewer { login } }")["data"] == {"viewer": {"login": "gitsched[bot]"}}
