"""The command that shows a failure."""

from gitsched.config.parse import parse_settings
from gitsched.domain.verdicts import Case
from gitsched.domain.words import MemberStatus
from gitsched.policy.inquest import WHOLE
from gitsched.policy.reproduce import reproduction
from tests.policy.situations import a_member

SUITE = parse_settings(
    '[suite]\nrun = ["pytest", "--junitxml={report}"]\nreport = "junit"\n'
    'rerun = ["pytest", "--junitxml={report}", "{tests}"]\n'
).suite
CASE = Case(classname="tests.test_a", name="test_x[1 2]", file="tests/test_a.py")
PATHS = frozenset({"tests/test_a.py"})
MEMBER = a_member(2, MemberStatus.LANDED, cut="base", head="head", landed="l2", landed_from="l1")


def test_v_30_a_member_that_breaks_it_by_itself_is_looked_at_by_itself() -> None:
    """V-30: its own head, and the failing test, quoted for a shell; the report goes beside everything."""
    assert reproduction(MEMBER, "base", [CASE], SUITE, PATHS) == (
        "git switch --detach head && pytest --junitxml=\"$(mktemp)\" 'tests/test_a.py::test_x[1 2]'"
    )


def test_one_that_needs_others_is_put_on_top_of_them() -> None:
    command = reproduction(MEMBER, "l1", [WHOLE], SUITE, PATHS)
    assert command == (
        'git switch --detach l1 && git cherry-pick --no-commit base..head && pytest --junitxml="$(mktemp)"'
    )


def test_a_report_that_is_a_word_of_its_own_and_an_empty_word() -> None:
    suite = parse_settings('[suite]\nrun = ["run", "{report}"]\nreport = "junit"\n').suite
    assert str(reproduction(MEMBER, "base", [CASE], suite, PATHS)).endswith('run "$(mktemp)"')


def test_without_work_there_is_nothing_to_show() -> None:
    assert reproduction(a_member(2), "base", [CASE], SUITE, PATHS) is None
    assert reproduction(MEMBER, None, [CASE], SUITE, PATHS) is None
