"""The table of mechanisms: every one has a row, and all that asks it can answer."""

import pytest

from gitsched.adapters.forge.github.pulls import Pulls
from gitsched.config.parse import parse_settings
from gitsched.domain.merging import TRAITS, Mechanism, Presser, merge_by


def setting_of(mechanism: Mechanism) -> str:
    return f"{mechanism}:ready" if mechanism.traits.has_label else str(mechanism)


def test_every_mechanism_has_its_row() -> None:
    assert set(TRAITS) == set(Mechanism)


@pytest.mark.parametrize("mechanism", Mechanism)
def test_somebody_presses_the_button_and_only_one(mechanism: Mechanism) -> None:
    assert [mechanism.is_a_persons, mechanism.is_ours, mechanism.is_the_forges].count(True) == 1


@pytest.mark.parametrize("mechanism", Mechanism)
def test_a_setting_names_it_and_is_written_back(mechanism: Mechanism) -> None:
    written = setting_of(mechanism)
    assert parse_settings(f'ship.merge = "{written}"').ship.merge_by.mechanism is mechanism
    assert str(merge_by(written)) == written


def test_github_knows_how_each_of_its_own_is_asked_for() -> None:
    own = {name for name, traits in TRAITS.items() if traits.presser is Presser.FORGE and not traits.has_label}
    assert set(Pulls.ASKED_BY) == own
