"""Every fixed word has a meaning that reads as a sentence, and a step that is a verb we have or a sentence."""

import re
from pathlib import Path

import pytest

from gitsched.cli.catalogue import VERBS
from gitsched.view.words import BATCH_STEPS, ENTRY_STEPS, MEMBER_STEPS, REASONS, sentence_of, step_of
from tests.golden import ROOT

NAMES = {"unit": "3", "issue": "3", "batch": "b1", "pr": "7"}
STEPS = sorted({*ENTRY_STEPS.values(), *MEMBER_STEPS.values(), *BATCH_STEPS.values()})
KNOWN = {verb for section in VERBS.values() for verb in section}


@pytest.mark.parametrize("word", REASONS)
def test_a_reason_reads_as_a_sentence_and_its_step_can_be_done(word: str) -> None:
    said, step = sentence_of(f"{word}:9"), step_of(f"{word}:9", NAMES)
    assert re.fullmatch(r"[A-Za-z].*\.", said)
    assert "{" not in said + step
    if step.startswith("gitsched "):
        assert step.split()[1] in KNOWN


@pytest.mark.parametrize("step", STEPS)
def test_a_step_of_a_state_names_a_verb_that_there_is(step: str) -> None:
    filled = step.format(**NAMES)
    assert not filled.startswith("gitsched ") or filled.split()[1] in KNOWN


def test_what_follows_the_colon_is_quoted_for_a_shell_in_commands_alone() -> None:
    assert step_of("label:on hold; rm -rf x", NAMES) == "gitsched issue edit 3 --remove-label 'on hold; rm -rf x'"
    assert sentence_of("label:on hold") == "The label 'on hold' keeps it out."


def test_an_unknown_word_is_its_own_sentence_and_asks_for_nothing() -> None:
    assert (sentence_of("the API is gone."), step_of("the API is gone", NAMES)) == ("the API is gone.", "")


def test_the_words_that_policy_gives_as_reasons_are_known() -> None:
    given = re.compile(r'yield f?"([a-z]+(?:-[a-z]+)*)[":]|reason=f?"([a-z]+(?:-[a-z]+)+)[":]')
    sources = [Path(ROOT / "gitsched/policy/admit.py"), Path(ROOT / "gitsched/policy/batches.py")]
    found = {a or b for source in sources for a, b in given.findall(source.read_text(encoding="utf-8"))}
    assert "capacity" in found
    assert found - set(REASONS) == set()
