"""Git on the fake: real pushes by smart HTTP, what is refused, and what a push does to pull requests."""

import base64
import os
import subprocess
from pathlib import Path

import pytest

from tests.github.asking import Asking
from tests.github.fake.hub import Hub
from tests.github.fake.verbs import RepositoryVerbs
from tests.real_git import run_git

WORKFLOW = ".github/workflows/ci.yml"


class Clone:
    """A clone that pushes with a token, which stands in the environment only."""

    def __init__(self, folder: Path, repo: RepositoryVerbs, token: str | None) -> None:
        self.folder, self._repo, self._token = folder, repo, token
        self.ran("clone", "-q", repo.clone_url, str(folder), where=folder.parent)

    def ran(self, *arguments: str, where: Path | None = None) -> tuple[int, str]:
        """Run git as its owner would; give its exit code and its words."""
        header = base64.b64encode(f"x-access-token:{self._token}".encode()).decode()
        named = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "http.extraHeader"}
        given = {**named, "GIT_CONFIG_VALUE_0": f"Authorization: Basic {header}"} if self._token else {}
        ended = subprocess.run(
            ["git", *arguments],
            cwd=where or self.folder,
            env={**os.environ, "GIT_ASKPASS": "true", **given},
            capture_output=True,
            text=True,
            check=False,
        )
        return ended.returncode, ended.stderr

    def commit(self, name: str, text: str = "x\n") -> str:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        run_git(self.folder, "add", name)
        run_git(self.folder, "commit", "-q", "-m", f"Add {name}")
        return run_git(self.folder, "rev-parse", "HEAD")


@pytest.fixture
def repo(hub: Hub) -> RepositoryVerbs:
    return hub.repository("acme/shop")


@pytest.fixture
def clone(hub: Hub, repo: RepositoryVerbs, tmp_path: Path) -> Clone:
    return Clone(tmp_path / "clone", repo, hub.app.token())


def test_branches_and_own_refs_are_pushed_and_fetched(hub: Hub, repo: RepositoryVerbs, clone: Clone) -> None:
    made = clone.commit("a.txt")
    assert clone.ran("push", "-q", "origin", "HEAD:refs/heads/topic", "HEAD:refs/gitsched/state")[0] == 0
    assert repo.tip("topic") == made
    assert repo.git.refs("refs/gitsched/") == {"refs/gitsched/state": ("commit", made)}
    assert clone.ran("fetch", "-q", "origin", "+refs/gitsched/*:refs/gitsched/*")[0] == 0
    assert hub.audit.requests(path="git-receive-pack")
    assert hub.audit.calls() == {}


def test_a_large_push_arrives_whole(repo: RepositoryVerbs, clone: Clone) -> None:
    """Beyond git's own buffer it is sent in chunks."""
    made = clone.commit("big.txt", "".join(f"{number * 7919 % 10007}\n" for number in range(400_000)))
    assert clone.ran("-c", "http.postBuffer=65536", "push", "-q", "origin", "HEAD:topic") == (0, "")
    assert repo.tip("topic") == made


def test_credentials_are_looked_at(hub: Hub, repo: RepositoryVerbs, tmp_path: Path) -> None:
    nobody = Clone(tmp_path / "nobody", repo, None)
    nobody.commit("a.txt")
    assert nobody.ran("push", "-q", "origin", "HEAD:topic")[0] == 128
    reader = Clone(tmp_path / "reader", repo, hub.token("eve"))
    reader.commit("a.txt")
    assert "403" in reader.ran("push", "-q", "origin", "HEAD:topic")[1]
    expiring = Clone(tmp_path / "expiring", repo, hub.app.token())
    expiring.commit("a.txt")
    hub.app.expire_tokens()
    assert expiring.ran("push", "-q", "origin", "HEAD:topic")[0] == 128
    assert repo.tip("topic") is None
    repo.role("bob", "write")
    writer = Clone(tmp_path / "writer", repo, hub.token("bob"))
    writer.commit("a.txt")
    assert writer.ran("push", "-q", "origin", "HEAD:topic")[0] == 0


def test_a_private_repository_is_cloned_by_its_readers_only(hub: Hub, tmp_path: Path) -> None:
    secret = hub.repository("acme/secret", is_private=True)
    assert not Clone(tmp_path / "eve", secret, hub.token("eve")).folder.exists()
    secret.role("ada", "read")
    assert Clone(tmp_path / "ada", secret, hub.token("ada")).folder.exists()


def test_a_renamed_repository_is_still_pushed_to(repo: RepositoryVerbs, clone: Clone) -> None:
    repo.rename("store")
    made = clone.commit("a.txt")
    assert clone.ran("push", "-q", "origin", "HEAD:topic")[0] == 0
    assert repo.tip("topic") == made


def test_protected_branches_refuse(repo: RepositoryVerbs, clone: Clone) -> None:
    repo.protect("main", no_direct_push=True)
    repo.protect("release")
    clone.commit("a.txt")
    code, words = clone.ran("push", "origin", "HEAD:main")
    assert (code, "GH006" in words, "remote rejected" in words) == (1, True, True)
    assert clone.ran("push", "-q", "origin", "HEAD:release")[0] == 0
    run_git(clone.folder, "commit", "-q", "--amend", "-m", "Another")
    assert "force-push" in clone.ran("push", "-f", "origin", "HEAD:release")[1]
    assert "delete" in clone.ran("push", "origin", ":release")[1]
    assert "hidden ref" in clone.ran("push", "origin", "HEAD:refs/pull/1/head")[1]


def test_a_lease_that_is_lost_is_told_as_such(repo: RepositoryVerbs, clone: Clone) -> None:
    repo.commit("topic", {"b.txt": "b\n"})
    clone.commit("a.txt")
    code, words = clone.ran("push", "--force-with-lease=topic:" + "1" * 40, "origin", "HEAD:topic")
    assert (code, "stale info" in words) == (1, True)


def test_workflow_files_need_a_right_of_their_own(
    hub: Hub, repo: RepositoryVerbs, clone: Clone, tmp_path: Path
) -> None:
    clone.commit(WORKFLOW)
    assert "without `workflows` permission" in clone.ran("push", "origin", "HEAD:topic")[1]
    hub.app.grant(workflows="write")
    able = Clone(tmp_path / "able", repo, hub.app.token())
    able.commit(WORKFLOW)
    assert able.ran("push", "-q", "origin", "HEAD:topic")[0] == 0


def test_a_push_moves_the_head_and_spends_approvals(hub: Hub, repo: RepositoryVerbs, clone: Clone) -> None:
    """G-22 (the fake's part): after a force push the approval of A is shown at B."""
    first = clone.commit("a.txt")
    clone.ran("push", "-q", "origin", "HEAD:topic")
    repo.pull("topic")
    repo.review(1, "bob")
    asking = Asking(hub, hub.app.token())
    assert [found["commit_id"] for found in asking.get("/repos/acme/shop/pulls/1/reviews").json] == [first]
    run_git(clone.folder, "commit", "-q", "--amend", "-m", "Another")
    clone.ran("push", "-q", "-f", "origin", "HEAD:topic")
    second = run_git(clone.folder, "rev-parse", "HEAD")
    pull = asking.get("/repos/acme/shop/pulls/1").json
    assert (pull["head"]["sha"], pull["mergeable"]) == (second, None)
    shown = asking.get("/repos/acme/shop/pulls/1/reviews").json[0]
    assert (shown["commit_id"], shown["state"]) == (second, "APPROVED")
    repo.protect(dismiss_stale=True)
    clone.commit("b.txt")
    clone.ran("push", "-q", "origin", "HEAD:topic")
    assert asking.get("/repos/acme/shop/pulls/1/reviews").json[0]["state"] == "DISMISSED"


def test_a_request_is_merged_by_its_head_reaching_the_base(hub: Hub, repo: RepositoryVerbs, clone: Clone) -> None:
    clone.commit("a.txt")
    clone.ran("push", "-q", "origin", "HEAD:topic")
    repo.pull("topic")
    clone.ran("push", "-q", "origin", "HEAD:main")
    assert Asking(hub, hub.app.token()).get("/repos/acme/shop/pulls/1").json["merged"] is True


def test_a_request_is_closed_by_its_branch_going_away(repo: RepositoryVerbs, clone: Clone) -> None:
    clone.commit("a.txt")
    clone.ran("push", "-q", "origin", "HEAD:topic")
    issue = repo.pull("topic")
    clone.ran("push", "-q", "origin", ":topic")
    assert issue.state == "closed"


def test_a_queued_branch_is_not_pushed_to(hub: Hub, repo: RepositoryVerbs, clone: Clone) -> None:
    clone.commit("a.txt")
    clone.ran("push", "-q", "origin", "HEAD:topic")
    issue = repo.pull("topic")
    repo.protect(queue=True)
    document = "mutation($id: ID!) { enqueuePullRequest(input: {pullRequestId: $id}) { clientMutationId } }"
    Asking(hub, hub.app.token()).graphql(document, id=f"PR_{issue.id}")
    clone.commit("b.txt")
    assert "merge queue" in clone.ran("push", "origin", "HEAD:topic")[1]
