"""Making a GitHub App by its manifest flow."""

import json
import threading
import urllib.error
import urllib.request
from html import unescape
from pathlib import Path

import pytest

from gitsched.adapters.forge.github.answers import UnfitAnswerError
from gitsched.adapters.forge.github.manifest import EVENTS, AppPage, Wanted, convert, manifest_of
from gitsched.errors import RefusedError, TemporaryError
from gitsched.policy.deliveries import TABLE
from tests.github.fake.hub import Hub


def fetched(url: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(url) as answer:  # noqa: S310 - loopback
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read().decode()


def test_the_page_leads_there_and_takes_one_way_back() -> None:
    """The state is checked, and a code is taken once."""
    page = AppPage("https://github.com", Wanted(name="acme <bot>", organization="acme"))
    found: list[str] = []
    waiting = threading.Thread(target=lambda: found.append(page.wait(30)))
    waiting.start()
    status, form = fetched(page.url)
    assert status == 200
    assert "acme &lt;bot&gt;" in form
    target = unescape(form.split('action="')[1].split('"')[0])
    assert target.startswith("https://github.com/organizations/acme/settings/apps/new?state=")
    manifest = json.loads(unescape(form.split('value="')[1].split('"')[0]))
    assert manifest["redirect_url"] == f"{page.url}made"
    assert manifest["default_permissions"]["contents"] == "write"
    assert "hook_attributes" not in manifest
    state = target.split("state=")[1]
    assert fetched(f"{page.url}made?code=evil&state=wrong")[0] == 400
    assert fetched(f"{page.url}elsewhere")[0] == 400
    assert fetched(f"{page.url}made?code=abc&state={state}")[0] == 200
    waiting.join(30)
    assert found == ["abc"]


def test_nobody_who_comes_back_is_an_answer_too() -> None:
    with pytest.raises(TemporaryError):
        AppPage("https://github.com", Wanted(name="x")).wait(1)


def test_the_secrets_are_kept_in_files_of_ones_own(hub: Hub, tmp_path: Path) -> None:
    """Mode 0600, nothing shown, never over another one; the code works once."""
    code = hub.app.manifest_code()
    made = convert(hub.api_url, code, tmp_path / "kept", hub.now_s)
    assert made.id == hub.app.id
    for file in (made.private_key_file, made.webhook_secret_file):
        assert file is not None
        assert Path(file).stat().st_mode & 0o777 == 0o600
    assert Path(made.private_key_file).read_text() == hub.app.private_key
    assert hub.app.private_key not in repr(made)
    with pytest.raises(UnfitAnswerError):
        convert(hub.api_url, code, tmp_path / "again", hub.now_s)
    with pytest.raises(RefusedError, match="there already"):
        convert(hub.api_url, hub.app.manifest_code(), tmp_path / "kept", hub.now_s)


def test_a_webhook_brings_its_events() -> None:
    manifest = manifest_of(Wanted(name="x", webhook_url="https://x.example/webhook", changes_workflows=True), "r")
    assert manifest["hook_attributes"]["url"] == "https://x.example/webhook"
    assert "merge_group" in manifest["default_events"]
    assert manifest["default_permissions"]["workflows"] == "write"


def test_an_app_asks_for_every_event_that_is_of_use() -> None:
    """GitHub tells an App of its own installations unasked."""
    assert set(EVENTS) == {event for event in TABLE if not event.startswith("installation")}
