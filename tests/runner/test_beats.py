"""Signs of life of clones that share a remote."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from gitsched.adapters.git.blobref import LoadedBlobRefs
from gitsched.adapters.git.objects import open_repository
from gitsched.adapters.process import HostProcesses
from gitsched.adapters.runner.beats import HOSTS_PREFIX, Beats, Traffic
from gitsched.domain.words import Liveness

TTL_S = 60.0


@dataclass
class Town:
    """Clones that see one another's refs at once, and a clock that moves when it is told to."""

    repo: Path
    now_s: float = 1000.0
    quiet_s: float = 0.0
    has_room: bool = True
    carried: list[str] = field(default_factory=list)

    def beats(self, host: str) -> Beats:
        """Give the signs as a process of that host gives and hears them."""
        traffic = Traffic(lambda: self.quiet_s, lambda: self.has_room, lambda: self.carried.append(host))
        return Beats(LoadedBlobRefs(open_repository(self.repo)), host, TTL_S, traffic, lambda: self.now_s)


@pytest.fixture
def town(repo: Path) -> Town:
    """Give a town."""
    return Town(repo)


def test_a_host_is_gone_when_nothing_new_was_heard_for_the_ttl(town: Town) -> None:
    """R-64: foreign and fresh is alive, unknown is alive until the ttl ends, by the hearer's own clock alone."""
    there, here = town.beats("there"), town.beats("here")
    there.beat()
    assert here.liveness("there") is Liveness.UNKNOWN
    town.now_s += TTL_S / 2
    there.beat()
    assert here.liveness("there") is Liveness.ALIVE
    town.now_s += TTL_S
    assert here.liveness("there") is Liveness.ALIVE
    town.now_s += 1
    assert here.liveness("there") is Liveness.GONE
    there.beat()
    assert here.liveness("there") is Liveness.ALIVE


def test_while_nobody_can_be_heard_nobody_is_gone(town: Town) -> None:
    """R-56: the time that the remote is away is no silence of others; what was silence before it still is."""
    there, here = town.beats("there"), town.beats("here")
    there.beat()
    here.liveness("there")
    town.now_s += TTL_S / 2
    for _ in range(5):
        here.miss()
        town.now_s += TTL_S
    assert here.liveness("there") is Liveness.UNKNOWN
    town.now_s += TTL_S / 2
    assert here.liveness("there") is Liveness.UNKNOWN
    town.now_s += 1
    assert here.liveness("there") is Liveness.GONE


def test_what_holds_is_the_ttl_of_the_leases_that_a_host_has(town: Town) -> None:
    """A lease is taken over once its own ttl has ended; the hearer's is for hosts without any."""
    there, here = town.beats("there"), town.beats("here")
    there.beat()
    assert here.liveness("there", 2 * TTL_S) is Liveness.UNKNOWN
    town.now_s += 2 * TTL_S
    assert here.liveness("there") is Liveness.UNKNOWN
    town.now_s += 1
    assert here.liveness("there") is Liveness.GONE
    assert here.liveness("there", 3 * TTL_S) is Liveness.UNKNOWN


def test_a_host_that_never_gave_a_sign(town: Town) -> None:
    here = town.beats("here")
    assert here.liveness("nowhere") is Liveness.UNKNOWN
    town.now_s += TTL_S + 1
    assert here.liveness("nowhere") is Liveness.GONE


def test_signs_ride_along_and_go_alone_only_when_they_must(town: Town) -> None:
    """S-31: no sign is pushed by itself more often than a third of the ttl, and never where the budget is short."""
    here = town.beats("here")
    for second in range(int(TTL_S)):
        town.now_s, town.quiet_s = 1000.0 + second, float(second % 25)
        here.beat()
    assert len(town.carried) == 2 * 5
    held = LoadedBlobRefs(open_repository(town.repo)).read(f"{HOSTS_PREFIX}here")
    assert held is not None
    assert held.data == b"6"
    town.has_room, town.quiet_s = False, TTL_S
    here.beat()
    assert len(town.carried) == 10


def test_a_clone_is_a_host_of_its_own(town: Town) -> None:
    """Two clones on one machine are told apart; of another one only its signs tell."""
    here = HostProcesses("aaaa", town.beats("here"))
    there = HostProcesses("bbbb").own()
    assert here.own().host.endswith("+aaaa")
    assert here.liveness(here.own()) is Liveness.ALIVE
    assert here.liveness(there) is Liveness.UNKNOWN
    assert HostProcesses("aaaa").liveness(there) is Liveness.UNKNOWN
