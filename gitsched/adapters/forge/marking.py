"""Markers: what tells a comment or pull request of ours from everybody else's, where no reader sees it."""


def marked(body: str, marker: str) -> str:
    """Put the marker under a body, where no reader sees it."""
    return f"{body.rstrip()}\n\n{_comment(marker)}\n"


def carries(body: str, marker: str) -> bool:
    """Say whether a body carries the marker, on a line of its own."""
    return _comment(marker) in body.splitlines()


def _comment(marker: str) -> str:
    assert "--" not in marker
    assert marker.isprintable()
    return f"<!-- {marker} -->"
