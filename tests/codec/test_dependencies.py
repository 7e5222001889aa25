"""Dependencies that an issue's text declares."""

import pytest

from gitsched.codec.dependencies import dependencies_in


@pytest.mark.parametrize(
    ("body", "deps"),
    [
        ("", ()),
        ("Depends on #3", (3,)),
        ("depends-on: #3, #4 and #5\n- Blocked by #6", (3, 4, 5, 6)),
        ("**Depends on:** #3 for the login\r\nBlocked by issue #4", (3, 4)),
        ("- [ ] blocked by #7, and #8", (7, 8)),
        ("Depends on #3\nDepends on #3", (3,)),
        ("This depends on #3", ()),
        ("Depends on acme/other#3", ()),
        ("Depends on #0", ()),
        ("> Depends on #3\n    Depends on #4", ()),
        ("```\nDepends on #3\n~~~\n````\nDepends on #4", (4,)),
        ("~~~\nDepends on #3\n~~\n```\n~~~\nDepends on #4", (4,)),
        ("```\nDepends on #3", ()),
        ("See\u2028Depends on #3\x0cDepends on #4\x85Depends on #5\rDepends on #6", (6,)),
    ],
)
def test_only_lines_that_declare_count(body: str, deps: tuple[int, ...]) -> None:
    assert dependencies_in(body) == deps
