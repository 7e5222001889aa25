"""What somebody meets who has just begun."""

from tests.cli.calling import Project


def test_an_agent_that_is_named_after_the_first_run_is_taken_by_a_reload(project: Project) -> None:
    """What a newcomer does: run without an agent, name one, run again. Each time `run` ends with 1 and `why` knows."""
    issues = project.issues(2)
    written = project.repo / "gitsched.toml"
    text = written.read_text()
    absent = text.replace("fake", "other").replace('["sh", "', '["no-such-program", "')
    written.write_text(absent)
    first = project("run", *issues)
    assert (first.code, "profile-missing:other  gitsched doctor" in first.out) == (1, True)
    written.write_text(text)
    again = project("run", *issues)
    assert (again.code, "profile-missing:fake  gitsched resume b1 --reload" in again.out) == (1, True)
    assert project("resume", "b1", "--reload").code == 0
    assert project("run", *issues).code == 0
