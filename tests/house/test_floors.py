"""The floors of the house: modules import lower floors only, and each library has one owner."""

import subprocess
import sys
from pathlib import Path

from tests.golden import ROOT

LINTER = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"]


def broken(root: Path) -> str:
    """Return what the import contracts of a checkout have to say; empty if all are kept."""
    ended = subprocess.run([*LINTER, "--no-cache", "--no-logo"], cwd=root, capture_output=True, text=True, check=False)
    return ended.stdout + ended.stderr if ended.returncode else ""


def test_every_import_goes_down() -> None:
    assert broken(ROOT) == ""
