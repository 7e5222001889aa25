"""The service's worker outlives whatever one repository, or one start of a driver, comes to."""

import math
import shutil
import sys
from collections.abc import Sequence

import pytest

from gitsched.domain.deliveries import Delivery
from gitsched.engine.deliveries.draining import Drained
from gitsched.errors import TemporaryError
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
        good = {delivery.id: "hint" for delivery in deliveries if delivery.id not in bad}
        _self.inbox.settle(good)
        return Drained(outcomes=good, failures=bad)

    monkeypatch.setattr(Repository, "drain", drain)
    monkeypatch.setattr(service.worker._drivers, "want", wanted.append)
    for number in range(ROUND_COUNT):
        repository.inbox.receive(told(f"a{number}"))
    repository.inbox.receive(told("z"))
    assert not service.worker.round()
    assert wanted == []
    service.worker._put_off._until_s[repository.path] = math.inf  # however slow this machine is
    assert service.worker.round(), "what came after it waits for no pause of theirs"
    assert wanted == [repository]
    tried = service.worker._metrics.failed.labels(repository.name)._value.get()
    assert not service.worker.round(), "and they are left alone meanwhile"
    assert service.worker._metrics.failed.labels(repository.name)._value.get() == tried == ROUND_COUNT
    service.worker._put_off._until_s.clear()
    assert not service.worker.round()
    assert service.worker._metrics.failed.labels(repository.name)._value.get() == 2 * ROUND_COUNT


def test_a_delivery_that_fails_for_good_keeps_no_lost_one_from_being_made_up_for(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = house.service
    looked, wanted = list[object](), list[Repository]()

    def drain(_self: Repository, deliveries: Sequence[Delivery], _may_go_on: object) -> Drained:
        return Drained(failures={delivery.id: "Not now." for delivery in deliveries})

    def look_again(_self: Repository, courier: object) -> None:
        looked.append(courier)
        raise TemporaryError("Comment 7 was to be heard.", "Not now.")

    monkeypatch.setattr(Repository, "drain", drain)
    monkeypatch.setattr(Repository, "look_again", look_again)
    monkeypatch.setattr(Repository, "has_work", True)
    monkeypatch.setattr(service.worker._drivers, "want", wanted.append)
    service.tenants.all[0].inbox.receive(told("a"))
    assert not service.worker.round()
    assert looked == [None], "the sweep and the poll went on"
    assert wanted == [service.tenants.all[0]], "and what there is to do is driven"
