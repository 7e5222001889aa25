"""Pull requests on the fake: opening, what stands against a merge, merging by real git, reviews."""

import pytest

from tests.github.asking import Asking
from tests.github.fake.hub import Hub
from tests.github.fake.verbs import RepositoryVerbs

PULLS = "/repos/acme/shop/pulls"
FENCED = "Closes #1\n\n```\nfixes #2\n```\n<!-- closes #3 -->\nCloses #4, #5\n"


@pytest.fixture
def repo(hub: Hub) -> RepositoryVerbs:
    return hub.repository("acme/shop")


@pytest.fixture
def asking(hub: Hub, repo: RepositoryVerbs) -> Asking:
    return Asking(hub, hub.app.token())


def topic(repo: RepositoryVerbs, name: str = "topic", path: str = "a.txt") -> str:
    return repo.commit(name, {path: f"{name}\n"}, f"Add {path}\n")


def test_opening_is_refused_in_githubs_words(repo: RepositoryVerbs, asking: Asking) -> None:
    def refused(**changes: object) -> str:
        reply = asking.post(PULLS, {"title": "T", "head": "topic", "base": "main", **changes})
        assert reply.status == 422, reply.json
        return str(reply.json["errors"] or reply.json["message"])

    assert "'field': 'head'" in refused()
    topic(repo)
    assert "'field': 'base'" in refused(base="none")
    assert "too long" in refused(body="x" * 65_537)
    repo.commit("same", {"README.md": "y\n"})
    repo.git.move("refs/heads/same", repo.tip() or "")
    assert "No commits between main and same" in refused(head="same")
    repo.model.has_drafts = False
    assert "Draft pull requests are not supported" in refused(draft=True)
    assert "'field': 'head'" in refused(head="nobody:topic")


def test_requests_are_found_by_head(repo: RepositoryVerbs, asking: Asking) -> None:
    topic(repo)
    made = asking.post(PULLS, {"title": "T", "head": "topic", "base": "main"}).json
    assert [found["number"] for found in asking.get(f"{PULLS}?head=acme:topic&state=all").json] == [made["number"]]
    assert asking.get(f"{PULLS}?head=acme:other").json == []
    assert len(asking.get(f"{PULLS}?head=topic").json) == 1
    assert asking.get(f"{PULLS}?base=release").json == []


def test_a_request_is_edited_closed_and_reopened(repo: RepositoryVerbs, asking: Asking) -> None:
    head = topic(repo)
    repo.pull("topic")
    repo.commit("release", {"r.txt": "r\n"})
    edited = asking.patch(f"{PULLS}/1", {"title": "New", "body": "B", "base": "release"}).json
    assert (edited["title"], edited["body"], edited["base"]["ref"]) == ("New", "B", "release")
    assert asking.patch(f"{PULLS}/1", {"base": "none"}).status == 422
    assert asking.patch(f"{PULLS}/1", {"state": "closed"}).json["state"] == "closed"
    assert asking.put(f"{PULLS}/1/merge", {}).status == 405
    assert asking.patch(f"{PULLS}/1", {"state": "open"}).json["state"] == "open"
    repo.delete_branch("topic")
    assert asking.patch(f"{PULLS}/1", {"state": "open"}).status == 422
    repo.git.move("refs/heads/topic", head)
    assert asking.patch(f"{PULLS}/1", {"state": "open"}).status == 200
    repo.merge_by_person(1)
    assert asking.patch(f"{PULLS}/1", {"state": "open"}).status == 422
    assert asking.patch("/repos/acme/shop/issues/1", {"state": "open"}).status == 422


def test_whether_it_merges_is_computed_late(hub: Hub, repo: RepositoryVerbs, asking: Asking) -> None:
    hub.looks_until_mergeable = 2
    topic(repo)
    repo.pull("topic")
    told = [asking.get(f"{PULLS}/1").json for _ in range(3)]
    assert [one["mergeable"] for one in told] == [None, None, True]
    assert [one["mergeable_state"] for one in told] == ["unknown", "unknown", "clean"]
    repo.commit("main", {"a.txt": "another\n"})
    assert asking.get(f"{PULLS}/1").json["mergeable"] is None
    asking.get(f"{PULLS}/1")
    told_after = asking.get(f"{PULLS}/1").json
    assert (told_after["mergeable"], told_after["mergeable_state"]) == (False, "dirty")
    assert asking.put(f"{PULLS}/1/merge", {"merge_method": "squash"}).status == 405


@pytest.mark.parametrize("method", ["merge", "squash", "rebase"])
def test_merging_makes_new_commits_of_the_same_tree(repo: RepositoryVerbs, asking: Asking, method: str) -> None:
    head = topic(repo)
    repo.pull("topic")
    moved = repo.commit("main", {"other.txt": "o\n"})
    assert asking.get(f"{PULLS}/1/merge").status == 404
    done = asking.put(f"{PULLS}/1/merge", {"merge_method": method, "sha": head}).json
    tip = repo.tip()
    assert done["sha"] == tip != head
    assert asking.get(f"{PULLS}/1/merge").status == 204
    commit = repo.git.commit(done["sha"])
    assert commit.committer[:2] == ("GitHub", "noreply@github.com")
    assert commit.parents == ((moved, head) if method == "merge" else (moved,))
    assert repo.git.git("ls-tree", "--name-only", done["sha"]).split() == ["README.md", "a.txt", "other.txt"]
    told = asking.get(f"{PULLS}/1").json
    assert (told["merged"], told["merge_commit_sha"], told["state"]) == (True, tip, "closed")
    assert told["merged_by"]["login"] == "gitsched[bot]"


def test_a_merge_of_a_moved_head_is_a_conflict_of_its_own_kind(repo: RepositoryVerbs, asking: Asking) -> None:
    old = topic(repo)
    repo.pull("topic")
    topic(repo, path="b.txt")
    assert asking.put(f"{PULLS}/1/merge", {"sha": old}).status == 409


def test_methods_that_are_not_allowed_are_refused(repo: RepositoryVerbs, asking: Asking) -> None:
    """G-07 (the fake's part): the repository's settings are seen before, and refused by."""
    topic(repo)
    repo.pull("topic")
    repo.model.allow_rebase_merge = False
    assert asking.get("/repos/acme/shop").json["allow_rebase_merge"] is False
    assert "Rebase" in asking.put(f"{PULLS}/1/merge", {"merge_method": "rebase"}).json["message"]
    repo.protect(methods=("rebase",))
    assert asking.put(f"{PULLS}/1/merge", {}).status == 405
    repo.protect(queue=True)
    assert "merge queue" in asking.put(f"{PULLS}/1/merge", {}).json["message"]


def test_rules_stand_against_a_merge(hub: Hub, repo: RepositoryVerbs, asking: Asking) -> None:
    hub.looks_until_mergeable = 0
    head = topic(repo)
    repo.pull("topic")
    repo.protect(contexts=("ci",), approvals=1, strict=True)
    repo.commit("main", {"other.txt": "o\n"})

    def told() -> tuple[str, str]:
        return asking.get(f"{PULLS}/1").json["mergeable_state"], asking.put(f"{PULLS}/1/merge", {}).json["message"]

    assert told() == ("behind", 'Required status check "ci" is expected.')
    assert asking.put(f"{PULLS}/1/update-branch", {"expected_head_sha": "0" * 40}).status == 422
    assert asking.put(f"{PULLS}/1/update-branch", {"expected_head_sha": head}).status == 202
    head = repo.tip("topic") or ""
    repo.check(head, "ci", None)
    assert told() == ("blocked", 'Required status check "ci" is pending.')
    repo.check(head, "ci", "failure")
    assert told()[1] == 'Required status check "ci" is failing.'
    repo.check(head, "ci", "skipped")
    assert "1 approving review" in told()[1]
    repo.review(1, "bob", "CHANGES_REQUESTED")
    assert "1 approving review" in told()[1]
    repo.review(1, "bob", "APPROVED")
    repo.status(head, "ci", "pending")
    assert told()[1] == 'Required status check "ci" is pending.'
    repo.status(head, "ci")
    assert told() == ("clean", "Pull Request successfully merged")


def test_a_draft_and_a_red_check_have_states_of_their_own(hub: Hub, repo: RepositoryVerbs, asking: Asking) -> None:
    hub.looks_until_mergeable = 0
    head = topic(repo)
    repo.pull("topic", is_draft=True)
    assert asking.get(f"{PULLS}/1").json["mergeable_state"] == "draft"
    assert "draft" in asking.put(f"{PULLS}/1/merge", {}).json["message"]
    issue = repo.pulls()[0]
    assert issue.pull is not None
    issue.pull.is_draft = False
    repo.check(head, "optional", "failure")
    assert asking.get(f"{PULLS}/1").json["mergeable_state"] == "unstable"


def test_closing_words_work_once_each_and_not_in_quoted_text(repo: RepositoryVerbs) -> None:
    """G-03, G-04 (the fake's part): fenced text and HTML comments close nothing; a commit's own words do."""
    for number in range(1, 8):
        repo.issue(number)
    repo.commit("topic", {"a.txt": "x\n"}, "Add a\n\nFixes #6\n")
    pull = repo.pull("topic", body=FENCED)
    repo.merge_by_person(pull.number, "squash")
    issues = repo.model.issues
    assert [number for number in range(1, 8) if issues[number].state == "closed"] == [1, 4, 6]


def test_closing_words_work_for_the_default_branch_only(repo: RepositoryVerbs) -> None:
    repo.issue(1)
    repo.commit("release", {"r.txt": "r\n"})
    topic(repo)
    pull = repo.pull("topic", base="release", body="Closes #1")
    repo.merge_by_person(pull.number)
    assert repo.model.issues[1].state == "open"


def test_a_branch_is_deleted_after_the_merge_where_the_setting_says_so(hub: Hub, repo: RepositoryVerbs) -> None:
    hub.repository("acme/shop", delete_branch_on_merge=True)
    topic(repo)
    repo.merge_by_person(repo.pull("topic").number)
    assert repo.tip("topic") is None


def test_a_rebase_that_conflicts_or_holds_merges_is_refused(repo: RepositoryVerbs, asking: Asking) -> None:
    topic(repo)
    repo.commit("main", {"other.txt": "o\n"})
    merged = repo.git.merge(repo.tip("topic") or "", repo.tip() or "", "Merge\n", "2026-01-02T03:04:05Z")
    repo.git.move("refs/heads/topic", merged or "")
    repo.pull("topic")
    assert asking.put(f"{PULLS}/1/merge", {"merge_method": "rebase"}).status == 405
    assert asking.put(f"{PULLS}/1/merge", {"merge_method": "none"}).status == 422


def test_commits_and_files_of_a_request(repo: RepositoryVerbs, asking: Asking) -> None:
    topic(repo)
    repo.commit("topic", {"README.md": None, "b.txt": "b\n"})
    repo.pull("topic")
    assert [found["commit"]["message"] for found in asking.get(f"{PULLS}/1/commits").json] == ["Add a.txt", "Change"]
    told = {found["filename"]: found["status"] for found in asking.get(f"{PULLS}/1/files").json}
    assert told == {"README.md": "removed", "a.txt": "added", "b.txt": "added"}
    whole = asking.get(f"{PULLS}/1").json
    assert (whole["commits"], whole["additions"], whole["deletions"], whole["changed_files"]) == (2, 2, 1, 3)


def test_reviews_are_given_and_asked_for(hub: Hub, repo: RepositoryVerbs, asking: Asking) -> None:
    topic(repo)
    asking.post(PULLS, {"title": "T", "head": "topic", "base": "main"})
    bob = Asking(hub, hub.token("bob"))
    assert bob.post(f"{PULLS}/1/reviews", {"event": "APPROVE"}).json["state"] == "APPROVED"
    assert asking.post(f"{PULLS}/1/reviews", {"event": "APPROVE"}).status == 422
    assert asking.post(f"{PULLS}/1/requested_reviewers", {"reviewers": ["bob"]}).status == 422
    repo.role("bob", "write")
    asked = asking.post(f"{PULLS}/1/requested_reviewers", {"reviewers": ["bob"]}).json
    assert [user["login"] for user in asked["requested_reviewers"]] == ["bob"]
    assert asking.get(f"{PULLS}/99").status == 404
