import tomllib
from collections.abc import Iterator
from typing import Any

from hypothesis import HealthCheck, given, settings

from gitsched.config.lines import KeyPath, key_lines
from tests.config.toml_texts import Page, toml_pages


def paths_of(value: Any, path: KeyPath = ()) -> Iterator[KeyPath]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*path, key)
        yield from paths_of(item, (*path, key))


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(toml_pages())
def test_every_key_of_any_document_is_found_on_its_line(page: Page) -> None:
    assert key_lines(page.text) == page.lines
    assert set(paths_of(tomllib.loads(page.text))) == set(page.lines)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(toml_pages())
def test_line_ends_of_windows_move_nothing(page: Page) -> None:
    assert key_lines(page.text.replace("\n", "\r\n")) == page.lines


def test_a_table_has_the_line_of_its_header_even_if_an_inner_one_comes_first() -> None:
    assert key_lines("[a.b]\nx = 1\n[a]\ny = 2\n") == {
        ("a",): 3,
        ("a", "b"): 1,
        ("a", "b", "x"): 2,
        ("a", "y"): 4,
    }


def test_a_dotted_table_twice_keeps_the_first_line_of_what_it_implies() -> None:
    assert key_lines("a.b = 1\na.c = 2") == {("a",): 1, ("a", "b"): 1, ("a", "c"): 2}


def test_a_table_inside_an_array_belongs_to_its_newest_element() -> None:
    lines = key_lines("[[g]]\n[g.e]\nx = 1\n[[g]]\n[g.e]\nx = 2\n[[g.n]]\n[[g.n]]\n")
    assert lines["g", 0, "e", "x"] == 3
    assert lines["g", 1, "e", "x"] == 6
    assert lines["g", 1, "n", 1] == 8
