"""The modules of an example, which is a folder of scripts and no package."""

import importlib
import sys
from typing import Any

from tests.golden import ROOT

REPLAY = ROOT / "examples/replay-release"


def replay_module(name: str) -> Any:
    """Import one module of the replay by its own name, as its neighbours do."""
    if str(REPLAY) not in sys.path:
        sys.path.append(str(REPLAY))
    return importlib.import_module(name)
