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
    sharing = Sharing(store.afterwards, store.settle, store.carry, lambda: store.has_waiting, store.catch_up)
    refs = LoadedBlobRefs(open_repository(ports.common))
    timeout_s = ports.settings.dispatch.start_timeout_s
    return FleetRunner(here, refs, (ports.processes, ports.clock), _starter(ports), sharing, timeout_s)


def _starter(ports: "SharedPorts") -> Starter:
    if ports.settings.dispatch.backend == "actions":
        return _actions(ports)
    from gitsched.adapters.runner.command import CommandStarter

    return CommandStarter(ports.settings.dispatch.command, ports.remote.address)


def _actions(ports: "SharedPorts") -> Starter:
    import os

    from gitsched.adapters.forge.github.connect import connect
    from gitsched.adapters.forge.github.member_jobs import MemberJobs
    from gitsched.adapters.forge.github.memory import Memory
    from gitsched.adapters.forge.github.repository import Repository
    from gitsched.adapters.forge.github.wire import Wire
    from gitsched.adapters.runner.actions import ActionsStarter

    settings = ports.settings
    reached = connect(settings.github, settings.project.remote, ports.common, (os.environ, ports.clock))
    wire = Wire(reached.api_url, reached.credential, reached.pace)
    repository = Repository(wire, reached.full_name, Memory(ports.common))
    return ActionsStarter(MemberJobs(repository, settings.project.target))
