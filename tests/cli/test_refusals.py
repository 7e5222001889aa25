"""Bad input: three sentences on standard error, nothing on standard output, nothing written, the right exit code."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.calling import Project, call
from tests.real_git import run_git

Prepare = Callable[[Project], object]


def nothing(project: Project) -> None: ...


def queued(project: Project) -> None:
    project.issues(3)
    project("enqueue", 1)


def closed(project: Project) -> None:
    project.issues(1)
    project("issue", "close", 1)


def cyclic(project: Project) -> None:
    project("issue", "new", "--title", "A", "--deps", "2")
    project("issue", "new", "--title", "B", "--deps", "1")


def selfish(project: Project) -> None:
    project("issue", "new", "--title", "A", "--deps", "1")


def unproven(project: Project) -> None:
    project.issues(1)
    text = (project.repo / "gitsched.toml").read_text()
    (project.repo / "gitsched.toml").write_text(text.replace("[suite]", "[ladder]").split("[ladder]")[0])


def misspelled(project: Project) -> None:
    project.configure("[batch]\nmax_member = 4\n")


def remote(project: Project) -> None:
    text = (project.repo / "gitsched.toml").read_text()
    (project.repo / "gitsched.toml").write_text(text.replace('target = "main"', 'target = "main"\nremote = "origin"'))


def elsewhere(project: Project) -> None:
    text = (project.repo / "gitsched.toml").read_text()
    (project.repo / "gitsched.toml").write_text(text.replace('target = "main"', 'target = "nowhere"'))


def unborn(project: Project) -> None:
    run_git(project.repo, "checkout", "-q", "--orphan", "new")
    run_git(project.repo, "branch", "-q", "-D", "main")


def bare_toml(project: Project) -> None:
    (project.repo / "gitsched.toml").unlink()


def unparsable(project: Project) -> None:
    (project.repo / "bad.md").write_text("---\ntitle: [a\n---\n")


CASES: list[tuple[str, Prepare, list[str], int, str]] = [
    ("unknown-issue", nothing, ["enqueue", "9"], 1, "no such issue"),
    ("duplicate", queued, ["enqueue", "1"], 1, "queue"),
    ("named-twice", queued, ["enqueue", "2", "2"], 1, "twice"),
    ("cycle", cyclic, ["enqueue", "1", "2"], 1, "1"),
    ("self-dependency", selfish, ["enqueue", "1"], 1, "itself"),
    ("self-dependency-by-option", queued, ["enqueue", "2", "--deps", "2"], 1, "itself"),
    ("closed-issue", closed, ["enqueue", "1"], 1, "closed"),
    ("no-number", nothing, ["enqueue", "x"], 2, "'x'"),
    ("no-issue", nothing, ["enqueue"], 2, "None is named"),
    ("bad-batch-id", queued, ["enqueue", "2", "3", "--batch", "Not An Id"], 2, "batch id"),
    ("leading-dash-batch", queued, ["enqueue", "2", "3", "--batch=-x"], 2, "batch id"),
    ("bad-tier", queued, ["enqueue", "2", "--tier", "huge"], 2, "tier"),
    ("bad-priority", queued, ["enqueue", "2", "--priority", "high"], 2, "priority"),
    ("bad-group", queued, ["enqueue", "2", "3", "--group", "2"], 2, "group"),
    ("glob-that-leads-out", queued, ["enqueue", "2", "--files", "../x"], 2, "file pattern"),
    ("solo-and-batch", queued, ["enqueue", "2", "--solo", "--batch", "b7"], 2, "--solo"),
    ("nothing-selected", queued, ["enqueue", "--label", "nobody"], 2, "No open issue"),
    ("no-json-file", queued, ["enqueue", "--from", "none.json"], 2, "none.json"),
    ("unknown-unit", queued, ["why", "b9"], 1, "'b9'"),
    ("unknown-unit-of-log", queued, ["log", "77"], 1, "'77'"),
    ("issue-as-batch", queued, ["seal", "1"], 1, "issue"),
    ("not-parked", queued, ["requeue", "1"], 1, "not parked"),
    ("bad-hazard", queued, ["requeue", "1", "--allow", "hazard:none"], 2, "hazard"),
    ("reload-nothing", queued, ["resume", "--reload"], 2, "No batch"),
    ("bad-moment", queued, ["show", "1", "--at", "yesterday-ish"], 2, "moment"),
    ("before-the-beginning", queued, ["show", "1", "--at", "1999-01-01"], 1, "begins later"),
    ("no-log-yet", queued, ["logs", "1"], 1, "No agent"),
    ("no-such-request", queued, ["pr", "merge", "7"], 1, "no pull request"),
    ("two-texts", nothing, ["issue", "new", "--title", "A", "--body", "x", "--body-file", "y"], 2, "one of the two"),
    ("no-text", nothing, ["issue", "new", "--title", "A", "--body-file", "none.txt"], 2, "none.txt"),
    ("title-of-two-lines", nothing, ["issue", "new", "--title", "A\nB"], 2, "one line"),
    ("no-such-issue", nothing, ["issue", "show", "9"], 1, "9"),
    ("unparsable-front-matter", unparsable, ["issue", "import", "bad.md"], 2, "bad.md"),
    ("no-file-to-import", nothing, ["issue", "import", "none.md"], 2, "none.md"),
    ("no-suite", unproven, ["run", "1"], 1, "[suite]"),
    ("unknown-key", misspelled, ["status"], 2, "max_members"),
    ("remote", remote, ["enqueue", "1"], 2, "no remote of that name"),
    ("missing-target", elsewhere, ["run"], 2, "nowhere"),
    ("unborn", unborn, ["run"], 1, "no commit"),
    ("unconfigured", bare_toml, ["enqueue", "1"], 2, "gitsched init"),
    ("unknown-verb", nothing, ["statuss"], 2, "'status'"),
    ("unknown-option", nothing, ["status", "--loud"], 2, "--loud"),
    ("missing-argument", nothing, ["seal"], 2, "BATCH"),
    ("slots-out-of-range", nothing, ["run", "--slots", "0", "--once"], 2, "slots"),
    ("post-outside-a-run", nothing, ["post", "--phase", "plan", "--status", "done"], 2, "not inside a run"),
    ("done-outside-a-run", nothing, ["done"], 2, "not inside a run"),
    ("hand-back-outside-a-run", nothing, ["hand-back", "--reason", "r"], 2, "not inside a run"),
    ("check-outside-a-run", nothing, ["check"], 2, "not inside a run"),
]


@pytest.mark.parametrize(("prepare", "words", "code", "word"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_three_sentences_and_nothing_written(
    project: Project, prepare: Prepare, words: list[str], code: int, word: str
) -> None:
    """I-04: what was asked, what stood against it, what to do; standard output stays empty, no ref moves."""
    prepare(project)
    before = project.refs()
    ended = project(*words)
    assert (ended.code, ended.out, len(ended.sentences)) == (code, "", 3), ended.err
    assert word in ended.err, ended.err
    assert all(sentence.strip() for sentence in ended.sentences)
    assert project.refs() == before


def test_a_folder_that_is_none_and_one_without_a_repository(tmp_path: Path) -> None:
    missing, plain = call("-C", tmp_path / "none", "status"), call("-C", tmp_path, "status")
    assert (missing.code, len(missing.sentences)) == (2, 3)
    assert (plain.code, len(plain.sentences)) == (1, 3)


def test_a_key_that_is_nearly_right_is_refused_with_its_line_and_the_nearest(project: Project) -> None:
    """I-05: exit 2 with file, line, the key and `max_members` as the nearest."""
    project.configure("[batch]\nmax_member = 4\n")
    line = (project.repo / "gitsched.toml").read_text().splitlines().index("max_member = 4") + 1
    ended = project("plan")
    assert ended.code == 2
    assert f"gitsched.toml, line {line}" in ended.err
    assert "max_member" in ended.err
    assert "max_members" in ended.sentences[1] + ended.sentences[2]


@pytest.mark.parametrize(
    "more",
    [
        "[stall]\ntimeout = 0\n",
        '[stall]\ntimeout = "5 parsecs"\n',
        "[agents.empty]\ncommand = []\n",
        '[agents.tiered]\ncommand = ["true"]\ntier = "huge"\n',
        '[disk]\nfloor = "2"\n',
    ],
    ids=["number", "unit", "empty-command", "tier", "size"],
)
def test_bad_values_are_refused_with_line_and_key(project: Project, more: str) -> None:
    """I-06: a bare number, an unknown unit, an empty command, an unknown tier, a size without unit."""
    project.configure(more)
    ended = project("status", "--json")
    assert (ended.code, ended.out) == (2, "")
    assert ", line " in ended.sentences[0]


def test_the_third_sentence_of_a_refusal_is_a_command_that_works(project: Project) -> None:
    """I-04: the third sentence names a command, and it can be run."""
    queued(project)
    for words in (["requeue", "1"], ["seal", "1"], ["logs", "1"], ["why", "b9"], ["enqueue", "9"]):
        remedy = project(*words).sentences[2]
        command = remedy.split("`")[1].split()
        assert command[0] == "gitsched"
        assert project(*command[1:]).code == 0, remedy
