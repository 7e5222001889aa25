import pytest

from gitsched.domain.verdicts import Ambiguous, Attribution, Case, CaseOutcome, Named, Unattributed
from gitsched.domain.words import Method
from gitsched.policy.attribute import (
    MemberChange,
    attribute,
    attribute_each,
)


def a_failure(file: str | None, name: str = "test_it") -> Case:
    return Case(name=name, file=file, outcome=CaseOutcome.FAILED)


def members(**changes: str) -> tuple[MemberChange, ...]:
    """Write a member as `m3="a.py b.py"`."""
    return tuple(MemberChange(issue=int(name[1:]), paths=frozenset(paths.split())) for name, paths in changes.items())


def suspect(file: str, **changes: str) -> Attribution:
    return attribute([a_failure(file)], members(**changes), tracked=())


def issue_of(answer: Attribution) -> int | None:
    return answer.issue if isinstance(answer, Named) else None


def test_the_one_member_that_changed_the_failing_file_is_named() -> None:
    """V-12: the answer names 3 and the evidence that was used."""
    failing = Case(name="test_total", classname="tests.test_cart.TestCart", outcome=CaseOutcome.FAILED)
    changes = members(m1="shop/prices.py", m2="README.md", m3="tests/test_cart.py shop/cart.py")
    assert attribute([failing], changes, tracked={"tests/test_cart.py"}) == Named(
        issue=3,
        method=Method.PATHS,
        evidence=("tests/test_cart.py was changed by #3 alone",),
        cases=(failing,),
    )


def test_a_failing_file_that_two_changed_is_ambiguous() -> None:
    """V-13: both are listed, in member order, and nobody is named."""
    answer = suspect("tests/test_cart.py", m4="tests/test_cart.py", m3="shop/cart.py", m2="tests/test_cart.py")
    assert answer == Ambiguous((4, 2))


def test_the_root_claims_nothing_and_a_folder_of_that_name_is_no_evidence() -> None:
    """V-14: `setup.cfg` claims nothing, `lib/a.py` is not what `tests/test_lib.py` is named after."""
    assert suspect("tests/test_lib.py", m1="setup.cfg", m2="lib/a.py") == Unattributed()
    assert suspect("tests/test_lib.py", m1="lib.py", m2="lib/a.py") == Unattributed()


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("tests/test_cart.py", "shop/cart.py"),
        ("tests/unit/cart_test.py", "shop/cart.py"),
        ("src/cart.test.ts", "lib/cart.tsx"),
        ("src/cart.spec.ts", "lib/cart.ts"),
        ("pkg/cart_test.go", "pkg/cart.go"),
        ("src/test/java/shop/CartTest.java", "src/main/java/shop/Cart.java"),
        ("src/test/java/shop/CartIT.java", "src/main/java/shop/Cart.java"),
        ("src/test/java/shop/TestCart.java", "src/main/java/shop/Cart.java"),
        ("test/CartSpec.scala", "main/Cart.scala"),
        ("App.Tests/CartTests.cs", "App/Cart.cs"),
        ("spec/cart_spec.rb", "lib/cart.rb"),
        ("__tests__/cart.js", "src/cart.js"),
        ("tests/cart.rs", "src/cart.rs"),
        ("tests/Makefile", "src/makefile"),
    ],
)
def test_a_test_is_named_after_its_source(file: str, source: str) -> None:
    answer = suspect(file, m1="shop/prices.py docs/cart.md", m2=source)
    assert isinstance(answer, Named)
    assert answer.issue == 2
    assert answer.evidence == (f"{source}, after which {file} is named, was changed by #2 alone",)


def test_a_changed_test_file_outweighs_its_changed_source() -> None:
    assert issue_of(suspect("tests/test_cart.py", m1="shop/cart.py", m2="tests/test_cart.py")) == 2


def test_two_members_at_the_source_are_ambiguous() -> None:
    assert suspect("tests/test_cart.py", m1="shop/cart.py", m2="web/cart.py") == Ambiguous((1, 2))


def test_what_stands_beside_a_test_is_the_weakest_evidence() -> None:
    beside = suspect("tests/test_cart.py", m1="tests/conftest.py", m2="lib/a.py")
    assert isinstance(beside, Named)
    assert beside.evidence == ("tests/conftest.py, in the folder of tests/test_cart.py, was changed by #1 alone",)
    assert issue_of(suspect("tests/test_cart.py", m1="tests/conftest.py", m2="shop/cart.py")) == 2


def test_another_test_or_prose_beside_it_is_no_evidence() -> None:
    assert suspect("tests/test_cart.py", m1="tests/test_tax.py", m2="tests/README.md") == Unattributed()
    assert suspect("test_cart.py", m1="cart.py", m2="conftest.py") == Unattributed()


def test_a_test_without_a_file_points_at_nobody() -> None:
    case = a_failure(None)
    assert attribute_each([case], members(m1="shop/cart.py"), ()) == {case: Unattributed()}
    assert attribute([case], members(m1="shop/cart.py"), ()) == Unattributed()


CHANGES = members(
    m1="tests/test_a.py", m2="tests/test_b.py", m3="tests/test_c.py tests/test_d.py", m4="tests/test_d.py"
)
A, B, C, D, NOBODY = (a_failure(f"tests/test_{letter}.py") for letter in "abcdx")


def test_several_tests_that_name_one_member_name_it_together() -> None:
    twice = a_failure("tests/test_a.py", "test_other")
    assert attribute([A, NOBODY, D, twice], CHANGES, ()) == Named(
        issue=1,
        method=Method.PATHS,
        evidence=("tests/test_a.py was changed by #1 alone",),
        cases=(A, twice),
    )


def test_tests_that_name_several_members_leave_it_ambiguous() -> None:
    assert attribute([B, A], CHANGES, ()) == Ambiguous((1, 2))


def test_without_a_name_the_ambiguous_ones_are_joined() -> None:
    assert attribute([D, NOBODY], CHANGES, ()) == Ambiguous((3, 4))
    assert attribute([NOBODY], CHANGES, ()) == Unattributed()
    assert attribute([], CHANGES, ()) == Unattributed()


def test_each_test_is_judged_on_its_own_in_the_order_given() -> None:
    each = attribute_each([D, A, C, NOBODY], CHANGES, ())
    assert list(each) == [D, A, C, NOBODY]
    assert [issue_of(answer) for answer in each.values()] == [None, 1, 3, None]


def test_v_16_covered_lines_decide_where_paths_leave_several() -> None:
    """V-16: four members touch the folder, the test runs lines that only 6 changed: 6 alone, by coverage."""
    case = Case(classname="shop.check", name="test_total", file="shop/check.py")
    members = [
        MemberChange(
            issue=issue, paths=frozenset({f"shop/part{issue}.py"}), lines={f"shop/part{issue}.py": frozenset({issue})}
        )
        for issue in (1, 4, 6, 7)
    ]
    covered = {case: {"shop/part6.py": frozenset({5, 6}), "shop/part7.py": frozenset({1})}}
    assert attribute_each([case], members, ())[case] == Ambiguous((1, 4, 6, 7))
    found = attribute_each([case], members, (), covered)[case]
    assert isinstance(found, Named)
    assert (found.issue, found.method) == (6, Method.COVERAGE)
    assert found.evidence == ("lines of shop/part6.py that shop.check.test_total runs were changed by #6 alone",)


def test_covered_lines_of_several_or_of_nobody_name_nobody() -> None:
    case = Case(classname="shop.check", name="test_total", file="shop/check.py")
    members = [
        MemberChange(issue=issue, paths=frozenset({"shop/part.py"}), lines={"shop/part.py": frozenset({3, issue})})
        for issue in (1, 4, 6)
    ]
    both = {case: {"shop/part.py": frozenset({1, 6})}}
    assert attribute_each([case], members, (), both)[case] == Ambiguous((1, 6))
    nobody = {case: {"shop/part.py": frozenset({9})}}
    assert attribute_each([case], members, (), nobody)[case] == Ambiguous((1, 4, 6))
    assert attribute_each([case], members, (), {Case(name="other"): {}})[case] == Ambiguous((1, 4, 6))
