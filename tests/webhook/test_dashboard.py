"""The dashboard: it only looks, whatever it shows is escaped, and from elsewhere nobody comes in without the token."""

import json
import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from gitsched.domain.forge import IssueDraft
from gitsched.errors import RefusedError
from gitsched.wiring.service import Repository
from tests.cli.calling import AGENT, Project
from tests.real_git import run_git
from tests.webhook.conftest import House
from webhook.app import close_the_door
from webhook.dashboard.pages import POLICY, dashboard
from webhook.dashboard.streams import MOST_STREAMS
from webhook.serving import serve_dashboard

EVIL = '<script>alert(1)</script>"><img src=x onerror=alert(2)>'
TOKEN = "a-token-of-some-length"


class Elements(HTMLParser):
    """Names every element and every address of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.bad: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        self.bad += [name for name, _ in attrs if name.startswith("on") or name == "style"]


@pytest.fixture
def project(repo: Path, tmp_path: Path) -> Project:
    home = tmp_path / "beside"
    home.mkdir()
    return Project(repo, home)


@pytest.fixture(scope="module")
def shipped(repo_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Give a project with a batch of two, one of which was evicted, and a hostile title: nobody writes into it."""
    home = tmp_path_factory.mktemp("shipped")
    project = Project(Path(shutil.copytree(repo_template, home / "repo", symlinks=True)), home)
    project.agent(
        'echo "says <b>hello</b>"\n' + AGENT.replace("git add", '[ "$GITSCHED_ISSUE" = 2 ] && touch broken\ngit add')
    )
    project("issue", "new", "--title", "Fine")
    project("issue", "new", "--title", EVIL)
    project("run", 1, 2)
    return project


@pytest.fixture
def client(shipped: Project, monkeypatch: pytest.MonkeyPatch) -> Iterator[FlaskClient]:
    monkeypatch.setenv("DASHBOARD_TOKEN", TOKEN)
    app = Flask("webhook", static_folder=None)
    repositories = [Repository(shipped.repo)]
    app.register_blueprint(dashboard(lambda: repositories, lambda: "DASHBOARD_TOKEN", lambda: True))
    close_the_door(app)
    with app.test_client() as made:
        yield made


def here(client: FlaskClient) -> str:
    """Name the address of the one repository."""
    page = Elements(client.get("/").text)
    return next(link for link in page.links if "/batch/" in link).rpartition("/batch/")[0]


def test_everything_can_be_reached_from_the_first_page_and_nothing_else_is_loaded(client: FlaskClient) -> None:
    seen, waiting = set[str](), ["/"]
    while waiting:
        address = waiting.pop()
        if address in seen or address.startswith(("#", "data:")):
            continue
        seen.add(address)
        assert address.startswith("/"), address
        answer = client.get(address)
        assert answer.status_code == 200, address
        if answer.content_type.startswith("text/html"):
            page = Elements(answer.text)
            waiting += page.links
            assert page.bad == []
            assert page.tags.count("script") == 1
            assert not {"img", "iframe", "form", "style"} & set(page.tags)
    kinds = ("/batch/b1", "/log/1", "/evidence/", "style.css", "live.js")
    assert [kind for kind in kinds if not any(kind in address for address in seen)] == []


def test_every_page_has_the_strict_policy_and_is_kept_by_nobody(client: FlaskClient) -> None:
    """W-14: no inline script may run."""
    for address in ("/", f"{here(client)}/batch/b1", "/dashboard/assets/live.js", f"{here(client)}/batch/none"):
        headers = client.get(address).headers
        assert headers["Content-Security-Policy"] == POLICY, address
        assert headers["Cache-Control"] == "no-store"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
    assert "unsafe" not in POLICY


def test_text_of_others_is_shown_as_text(client: FlaskClient) -> None:
    """W-14: a title stays text."""
    base = here(client)
    for address in ("/", f"{base}/batch/b1", f"{base}/batch/b1/log/2"):
        text = client.get(address).text
        assert "<script>alert" not in text
        assert "&lt;script&gt;alert(1)" in text
    assert "says &lt;b&gt;hello&lt;/b&gt;" in client.get(f"{base}/batch/b1/log/1").text


def test_a_batch_has_its_gantt_order_verdicts_and_story(client: FlaskClient) -> None:
    text = client.get(f"{here(client)}/batch/b1").text
    for heading in ("Landing order", "Who ran when", "Landed", "Left the batch", "Verdicts", "Costs", "Story"):
        assert f">{heading}</h2>" in text
    assert "gitsched requeue 2" in text


def test_what_is_not_there_is_not_found(client: FlaskClient) -> None:
    base = here(client)
    batch = f"{base}/batch/b1"
    missing = [f"{base}/batch/none", f"{base}/batch/..%2f", f"{batch}/log/9", f"{batch}/log/1?gen=7"]
    missing += [f"{batch}/evidence/../../gitsched.toml", f"{batch}/evidence/none", "/dashboard/assets/report.j2"]
    for address in ("/r/none/", *missing):
        assert client.get(address).status_code == 404, address


def test_nothing_can_be_changed(client: FlaskClient) -> None:
    for address in ("/", f"{here(client)}/", f"{here(client)}/batch/b1"):
        for method in (client.post, client.put, client.delete, client.patch):
            assert method(address).status_code == 405


def test_looking_writes_nothing(client: FlaskClient, shipped: Project) -> None:
    before = shipped.refs()
    for address in ("/", f"{here(client)}/batch/b1", f"{here(client)}/batch/b1/log/1"):
        client.get(address)
    assert shipped.refs() == before


def test_from_elsewhere_the_token_is_asked_for(client: FlaskClient) -> None:
    """W-14: a wrong token shows nothing, from another machine, by another name, or passed on by a proxy."""
    far: dict[str, Any] = {"environ_base": {"REMOTE_ADDR": "192.0.2.7"}}
    for asked in (far, {"headers": {"Host": "rebound.example"}}, {"headers": {"X-Forwarded-For": "192.0.2.7"}}):
        answer = client.get("/", **asked)
        assert (answer.status_code, answer.headers["Location"]) == (302, "/dashboard/login"), asked
        for token, status in ((TOKEN, 200), ("another", 302)):
            headers = {**asked.get("headers", {}), "Authorization": f"Bearer {token}"}
            assert client.get("/", **{**asked, "headers": headers}).status_code == status


def test_a_browser_logs_in_once(client: FlaskClient) -> None:
    far = {"REMOTE_ADDR": "192.0.2.7"}
    assert client.get("/dashboard/login", environ_base=far).status_code == 200
    assert client.post("/dashboard/login", data={"token": "wrong"}, environ_base=far).status_code == 403
    answer = client.post("/dashboard/login", data={"token": TOKEN}, environ_base=far)
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert TOKEN not in cookie
    assert client.get("/", environ_base=far).status_code == 200


def test_without_a_token_nobody_comes_in_from_elsewhere(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DASHBOARD_TOKEN", "")
    assert client.get("/", environ_base={"REMOTE_ADDR": "192.0.2.7"}).status_code == 403
    assert client.post("/dashboard/login", data={"token": ""}).status_code == 403
    assert client.get("/").status_code == 200


def test_nothing_listens_where_others_come_in_without_a_token(project: Project) -> None:
    """W-14: a bind to a public address without a token is refused."""
    with pytest.raises(RefusedError, match="no token is set"):
        serve_dashboard(project.repo, "0.0.0.0", 0, print)  # noqa: S104 - that is what is refused


def test_the_service_has_the_pages(house: House) -> None:
    house.tracker.new_issue(IssueDraft(title=EVIL))
    assert house.client.get("/").status_code == 200
    assert house.client.get("/healthz").headers["Content-Security-Policy"].startswith("default-src 'none'; frame")


def test_several_repositories_are_listed(project: Project, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    run_git(other, "init", "-q")
    Project(other, tmp_path)
    listed = [Repository(project.repo), Repository(other)]
    app = Flask("webhook", static_folder=None)
    app.register_blueprint(dashboard(lambda: listed, lambda: "", lambda: True))
    client = app.test_client()
    assert {f"/r/{project.repo.name}/", "/r/other/"} <= set(Elements(client.get("/").text).links)
    assert "No batch is under way." in client.get(f"/r/{project.repo.name}/").text


def told(stream: Iterator[str]) -> list[str]:
    return [part for part in stream if part.startswith("id: ")]


def test_a_stream_tells_of_the_tip_that_has_not_been_seen(project: Project) -> None:
    from webhook.dashboard.streams import Streams

    ended = iter([False, True])
    project("pause")
    clone = Repository(project.repo).clone
    first = told(Streams(lambda: next(ended)).open(clone, "") or iter(()))
    assert first == [f"id: {clone.store.tip}\nevent: changed\ndata: {clone.store.tip}\n\n"]
    ended = iter([False, True])
    assert told(Streams(lambda: next(ended)).open(clone, clone.store.tip or "") or iter(())) == []


def test_there_are_only_so_many_streams(project: Project) -> None:
    from webhook.dashboard.streams import Streams

    streams, clone = Streams(lambda: True), Repository(project.repo).clone
    opened = [streams.open(clone, "") for _ in range(MOST_STREAMS)]
    assert streams.open(clone, "") is None
    for stream in opened:
        assert stream is not None
        list(stream)
    assert streams.open(clone, "") is not None


def test_the_status_says_the_same(client: FlaskClient, shipped: Project) -> None:
    """The page and `status` share their words: the headline of a batch stands in both."""
    document = json.loads(shipped("status", "b1", "--json").out)
    (batch,) = document["batches"]
    assert f"{batch['id']} {batch['status']}" in client.get(f"{here(client)}/batch/b1").text
