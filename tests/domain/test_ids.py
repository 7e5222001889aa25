"""Names of runs on other machines."""

import pytest

from gitsched.domain.ids import far_ref, far_run, far_run_in


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
