"""What people do at the local forge."""

import pytest
from msgspec.structs import replace

from gitsched.domain.forge import IssueDraft
from gitsched.domain.words import PullRequestState
from gitsched.errors import RefusedError, UnknownUnitError, UsageError
from tests.forge.places import Place

FILE = "---\ntitle: {}\nlabels: [bug]\n---\nBody\n"


def test_issues_are_imported_in_order_by_one_act(place: Place) -> None:
    numbers = place.tracker.import_issues([("a.md", FILE.format("One")), ("b.md", FILE.format("Two"))])
    assert numbers == (1, 2)
    assert place.subjects() == ["Open issue 1: One"]
    found = place.forge.issues()[2]
    assert (found.title, found.labels, found.body, found.author) == ("Two", ("bug",), "Body", "ada")
    assert place.tracker.import_issues([("a.md", FILE.format("One"))]) == (3,)


def test_an_import_that_does_not_parse_writes_nothing(place: Place) -> None:
    with pytest.raises(UsageError, match=r"b.md, line 3: 'lables'\."):
        place.tracker.import_issues([("a.md", FILE.format("One")), ("b.md", "---\ntitle: x\nlables: [y]\n---\n")])
    assert place.forge.issues() == {}
    assert place.git("for-each-ref", "refs/gitsched") == ""


def test_importing_nothing_writes_nothing(place: Place) -> None:
    assert place.tracker.import_issues([]) == ()
    assert place.git("for-each-ref", "refs/gitsched") == ""


@pytest.mark.parametrize("title", ["", "  ", "two\nlines", "nul\0", "x" * 257, "end\n"])
def test_a_title_that_is_none_is_refused(place: Place, title: str) -> None:
    number = place.issue()
    with pytest.raises(UsageError, match="The title"):
        place.issue(title)
    with pytest.raises(UsageError):
        place.tracker.edit_issue(number, title=title)
    assert len(place.subjects()) == 1


@pytest.mark.parametrize("title", ["-rf", "--title", "'q\" `b` $(x)", "ünï 👩‍💻", "../../x", "bytes \udcff", "\ud800"])
def test_any_other_title_is_kept(place: Place, title: str) -> None:
    number = place.issue(title, body=title, labels=(title,), files=(title,), milestone=title)
    found = place.forge.issues()[number]
    storable = title.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    assert (found.title, found.body, found.labels, found.files) == (storable, storable, (storable,), (storable,))
    assert found.milestone == storable


def test_an_issue_is_edited(place: Place) -> None:
    number = place.issue(labels=("bug", "old"))
    before = place.tracker.issue(number)
    edited = place.tracker.edit_issue(number, add_labels=["new", "bug"], remove_labels=["old"], title="T", body="B")
    assert (edited.labels, edited.title, edited.body) == (("bug", "new"), "T", "B")
    assert edited == place.tracker.issue(number)
    assert edited.updated_at > before.updated_at
    assert place.tracker.edit_issue(number) == edited
    assert place.subjects() == ["Open issue 1: Add login", "Edit issue 1"]


def test_an_issue_is_closed_and_reopened(place: Place) -> None:
    number = place.issue()
    before = place.tracker.issue(number)
    place.tracker.close(number, as_not_planned=True)
    closed = place.tracker.issue(number)
    assert (closed.is_open, closed.as_not_planned) == (False, True)
    place.tracker.close(number)
    assert place.tracker.issue(number) == closed
    place.tracker.reopen(number)
    assert replace(place.tracker.issue(number), updated_at=before.updated_at) == before
    assert place.subjects()[1:] == ["Close issue 1", "Reopen issue 1"]


def test_a_request_is_closed_and_reopened_until_it_is_merged(place: Place) -> None:
    pull = place.ready()
    place.tracker.reopen(pull.number)
    place.tracker.close(pull.number)
    place.tracker.close(pull.number)
    assert place.forge.pull_requests()[0].state is PullRequestState.CLOSED
    place.tracker.reopen(pull.number)
    assert place.subjects()[1:] == ["Close pull request 1", "Reopen pull request 1"]
    place.forge.merge(pull.number, pull.head)
    place.tracker.close(pull.number)
    with pytest.raises(RefusedError, match="It is merged"):
        place.tracker.reopen(pull.number)


def test_numbers_that_are_none_are_refused(place: Place) -> None:
    for act in (place.tracker.close, place.tracker.reopen, place.tracker.issue, place.tracker.edit_issue):
        with pytest.raises(UnknownUnitError):
            act(7)
    with pytest.raises(UnknownUnitError):
        place.tracker.comment(7, "x")


def test_an_author_that_git_does_not_take_is_written_so_that_it_does(place: Place) -> None:
    place.tracker._author = "<evil>\nname\0"
    assert place.tracker.new_issue(IssueDraft(title="x")) == 1
    assert place.git("log", "--format=%an", "refs/gitsched/forge") == "evil  name"
    place.tracker._author = "<>"
    place.tracker.new_issue(IssueDraft(title="y"))
    assert place.git("log", "-1", "--format=%an", "refs/gitsched/forge") == "gitsched"
