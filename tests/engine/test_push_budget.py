"""A remote that asks for few pushes, and many members that finish within two minutes."""

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from threading import Event

import pytest

from gitsched.domain.words import BatchStatus
from tests.engine.drive import Driving
from tests.engine.far import FarWorld
from tests.store.remotes import hook

pytestmark = pytest.mark.usefixtures("sound")

MEMBERS, MINUTES_S, TTL_S = 20, 120.0, 60.0
LATE_S = 3.0
"""What is counted here is when the server had them: a little earlier or later than they left."""


@pytest.mark.long
@pytest.mark.timeout(600)
def test_s_31_twenty_members_within_the_budget(
    repo: Path, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """S-31: at most 6 pushes leave in any minute, decisions are combined, signs go alone seldom, the batch ends."""
    world = FarWorld.begin(repo, tmp_path)
    more = f'[batch]\nmax_members = 64\n[store]\npushes_per_minute = 6\n[dispatch]\nttl = "{TTL_S:.0f}s"\n'
    world.configure(more, slots=MEMBERS)
    file = world.repo / "gitsched.toml"
    file.write_text(file.read_text().replace('timeout = "60s"', 'timeout = "600s"'))
    log = world.remote / "pushes"
    hook(world.remote, "post-receive", f"date +%s.%N >> {log}; cat >> {log}")
    issues = range(1, MEMBERS + 1)
    gates = {issue: world.barrier(f"gate{issue}") for issue in issues}
    world.issues(*issues)
    for issue in issues:
        world.agent(issue, f"read -r _ < {gates[issue]}; echo {issue} > file{issue}.txt")
    world.enqueue(*issues)
    driving = Driving(world.repo)
    try:
        for issue in issues:
            Event().wait(MINUTES_S / MEMBERS)
            gates[issue].open()
        assert driving.ends_within(400)
    finally:
        driving.kill()
    world.news().expect_landed(*issues)
    assert world.batch().status is BatchStatus.DONE
    pushes = re.findall(r"^(\d+\.\d+)\n((?:[0-9a-f]{40} .*\n)*)", log.read_text(), re.MULTILINE)
    times = [float(at) for at, _ in pushes]
    assert max(sum(at <= one < at + 60 - LATE_S for one in times) for at in times) <= 6
    decisions = len(list(world.journal()))
    assert len(pushes) * 3 < decisions, "they were combined"
    alone = [float(at) for at, moved in pushes if set(re.findall(r"refs/gitsched/(\w+)", moved)) == {"hosts"}]
    assert all(after - before >= TTL_S / 3 - LATE_S for before, after in pairwise(alone))
    told = f"{len(pushes)} pushes for {MEMBERS} members and {decisions} decisions, {len(alone)} of them signs of life"
    record_property("told", f"a budget of 6 pushes a minute: {told}")
