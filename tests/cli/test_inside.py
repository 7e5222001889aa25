"""Verbs for agents, inside a run: what they record, and when they say that a run is over."""

import json
import os
import sys
from typing import Any

import pytest

from gitsched.domain.runs import RunRecord
from gitsched.wiring.clone import open_clone
from tests.cli.calling import AGENT, Project

GITSCHED = f'"{sys.executable}" -m gitsched'


def ended_with(project: Project, script: str) -> str:
    """Run one issue whose agent runs that script after its work, and give what the script printed."""
    project.configure(merge="direct", completion="milestone")
    project.agent(AGENT + f'gitsched() {{ {GITSCHED} "$@"; }}\nset +e\n' + script)
    project.issues(1)
    project("run", 1)
    return project("logs", 1).out


@pytest.mark.parametrize(
    "call",
    [
        "hand-back",
        "post --phase review --status blocked",
        "post --phase review --status partial",
        'post --phase plan --status progress --key "note=one\ntwo"',
        f"post --phase plan --status progress --key note={'x' * 4001}",
        "post --phase Plan --status progress",
        "post --phase plan --status finished",
        "post --phase plan --status progress --key noequals",
        "post --phase plan",
    ],
    ids=["no-reason", "blocked", "partial", "two-lines", "4001", "phase", "status", "pair", "no-status"],
)
def test_a_bad_post_ends_with_2_and_records_nothing(project: Project, call: str) -> None:
    """R-39: exits 2 with what is missing, and nothing is recorded."""
    told = ended_with(project, f"gitsched {call}; echo code $?\ngitsched done\n")
    assert "code 2" in told
    assert project.status()["entries"][0]["status"] == "done"
    milestones = [m for m in _run_record(project)["milestones"] if m["phase"] != "review"]
    assert milestones == []


@pytest.mark.parametrize("words", ["post --phase plan --status progress", "done", "check", "hand-back --reason x"])
def test_outside_a_run_there_is_nobody_to_post_for(project: Project, words: str) -> None:
    """R-39 (outside): exit 2 with what is missing, and nothing is written."""
    project.issues(1)
    before = project.refs()
    ended = project(*words.split())
    assert (ended.code, project.refs()) == (2, before)
    assert "GITSCHED_BATCH" in ended.err


def test_posts_are_recorded_with_their_keys_and_done_names_the_head(project: Project) -> None:
    told = ended_with(
        project,
        "gitsched post --phase implement --status progress --key file=a.py line=3\n"
        "gitsched check && echo current\n"
        'gitsched done --summary "All of it" --key tests=12\n',
    )
    assert "Posted: implement progress." in told
    assert "current" in told
    first, last = _run_record(project)["milestones"]
    assert first["keys"] == {"file": "a.py", "line": "3"}
    assert last["keys"]["summary"] == "All of it"
    assert (last["keys"]["tests"], len(last["keys"]["head"])) == ("12", 40)


def test_a_hand_back_parks_the_issue_with_its_reason(project: Project) -> None:
    ended_with(project, 'gitsched hand-back --reason "the issue contradicts test_rounding"\n')
    why = project("why", "1", "--json").document
    assert (why["state"], why["reasons"]) == ("parked", ["the issue contradicts test_rounding"])


def test_a_post_reaches_its_run_from_any_folder_and_a_bad_gen_is_refused(project: Project) -> None:
    told = ended_with(
        project,
        "GITSCHED_GEN=x gitsched check; echo odd $?\ncd / && gitsched check; echo own $?\ngitsched done\n",
    )
    assert "odd 2" in told
    assert "own 0" in told


def test_a_run_cannot_speak_for_another(project: Project) -> None:
    """A post, a last word and a question under a sibling's name are refused in three sentences and leave nothing."""
    project.configure(merge="direct", completion="milestone")
    told, here, over = (project.home / name for name in ("told", "here", "over"))
    os.mkfifo(here)
    os.mkfifo(over)
    words = ("done", "hand-back --reason x", "post --phase plan --status done", "check")
    foreign = "".join(f"(export GITSCHED_ISSUE=2; {GITSCHED} {word}; echo code $?) >> {told} 2>&1\n" for word in words)
    first = f"read -r _ < {here}\n{foreign}echo > {over}\n"
    second = f"echo > {here}\nread -r _ < {over}\n"
    script = f'set +e\nif [ "$GITSCHED_ISSUE" = 1 ]; then\n{first}else\n{second}fi\n{GITSCHED} done\n'
    project.agent(AGENT + script)
    project.issues(2)
    project("run", 1, 2)
    said = told.read_text()
    assert said.count("code 1\n") == said.count("A run speaks for itself alone") == len(words)
    assert [entry["status"] for entry in project.status()["entries"]] == ["done", "done"]
    evidence = open_clone(project.repo).store.evidence("b1")
    posted = [json.loads(evidence[f"runs/{issue}/0/run.json"])["milestones"] for issue in (1, 2)]
    assert [[one["phase"] for one in each] for each in posted] == [["review"], ["review"]]


def test_an_older_generation_is_told_so(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """I-03: 4 for a post or check of an older gen; 1 for a run that is not there; nothing is recorded."""
    clone = open_clone(project.repo)
    newer = RunRecord(
        batch="b1", name="3", gen=1, token="t", worker=clone.processes.own(), started_at=clone.clock.now()
    )
    assert clone.run_refs.claim(newer)
    monkeypatch.setenv("GITSCHED_BATCH", "b1")
    monkeypatch.setenv("GITSCHED_GEN", "0")
    for issue, codes in (("3", (4, 4, 4)), ("4", (1, 1, 4))):
        monkeypatch.setenv("GITSCHED_ISSUE", issue)
        ended = [project(*words) for words in (["post", "--phase", "plan", "--status", "done"], ["done"], ["check"])]
        assert tuple(each.code for each in ended) == codes
        assert {len(each.sentences) for each in ended} == {3}
    assert clone.run_refs.read("b1", "3") == newer


def _run_record(project: Project) -> Any:
    batch = project.status()["batches"][0]["id"]
    evidence = open_clone(project.repo).store.evidence(batch)
    return json.loads(evidence["runs/1/0/run.json"])
