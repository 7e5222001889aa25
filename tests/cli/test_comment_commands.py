"""`gitsched issue comment` runs the commands of what it says."""

from tests.cli.calling import Project


def test_a_comment_runs_its_commands_as_the_local_user(project: Project) -> None:
    project.issues(1)
    made = project("issue", "comment", 1, "--body", "/gitsched enqueue priority=3")
    assert (made.code, made.out) == (0, "Commented on 1.\n")
    assert project.status()["entries"][0]["priority"] == 3
    shown = project("issue", "comment", 1, "--body", "Why?\n\n/gitsched why")
    assert (shown.code, "1 is queued" in shown.out) == (0, True)
    assert "1 is queued" in project("issue", "show", 1).out


def test_a_refused_command_ends_with_1_and_says_why(project: Project) -> None:
    project.issues(1)
    refused = project("issue", "comment", 1, "--body", "/gitsched stop")
    assert refused.code == 1
    assert "`/gitsched stop` was refused." in refused.out


def test_a_plain_comment_needs_no_configuration(project: Project) -> None:
    project.issues(1)
    (project.repo / "gitsched.toml").unlink()
    assert project("issue", "comment", 1, "--body", "Hello.").code == 0
