"""Fields of a record that this version does not know: they survive a round trip."""

from collections.abc import Mapping
from typing import Any

Extra = Mapping[str, Any]
