"""What `gitsched init` finds in a repository: the branch that is checked out, its test runner, an agent."""

import shutil

from gitsched.adapters.git.survey import kind_of, texts_of, tracked_names
from gitsched.config.detect import TEXTS_WANTED, SuiteFacts, detect_suite
from gitsched.config.presets import PRESETS, preset_names
from gitsched.wiring.clone import Clone

_TESTS_READ = 20


def current_branch(clone: Clone) -> str | None:
    """Name the branch that HEAD of the main checkout names, made or not; None when it is detached."""
    return kind_of(clone.common_dir).current


def remote_here(clone: Clone) -> str:
    """Name the remote that is to be the authority: origin, or the only one; empty where there is none to choose."""
    from gitsched.adapters.git.process import engine_git

    names = engine_git(clone.common_dir).run("remote").lines()
    return "origin" if "origin" in names else names[0] if len(names) == 1 else ""


def suite_here(clone: Clone) -> SuiteFacts | None:
    """Recognise the test runner by what the main checkout tracks; None where nothing speaks for one."""
    names = tracked_names(clone.root)
    tests = sorted(name for name in names if name.endswith(".py") and "test" in name)
    return detect_suite(names, texts_of(clone.root, [*TEXTS_WANTED, *tests[:_TESTS_READ]]))


def agent_here() -> str | None:
    """Name the first preset whose program is on PATH; None where there is none."""
    return next((name for name in preset_names() if shutil.which(PRESETS[name].command[0])), None)
