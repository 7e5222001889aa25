import re

import pytest

from gitsched.config.detect import SuiteFacts, detect_suite
from gitsched.config.parse import parse_settings
from gitsched.config.template import InitFacts, render_template

FACTS = [
    InitFacts("main"),
    InitFacts("trunk", SuiteFacts(("make", "test")), "claude"),
    InitFacts("rel/1.x", detect_suite(frozenset({"pytest.ini"}), {}), "aider"),
    InitFacts("main", SuiteFacts(("a b", 'q"u\\ote', "")), None),
]


@pytest.mark.parametrize("facts", FACTS)
def test_a_first_file_is_accepted_and_says_what_was_found(facts: InitFacts) -> None:
    settings = parse_settings(render_template(facts))
    assert settings.project.target == facts.target
    assert settings.agents.default == (facts.agent or "auto")
    assert settings.suite.run == (facts.suite.run if facts.suite else None)
    if facts.suite:
        assert settings.suite.report == facts.suite.report
        assert settings.suite.rerun == facts.suite.rerun


@pytest.mark.parametrize("facts", FACTS)
def test_every_commented_setting_can_be_taken_in(facts: InitFacts) -> None:
    text = render_template(facts)
    taken_in = re.sub(r"^#(?=[a-z\[])", "", text, flags=re.MULTILINE)
    settings = parse_settings(taken_in)
    assert taken_in != text
    assert settings.slots == parse_settings("").slots
    assert settings.suite.is_declared


def test_without_a_runner_the_three_lines_to_add_stand_there() -> None:
    text = render_template(InitFacts("main"))
    assert '#[suite]\n#run = ["make", "test"]\n#timeout = "30m"\n' in text


def test_a_file_for_another_forge_says_so() -> None:
    text = render_template(InitFacts("main", forge="github", remote="origin"))
    assert 'forge = "github"\nremote = "origin"' in text
