"""Checks, statuses, runs, deployments, refs and contents on the fake."""

import base64

import pytest

from tests.github.asking import Asking
from tests.github.fake.hub import Hub
from tests.github.fake.verbs import RepositoryVerbs

REPO = "/repos/acme/shop"


@pytest.fixture
def repo(hub: Hub) -> RepositoryVerbs:
    return hub.repository("acme/shop")


@pytest.fixture
def asking(hub: Hub, repo: RepositoryVerbs) -> Asking:
    hub.app.grant(actions="write", statuses="write", deployments="write")
    return Asking(hub, hub.app.token())


def test_an_app_posts_and_edits_its_check(hub: Hub, repo: RepositoryVerbs, asking: Asking) -> None:
    head = repo.tip()
    body = {"name": "gitsched", "head_sha": head, "output": {"title": "T", "summary": "S"}, "external_id": "b1"}
    made = asking.post(f"{REPO}/check-runs", body).json
    assert (made["status"], made["conclusion"], made["app"]["slug"]) == ("queued", None, "gitsched")
    action = {"label": "Stop", "description": "Stop it", "identifier": "stop"}
    done = asking.patch(f"{REPO}/check-runs/{made['id']}", {"conclusion": "neutral", "actions": [action]}).json
    assert (done["status"], done["conclusion"], done["output"]["title"]) == ("completed", "neutral", "T")
    assert asking.get(f"{REPO}/check-runs/{made['id']}").json == done
    assert asking.get(f"{REPO}/check-runs/1").status == 404
    assert asking.patch(f"{REPO}/check-runs/{made['id']}", {"actions": [action] * 4}).status == 422
    long = {"title": "T", "summary": "x" * 65_536}
    assert asking.patch(f"{REPO}/check-runs/{made['id']}", {"output": long}).status == 422
    other = repo.check(head or "")
    assert asking.patch(f"{REPO}/check-runs/{other.id}", {"status": "completed"}).status == 403
    repo.role("ada", "write")
    assert Asking(hub, hub.token("ada")).post(f"{REPO}/check-runs", body).status == 403


def test_the_latest_of_each_name_app_and_suite_are_listed(repo: RepositoryVerbs, asking: Asking) -> None:
    """G-20 (the fake's part): two checks of one name in two suites are both there; another commit's are not."""
    old, head = repo.tip() or "", repo.commit("main", {"a.txt": "a\n"})
    repo.check(old, "ci")
    repo.check(head, "ci", "skipped")
    repo.check(head, "ci")
    repo.check(head, "slow", None)
    told = asking.get(f"{REPO}/commits/{head}/check-runs").json
    assert [(one["name"], one["conclusion"]) for one in told["check_runs"]] == [
        ("slow", None),
        ("ci", "success"),
        ("ci", "skipped"),
    ]
    assert asking.get(f"{REPO}/commits/main/check-runs?check_name=slow").json["total_count"] == 1
    assert asking.get(f"{REPO}/commits/main/check-runs?status=completed&filter=all").json["total_count"] == 2
    suites = asking.get(f"{REPO}/commits/main/check-suites").json["check_suites"]
    assert [suite["conclusion"] for suite in suites] == ["success", "success", None]
    assert asking.get(f"{REPO}/commits/none/check-runs").status == 422


def test_statuses_are_folded_by_context(repo: RepositoryVerbs, asking: Asking) -> None:
    head = repo.tip()
    assert asking.get(f"{REPO}/commits/main/status").json["state"] == "pending"
    asking.post(f"{REPO}/statuses/{head}", {"state": "failure", "context": "ci"})
    assert asking.get(f"{REPO}/commits/main/status").json["state"] == "failure"
    repo.status(head or "", "ci")
    told = asking.get(f"{REPO}/commits/main/status").json
    assert (told["state"], told["total_count"]) == ("success", 1)
    every = asking.get(f"{REPO}/commits/main/statuses").json
    assert [(one["state"], one["creator"]["login"]) for one in every] == [
        ("success", "ci-bot"),
        ("failure", "gitsched[bot]"),
    ]
    assert asking.post(f"{REPO}/statuses/{head}", {"state": "green"}).status == 422


def test_a_workflow_is_dispatched_watched_cancelled_and_run_again(repo: RepositoryVerbs, asking: Asking) -> None:
    number = repo.workflow("member.yml")
    assert asking.get(f"{REPO}/actions/workflows").json["workflows"][0]["id"] == number
    assert asking.get(f"{REPO}/actions/workflows/member.yml").json["path"] == ".github/workflows/member.yml"
    url = f"{REPO}/actions/workflows/member.yml/dispatches"
    assert asking.post(url, {"ref": "main"}).status == 204
    told = asking.post(url, {"ref": "main", "inputs": {"issue": "3"}, "return_run_details": True}).json
    run = repo.model.runs[1]
    assert (told["workflow_run_id"], run.inputs) == (run.id, {"issue": "3"})
    assert asking.post(url, {"ref": "none"}).status == 422
    assert asking.post(url, {"ref": "main", "inputs": {f"i{at}": "x" for at in range(26)}}).status == 422
    assert asking.post(f"{REPO}/actions/workflows/none.yml/dispatches", {"ref": "main"}).status == 404
    here = f"{REPO}/actions/runs/{run.id}"
    assert asking.get(here).json["status"] == "queued"
    assert asking.post(f"{here}/cancel", None).status == 202
    assert asking.post(f"{here}/cancel", None).status == 409
    assert asking.get(here).json["conclusion"] == "cancelled"
    assert asking.post(f"{here}/rerun", None).status == 201
    repo.end_run(run)
    assert asking.get(here).json["run_attempt"] == 2
    found = asking.get(f"{REPO}/actions/runs?status=success&branch=main&event=workflow_dispatch").json
    assert [one["id"] for one in found["workflow_runs"]] == [run.id]
    assert asking.get(f"{REPO}/actions/runs/1").status == 404


def test_deployments_and_what_became_of_them(repo: RepositoryVerbs, asking: Asking) -> None:
    """G-29 (the fake's part): the newest status comes first."""
    repo.deploy(repo.tip() or "", "failure", "staging")
    made = asking.post(f"{REPO}/deployments", {"ref": "main"}).json
    here = f"{REPO}/deployments/{made['id']}/statuses"
    assert asking.get(here).json == []
    asking.post(here, {"state": "in_progress"})
    asking.post(here, {"state": "success", "description": "up"})
    assert [one["state"] for one in asking.get(here).json] == ["success", "in_progress"]
    assert len(asking.get(f"{REPO}/deployments?sha={repo.tip()}").json) == 2
    assert len(asking.get(f"{REPO}/deployments?environment=staging").json) == 1
    assert asking.post(f"{REPO}/deployments", {"ref": "none"}).status == 422
    assert asking.get(f"{REPO}/deployments/1/statuses").status == 404


def test_refs_are_made_moved_and_removed(repo: RepositoryVerbs, asking: Asking) -> None:
    old = repo.tip()
    new = repo.commit("main", {"a.txt": "a\n"})
    made = asking.post(f"{REPO}/git/refs", {"ref": "refs/heads/x", "sha": new})
    assert (made.status, made.json["object"]["sha"]) == (201, new)
    assert asking.post(f"{REPO}/git/refs", {"ref": "refs/heads/x", "sha": new}).status == 422
    assert asking.post(f"{REPO}/git/refs", {"ref": "x", "sha": new}).status == 422
    assert asking.post(f"{REPO}/git/refs", {"ref": "refs/heads/y", "sha": "1" * 40}).status == 422
    assert asking.patch(f"{REPO}/git/refs/heads/x", {"sha": old}).status == 422
    assert asking.patch(f"{REPO}/git/refs/heads/x", {"sha": old, "force": True}).json["object"]["sha"] == old
    assert asking.patch(f"{REPO}/git/refs/heads/none", {"sha": old}).status == 422
    assert asking.get(f"{REPO}/git/ref/heads/x").json["object"]["sha"] == old
    assert [one["ref"] for one in asking.get(f"{REPO}/git/matching-refs/heads/").json] == [
        "refs/heads/main",
        "refs/heads/x",
    ]
    assert asking.delete(f"{REPO}/git/refs/heads/x").status == 204
    assert asking.delete(f"{REPO}/git/refs/heads/x").status == 422
    assert asking.get(f"{REPO}/git/ref/heads/x").status == 404
    repo.protect(no_direct_push=True)
    assert asking.patch(f"{REPO}/git/refs/heads/main", {"sha": old}).status == 422
    assert asking.delete(f"{REPO}/git/refs/heads/main").status == 422


def test_commits_are_listed_and_compared(repo: RepositoryVerbs, asking: Asking) -> None:
    old = repo.tip()
    one = repo.commit("topic", {"a.txt": "a\n"})
    repo.commit("main", {"b.txt": "b\n"})
    told = asking.get(f"{REPO}/compare/main...topic").json
    assert (told["status"], told["ahead_by"], told["behind_by"]) == ("diverged", 1, 1)
    assert told["merge_base_commit"]["sha"] == old
    assert asking.get(f"{REPO}/compare/main...main").json["status"] == "identical"
    assert asking.get(f"{REPO}/compare/main...none").status == 404
    assert [commit["sha"] for commit in asking.get(f"{REPO}/commits?sha=topic").json] == [one, old]
    assert asking.get(f"{REPO}/commits/topic").json["parents"][0]["sha"] == old
    assert asking.get(f"{REPO}/commits/none").status == 422
    assert asking.get(f"{REPO}/commits?sha=none").status == 404


def test_a_file_is_read_at_a_ref(repo: RepositoryVerbs, asking: Asking) -> None:
    repo.commit("topic", {"docs/a.md": "text\n"})
    told = asking.get(f"{REPO}/contents/docs/a.md?ref=topic").json
    assert base64.b64decode(told["content"]) == b"text\n"
    assert asking.get(f"{REPO}/contents/docs/a.md").status == 404
