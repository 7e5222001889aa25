"""zizmor finds nothing in the Action and in the workflows that people copy."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.golden import ROOT

AUDITED = [ROOT / "action.yml", *sorted((ROOT / "docs/how-to/workflows").glob("*.yml"))]


@pytest.mark.parametrize("file", AUDITED, ids=lambda file: file.name)
def test_it_is_clean(file: Path) -> None:
    zizmor = Path(sys.executable).with_name("zizmor")
    command = [str(zizmor), "--offline", "--no-progress", "--color", "never", str(file)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_no_text_of_others_is_interpolated() -> None:
    """W-30: what a shell sees holds no expression."""
    for file in AUDITED:
        for block in file.read_text().split("run:")[1:]:
            assert "${{" not in block.split("\n    - ")[0].split("\n      - ")[0]
