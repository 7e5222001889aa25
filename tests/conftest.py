"""What every test gets: a sealed world, real git, golden files, and a look at what was left behind."""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.golden import golden
from tests.hermetic import hermetic, hermetic_session, worlds
from tests.leftovers import no_process_left
from tests.measuring import measured_children
from tests.real_git import git, repo, repo_template
from tests.scratch import use_memory
from tests.soundness import sound

__all__ = [
    "git",
    "golden",
    "hermetic",
    "hermetic_session",
    "measured_children",
    "no_process_left",
    "repo",
    "repo_template",
    "sound",
    "worlds",
]

# The autouse fixtures are set up once per test, which is what we want: the world of a property is one.
_CHECKS = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
settings.register_profile("quick", deadline=None, print_blob=True, suppress_health_check=_CHECKS)
settings.register_profile("gate", parent=settings.get_profile("quick"), derandomize=True)
settings.register_profile("thorough", parent=settings.get_profile("quick"), max_examples=2_000, stateful_step_count=100)
settings.load_profile("quick")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the one switch that rewrites golden files and generated pages."""
    parser.addoption("--golden-update", action="store_true", help="write golden files instead of comparing")


def pytest_configure() -> None:
    """Choose the place of temporary files before anything asks for one."""
    use_memory()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what asks the network, and what takes long, unless it was asked for by its mark; walks come first."""
    asked = config.option.markexpr or ""
    left_out = [item for item in items if _is_left_out(item, asked)]
    config.hook.pytest_deselected(items=left_out)
    kept = [item for item in items if not _is_left_out(item, asked)]
    items[:] = sorted(
        kept, key=lambda item: item.get_closest_marker("walk") is None
    )  # the longest: no one waits at the end


def _is_left_out(item: pytest.Item, asked: str) -> bool:
    if item.get_closest_marker("real"):
        return "real" not in asked
    return "long" not in asked and item.get_closest_marker("long") is not None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests said by `record_property("told", …)`: figures that are to be seen in every run."""
    for told in [*_told(terminalreporter), *_exercised(terminalreporter)]:
        terminalreporter.write_line(told)


def _told(reporter: pytest.TerminalReporter) -> Iterator[str]:
    for outcome in ("passed", "failed"):
        for report in reporter.stats.get(outcome, []):
            yield from (str(value) for name, value in report.user_properties if name == "told")


def _exercised(reporter: pytest.TerminalReporter) -> Iterator[str]:
    """Say how much of GitHub's description the tests of the fake GitHub touched."""
    # The fixture that knows ends after the test: the report of its end has no outcome that is counted.
    reports = reporter.stats.get("", [])
    found = [(name, value) for report in reports for name, value in report.user_properties]
    operations, events = (
        {one for name, value in found if name == kind for one in str(value).split()}
        for kind in ("operations", "events")
    )
    exchanges = sum(int(str(value)) for name, value in found if name == "exchanges")
    if operations:
        counts = f"{exchanges} exchanges looked up, {len(operations)} operations and {len(events)} events exercised"
        yield f"GitHub's description: {counts}"
    elif any(name == "exchanges" for name, _ in found):
        yield "GitHub's description: NOT looked at, it is not here (`make descriptions` fetches it)"
