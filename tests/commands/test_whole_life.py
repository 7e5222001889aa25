"""Whatever becomes of the deliveries of a whole batch's life, it ends as it does when each comes once and in order."""

import os
import shutil
from pathlib import Path

import pytest

from gitsched.domain.commands import Role
from gitsched.domain.instants import after
from gitsched.domain.words import BatchStatus
from tests.commands.parish import BATCH, EVE, Chance, Parish
from tests.real_git import run_git
from tests.walks.town import template

SEEDS = int(os.environ.get("GITSCHED_SEEDS", "1000"))
PLAYS = {7: "hands-back"}


def forming(parish: Parish) -> None:
    """Milestones and commands bring a batch together, and seal it."""
    for issues in ((4, 7), (4, 5, 7, 8), (4, 5, 7)):
        parish.milestones.put(f"batch/{BATCH}", *issues)
        parish.tell("issues", "milestoned" if 8 in issues or len(issues) == 2 else "demilestoned")
        parish.tell("issues", "labeled")
    hello = parish.say(4, "hello")
    parish.say(9, "/gitsched enqueue priority=3\n/gitsched hold")
    parish.talk.edit(hello, "/gitsched stop", after(parish.talk.now, 1))
    parish.tell("issue_comment", "edited", comment=hello)
    parish.say(2, "/gitsched enqueue", EVE, Role.READ)
    parish.say(9, "/gitsched priority 9\n/gitsched frobnicate")
    parish.say(4, "/gitsched order #7 #4")
    parish.settle()
    parish.say(4, "/gitsched start")
    for event in ("milestone", "repository", "ping", "starred"):
        parish.tell(event, "edited")
    for event in ("issues", "milestone", "issue_dependencies", "installation"):
        parish.tell(event, "opened")
    parish.settle()


def working(parish: Parish) -> None:
    """Agents work, one of them gives up; what waits in the queue is stopped meanwhile."""
    parish.tell("workflow_run", "requested")
    parish.say(9, "/gitsched why")
    parish.work(PLAYS, lambda: True)
    parish.say(9, "/gitsched stop")
    parish.say(4, "/gitsched status\n/gitsched why")
    parish.settle()
    assert parish.state.batches[BATCH].status is BatchStatus.AWAITING_MERGE


def merging(parish: Parish) -> None:
    """It is said to have merged and has not; then it is shipped by a command."""
    number = (parish.state.batches[BATCH].pr or pytest.fail("no request")).number
    for action in ("opened", "edited", "synchronize", "labeled", "closed"):
        parish.tell("pull_request", action, number=number)
    for event in ("check_suite", "check_run", "status", "merge_group", "workflow_run", "pull_request_review"):
        for action in ("requested", "completed"):
            parish.tell(event, action)
    parish.work({}, lambda: True)
    assert parish.state.batches[BATCH].status is BatchStatus.AWAITING_MERGE
    parish.say(number, "/gitsched ship", role=Role.MAINTAIN)
    parish.tell("pull_request", "closed", number=number)
    parish.settle()
    parish.work({}, lambda: True)
    for issue in (4, 5):
        for event, action in (("issues", "closed"), ("issues", "edited"), ("issues", "unlabeled")):
            parish.tell(event, action, number=issue)
    for event in ("push", "status", "check_suite", "milestone", "repository"):
        parish.tell(event, "completed")
    parish.settle()
    parish.work({}, lambda: True)
    for driver in parish.living():
        driver.leave()


def life(made: Path, folder: Path, chance: Chance) -> dict[str, object]:
    """Live it, and tell how it ended."""
    parish = Parish(made, folder, chance)
    for part in (forming, working, merging):
        part(parish)
    assert parish.told_count >= 60
    state, batch = parish.state, parish.state.batches[BATCH]
    history = [str(event.name) for entry in parish.clone.store.history() for event in entry.events]
    return {
        "tree": run_git(parish.repo, "rev-parse", "main^{tree}"),
        "entries": [(e.issue, e.status, e.reason, e.priority, e.hold, e.batch) for e in state.entries_in_order()],
        "batches": [(b.id, b.status, b.reason, b.generation) for b in state.batches_in_order()],
        "members": [(m.issue, m.status, m.reason, m.gen) for m in state.members_of(batch)],
        "exits": [(e.issue, e.kind, e.reason) for e in batch.evictions],
        "heard": {c: [(line.line, line.fate) for line in row.lines] for c, row in sorted(state.heard.items())},
        "ignored": {comment: row.ignored for comment, row in sorted(state.heard.items())},
        "answers": sorted(parish.talk.answers),
        "comments": {n: len(parish.comments(n)) for n in (4, 5, 7, (batch.pr or pytest.fail("none")).number)},
        "open": sorted(n for n, issue in parish.clone.forge.issues().items() if issue.is_open),
        "milestones": parish.milestones.told,
        "spawned": history.count("spawned"),
        "merged": history.count("merge-accepted"),
    }


@pytest.fixture(scope="module")
def made(repo_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("parish")
    made = Path(shutil.copytree(repo_template, folder / "made", symlinks=True))
    template(made)
    return made


@pytest.fixture(scope="module")
def clean_run(made: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    return life(made, tmp_path_factory.mktemp("clean"), Chance(None))


def test_the_life_is_a_whole_one(clean_run: dict[str, object]) -> None:
    assert clean_run["batches"] == [(BATCH, "done", None, 1)]
    assert clean_run["spawned"] == 3


@pytest.mark.parametrize("seed", range(50))
def test_w_06_every_way_comes_to_the_same_end(
    made: Path, tmp_path: Path, clean_run: dict[str, object], seed: int
) -> None:
    """W-06: 50 ways in which a batch's deliveries are dropped, doubled, delayed and shuffled, sweeps and polls on."""
    assert life(made, tmp_path, Chance(seed)) == clean_run


@pytest.mark.long
@pytest.mark.timeout(7200)
def test_w_06_a_thousand_ways(made: Path, tmp_path: Path, clean_run: dict[str, object]) -> None:
    """W-06 (show 2): a thousand seeds."""
    for seed in range(50, 50 + SEEDS):
        folder = tmp_path / str(seed)
        folder.mkdir()
        assert life(made, folder, Chance(seed)) == clean_run, f"seed {seed}"
        shutil.rmtree(folder)
