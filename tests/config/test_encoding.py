import json

import msgspec
import pytest

from gitsched.config.encoding import (
    decode_settings,
    encode_settings,
    fingerprint,
)
from gitsched.config.settings import Settings
from gitsched.errors import ConfigError
from tests.config.every_key import EVERY_KEY, read


@pytest.mark.parametrize("settings", [Settings(), read(EVERY_KEY)], ids=["defaults", "every key"])
def test_settings_survive_being_kept_as_json(settings: Settings) -> None:
    assert decode_settings(json.loads(json.dumps(encode_settings(settings)))) == settings


def test_a_copy_of_another_version_reads_with_defaults_and_without_the_unknown() -> None:
    assert decode_settings({"slots": {"max": 3, "later": 1}, "newer": {}}).slots.max == 3


def test_what_is_no_copy_is_refused() -> None:
    with pytest.raises(ConfigError, match="It is not one: Expected `int`, got `str`"):
        decode_settings({"slots": {"max": "3"}})


def test_a_fingerprint_is_of_the_values_not_of_their_order() -> None:
    assert fingerprint({"a": 1, "b": [2]}) == fingerprint({"b": [2], "a": 1})
    assert fingerprint(Settings()) == fingerprint(encode_settings(Settings()))
    assert len(fingerprint(())) == 64


def test_any_changed_value_changes_the_fingerprint() -> None:
    gate = read(EVERY_KEY).gates[0]
    changed = msgspec.structs.replace(gate, timeout_s=301.0)
    assert fingerprint(gate) != fingerprint(changed)


def test_a_fingerprint_is_the_same_for_ever() -> None:
    assert fingerprint({"run": ("make", "test"), "timeout_s": 900.0}) == (
        "157fdad17f6f70370ea2ec8171722da43cfcb51b740ea38009f06f08ce4a269a"
    )
