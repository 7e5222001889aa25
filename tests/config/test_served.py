import pytest

from gitsched.config.parse import parse_settings
from gitsched.config.served import UNSERVED
from gitsched.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "line", "key", "needs"),
    [
        ("[store]\npublish = true", 2, "store.publish", "a remote"),
    ],
)
def test_a_setting_that_nothing_serves_yet_is_refused(text: str, line: int, key: str, needs: str) -> None:
    """I-06: no setting is accepted and then ignored."""
    with pytest.raises(ConfigError) as caught:
        parse_settings(text)
    assert caught.value.exit_code == 2
    assert caught.value.asked == f"gitsched.toml, line {line}: '{key}' was to be read."
    assert caught.value.against == f"This version does not serve {needs}."


def test_the_way_out_names_the_default() -> None:
    with pytest.raises(ConfigError, match=r"Remove the key, or keep its default false\.$"):
        parse_settings("store.publish = true")


@pytest.mark.parametrize("merge", ["manual", "direct", "auto", "queue", "label:go"])
def test_every_merge_mechanism_is_served(merge: str) -> None:
    assert parse_settings(f'ship.merge = "{merge}"').ship.merge == merge


def test_a_batch_may_be_told_of_nowhere() -> None:
    assert parse_settings('project.anchor = "none"').project.anchor == "none"


def test_tables_that_only_repeat_defaults_are_taken() -> None:
    parse_settings('[github]\n[webhook]\ndisabled = false\n[budget.day]\n[fix]\ntier = "mid"\n')


def test_every_row_covers_a_setting_that_exists() -> None:
    from gitsched.config.reference import setting_rows

    keys = [row.key.replace("NAME", "*") for row in setting_rows()]
    assert [row.key for row in UNSERVED if not any(f"{k}.".startswith(f"{row.key}.") for k in keys)] == []
