"""What comes in at the door: checked in order, stored before it is answered, and never a 500."""

import io
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from gitsched.errors import BusyError, ConfigError
from tests.webhook.conftest import House
from tests.webhook.post import SECRET, headers, payload, signature
from webhook.reception import LARGEST_BYTES
from webhook.serving import service_of
from webhook.signature import is_signed


def test_the_signature_is_over_the_raw_bytes(house: House) -> None:
    """W-01: an emoji and unusual spacing."""
    title = '"title": "\U0001f41b é"'
    body = f'{{ "action":\t"milestoned",\n {title}, "repository": {{"id":77,"full_name":"octo/repo"}}}}'.encode()
    assert house.post(body) == (202, "stored")
    assert house.waiting() == ["d-1"]
    again = body.replace(b" ", b"")
    for number, wrong in enumerate(
        [
            {"X_Hub_Signature_256": signature(again)},
            {"X_Hub_Signature_256": signature(body + b" ")},
            {"X_Hub_Signature_256": ""},
            {"X_Hub_Signature_256": signature(body, algorithm="sha1")},
            {"X_Hub_Signature_256": signature(body).removeprefix("sha256=")},
            {"X_Hub_Signature_256": "sha256=" + "0" * 64},
            {"X_Hub_Signature_256": signature(body, "another")},
            {"X_Hub_Signature_256": signature(body, "")},
        ]
    ):
        assert house.post(body, name=f"w-{number}", **wrong) == (401, "signature")
    assert house.waiting() == ["d-1"]


def test_secrets_rotate_without_a_restart(house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """W-02: new and old are taken while the list changes; what was removed is not; without any it does not start."""
    body, file = payload(), tmp_path / "secrets"
    file.write_text("older\n\n")
    monkeypatch.setenv("SECRETS_FILE", str(file))
    monkeypatch.setenv("SECRET_OLD", "old")
    for number, secret in enumerate([SECRET, "old", "older"]):
        assert house.post(body, name=f"d-{number}", X_Hub_Signature_256=signature(body, secret)) == (202, "stored")
    file.write_text("newest\n")
    monkeypatch.delenv("SECRET_OLD")
    for number, (secret, status) in enumerate([("newest", 202), ("older", 401), ("old", 401)]):
        assert house.post(body, name=f"e-{number}", X_Hub_Signature_256=signature(body, secret))[0] == status
    file.write_text("")
    monkeypatch.delenv("SECRET_NEW")
    with pytest.raises(ConfigError, match="No secret is set"):
        service_of(house.clone)
    assert house.post(body, name="f", X_Hub_Signature_256=signature(body, ""))[0] == 401


def test_every_secret_is_compared_in_constant_time() -> None:
    body = b"x"
    assert is_signed(body, signature(body, "b"), [b"a", b"b", b"c"])
    assert not is_signed(body, signature(body, "d"), [b"a", b"b", b"c"])
    assert not is_signed(body, signature(body, "a"), [])
    assert not is_signed(body, signature(body, "a").upper(), [b"a"])


def test_size_has_a_bound(house: House) -> None:
    """W-03: 24 MB is stored, 26 MB is refused."""
    large = payload(title="x" * (24 * 1024 * 1024))
    assert house.post(large, name="large") == (202, "stored")
    huge = payload(title="x" * (26 * 1024 * 1024))
    assert house.post(huge, name="huge")[0] == 413
    assert house.waiting() == ["large"]


def test_a_body_that_is_too_large_is_not_read(house: House) -> None:
    """W-03: its length is told beforehand, and not a byte of it is taken."""
    body = io.BytesIO(b"{}")
    answer = house.client.post(
        "/webhook",
        headers=headers(b"{}"),
        environ_overrides={"wsgi.input": body, "CONTENT_LENGTH": str(LARGEST_BYTES + 1)},
    )
    assert answer.status_code == 413
    assert body.tell() == 0


@pytest.mark.parametrize(
    ("body", "more", "status", "reason"),
    [
        (b"payload=%7B%7D", {"Content_Type": "application/x-www-form-urlencoded"}, 415, "content-type"),
        (b"{}", {"Content_Type": "text/plain"}, 415, "content-type"),
        (b"{}", {"Content_Type": ""}, 415, "content-type"),
        (b'{"a": "\xff"}', {}, 400, "payload"),
        (b"", {}, 400, "payload"),
        (b"{", {}, 400, "payload"),
        (b"[1]", {}, 400, "payload"),
        (b"null", {}, 400, "payload"),
        (b"[" * 100_000, {}, 400, "payload"),
        (b"{}", {"name": ""}, 400, "headers"),
        (b"{}", {"name": "../../refs"}, 400, "headers"),
        (b"{}", {"name": "x" * 65}, 400, "headers"),
        (b"{}", {"event": ""}, 400, "headers"),
        (b"{}", {"event": "Issues; rm"}, 400, "headers"),
    ],
)
def test_what_is_no_delivery_is_refused(
    house: House, body: bytes, more: dict[str, Any], status: int, reason: str
) -> None:
    """W-03: with a 4xx, never a 500."""
    assert house.post(body, **more) == (status, reason)
    assert house.waiting() == []


def test_content_types_may_carry_a_charset(house: House) -> None:
    assert house.post(Content_Type="application/json; charset=utf-8") == (202, "stored")


def test_another_app_is_refused_and_unknown_events_are_not(house: House) -> None:
    """W-08: unknown event, unknown action, ping: 202; another App's id: 401; never a 404 or 500."""
    house.configure("app_id = 5")
    ours = {"X_GitHub_Hook_Installation_Target_Type": "integration", "X_GitHub_Hook_Installation_Target_ID": "5"}
    for number, (event, action) in enumerate([("frobnicated", "x"), ("issues", "frobnicated"), ("ping", "")]):
        assert house.post(payload(action), name=f"d-{number}", event=event, **ours)[0] == 202
    assert house.post(b'{"zen": "Speak like a human.", "hook_id": 1}', name="p", event="ping", **ours)[0] == 202
    theirs = {**ours, "X_GitHub_Hook_Installation_Target_ID": "6"}
    assert house.post(name="other", **theirs) == (401, "other-app")
    assert house.post(name="none", X_GitHub_Hook_Installation_Target_Type="integration") == (401, "other-app")
    assert house.post(name="hook", X_GitHub_Hook_Installation_Target_Type="repository") == (202, "stored")
    house.service.worker.round()
    assert house.waiting() == []


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/webhook", 405),
        ("PUT", "/webhook", 405),
        ("DELETE", "/webhook", 405),
        ("POST", "/", 405),
        ("GET", "/webhook/../../etc/passwd", 404),
        ("GET", "/%2e%2e/%2e%2e/etc/passwd", 404),
        ("GET", "/static/app.py", 404),
    ],
)
def test_nothing_else_is_there(house: House, method: str, path: str, status: int) -> None:
    assert house.client.open(path, method=method).status_code == status


def test_the_same_delivery_is_stored_once(house: House) -> None:
    """W-04: three times, two of them at the same moment; every answer is 202, and its effect happens once."""
    body = house.comment(1, "/gitsched enqueue")
    answers: list[tuple[int, str]] = []
    at_once = [Thread(target=lambda: answers.append(house.post(body, event="issue_comment"))) for _ in range(2)]
    _ = house.service
    for thread in at_once:
        thread.start()
    for thread in at_once:
        thread.join()
    assert house.waiting() == ["d-1"]
    house.service.worker.round()
    answers.append(house.post(body, event="issue_comment"))
    assert answers == [(202, "stored")] * 3
    assert house.waiting() == []
    house.service.worker.round()
    history = house.clone.store.history()
    assert [str(event.name) for entry in history for event in entry.events].count("enqueued") == 1


def test_a_replay_with_another_id_is_another_delivery_and_runs_nothing_again(house: House) -> None:
    body = house.comment(1, "/gitsched enqueue\n/gitsched hold")
    for name in ("d-1", "d-2"):
        house.post(body, name=name, event="issue_comment")
        house.service.worker.round()
    history = house.clone.store.history()
    names = [str(event.name) for entry in history for event in entry.events]
    assert (names.count("enqueued"), names.count("member-held")) == (1, 1)


def test_a_repository_is_known_by_its_number_once_it_was_met(house: House) -> None:
    assert house.post(payload(full_name="other/repo")) == (202, "ignored:unknown-repository")
    assert house.post(b'{"action": "created", "installation": {"id": 1}}') == (202, "ignored:no-repository")
    assert house.post(payload(full_name="Octo/Repo"), name="a") == (202, "stored")
    assert house.post(payload(full_name="renamed/away"), name="b") == (202, "stored")
    assert house.post(payload(repository=78), name="c") == (202, "ignored:unknown-repository")
    assert sorted(house.waiting()) == ["a", "b"]


def test_what_cannot_be_stored_is_not_taken(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    inbox = house.service.tenants.all[0].inbox

    def busy(_delivery: object) -> None:
        raise BusyError("x")

    with monkeypatch.context() as patched:
        patched.setattr(inbox, "receive", busy)
        assert house.post() == (503, "not-stored")
    assert house.post() == (202, "stored")


def test_the_headers_of_answers_allow_nothing(house: House) -> None:
    answer = house.client.get("/healthz")
    assert (answer.status_code, answer.text) == (200, "ok\n")
    assert answer.headers["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
