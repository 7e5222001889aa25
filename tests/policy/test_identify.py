import re
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitsched.config.checking import CaseIds
from gitsched.domain.verdicts import Case
from gitsched.policy.identify import file_of, rerun_ids

TRACKED = frozenset(
    {
        *("tests/test_a.py", "test_root.py", "src/a.test.ts", "src/test/java/shop/CartTest.java"),
        *("src/test/kotlin/shop/TaxTest.kt", "src/test/scala/shop/PriceSpec.scala", "pkg/tests/test_b.py"),
    }
)
CLASS_CASE = Case(name="test_y[x::y]", classname="tests.test_a.TestX.TestIn")


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("tests/test_a.py", "tests/test_a.py"),
        ("./tests//test_a.py", "tests/test_a.py"),
        ("tests\\test_a.py", "tests/test_a.py"),
        ("tests/new.py", "tests/new.py"),
        ("/somewhere/tree/tests/test_a.py", "tests/test_a.py"),
        ("C:\\trees\\one\\src\\a.test.ts", "src/a.test.ts"),
        ("/usr/lib/python3/site.py", None),
        ("../outside/test_a.py", None),
        ("/", None),
        (".", None),
    ],
)
def test_the_file_attribute_decides(file: str, expected: str | None) -> None:
    assert file_of(Case(name="t", classname="src.a", file=file), TRACKED) == expected


@pytest.mark.parametrize(
    ("classname", "expected"),
    [
        ("tests.test_a.TestX.TestIn", "tests/test_a.py"),
        ("tests.test_a", "tests/test_a.py"),
        ("test_root", "test_root.py"),
        ("src/a.test.ts", "src/a.test.ts"),
        ("shop.CartTest", "src/test/java/shop/CartTest.java"),
        ("shop.TaxTest", "src/test/kotlin/shop/TaxTest.kt"),
        ("shop.PriceSpec", "src/test/scala/shop/PriceSpec.scala"),
        ("example.com/shop/cart", None),
        ("tests", None),
    ],
)
def test_without_it_the_tracked_path_that_the_class_name_spells(classname: str, expected: str | None) -> None:
    assert file_of(Case(name="t", classname=classname), TRACKED) == expected


def test_a_module_that_could_not_be_collected_is_spelled_by_its_name() -> None:
    assert file_of(Case(name="tests.test_a"), TRACKED) == "tests/test_a.py"


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        (CLASS_CASE, "tests/test_a.py::TestX::TestIn::test_y[x::y]"),
        (Case(name="test_f", classname="tests.test_a"), "tests/test_a.py::test_f"),
        (Case(name="tests.test_a"), "tests/test_a.py"),
        (
            Case(name="test_g", classname="tests.test_b.TestY", file="pkg/tests/test_b.py"),
            "pkg/tests/test_b.py::TestY::test_g",
        ),
        (Case(name="test_g", classname="elsewhere.TestY", file="pkg/tests/test_b.py"), "pkg/tests/test_b.py"),
    ],
    ids=["nested-classes", "function", "not-collected", "run-in-a-folder", "foreign-class"],
)
def test_a_node_id_of_pytest_is_rebuilt_from_class_name_and_file(case: Case, expected: str) -> None:
    assert rerun_ids([case], "pytest", TRACKED) == (expected,)


def test_a_test_of_go_is_an_anchored_pattern_for_each_level() -> None:
    [pattern] = rerun_ids([Case(name="TestTotal/a+b", classname="example.com/shop")], "go", ())
    assert pattern == r"^TestTotal$/^a\+b$"


def test_a_file_or_a_name_may_be_enough() -> None:
    cases = [CLASS_CASE, Case(name="other", classname="tests.test_a")]
    assert rerun_ids(cases, "file", TRACKED) == ("tests/test_a.py",)
    assert rerun_ids(cases, "name", TRACKED) == ("test_y[x::y]", "other")


@pytest.mark.parametrize("ids", ["pytest", "file"])
def test_one_test_of_unknown_file_leaves_only_the_whole_suite(ids: CaseIds) -> None:
    assert rerun_ids([CLASS_CASE, Case(name="t", classname="unknown")], ids, TRACKED) == ()


@pytest.mark.parametrize("name", ["--collect-only", "-x", "@options.txt", "a\nb", "a\0b", ""])
def test_a_name_that_a_tool_could_take_for_something_else_is_no_argument(name: str) -> None:
    assert rerun_ids([Case(name=name)], "name", ()) == ()


@given(st.text(), st.text(), st.none() | st.text(), st.sampled_from(get_args(CaseIds)))
def test_whatever_a_report_says_no_argument_is_an_option(
    name: str, classname: str, file: str | None, ids: CaseIds
) -> None:
    for argument in rerun_ids([Case(name=name, classname=classname, file=file)], ids, TRACKED):
        assert re.match(r"[^-@\s]| ", argument)
        assert argument.isprintable()
