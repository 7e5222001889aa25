"""Whose word GitHub takes: tokens, Apps, clocks; and that no secret is left anywhere."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gitsched.adapters.clock import SystemClock
from gitsched.adapters.forge.github.app import AppClaim, Installation
from gitsched.adapters.forge.github.connect import connect, host_of, repository_in
from gitsched.adapters.forge.github.credentials import PlainToken, Renewed, RenewedToken, read_key, token_found
from gitsched.adapters.forge.github.git_side import GitSide, credential_environment, credential_lines
from gitsched.adapters.forge.github.jwt import app_claim
from gitsched.adapters.forge.github.pace import Kind, Pace
from gitsched.adapters.forge.github.wire import Wire
from gitsched.config.services import GitHubSettings
from gitsched.domain.words import BatchStatus
from gitsched.errors import ConfigError
from gitsched.wiring.clone import Clone
from gitsched.wiring.job import credentials_of
from tests.forge.hub_place import NAME, HubPlace
from tests.forge.places import SOURCE
from tests.github.fake.hub import Hub
from tests.github.hub_world import HubWorld
from tests.real_git import run_git
from tests.store.remotes import large_files_go


def installation(hub: Hub, now_s: float | None = None) -> Installation:
    def clock() -> float:
        return hub.now_s() if now_s is None else now_s

    claim = AppClaim(str(hub.app.id), hub.app.private_key, clock)
    return Installation(hub.api_url, claim, NAME, Pace(clock))


def test_an_app_gets_tokens_for_its_repository_alone(hub: Hub) -> None:
    """G-33: narrowed to the repository, and to what is needed there."""
    hub.repository(NAME)
    hub.repository("acme/other")
    assert hub.app.id
    token, good_s, _ = installation(hub).renew()
    assert 3000 < good_s <= 3600
    made = hub.world.tokens[token]
    assert made.repositories == [hub.repository(NAME).id]
    assert "merge_queues" not in (made.permissions or {})
    assert Wire(hub.api_url, PlainToken(token), Pace(hub.now_s)).get(f"/repos/{NAME}").ok


def test_g_33_a_token_with_four_minutes_left_is_renewed_first() -> None:
    """G-33: with less than five minutes left another one is asked for, before a push as before a call."""
    now_s = 0.0
    made: list[str] = []

    def renew() -> Renewed:
        made.append(f"token {len(made)}")
        return Renewed(made[-1], 3600.0, {})

    credential = RenewedToken(renew, lambda: now_s)
    assert credential.token() == credential.token() == "token 0"
    now_s = 3600 - 301
    assert credential.token() == "token 0"
    now_s = 3600 - 240
    assert credential.token() == "token 1"
    assert credential.refuse("token 0")
    assert credential.token() == "token 1"
    assert credential.refuse("token 1")
    assert credential.token() == "token 2"


def test_a_token_that_ends_in_the_middle_is_replaced(hub: Hub) -> None:
    hub.repository(NAME)
    assert hub.app.id
    credential = installation(hub).credential(hub.now_s)
    wire = Wire(hub.api_url, credential, Pace(hub.now_s))
    assert wire.get(f"/repos/{NAME}").ok
    hub.app.expire_tokens()
    assert wire.get(f"/repos/{NAME}").ok


def test_g_34_a_fast_clock_is_met_by_githubs_own(hub: Hub) -> None:
    """G-34: the claim is refused, made once more from the server's date, and works; the difference is known."""
    hub.repository(NAME)
    assert hub.app.id
    ahead = installation(hub, now_s=hub.now_s() + 300)
    assert ahead.renew()[0]
    assert -310 < ahead.skew_s < -290


def test_a_claim_is_refused_where_the_clock_is_not_why(hub: Hub) -> None:
    hub.repository(NAME)
    assert hub.app.id
    strange = Installation(hub.api_url, AppClaim("1", hub.app.private_key, hub.now_s), NAME, Pace(hub.now_s))
    with pytest.raises(Exception, match="denied"):
        strange.renew()


def test_an_app_that_is_not_installed_says_so(hub: Hub) -> None:
    assert hub.app.id
    with pytest.raises(ConfigError, match="not installed"):
        installation(hub).renew()


def test_keys_that_others_can_read_or_that_are_none_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "key.pem"
    with pytest.raises(ConfigError, match="not possible"):
        read_key(file)
    file.write_text("no key")
    file.chmod(0o644)
    with pytest.raises(ConfigError, match="Others than its owner"):
        read_key(file)
    file.chmod(0o600)
    with pytest.raises(ConfigError, match="no private key"):
        app_claim("1", read_key(file), 0)


def test_a_token_is_looked_for_where_githubs_own_command_line_looks() -> None:
    found = {"MINE": "a", "GH_TOKEN": "b", "GH_ENTERPRISE_TOKEN": "c"}
    assert token_found(found, "MINE", is_enterprise=False) == "a"
    assert token_found(found, "", is_enterprise=False) == "b"
    assert token_found(found, "OTHER", is_enterprise=True) == "c"
    assert token_found({"GITHUB_TOKEN": " "}, "GITHUB_TOKEN", is_enterprise=False) is None


@pytest.mark.parametrize(
    ("address", "host", "name"),
    [
        ("https://github.com/acme/shop.git", "github.com", "acme/shop"),
        ("https://x@github.com/acme/shop", "github.com", "acme/shop"),
        ("git@github.com:acme/shop.git", "github.com", "acme/shop"),
        ("ssh://git@ssh.github.com:443/acme/my.shop.git", "github.com", "acme/my.shop"),
        ("https://git.corp.example/acme/shop", "git.corp.example", "acme/shop"),
        ("https://gitlab.com/acme/shop", "github.com", None),
        ("/srv/git/shop.git", "github.com", None),
    ],
)
def test_the_repository_is_read_from_the_remote(address: str, host: str, name: str | None) -> None:
    assert repository_in(address, host) == name


def test_hosts_follow_from_the_apis_address() -> None:
    assert host_of("https://api.github.com") == "github.com"
    assert host_of("https://git.corp.example/api/v3") == "git.corp.example"
    assert host_of("https://api.corp.ghe.com") == "corp.ghe.com"


def test_connecting_says_what_is_missing(repo: Path) -> None:
    clock = SystemClock()
    with pytest.raises(ConfigError, match="repository"):
        connect(GitHubSettings(), "", repo / ".git", ({"GITHUB_TOKEN": "x"}, clock))
    run_git(repo, "remote", "add", "origin", "git@github.com:acme/shop.git")
    with pytest.raises(ConfigError, match="no token"):
        connect(GitHubSettings(), "", repo / ".git", ({}, clock))
    found = connect(GitHubSettings(), "", repo / ".git", ({"GITHUB_TOKEN": "x"}, clock))
    assert (found.full_name, found.credential.rights()) == ("acme/shop", None)


def test_one_budget_goes_by_the_clock_of_whoever_connects(repo: Path, tmp_path: Path) -> None:
    """The pace outlives a clone, and a clock whose file has gone with the first one hinders nobody."""
    run_git(repo, "remote", "add", "origin", "git@github.com:acme/shop.git")
    gone = SystemClock(str(tmp_path / "gone"))
    first, second = (
        connect(GitHubSettings(), "", repo / ".git", ({"GITHUB_TOKEN": "shared"}, clock))
        for clock in (gone, SystemClock())
    )
    assert first.pace is second.pace
    assert second.pace.wait_s(Kind.READ) == 0


def test_l_30_the_action_says_what_its_token_may_do_to_workflow_files(repo: Path, hub: Hub) -> None:
    """L-30: an App's token as it was granted, a workflow's own never, a person's as GitHub tells."""
    hub.repository(NAME)
    clone, here = Clone(repo), (repo / ".git", SystemClock())
    (repo / "gitsched.toml").write_text(f'[suite]\nrun = ["true"]\n[github]\napi_url = "{hub.api_url}"\n')
    app = {"INPUT_APP_ID": str(hub.app.id), "INPUT_PRIVATE_KEY": hub.app.private_key, "GITHUB_REPOSITORY": NAME}
    own = {"INPUT_TOKEN": "x", "GITSCHED_DEFAULT_TOKEN": "true"}

    def may(given: dict[str, str]) -> str | None:
        settings = GitHubSettings(repository=NAME)
        rights = connect(settings, "", here[0], (credentials_of(clone, given), here[1])).credential.rights()
        return None if rights is None else rights["workflows"]

    assert may(app) == "none"
    hub.app.grant(workflows="write")
    assert may(app) == "write"
    assert may(own) == "none"
    assert may({"INPUT_TOKEN": "x"}) is None


def test_git_is_answered_only_about_the_address_it_was_started_for() -> None:
    """G-33: the helper knows nothing but what our own git process was given, and tells no other host."""
    given = credential_environment("https://github.com/acme/shop", "s3cret")
    assert credential_lines("protocol=https\nhost=github.com\n", given) == "username=x-access-token\npassword=s3cret\n"
    assert credential_lines("protocol=https\nhost=evil.example\n", given) == ""
    assert credential_lines("protocol=https\nhost=github.com\n", {}) == ""
    assert credential_lines("protocol=http\nhost=github.com\n", given) == "", "a redirect led off the safe protocol"
    for end in ("\u2028", "\x85", "\r", "\x1c"):  # what else ends a line for Python, in an address made to be misread
        assert credential_lines(f"protocol=https\nhost=evil.example{end}host=github.com\n", given) == ""
    asked = [sys.executable, "-m", "gitsched", "credential", "get"]
    told = subprocess.run(
        asked,
        input=b"protocol=https\nhost=github.com\n",
        env={**given, "PATH": "/usr/bin"},
        capture_output=True,
        check=True,
    )
    assert told.stdout == b"username=x-access-token\npassword=s3cret\n"


def test_a_branch_is_published_with_a_lease(place: HubPlace) -> None:
    """G-17 (the forge's part): from nothing, from where we put it before, and from nowhere else."""
    clone = place.clone
    side = GitSide(clone / ".git", PlainToken(place.token), lambda: f"{place.hub.web_url}/{NAME}")
    base = side.target("main")
    assert isinstance(base, str)
    first = run_git(clone, "commit-tree", f"{base}^{{tree}}", "-p", base, "-m", "One")
    second = run_git(clone, "commit-tree", f"{base}^{{tree}}", "-p", base, "-m", "Two")
    assert side.publish(SOURCE, first, ()) is None
    assert side.publish(SOURCE, first, ()) is None
    assert side.publish(SOURCE, second, (first,)) is None
    foreign = place.commit(SOURCE, "foreign.py")
    moved = side.publish(SOURCE, first, (first, second))
    assert getattr(moved, "found", None) == foreign
    assert place.tip(SOURCE) == foreign


def test_l_29_a_branch_is_published_after_its_large_files(
    place: HubPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """L-29 (GitHub): they are sent before the branch; where that fails, it is not published, and its words are told."""
    clone, log = place.clone, tmp_path / "sent"
    address = f"{place.hub.web_url}/{NAME}"
    base = GitSide(clone / ".git", PlainToken(place.token), lambda: address).target("main")
    made = run_git(clone, "commit-tree", f"{base}^{{tree}}", "-p", str(base), "-m", "One")
    (clone / ".git/lfs/objects").mkdir(parents=True)
    for code, place_of in ((2, tmp_path / "fails"), (0, tmp_path / "works")):
        place_of.mkdir()
        large_files_go(place_of, monkeypatch, Path(place.repository.model.path), log, code=code)
        side = GitSide(clone / ".git", PlainToken(place.token), lambda: address)
        answer = side.publish(SOURCE, made, ())
        assert (answer is None) == (code == 0)
        if answer is not None:
            assert "no room for a film" in str(answer)
            assert side.tip(SOURCE) is None
    assert log.read_text().split() == [f"{made}:"] * 2


def test_g_33_show_5_no_secret_is_left_anywhere(world: HubWorld, capfd: pytest.CaptureFixture[str]) -> None:
    """G-33 (show 5): after a whole batch the token stands in no file, no argument of any git, no log and no address."""
    secret = os.environ["GITHUB_TOKEN"]
    world.configure('[ship]\nmerge = "direct"\n')
    world.issue(3)
    world.agent(3, 'env > env.txt; echo "${GITHUB_TOKEN-none}" > seen.txt; git config --list > config.txt')
    world.enqueue(3, batch="b1")
    world.run()
    assert world.batch().status is BatchStatus.DONE
    assert world.remote.git.git("show", "main:seen.txt") == "none"
    places = [world.repo, world.scripts, world.trees, Path(world.remote.model.path)]
    holding = [
        str(file)
        for place in places
        for file in place.rglob("*")
        if file.is_file() and secret.encode() in file.read_bytes()
    ]
    assert holding == []
    everything = run_git(world.repo, "log", "--all", "-p", "--format=%B%N", "--notes=*")
    assert secret not in everything
    told = capfd.readouterr()
    assert secret not in told.out + told.err
    assert not [heard for heard in world.hub.audit.leaks(secret) if "authorization" not in heard.lower()]


def test_g_34_the_doctor_looks_at_github(world: HubWorld) -> None:
    """G-34 (the doctor's part): reached, as whom, with which rights; a clock that is off is named."""
    world.remote.protect(contexts=("ci",))
    told = {check.code: (str(check.level), check.message) for check in world.doctor() if "github" in check.code}
    assert {level for level, _ in told.values()} == {"green"}
    assert "acme/shop" in told["github-repository"][1]
    world.hub.clock.skew_s = -300
    world.remote.rename("store")
    told = {check.code: (str(check.level), check.message) for check in world.doctor() if "github" in check.code}
    assert told["github-clock"][0] == "amber"
    assert "ahead" in told["github-clock"][1]
    assert told["github-repository"] == ("amber", "acme/shop is called acme/store now.")
    world.hub.down()
    assert [str(check.level) for check in world.doctor() if check.code == "github-reach"] == ["red"]


def test_the_doctor_says_that_there_is_nobody_to_ask_as(world: HubWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "wrong")
    assert [str(check.level) for check in world.doctor() if check.code == "github-credential"] == ["red"]
    monkeypatch.delenv("GITHUB_TOKEN")
    assert [str(check.level) for check in world.doctor() if check.code == "github-credential"] == ["red"]
