"""What tests against the fake GitHub get."""

from tests.github.fixtures import hub, own_hub
from tests.github.fixtures_world import world
from tests.github.places import place

__all__ = ["hub", "own_hub", "place", "world"]
