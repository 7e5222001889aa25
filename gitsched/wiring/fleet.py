"""The machines that agents work on where they do not work here, as `[dispatch]` names them."""

from typing import TYPE_CHECKING

from gitsched.adapters.git.blobref import LoadedBlobRefs
from gitsched.adapters.git.objects import open_repository
from gitsched.adapters.runner.fleet import FleetRunner, Sharing, Starter

if TYPE_CHECKING:
    from gitsched.wiring.shared_ports import SharedRunner
    from gitsched.wiring.sharing import SharedPorts


def fleet_runner(ports: "SharedPorts", here: "SharedRunner") -> FleetRunner:
    """Stand before the runner of this host."""
    store = ports.store
    sharing = Sharing(store.afterwards, store.settle, store.carry, lambda: store.has_waiting)
    refs = LoadedBlobRefs(open_repository(ports.common))
    timeout_s = ports.settings.dispatch.start_timeout_s
    return FleetRunner(here, refs, (ports.processes, ports.clock), _starter(ports), sharing, timeout_s)


def _starter(ports: "SharedPorts") -> Starter:
    from gitsched.adapters.runner.command import CommandStarter

    return CommandStarter(ports.settings.dispatch.command, ports.remote.address)
