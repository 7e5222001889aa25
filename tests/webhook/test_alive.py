"""The service's worker outlives whatever one repository, or one start of a driver, comes to."""

import shutil
import sys
from collections.abc import Sequence

import pytest

from gitsched.domain.deliveries import Delivery
from gitsched.engine.deliveries.draining import Drained
from gitsched.wiring.service import Repository
from tests.webhook.conftest import House
from tests.webhook.test_worker import called, told, town
from webhook.app import Service, create_app
from webhook.worker import ROUND_COUNT

__all__ = ["town"]


def test_a_repository_that_is_gone_keeps_nobody_else_from_being_served(town: Service) -> None:
    a, b = called(town, "a"), called(town, "b")
    b.inbox.receive(told("b"))
    assert a.inbox.waiting() == ()
    shutil.rmtree(a.path)
    assert town.worker.round()
    assert b.inbox.waiting() == ()
    assert town.worker.troubles.keys() == {a.path}
    client = create_app(town).test_client()
    assert client.get("/readyz").status_code == 503
    assert client.get("/metrics").status_code == 200


def test_a_service_whose_own_repository_cannot_be_read_goes_on_trying(town: Service) -> None:
    def unreadable() -> bool:
        raise OSError("not now")

    before, town.worker.is_disabled = town.worker.is_disabled, unreadable
    b = called(town, "b")
    b.inbox.receive(told("b"))
    assert not town.worker.turn()
    town.worker.is_disabled = before
    assert town.worker.turn()
    assert b.inbox.waiting() == ()


def test_a_driver_that_cannot_be_started_is_started_later(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    repository, drivers = house.service.tenants.all[0], house.service.worker._drivers
    drivers.want(repository)
    with monkeypatch.context() as patched:
        patched.setattr(sys, "executable", "/no/such/program")
        drivers.tend([repository])
    assert not drivers._running
    drivers.tend([repository])
    assert drivers._running.keys() == {repository.path}


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_service_whose_worker_has_died_is_not_ready(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    service = house.service
    house.post()

    def breaks() -> bool:
        raise RuntimeError

    monkeypatch.setattr(service.worker, "turn", breaks)
    service.worker.start()
    service.worker._thread.join(5.0)
    assert house.client.get("/readyz").status_code == 503


def test_deliveries_that_fail_hold_up_neither_later_ones_nor_the_driver(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More of them than one round takes; their repository is driven for what was done all the same."""
    service = house.service
    repository, wanted = service.tenants.all[0], list[Repository]()

    def drain(_self: Repository, deliveries: Sequence[Delivery], _may_go_on: object) -> Drained:
        bad = {delivery.id: "Not now." for delivery in deliveries if delivery.id.startswith("a")}
        return Drained(outcomes={one.id: "hint" for one in deliveries if one.id not in bad}, failures=bad)

    monkeypatch.setattr(Repository, "drain", drain)
    monkeypatch.setattr(service.worker._drivers, "want", wanted.append)
    for number in range(ROUND_COUNT):
        repository.inbox.receive(told(f"a{number}"))
    repository.inbox.receive(told("z"))
    assert not service.worker.round()
    assert wanted == []
    service.worker._paused_until_s.clear()
    assert service.worker.round()
    assert wanted == [repository]
