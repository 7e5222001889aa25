"""What a history would have cost, as a document, a table and a plot."""

from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct

from gitsched.domain.counting import how_many
from gitsched.domain.past import Bill, PastMember
from gitsched.view.clean import one_line
from gitsched.view.table import Look, render_table

_HEADINGS: Final = ("batch", "policy", "suite runs", "test runs", "rounds", "caught", "sent back in vain", "conflicts")
_COLOURS: Final = ("#1a7f37", "#6e7781", "#8a6100", "#c62a30")
_BAR, _LEFT, _WIDTH = 18, 190, 720


class Replay(Struct, frozen=True, kw_only=True):
    """One way of working through the history."""

    size: int
    policy: str
    bill: Bill
    conflict_count: int
    """Members that could not have worked side by side with those before them in their batch."""


def backtest_document(span: str, members: Sequence[PastMember], replays: Sequence[Replay]) -> dict[str, Any]:
    """Write what `backtest --json` prints."""
    return {
        "range": span,
        "members": len(members),
        "culprits": sorted({number for member in members for number in member.reverts}),
        "replays": [
            {
                "batch_size": replay.size,
                "policy": replay.policy,
                "suite_runs": replay.bill.suite_count,
                "test_runs": replay.bill.step_count,
                "rounds": replay.bill.rounds_count,
                "caught": len(replay.bill.caught),
                "false_evictions": len(replay.bill.false),
                "conflicts": replay.conflict_count,
            }
            for replay in replays
        ],
    }


def render_backtest(document: dict[str, Any], members: Sequence[PastMember], look: Look) -> str:
    """Write what the history holds, then one row for each batch size and policy."""
    culprits = document["culprits"]
    named = [one_line(f"  {members[n - 1].commit[:12]} {members[n - 1].title}", 100) for n in culprits[:10]]
    more = [f"  and {len(culprits) - 10} more"] if len(culprits) > 10 else []
    were = "was" if len(culprits) == 1 else "were"
    many = how_many(document["members"], "member")
    head = f"{many}, of whom {len(culprits)} {were} taken back later" + (":" if culprits else ".")
    rows = [tuple(map(str, replay.values())) for replay in document["replays"]]
    return "\n".join([head, *named, *more, "", render_table(_HEADINGS, rows, look)])


def render_plot(document: dict[str, Any]) -> str:
    """Draw the suite runs of every batch size and policy as bars: an SVG that needs nothing else."""
    replays = document["replays"]
    policies = list(dict.fromkeys(replay["policy"] for replay in replays))
    most = max((replay["suite_runs"] for replay in replays), default=1) or 1
    height = 50 + len(replays) * (_BAR + 6)
    box = f"0 0 {_LEFT + _WIDTH + 90} {height}"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" font-family="sans-serif" font-size="13" role="img">',
        f"<title>Suite runs over {document['members']} members</title>",
        '<rect width="100%" height="100%" fill="#fff"/>',
        f'<text x="10" y="24" font-weight="600">Suite runs over {document["members"]} members</text>',
    ]
    for row, replay in enumerate(replays):
        y, width = 40 + row * (_BAR + 6), round(_WIDTH * replay["suite_runs"] / most)
        colour = _COLOURS[policies.index(replay["policy"]) % len(_COLOURS)]
        lines += [
            f'<text x="10" y="{y + 14}">{replay["batch_size"]} · {replay["policy"]}</text>',
            f'<rect x="{_LEFT}" y="{y}" width="{width}" height="{_BAR}" fill="{colour}"/>',
            f'<text x="{_LEFT + width + 8}" y="{y + 14}">{replay["suite_runs"]}</text>',
        ]
    return "\n".join([*lines, "</svg>"]) + "\n"
