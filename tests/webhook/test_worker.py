"""The worker: fair between repositories, deaf where it is switched off, and done with what it has in hand."""

import fcntl
import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Thread

import pytest

from gitsched.domain.deliveries import Delivery
from gitsched.errors import TemporaryError
from gitsched.wiring.service import Repository
from tests.real_git import run_git
from tests.webhook.conftest import CONFIG, House
from tests.webhook.post import SECRET, payload
from webhook.app import Service, create_app
from webhook.drivers import Drivers
from webhook.serving import service_of

DELIVERED = "2026-03-01T12:00:00.000Z"


def told(name: str, event: str = "push") -> Delivery:
    return Delivery(id=name, event=event, received_at=DELIVERED, repository=77)


@pytest.fixture
def town(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    """Serve three bare clones a, b and c, of which c is switched off."""
    monkeypatch.setenv("SECRET_NEW", SECRET)
    folder = tmp_path / "clones" / "octo"
    folder.mkdir(parents=True)
    for name in "abc":
        off = "[webhook]\ndisabled = true\n" if name == "c" else ""
        text = CONFIG.replace("octo/repo", f"octo/{name}").format(more="") + off
        (repo / "gitsched.toml").write_text(text)
        run_git(repo, "add", "-A")
        run_git(repo, "commit", "-q", "-m", f"Configure {name}")
        run_git(repo, "clone", "-q", "--bare", repo, folder / f"{name}.git")
    (folder / "empty.git").mkdir()
    (repo / "gitsched.toml").write_text(CONFIG.format(more=f'repositories_dir = "{folder.parent}"'))
    from gitsched.wiring.clone import Clone

    run_git(repo, "commit", "-q", "-am", "Serve")
    service = service_of(Clone(repo))
    yield service
    service.worker.stop(5.0)


def called(service: Service, name: str) -> Repository:
    return next(found for found in service.tenants.all if found.name == f"octo/{name}")


def test_nobody_waits_for_all_of_another_s(town: Service) -> None:
    """W-12: A has 400 waiting, B 1, C is switched off; the figures tell."""
    assert [found.name for found in town.tenants.all] == ["octo/a", "octo/b", "octo/c"]
    a, b, c = (called(town, name) for name in "abc")
    for number in range(400):
        a.inbox.receive(told(f"a{number}"))
    b.inbox.receive(told("b"))
    c.inbox.receive(told("c"))
    assert town.worker.round()
    assert [len(found.inbox.waiting()) for found in (a, b, c)] == [380, 0, 1]
    client = create_app(town).test_client()
    figures = client.get("/metrics").text
    assert 'gitsched_inbox_waiting{repository="octo/a"} 380.0' in figures
    (age,) = [
        line for line in figures.splitlines() if line.startswith('gitsched_inbox_age_seconds{repository="octo/a"}')
    ]
    assert float(age.rpartition(" ")[2]) > 0
    assert 'gitsched_deliveries_done_total{repository="octo/b"} 1.0' in figures
    rows = {row["repository"]: row for row in client.get("/readyz").get_json()["repositories"]}
    assert rows["octo/a"]["inbox_age_s"] > 0
    assert (rows["octo/c"]["disabled"], rows["octo/c"]["ready"], rows["octo/c"]["waiting"]) == (True, True, 1)
    while town.worker.round():
        pass
    assert [len(found.inbox.waiting()) for found in (a, b, c)] == [0, 0, 1]


def test_deliveries_find_their_repository(town: Service) -> None:
    for number, name in enumerate("abc"):
        delivery = Delivery(
            id=name, event="push", received_at=DELIVERED, repository=number + 1, full_name=f"octo/{name}"
        )
        assert town.tenants.take(delivery) == "stored"
        assert [waiting.id for waiting in called(town, name).inbox.waiting()] == [name]


def test_the_kill_switch_of_all_stops_acting_and_not_taking_in(house: House) -> None:
    """W-12: stored, and not acted on."""
    assert house.post() == (202, "stored")
    house.configure("[webhook]\ndisabled = true")
    assert not house.service.worker.round()
    assert house.post(name="more") == (202, "stored")
    assert len(house.waiting()) == 2
    house.configure()
    assert house.service.worker.round()
    assert house.waiting() == []


def test_a_broken_configuration_keeps_the_last_good_one(house: House) -> None:
    assert house.post() == (202, "stored")
    house.configure("nonsense = 1")
    assert house.service.worker.round()
    assert house.waiting() == []


def test_only_the_target_branch_says_how_it_is_judged(house: House) -> None:
    """What lies about in a checkout changes nothing."""
    assert not house.service.tenants.all[0].is_disabled
    text = (house.repo / "gitsched.toml").read_text()
    (house.repo / "gitsched.toml").write_text(f"{text}\n[webhook]\ndisabled = true\n")
    house.service.tenants.all[0].refresh()
    assert not house.service.tenants.all[0].is_disabled


def test_what_fails_is_told_and_tried_again_after_a_pause(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    service = house.service

    def unreachable(_self: Repository, _courier: object) -> None:
        raise TemporaryError("The forge was asked.", "Not now.")

    with monkeypatch.context() as patched:
        patched.setattr(Repository, "look_again", unreachable)
        assert not service.worker.round()
    ready = house.client.get("/readyz")
    assert ready.status_code == 503
    assert "Not now." in ready.get_json()["repositories"][0]["trouble"]
    house.post()
    assert not service.worker.round()
    service.worker._shut._until_s.clear()
    assert service.worker.round()
    assert house.client.get("/readyz").status_code == 200


def test_one_instance_drains_at_a_time(house: House) -> None:
    """W-11, here: while another holds the lock nothing is drained; it dies with its holder."""
    house.post()
    file = os.open(house.repo / ".git" / "gitsched" / "draining", os.O_RDWR | os.O_CREAT)
    fcntl.flock(file, fcntl.LOCK_EX)
    assert not house.service.worker.round()
    os.close(file)
    assert house.service.worker.round()


def test_two_instances_process_each_delivery_once(house: House) -> None:
    """W-11: 120 deliveries to two instances on one inbox, both draining; then one goes."""
    other = service_of(house.clone)
    bodies = [house.comment(1, f"/gitsched priority #1 {number}") for number in range(20)]
    house.post(house.comment(1, "/gitsched enqueue"), name="first", event="issue_comment")
    house.service.worker.round()
    services = (house.service, other)
    for service in services:
        service.worker.start()

    def deliver(start: int) -> None:
        for number in range(start, 120, 4):
            delivery = Delivery(id=f"d{number}", event="push", received_at=DELIVERED, repository=77)
            services[number % 2].tenants.take(delivery)
            services[number % 2].worker.poke()

    takers = [Thread(target=deliver, args=(start,)) for start in range(4)]
    for taker in takers:
        taker.start()
    for number, body in enumerate(bodies):
        house.post(body, name=f"c{number}", event="issue_comment")
    for taker in takers:
        taker.join()
    assert other.worker.stop(20.0)
    while house.waiting():
        house.service.worker.poke()
        house.service.worker._thread.join(0.05)
    assert house.service.worker.stop(20.0)
    names = [str(event.name) for entry in house.clone.store.history() for event in entry.events]
    assert names.count("command-accepted") == 21


def test_a_stop_ends_after_the_delivery_in_hand(house: House) -> None:
    """W-13: what is left stays whole, and nothing new is taken in."""
    for number in range(30):
        house.post(payload(), name=f"d{number}")
    house.service.worker.start()
    assert house.service.worker.stop(20.0)
    left = house.waiting()
    assert len(left) == len(set(left))
    assert house.post(name="late") == (503, "stopping")
    assert house.client.get("/readyz").status_code == 503


class Stand:
    """A driver process that sleeps until it is ended."""

    def __init__(self) -> None:
        self.started: list[tuple[Path, int | None]] = []

    def command(self, repository: Repository, at_most: int | None) -> list[str]:
        self.started.append((repository.path, at_most))
        return ["sleep", "60"]


def driven(drivers: Drivers) -> Sequence[Path]:
    return sorted(drivers._running)


def stood_in(monkeypatch: pytest.MonkeyPatch) -> Stand:
    stand = Stand()
    monkeypatch.setattr(Repository, "driver_command", lambda self, at_most: stand.command(self, at_most))  # noqa: PLW0108 - it is bound
    return stand


def ended(drivers: Drivers, repository: Repository) -> None:
    drivers._running[repository.path].process.kill()
    drivers._running[repository.path].process.wait()


def test_drivers_share_what_the_cap_gives(town: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """W-12: a cap over all repositories, and a kill switch that ends what drives."""
    stand = stood_in(monkeypatch)
    drivers = Drivers(lambda: 3)
    a, b, c = (called(town, name) for name in "abc")
    for found in (a, b, c, a):
        drivers.want(found)
    drivers.tend(town.tenants.all)
    assert driven(drivers) == [a.path, b.path]
    assert stand.started == [(a.path, 2), (b.path, 1)]
    ended(drivers, a)
    drivers.want(a)
    drivers.tend(town.tenants.all)
    assert stand.started[2:] == [(a.path, 2)]
    process = drivers._running[a.path].process
    monkeypatch.setattr(Repository, "is_disabled", property(lambda self: self.path in (a.path, c.path)))
    drivers.tend(town.tenants.all)
    assert process.wait(10.0) != 0
    drivers.tend(town.tenants.all)
    assert driven(drivers) == [b.path]
    drivers.stop(10.0)


def test_a_repository_with_more_slots_than_the_cap_is_driven_within_it(
    town: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand = stood_in(monkeypatch)
    cap: list[int | None] = [1]
    drivers = Drivers(lambda: cap[0])
    a, b = (called(town, name) for name in "ab")
    a.office()
    drivers.want(a)
    drivers.want(b)
    drivers.tend(town.tenants.all)
    assert stand.started == [(a.path, 1)]
    ended(drivers, a)
    drivers.tend(town.tenants.all)
    assert stand.started[1:] == [(b.path, 1)]
    ended(drivers, b)
    cap[0] = None
    drivers.want(a)
    drivers.tend(town.tenants.all)
    assert stand.started[2:] == [(a.path, None)]
    drivers.stop(10.0)


def test_a_driver_that_does_not_end_is_killed(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    deaf = ["sh", "-c", "trap '' TERM; echo on; while :; do read _ < /dev/zero; done"]
    monkeypatch.setattr(Repository, "driver_command", lambda _self, _at_most: deaf)
    drivers = Drivers(lambda: None)
    (found,) = house.service.tenants.all
    drivers.want(found)
    drivers.tend([found])
    process = drivers._running[found.path].process
    assert isinstance(process, subprocess.Popen)
    drivers.stop(0.2)
    assert process.poll() is not None
