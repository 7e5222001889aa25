"""No dead code: what the packages define, the packages use. Tests do not count as users.

Fields of records, members of closed sets and parameters of ports are wire names and promises: their readers
are encoders and people, so only what stands at the margin of a module, or can be called, is looked at.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from vulture.core import Vulture

from tests.golden import ROOT

# Called by a library or by name, where no reader of the code can see it; each with its caller. A name that is
# used after all must leave this list.
CALLED_FROM_OUTSIDE: dict[str, str] = {
    "gitsched/adapters/notifier.py redirect_request": "urllib calls it for an answer that points elsewhere",
    "gitsched/adapters/forge/github/manifest.py do_GET": "http.server calls it for a request",
    "gitsched/adapters/forge/github/manifest.py log_message": "http.server calls it after each",
    "gitsched/cli/lazy.py format_commands": "click calls it to show the help of a group",
    "gitsched/codec/commands.py handle_endtag": "html.parser calls it on the reader of raw HTML",
    "gitsched/codec/commands.py handle_starttag": "as above",
    "gitsched/codec/junit.py doctype": "xml's parser calls it on the builder it was given",
    "gitsched/view/configuration.py render_configuration": "`make docs` writes the reference with it",
    "gitsched/view/states.py render_states": "`make docs` writes the reference with it",
}
# Tables and questions that the specification states whole and of which a part has its caller already; each is held
# by tests, and each line goes with the feature that calls it.
AWAITED: dict[str, str] = {}
# click registers what carries these; nothing calls it by its name.
REGISTERED = [
    "@verb",
    "@*.command",
    "@*.group",
    "@*.result_callback",
    "@*.route",
    "@*.get",
    "@*.post",
    "@*.errorhandler",
    "@*.after_request",
    "@*.before_request",
]


def unused(paths: Iterable[Path]) -> Iterator[str]:
    """Yield `file name`, for all that is defined under the paths and used nowhere there."""
    reader = Vulture(ignore_decorators=REGISTERED)
    reader.scavenge([str(path) for path in paths])
    for item in reader.get_unused_code(min_confidence=60):
        path = Path(item.filename)
        line = path.read_text(encoding="utf-8").splitlines()[item.first_lineno - 1]
        if item.typ not in {"variable", "attribute"} or not line.startswith(" "):
            place = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path.name
            yield f"{place} {item.name}"


@pytest.fixture(scope="module")
def found() -> set[str]:
    return set(unused([ROOT / "gitsched", ROOT / "webhook"]))


def test_what_is_defined_is_used(found: set[str]) -> None:
    assert sorted(found - CALLED_FROM_OUTSIDE.keys() - AWAITED.keys()) == []


def test_no_excuse_has_outlived_its_cause(found: set[str]) -> None:
    assert (CALLED_FROM_OUTSIDE.keys() | AWAITED.keys()) - found == set()


def test_dead_code_is_found_and_fields_are_not(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text("LIMIT = 3\n\nclass Record:\n    field: int\n\ndef lonely(): ...\n\nprint(Record())\n")
    assert sorted(unused([module])) == ["module.py LIMIT", "module.py lonely"]
