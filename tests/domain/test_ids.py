"""Names of runs on other machines, and of clones as hosts."""

import pytest

from gitsched.domain.ids import far_ref, far_run, far_run_in, host_name, is_other_clone


def test_a_far_run_is_named_and_read_back() -> None:
    run = far_run("b1", "3", 2, "0123456789abcdef")
    assert run == "b1/3/2/01234567"
    assert far_run_in(run) == ("b1", "3", 2, "01234567")
    assert far_ref(run, "order") == "refs/gitsched/runs/b1/3.2.01234567.order"


@pytest.mark.parametrize(
    "text", ["", "b1/3/2", "b1/x/2/01234567", "../3/2/01234567", "b1/3/2/01234567/", "B/3/2/01234567"]
)
def test_whatever_else_names_none(text: str) -> None:
    assert far_run_in(text) is None


@pytest.mark.parametrize(
    ("host", "own", "is_other"),
    [
        ("desk+1a2b", "desk+9f8e", True),
        ("desk+1a2b", "laptop+1a2b", False),
        ("desk", "desk+1a2b", False),
        ("desk+1a2b", "desk", False),
        ("desk", "laptop", False),
    ],
)
def test_another_clone_is_told_by_its_mark_alone(host: str, own: str, is_other: bool) -> None:
    assert is_other_clone(host, own) is is_other


def test_a_clone_is_named_as_a_host_by_machine_and_mark() -> None:
    assert (host_name("desk", ""), host_name("desk", "1a2b")) == ("desk", "desk+1a2b")
