"""Apps on the fake: claims, tokens, deliveries, manifests."""

from typing import Any

import jwt
import pytest

from tests.github.asking import Asking
from tests.github.fake.hooks import signature
from tests.github.fake.hub import Hub


def claim(
    hub: Hub, *, begins_s: float = -60, lasts_s: float = 540, key: str | None = None, issuer: object = None
) -> str:
    """Make an App's JWT by the hub's clock."""
    now_s = int(hub.clock.now_s())
    given = {"iat": int(now_s + begins_s), "exp": int(now_s + lasts_s), "iss": str(issuer or hub.app.id)}
    return jwt.encode(given, key or hub.app.private_key, algorithm="RS256")


def as_app(hub: Hub, **times: Any) -> Asking:
    return Asking(hub, claim(hub, **times))


@pytest.fixture
def hub(own_hub: object) -> Hub:
    hub: Hub = own_hub()  # type: ignore[operator]
    hub.repository("acme/shop")
    hub.repository("acme/other")
    assert hub.app.id
    return hub


def test_an_app_is_known_by_its_id_or_client_id_and_either_key(hub: Hub) -> None:
    assert as_app(hub).get("/app").json["id"] == hub.app.id
    assert Asking(hub, claim(hub, issuer=hub.app.model.client_id)).get("/app").status == 200
    second = hub.app.new_key()
    assert Asking(hub, claim(hub, key=second)).get("/app").status == 200
    assert as_app(hub).get("/app").status == 200
    assert Asking(hub, claim(hub, issuer=1)).get("/app").status == 401
    assert Asking(hub, "a.b.c").get("/app").status == 401


def test_a_claim_signed_by_another_key_is_refused(hub: Hub) -> None:
    from tests.github.fake.verbs_app import a_key

    assert Asking(hub, claim(hub, key=a_key(2)[0])).get("/app").status == 401


@pytest.mark.parametrize(
    ("times", "word"),
    [
        ({"lasts_s": 601}, "too far in the future"),
        ({"lasts_s": 0}, "('exp') must be a numeric value"),
        ({"begins_s": 60}, "('iat') must be an Integer"),
    ],
)
def test_the_times_of_a_claim_are_looked_at(hub: Hub, times: dict[str, float], word: str) -> None:
    told = as_app(hub, **times).get("/app")
    assert (told.status, word in told.json["message"]) == (401, True)


def test_a_fast_clock_is_told_and_the_date_helps(hub: Hub) -> None:
    """G-34 (the fake's part): the hub's clock is 5 minutes behind the caller's; `Date` says so."""
    asking = Asking(hub, claim(hub))
    hub.clock.skew_s = -300
    refused = asking.get("/app")
    assert "too far in the future" in refused.json["message"]
    assert refused.headers["Date"] == "Fri, 02 Jan 2026 02:59:05 GMT"
    assert as_app(hub).get("/app").status == 200


def test_tokens_are_narrowed_and_last_an_hour(hub: Hub) -> None:
    """G-33 (the fake's part): an hour, narrowed to repositories and permissions, not 40 characters."""
    app = as_app(hub)
    found = app.get("/repos/acme/shop/installation").json
    asked = {"repositories": ["shop"], "permissions": {"issues": "read", "contents": "read"}}
    given = app.post(f"/app/installations/{found['id']}/access_tokens", asked).json
    assert given["permissions"] == {"issues": "read", "contents": "read", "metadata": "read"}
    assert given["token"].startswith(f"ghs_{hub.app.id}_")
    token = Asking(hub, given["token"])
    assert token.get("/repos/acme/shop").status == 200
    assert token.get("/repos/acme/other/issues").status == 404
    assert [place["name"] for place in token.get("/installation/repositories").json["repositories"]] == ["shop"]
    assert Asking(hub, hub.token("ada")).get("/installation/repositories").status == 403
    hub.clock.advance(3600)
    assert token.get("/repos/acme/shop").status == 401


def test_what_an_installation_has_not_is_not_given(hub: Hub) -> None:
    app, url = as_app(hub), f"/app/installations/{hub.app.installation.id}/access_tokens"
    assert app.post(url, {"permissions": {"administration": "write"}}).status == 422
    assert app.post(url, {"repositories": ["none"]}).status == 422
    assert app.post("/app/installations/1/access_tokens", {}).status == 404
    whole = app.post(url, {}).json
    assert whole["permissions"]["contents"] == "write"
    assert Asking(hub, whole["token"]).get("/repos/acme/other").status == 200
    assert [one["id"] for one in app.get("/app/installations").json] == [hub.app.installation.id]
    assert app.get(f"/app/installations/{hub.app.installation.id}").json["suspended_at"] is None
    hub.app.suspend()
    assert app.post(url, {}).status == 403
    assert Asking(hub, whole["token"]).get("/repos/acme/shop").status == 403


def test_a_claim_is_no_token_and_a_token_no_claim(hub: Hub) -> None:
    assert as_app(hub).get("/repos/acme/shop").status == 404
    assert Asking(hub, hub.app.token()).get("/app").status == 401
    assert Asking(hub).get("/app").status == 401


def test_an_app_that_left_a_repository_sees_it_no_more(hub: Hub) -> None:
    token = Asking(hub, hub.app.token())
    hub.app.leave(hub.repository("acme/shop").model)
    assert token.get("/repos/acme/shop").status == 404
    assert as_app(hub).get("/repos/acme/shop/installation").status == 404


def test_a_token_is_given_back(hub: Hub) -> None:
    token = Asking(hub, hub.app.token())
    assert token.delete("/installation/token").status == 204
    assert token.get("/repos/acme/shop").status == 401
    assert Asking(hub, hub.token("ada")).delete("/installation/token").status == 401


def test_deliveries_are_listed_and_asked_for_again(hub: Hub) -> None:
    told: list[tuple[str, str]] = []

    def hear(headers: dict[str, str], body: bytes) -> int:
        assert headers["X-Hub-Signature-256"] == signature(hub.app.model.webhook_secret, body)
        told.append((headers["X-GitHub-Event"], headers["X-GitHub-Delivery"]))
        return 202

    repo = hub.repository("acme/shop")
    repo.issue(1)
    hub.hooks.listener = hear
    repo.comment(1, "hello")
    app = as_app(hub)
    failed = app.get("/app/hook/deliveries?status=failure").json
    assert [(one["event"], one["action"], one["status_code"]) for one in failed] == [("issues", "opened", 0)]
    assert app.post(f"/app/hook/deliveries/{failed[0]['id']}/attempts", None).status == 202
    assert told == [("issue_comment", told[0][1]), ("issues", failed[0]["guid"])]
    first = app.get("/app/hook/deliveries?per_page=2")
    rest = app.get(first.link("next") or "")
    assert [one["redelivery"] for one in [*first.json, *rest.json]] == [True, False, False]
    assert len({one["guid"] for one in [*first.json, *rest.json]}) == 2
    assert len(app.get("/app/hook/deliveries?status=success").json) == 2
    whole = app.get(f"/app/hook/deliveries/{failed[0]['id']}").json
    assert whole["request"]["payload"]["issue"]["number"] == 1
    assert app.get("/app/hook/deliveries/1").status == 404


def test_a_manifest_becomes_an_app_once(hub: Hub) -> None:
    code, nobody = hub.app.manifest_code(), Asking(hub)
    made = nobody.post(f"/app-manifests/{code}/conversions", None)
    assert (made.status, made.json["pem"]) == (201, hub.app.private_key)
    assert nobody.post(f"/app-manifests/{code}/conversions", None).status == 404
