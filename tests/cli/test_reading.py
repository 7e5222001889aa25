"""Reading verbs: one JSON document on standard output, the same from everywhere, and nothing written."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.calling import AGENT, Project, call
from tests.real_git import Git, run_git

ALL = "git add -A\ngit commit -q -m Work\n"
READING = [
    ["status", "--all"],
    ["status", "b1"],
    ["status", "2"],
    ["why", "1"],
    ["why", "b1"],
    ["stats"],
    ["stats", "--by", "day"],
    ["plan"],
    ["plan", "3"],
    ["show", "1"],
    ["show", "b1"],
    ["show", "b1", "--evidence"],
    ["issue", "list"],
    ["issue", "show", "1"],
    ["pr", "list", "--all"],
    ["pr", "show", "4"],
    ["schedule", "list", "--all"],
    ["evidence", "verify", "b1"],
    ["fsck"],
    ["logs", "1"],
    ["report", "b1"],
]


@pytest.fixture
def shipped(project: Project) -> Project:
    """Give a project with a shipped batch of two, and an issue that nobody has enqueued."""
    project.issues(3)
    assert project("run", 1, 2).code == 0
    return project


def test_an_empty_store_gives_the_whole_document(repo: Path) -> None:
    """I-01: after `init` one document with every field, empty lists, unknown costs, and nothing else."""
    call("-C", repo, "init")
    ended = call("-C", repo, "status", "--json")
    document = ended.document
    assert (ended.code, ended.err) == (0, "")
    assert document["schema"] == 1
    assert set(document) == {
        *("schema", "paused", "pause_reason", "tip", "slots", "entries", "batches", "drivers", "costs")
    }
    assert (document["entries"], document["batches"], document["costs"]["usd"]) == ([], [], None)


def test_a_configured_repository_that_holds_nothing_can_be_read(project: Project) -> None:
    before = project.refs()
    assert project("status", "--json").document["tip"] is None
    assert "Nothing is queued." in project("status").out
    assert project.refs() == before


def test_every_reading_verb_gives_the_same_json_from_everywhere(
    shipped: Project, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """I-02: from a subdirectory, by -C, before and after the verb, and from a linked worktree."""
    below, linked = shipped.repo / "a folder" / "ümlaut", tmp_path / "linked tree"
    below.mkdir(parents=True)
    git(shipped.repo, "worktree", "add", "-q", "--detach", linked)
    before = shipped.refs()
    for words in READING:
        told = [call(*words, "--json", "-C", folder) for folder in (shipped.repo, below, linked)]
        monkeypatch.chdir(below)
        told += [call(*words, "--json"), call("-C", "..", *words, "-C", "..", "--json")]
        assert {ended.out for ended in told} == {told[0].out}, words
        assert {ended.code for ended in told} == {0}, told[0].err
        assert isinstance(told[0].document, dict)
        assert "\x1b" not in told[0].out
    for words in (["doctor"], ["report", "--night"]):  # which tell of free space, and of the time
        shapes = [call(*words, "--json", "-C", folder).document for folder in (shipped.repo, below, linked)]
        assert {tuple(shape) for shape in shapes} == {tuple(shapes[0])}
    assert shipped.refs() == before


def test_a_process_writes_no_code_into_a_pipe(shipped: Project) -> None:
    """I-02: into a pipe, with and without NO_COLOR, text and JSON alike."""
    for extra in ({}, {"NO_COLOR": "1"}, {"TERM": "xterm-256color"}):
        for words in (["status", "--all"], ["log", "--json"]):
            ended = subprocess.run(
                [sys.executable, "-m", "gitsched", "-C", str(shipped.repo), *words],
                env={**os.environ, **extra},
                capture_output=True,
                check=True,
            )
            assert b"\x1b" not in ended.stdout
            assert ended.stderr == b""


def test_the_log_tells_the_batch_oldest_first(shipped: Project) -> None:
    """I-10: each line has at, event, batch, issue, gen, actor, commit; `--since` cuts without gaps or doubles."""
    lines = shipped("log", "b1", "--json").lines
    assert all({"at", "event", "batch", "issue", "gen", "actor", "commit"} <= set(line) for line in lines)
    assert lines[0]["event"] == "batch-formed"
    assert [line["at"] for line in lines] == sorted(line["at"] for line in lines)
    assert {line["batch"] for line in lines} == {"b1"}
    everything = shipped("log", "--json").lines
    cut = everything[len(everything) // 2]
    assert shipped("log", "--json", "--since", cut["at"]).lines == [
        line for line in everything if line["at"] >= cut["at"]
    ]
    after = shipped("log", "--json", "--since", cut["commit"][:12]).lines
    commits = list(dict.fromkeys(line["commit"] for line in everything))
    assert list(dict.fromkeys(line["commit"] for line in after)) == commits[commits.index(cut["commit"]) + 1 :]
    assert shipped("log", "1", "--json").lines[0]["event"] == "enqueued"
    assert shipped("log", "--json", "--since", "1h").lines == everything
    assert "member-landed" in shipped("log", "b1").out


def test_show_reads_any_earlier_state(shipped: Project) -> None:
    story = shipped("log", "1", "--json").lines
    landed = next(line for line in story if line["event"] == "member-landed")
    then = shipped("show", "1", "--at", landed["commit"], "--json").document
    now = shipped("show", "1", "--json").document
    assert (then["members"][0]["status"], now["members"][0]["status"]) == ("landed", "shipped")
    assert shipped("show", "1", "--at", landed["at"], "--json").document["entry"]["status"] == "assigned"
    assert "status: done" in shipped("show", "1").out


def test_show_before_and_after_an_eviction(project: Project) -> None:
    """S-17: `--at C~1` shows member 2 as landed, `--at C` as evicted, and nothing of the live state is touched."""
    project.agent('echo "$GITSCHED_ISSUE" > "note-$GITSCHED_ISSUE"\n[ "$GITSCHED_ISSUE" = 1 ] || touch broken\n' + ALL)
    project.issues(2)
    assert project("run", 1, 2, "--quiet").code in {0, 1}
    evicted = next(line for line in project("log", "b1", "--json").lines if line["event"] == "member-evicted")
    before = project.refs()
    for name, status in ((f"{evicted['commit']}~1", "landed"), (evicted["commit"], "evicted")):
        members = project("show", "b1", "--at", name, "--json").document["members"]
        assert {member["issue"]: member["status"] for member in members} == {1: "landed", 2: status}
    assert project.refs() == before
    assert project("show", "b1", "--at", f"{evicted['commit']}~999").code == 2


@pytest.mark.parametrize("words", ["status", "status --all --json", "plan", "plan --json", "why 1", "log", "show 1"])
def test_reading_writes_neither_refs_nor_objects(shipped: Project, words: str) -> None:
    """S-07 (the verbs): after each of them the repository holds what it held."""

    def everything() -> tuple[dict[str, str], str]:
        return shipped.refs(), run_git(shipped.repo, "count-objects", "-v")

    before = everything()
    assert shipped(*words.split()).code == 0
    assert everything() == before


def test_evidence_is_listed_by_batch_and_by_issue(shipped: Project) -> None:
    of_batch = shipped("show", "b1", "--evidence", "--json").document["evidence"]
    of_issue = shipped("show", "1", "--evidence", "--json").document
    paths = [file["path"] for file in of_batch]
    assert "runs/1/0/log" in paths
    assert (of_issue["batch"], [file["path"] for file in of_issue["evidence"]]) == (
        "b1",
        ["runs/1/0/diff", "runs/1/0/log", "runs/1/0/run.json"],
    )


def test_why_tells_how_and_when_it_came_there(shipped: Project) -> None:
    told = shipped("why", "b1").out.splitlines()
    assert told[0].startswith("b1 is done since ")
    assert told[-1] == "Next: Nothing is left to do."
    assert json.loads(shipped("why", "b1", "--json").out)["state"] == "done"


def test_the_report_is_the_same_each_time(shipped: Project) -> None:
    first, second = shipped("report", "b1", "--md"), shipped("report", "b1")
    assert first.out == second.out
    assert first.out.startswith("# Batch `b1`")


def test_hostile_titles_reach_no_terminal(project: Project) -> None:
    """I-13: escape codes, right-to-left marks and NUL of a title are shown by no verb."""
    title = "red \x1b[31malarm\x1b]0;x\x07 \u202eback\u202c"
    (project.repo / "evil.md").write_text(f"---\ntitle: {json.dumps(title)}\n---\nbody \x1b[2J\n")
    project("issue", "new", "--title", title, "--body", "body \x1b[2J")
    assert project("enqueue", 1).code == 0
    for words in (
        ["status"],
        ["log"],
        ["plan"],
        ["why", "1"],
        ["show", "1"],
        ["issue", "list"],
        ["issue", "show", "1"],
    ):
        for ended in (project(*words), project(*words, "--json")):
            assert not [sign for sign in ended.out if sign != "\n" and not sign.isprintable()], words


def test_hostile_words_of_an_agent_reach_no_terminal(project: Project) -> None:
    """I-13: titles and an agent's reason, in status, log, report, request, why and JSON; at most 200 characters."""
    title = "red \x1b[31malarm\x1b]0;x\x07 \u202eback\u202c"
    reason = "no \\033[31mkey\\007 \\342\\200\\256 " + "word " * 100
    hand_back = f"{sys.executable} -m gitsched hand-back --reason \"$(printf '{reason}')\""
    project.configure(merge="manual", completion="milestone")
    project.agent(
        f'[ "$GITSCHED_ISSUE" = 2 ] && {{ {hand_back}; exit 0; }}\n{AGENT}{sys.executable} -m gitsched done\n'
    )
    project("issue", "new", "--title", title)
    project("issue", "new", "--title", title)
    project("run", 1, 2)
    document = project.status()
    (batch,) = document["batches"]
    (entry,) = [entry for entry in document["entries"] if entry["issue"] == 2]
    assert (entry["status"], entry["reason"][:11]) == ("parked", "no key\ufffd wor"[:11])
    assert len(entry["reason"]) <= 200
    request = batch["pr"]["number"]
    for words in (["status", "--all"], ["log"], ["report", batch["id"]], ["pr", "show", request], ["why", 2]):
        for line in project(*words).out.splitlines():
            assert not [sign for sign in line if not sign.isprintable() and sign != "\u200b"], words
    assert "".join(project("status", "--all", "--json").out.splitlines()).isprintable()
    assert max(map(len, project("why", 2, "--json").document["reasons"])) <= 200


def test_a_cold_status_loads_no_heavy_library(shipped: Project) -> None:
    """Start-up is budgeted: no libgit2, forge client, web framework, terminal or template library for JSON."""
    script = (
        "import sys; from gitsched.cli.main import run; code = run(sys.argv[1:]); print(*sys.modules); sys.exit(code)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script, "-C", str(shipped.repo), "status", "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(ended.stdout.splitlines()[-1].split())
    assert "gitsched.view.status" in loaded
    assert loaded & {"pygit2", "github", "flask", "rich", "jinja2", "psutil", "junitparser", "asyncio"} == set()
