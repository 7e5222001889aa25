"""One figure as a line of JSON, beside its baseline of the same run."""

import json


def tell(
    name: str,
    value: float,
    unit: str,
    baseline: float | None,
    target: str,
    *,
    met: bool,
    ratio: float | None = None,
    **more: object,
) -> None:
    """Print a figure; `ratio` is value to baseline where nothing else is said."""
    if ratio is None and baseline:
        ratio = value / baseline
    line = {
        "name": name,
        "value": round(value, 3),
        "unit": unit,
        "baseline": None if baseline is None else round(baseline, 3),
        "ratio": None if ratio is None else round(ratio, 3),
        "target": target,
        "met": met,
        **more,
    }
    print(json.dumps(line), flush=True)
