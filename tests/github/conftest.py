"""What tests against the fake GitHub get."""

from tests.github.fixtures import hub, own_hub

__all__ = ["hub", "own_hub"]
