import pytest

from gitsched.config.parse import parse_settings


@pytest.mark.parametrize("merge", ["manual", "direct", "auto", "queue", "label:go"])
def test_every_merge_mechanism_is_served(merge: str) -> None:
    assert parse_settings(f'ship.merge = "{merge}"').ship.merge == merge


def test_a_batch_may_be_told_of_nowhere() -> None:
    assert parse_settings('project.anchor = "none"').project.anchor == "none"


def test_tables_that_only_repeat_defaults_are_taken() -> None:
    parse_settings('[github]\n[webhook]\ndisabled = false\n[budget.day]\n[fix]\ntier = "mid"\n')
