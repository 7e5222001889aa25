from gitsched.domain.verdicts import Case, CaseOutcome
from gitsched.policy.origin import BaseRed, Excused, Origin, Ours, PassAlone, origin_of

A, B, C = (Case(name=name, outcome=CaseOutcome.FAILED) for name in "abc")


def origin(failing: str, base: str = "", tip: str = "", *, excuse: bool = False) -> Origin:
    """Write cases as letters."""
    by_name = {"a": A, "b": B, "c": C}
    chosen = [[by_name[letter] for letter in letters] for letters in (failing, base, tip)]
    return origin_of(*chosen, excuse_base=excuse)


def test_a_test_that_fails_on_the_base_too_is_not_ours() -> None:
    """V-08: just that test: blocked with it as evidence; with `excuse` the batch goes on and names it."""
    assert origin("a", base="a", tip="a") == BaseRed((A,))
    assert origin("a", base="a", tip="a", excuse=True) == Excused((A,))


def test_what_is_red_since_the_batch_is_ours_beside_what_is_excused() -> None:
    """V-09: A is red on the base and excused, B is ours; A blames nobody."""
    assert origin("ab", base="a", tip="ab", excuse=True) == Ours(cases=(B,), excused=(A,))
    assert origin("ab", base="a", tip="ab") == BaseRed((A,))


def test_a_test_that_passes_alone_sends_the_whole_suite_again() -> None:
    assert origin("ab") == PassAlone(cases=(A, B), excused=())
    assert origin("abc", base="c", excuse=True) == PassAlone(cases=(A, B), excused=(C,))


def test_one_test_that_fails_again_is_enough_and_only_it_counts() -> None:
    assert origin("ab", tip="b") == Ours(cases=(B,), excused=())


def test_what_else_fails_on_the_base_does_not_count() -> None:
    assert origin("a", base="c", tip="a") == Ours(cases=(A,), excused=())
