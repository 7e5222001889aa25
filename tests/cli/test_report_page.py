"""The report as a page, from a real batch; and what it cost."""

from tests.cli.calling import AGENT, Project
from tests.view.test_html import Page


def test_a_real_batch_has_its_page(project: Project) -> None:
    """I-14: one self-contained page of a batch from which one member was evicted, the same each time."""
    project.agent(AGENT.replace("git add", '[ "$GITSCHED_ISSUE" = 2 ] && touch broken\ngit add'))
    project.issues(2)
    project("run", 1, 2)
    assert project("report", "b1", "--html", "out.html").out == f"Wrote {project.repo / 'out.html'}.\n"
    page = (project.repo / "out.html").read_text()
    assert not [word for word in ("evicted", "landed", "Who ran when", "suite-failed") if word not in page]
    assert {address for address in Page(page).addresses if not address.startswith("#")} == set()
    project("report", "b1", "--html", "again.html")
    assert (project.repo / "again.html").read_text() == page
    project("report", "--night", "--html", "night.html")
    assert "The night since" in (project.repo / "night.html").read_text()


def test_a_page_that_cannot_be_written_is_refused(project: Project) -> None:
    project.issues(2)
    project("enqueue", 1, 2)
    ended = project("report", "b1", "--html", "nowhere/out.html")
    assert (ended.code, ended.out, len(ended.sentences)) == (2, "", 3)


def test_stats_count_what_is_unknown_apart(project: Project) -> None:
    """I-15: the sums by member, batch and day agree, and say how many runs reported nothing."""
    project.issues(2)
    assert project("stats").out == "Nothing has been run yet.\n"
    project("run", 1, 2)
    for by in ("member", "batch", "day"):
        rows = project("stats", "--by", by, "--json").document["rows"]
        assert sum(row["runs"] for row in rows) == sum(row["unknown_runs"] for row in rows) == 2
        assert [row["usd"] for row in rows] == [None] * len(rows)
    assert "together" in project("stats", "--by", "member").out


def test_a_token_in_a_commit_message_is_repeated_nowhere(project: Project) -> None:
    """Neither page, report, request, comment nor screen shows it; the commit itself is the agent's."""
    token = "ghp_" + "a1B2" * 9
    project.configure(merge="manual")
    project.agent(AGENT.replace("Note issue", f"Use {token} for issue"))
    project("issue", "new", "--title", f"Replace {token}")
    assert project("run", 1).code == 0
    batch = project.status()["batches"][0]
    project("report", batch["id"], "--html", "out.html")
    shown = [project("report", batch["id"]), project("pr", "show", batch["pr"]["number"]), project("issue", "show", 1)]
    shown += [project("status"), project("log"), project("issue", "list")]
    texts = [(project.repo / "out.html").read_text(), *(ended.out for ended in shown)]
    assert token in project("show", 1, "--json").out
    assert [number for number, text in enumerate(texts) if token in text] == []
    assert "for issue" in texts[0]
    assert "Use \\*\\*\\* for issue" in shown[1].out
