"""Coverage maps."""

import json

import pytest

from gitsched.codec.coverage import read_coverage


def test_lines_are_told_by_test_and_path() -> None:
    written = {
        "meta": {"format": 3},
        "files": {
            "shop/cart.py": {
                "executed_lines": [1, 2],
                "contexts": {
                    "1": ["", "tests/test_cart.py::test_total|run"],
                    "2": ["tests/test_cart.py::test_total|setup", "tests/test_tax.py::test_tax|run"],
                    "x": ["tests/test_cart.py::test_total|run"],
                },
            },
            "shop/tax.py": {"executed_lines": [7]},
        },
    }
    assert read_coverage(json.dumps(written).encode()) == {
        "tests/test_cart.py::test_total": {"shop/cart.py": frozenset({1, 2})},
        "tests/test_tax.py::test_tax": {"shop/cart.py": frozenset({2})},
    }


@pytest.mark.parametrize("data", [b"", b"[]", b'{"files": 3}', b"\xff"])
def test_what_is_no_map_tells_nothing(data: bytes) -> None:
    assert read_coverage(data) == {}
