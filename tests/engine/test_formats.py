"""Repositories as older versions wrote them: they open, say the same as then, and can be worked on."""

from pathlib import Path

import pytest

from gitsched.domain.words import EntryStatus
from gitsched.engine.hygiene.fsck import findings_of
from gitsched.engine.hygiene.gc import collect
from gitsched.wiring.clone import Clone
from tests.cli.calling import CONFIG, call
from tests.golden import ROOT, Golden
from tests.real_git import run_git

FOLDER = ROOT / "tests/data/formats"
VERSIONS = sorted(path.name for path in FOLDER.iterdir())


def imported(version: str, place: Path) -> Path:
    """Make the repository of a format as it was written then, every commit by its id."""
    text = (FOLDER / version / "repository.fast-export").read_bytes().decode()
    place.mkdir()
    run_git(place, "init", "-q")
    run_git(place, "fast-import", "--quiet", stdin=text)
    lines = iter(text.splitlines())
    wanted = {line.split()[1] for line in lines if line.startswith("original-oid ")}
    there = run_git(place, "cat-file", "--batch-check", stdin="".join(f"{oid}\n" for oid in sorted(wanted)))
    assert "missing" not in there, "an object has another id than it had"
    run_git(place, "reset", "-q", "--hard", "main")
    return place


@pytest.fixture(params=VERSIONS)
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Give a repository of each format, with a configuration of today."""
    place = imported(request.param, tmp_path / "old")
    agent = tmp_path / "agent.sh"
    agent.write_text("echo work > made.txt; git add -A; git commit -q -m Work\n")
    text = CONFIG.format(agent=agent, trees=tmp_path / "trees", merge="direct", completion="exit")
    (place / "gitsched.toml").write_text(text)
    return place


def test_it_says_what_it_said(old: Path, golden: Golden, request: pytest.FixtureRequest) -> None:
    """S-24: a repository of an earlier format is read in full: state, archive, journal, evidence."""
    version = request.node.callspec.params["old"]
    status = call("-C", old, "status", "--all", "--json")
    log = call("-C", old, "log", "--json")
    assert (status.code, log.code) == (0, 0)
    golden(f"tests/data/golden/formats/{version}.status.json", status.out)
    golden(f"tests/data/golden/formats/{version}.log.jsonl", log.out)
    assert call("-C", old, "show", "i3", "--evidence", "--json").document["evidence"]


def test_it_is_sound_and_can_be_worked_on(old: Path) -> None:
    """S-24: fsck is clean before and after a run of today goes on where the old version stopped."""
    clone = Clone(old)
    found = findings_of(clone.premises())
    assert found == ()
    assert call("-C", old, "resume").code == 0
    assert call("-C", old, "run", "--until-idle", "--quiet").code in (0, 1)
    fresh = Clone(old)
    assert fresh.store.read().entries[4].status is EntryStatus.DONE
    collect(fresh.premises(), fresh.settings, fresh.clock.now(), "ada")
    assert findings_of(Clone(old).premises()) == ()
