"""Credentials by their documented forms; words that only look a little like them stay."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitsched.view.clean import clean, one_line
from gitsched.view.masking import masked

KEY = "PRIVATE KEY"
BODY = "aB3" * 20
TOKENS = [
    "ghp_" + BODY[:36],
    "github_pat_" + BODY,
    "glpat-" + BODY[:20],
    "AKIA" + "ABCDEFGH12345678",
    "xoxb-" + BODY[:24],
    "AIza" + BODY[:35],
    "sk_live_" + BODY[:24],
    "sk-ant-" + BODY,
    "npm_" + BODY[:36],
    "pypi-" + BODY,
    "hf_" + BODY[:34],
    f"eyJ{BODY}.eyJ{BODY}.{BODY}",
]


@pytest.mark.parametrize("token", TOKENS, ids=lambda token: token[:6])
def test_a_credential_is_masked_wherever_it_stands(token: str) -> None:
    for text in (token, f"use {token}, please", f"key={token}", f'"{token}"'):
        assert token not in masked(text)
        assert masked(text) == text.replace(token, "***")


def test_a_key_and_a_password_in_an_address_are_masked() -> None:
    key = f"-----BEGIN RSA {KEY}-----\nMIIEow\n-----END RSA {KEY}-----"
    assert masked(f"before\n{key}\nafter") == "before\n***\nafter"
    assert masked(key[:40]) == "***"
    assert masked("fetch https://ada:pass@example.org/shop.git") == "fetch https://***@example.org/shop.git"


@pytest.mark.parametrize(
    "text",
    [
        "task-sk-short",
        "ghp_ is how they begin",
        "https://example.org:8080/a@b",
        "mailto ada@example.org",
        "e" * 40,
        "sha256-" + "a" * 64,
        "risk-adjusted-return-on-capital-employed",
    ],
)
def test_other_words_stay(text: str) -> None:
    assert masked(text) == text


def test_what_runs_into_the_next_credential_is_masked_too() -> None:
    assert masked(f"{TOKENS[5]}-----BEGIN {KEY}-----\nMIIEow") == "******"
    assert masked("ssh://a:b@ssh://c:d:e@example.org") == "ssh://***@ssh://***@example.org"


@given(st.lists(st.sampled_from([*TOKENS, f"-----BEGIN {KEY}-----", "://a:b@", "x", " ", "\n"])).map("".join))
def test_masking_twice_is_masking_once(text: str) -> None:
    assert masked(masked(text)) == masked(text)
    assert clean(clean(text)) == clean(text)


def test_a_token_that_codes_split_is_masked_and_none_is_cut_to_half() -> None:
    token = TOKENS[0]
    assert one_line(f"{token[:9]}\x1b[31m{token[9:]} is it") == "*** is it"
    assert token[:12] not in one_line(f"{'x' * 20} {token}", 40)
