"""The replay of a repository's own history: the same numbers twice, and not a trace."""

import subprocess
from pathlib import Path

import pytest

from gitsched.engine.past import PastCommit, members_of
from tests.cli.calling import Project
from tests.real_git import Git


def commit(git: Git, repo: Path, file: str, text: str, message: str) -> str:
    (repo / file).write_text(text)
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", message)
    return git(repo, "rev-parse", "HEAD").strip()


@pytest.fixture
def history(project: Project, git: Git) -> Project:
    """Give 13 members: two write the same line, one is taken back by a merge, two commits are of one issue."""
    repo = project.repo
    git(repo, "tag", "begin")
    bad = ""
    for number in range(1, 9):
        made = commit(git, repo, f"file-{number % 7}", f"text {number}\n", f"Change {number}")
        bad = made if number == 3 else bad
    git(repo, "switch", "-q", "-c", "mend")
    git(repo, "revert", "--no-edit", bad)
    git(repo, "switch", "-q", "-")
    git(repo, "merge", "-q", "--no-ff", "-m", "Merge the mend", "mend")
    for part in "ab":
        commit(git, repo, f"part-{part}", part, f"Part {part}\n\nGitsched-Issue: 40")
    for number in range(10, 13):
        commit(git, repo, f"more-{number}", "more\n", f"More \x1b[31m{number}")
    return project


def test_it_prints_the_same_twice_and_leaves_no_trace(history: Project, git: Git) -> None:
    """I-16: suite runs and false evictions per policy; no ref, tree or file is changed, no object is written."""
    before = _traces(history, git)
    first = history("backtest", "begin..HEAD", "--batch-size", 4, 8, "--json")
    assert (first.code, first.document["members"], first.document["culprits"]) == (0, 13, [3])
    rows = {(row["batch_size"], row["policy"]): row for row in first.document["replays"]}
    assert {size for size, _ in rows} == {4, 8}
    ours, singly = rows[4, "gitsched"], rows[4, "one by one"]
    assert (ours["caught"], ours["false_evictions"], singly["suite_runs"]) == (1, 0, 13)
    assert ours["suite_runs"] < singly["suite_runs"]
    assert rows[4, "all sent back"]["false_evictions"] == 3
    assert (rows[4, "gitsched"]["conflicts"], rows[8, "gitsched"]["conflicts"]) == (0, 1)
    assert history("backtest", "begin..HEAD", "--batch-size", 4, 8, "--json").out == first.out
    assert _traces(history, git) == before


def _traces(project: Project, git: Git) -> tuple[dict[str, str], dict[Path, int], str]:
    told = git(project.repo, "--no-optional-locks", "status", "--porcelain", "--ignored")
    files = {path: path.stat() for path in project.repo.rglob("*") if path.is_file()}
    # git notes on a pack that one of its objects was asked for: the time changes, and nothing else.
    kept = {path: stat.st_size if path.suffix == ".pack" else stat.st_mtime_ns for path, stat in files.items()}
    return project.refs(), kept, told


def test_two_hundred_commits_are_replayed_twice_alike(project: Project, git: Git) -> None:
    """I-16: HEAD~200..HEAD, ten of which were taken back: all are counted, and not a trace is left."""
    lines, base = [], git(project.repo, "rev-parse", "HEAD")
    for number in range(1, 191):
        lines += [
            f"commit refs/heads/main\nmark :{number}",
            f"committer Ada <ada@example.org> {1_700_000_000 + number} +0000",
            f"data <<.\nChange {number}\n.\nfrom {base if number == 1 else f':{number - 1}'}",
            f"M 100644 inline file-{number}\ndata <<.\n{number}\n.\n",
        ]
    feed = "\n".join(lines)
    subprocess.run(["git", "-C", project.repo, "fast-import", "--quiet"], input=feed, text=True, check=True)
    git(project.repo, "reset", "-q", "--hard")
    git(project.repo, "revert", "--no-edit", *(f"main~{3 + 17 * number}" for number in range(10)))
    before = _traces(project, git)
    first = project("backtest", "HEAD~200..HEAD", "--batch-size", 4, 8, "--json")
    assert (first.code, first.document["members"], len(first.document["culprits"])) == (0, 200, 10)
    rows = {(row["batch_size"], row["policy"]): row for row in first.document["replays"]}
    assert len(rows) == 8
    assert all({"suite_runs", "false_evictions"} <= set(row) for row in rows.values())
    assert rows[8, "one by one"]["suite_runs"] == 200
    assert project("backtest", "HEAD~200..HEAD", "--batch-size", 4, 8, "--json").out == first.out
    assert _traces(project, git) == before


def test_it_tells_a_table_and_draws_a_plot(history: Project) -> None:
    ended = history("backtest", "begin..HEAD", "--svg", "plot.svg")
    assert "13 members, of whom 1 was taken back later:" in ended.out
    assert "sent back in vain" in ended.out
    assert "\x1b" not in ended.out
    assert (history.repo / "plot.svg").read_text().count("<rect") == 1 + 8


def test_another_policy_is_read_from_a_file(history: Project) -> None:
    (history.repo / "other.toml").write_text('[suite]\nrun = "none"\n[bisect]\nconfirm = 1\nparallel = 8\n')
    steps = [
        next(row for row in history("backtest", "begin..HEAD", 8, "--json", *more).document["replays"])["test_runs"]
        for more in ([], ["--policy", "other.toml"])
    ]
    assert steps[1] < steps[0]


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["nowhere..HEAD"],
        ["HEAD..HEAD"],
        ["begin..HEAD", "0"],
        ["begin..HEAD", "HEAD"],
        ["begin..HEAD", "--policy", "no"],
    ],
)
def test_what_cannot_be_replayed_is_refused(history: Project, words: list[str]) -> None:
    """I-04: three sentences, and an empty standard output."""
    ended = history("backtest", *words)
    assert (ended.code, ended.out, len(ended.sentences)) == (2, "", 3)


def test_an_option_is_no_range(history: Project) -> None:
    ended = history("backtest", "--", "--output=evil")
    assert (ended.code, len(ended.sentences)) == (2, 3)
    assert not (history.repo / "evil").exists()


def test_commits_in_a_row_of_one_issue_are_one_member() -> None:
    message = "Part\n\nGitsched-Issue: 7"
    commits = {"b": PastCommit(("a",), message), "c": PastCommit(("b",), message), "d": PastCommit(("c",), "Other")}
    members, changes = members_of("d", commits)
    assert [(member.number, member.commit) for member in members] == [(1, "c"), (2, "d")]
    assert [(change.before, change.head) for change in changes] == [("a", "c"), ("c", "d")]
