import pytest

from gitsched.config.lines import KeyPath
from gitsched.config.spot import Spot, dotted


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ((), ""),
        (("a", "b-c"), "a.b-c"),
        (("gates", 1, "run", 0), "gates[2].run[1]"),
        (("a", "b c", "d"), "a.'b c'.d"),
        (("x.y",), "'x.y'"),
    ],
)
def test_a_path_is_shown_as_a_person_would_write_it(path: KeyPath, shown: str) -> None:
    assert dotted(path) == shown


def test_a_key_that_is_not_written_has_the_line_of_the_nearest_table_around_it() -> None:
    spot = Spot("f", {("a",): 3, ("a", "b"): 7})
    assert [spot.at(path).line for path in [("a", "b", "c"), ("a", "x"), ("y",), ()]] == [7, 3, 1, 1]
