"""One figure as a line of JSON, beside its baseline of the same run."""

import json
from typing import NamedTuple


class Measured(NamedTuple):
    """A figure, what it is counted in, and what it stands beside."""

    value: float
    unit: str
    baseline: float


def tell(name: str, measured: Measured, target: str, *, met: bool, **more: object) -> None:
    """Print a figure; its ratio is that of the value to the baseline."""
    line = {
        "name": name,
        "value": round(measured.value, 3),
        "unit": measured.unit,
        "baseline": round(measured.baseline, 3),
        "ratio": round(measured.value / measured.baseline, 3) if measured.baseline else None,
        "target": target,
        "met": met,
        **more,
    }
    print(json.dumps(line), flush=True)
