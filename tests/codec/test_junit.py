import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitsched.codec.junit import MAX_DEPTH, MAX_MESSAGE_CHARS, MAX_REPORT_BYTES, read_report
from gitsched.domain.verdicts import Case, CaseOutcome, Empty, Malformed, Missing, Readable, ReportRead

FAILED, SKIPPED = CaseOutcome.FAILED, CaseOutcome.SKIPPED
PYTEST = b"""<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest"
 errors="1" failures="1" skipped="1" tests="4" time="0.102" hostname="vm">
<testcase classname="tests.test_a" name="test_ok" time="0.001" />
<testcase classname="tests.test_a.TestX.TestIn" name="test_bad[a b]" time="0.002"><failure
 message="assert 0">def test_bad(): &gt; assert 0</failure></testcase>
<testcase classname="tests.test_a" name="test_s" time="0.000"><skipped type="pytest.skip"
 message="unconditional skip">tests/test_a.py:8: unconditional skip</skipped></testcase>
<testcase classname="" name="tests.test_broken" time="0.000"><error message="collection failure">ImportError
</error></testcase></testsuite></testsuites>"""


def cases_of(read: ReportRead) -> tuple[Case, ...]:
    assert isinstance(read, Readable), read
    return read.report.cases


def cases_in(inner: str, root: str = "testsuites") -> tuple[Case, ...]:
    return cases_of(read_report(f"<{root}>{inner}</{root}>".encode()))


def test_a_report_of_pytest_is_read() -> None:
    """Written by pytest 9: a pass, a failure, a skip and a module that could not be collected."""
    assert cases_of(read_report(PYTEST)) == (
        Case(name="test_ok", classname="tests.test_a"),
        Case(name="test_bad[a b]", classname="tests.test_a.TestX.TestIn", outcome=FAILED, message="assert 0"),
        Case(name="test_s", classname="tests.test_a", outcome=SKIPPED, message="unconditional skip"),
        Case(name="tests.test_broken", outcome=FAILED, message="collection failure"),
    )


def test_cases_outside_a_suite_count() -> None:
    """Node's own runner writes cases straight into <testsuites>, beside suites."""
    inner = '<testcase name="a"/><testcase name="b"><failure message="1"/></testcase><testsuite name="s"/>'
    assert [(case.name, case.outcome) for case in cases_in(inner)] == [
        ("a", CaseOutcome.PASSED),
        ("b", FAILED),
    ]


def test_a_single_suite_may_be_the_root_and_suites_may_nest() -> None:
    inner = '<testsuite><testsuite><testcase name="deep"/></testsuite></testsuite><testcase name="flat"/>'
    assert [case.name for case in cases_in(inner, "testsuite")] == ["deep", "flat"]


@pytest.mark.parametrize("tag", ["failure", "error"])
def test_a_fault_of_a_suite_itself_is_a_failing_case(tag: str) -> None:
    [failing] = cases_in(f'<testsuite name="setup" file="a.js"><{tag} message="x"/></testsuite>')
    assert failing == Case(name="setup", file="a.js", outcome=FAILED)
    assert cases_in(f"<{tag}/>")[0].name == "testsuites"


def test_a_case_is_in_the_file_of_its_nearest_suite_unless_it_names_one() -> None:
    inner = (
        '<testsuite file="a.js"><testcase name="1"/><testcase name="2" file="b.js"/></testsuite>'
        '<testsuite filepath="c.js"><testcase name="3"/></testsuite><testsuite><testcase name="4"/></testsuite>'
    )
    assert [case.file for case in cases_in(inner)] == ["a.js", "b.js", "c.js", None]


def test_a_fault_outweighs_a_skip_in_the_same_case() -> None:
    [case] = cases_in('<testcase name="t"><skipped/><error>late</error></testcase>')
    assert (case.outcome, case.message) == (FAILED, "late")


@pytest.mark.parametrize("status", ["notrun", "disabled"])
def test_a_case_marked_as_not_run_is_skipped(status: str) -> None:
    assert cases_in(f'<testcase name="t" status="{status}"/>')[0].outcome is SKIPPED
    assert cases_in('<testcase name="t" status="run"/>')[0].outcome is CaseOutcome.PASSED


def test_a_case_without_names_is_still_a_case() -> None:
    assert cases_in("<testcase/>") == (Case(name=""),)


def test_a_long_message_is_cut() -> None:
    [case] = cases_in(f"<testcase name='t'><failure>{'x' * 5_000}</failure></testcase>")
    assert case.message == "x" * MAX_MESSAGE_CHARS


def test_names_in_a_namespace_are_read() -> None:
    [case] = cases_of(read_report(b'<testsuite xmlns="urn:junit"><testcase name="t"/></testsuite>'))
    assert case.name == "t"


def test_other_encodings_are_read() -> None:
    text = '<?xml version="1.0" encoding="{0}"?><testsuite><testcase name="é"/></testsuite>'
    for encoding in ("utf-8", "utf-16", "iso-8859-1"):
        assert cases_of(read_report(text.format(encoding).encode(encoding)))[0].name == "é"


def test_a_report_that_is_not_there_is_missing() -> None:
    assert read_report(None) == Missing()


@pytest.mark.parametrize("data", [b"", b" \n\t", b"\0" * 512], ids=["nothing", "blank", "unwritten-blocks"])
def test_a_report_without_content_is_empty(data: bytes) -> None:
    assert read_report(data) == Empty()


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"<testsuite><testcase></testsuite>", "mismatched tag"),
        (b"All tests passed", "syntax error"),
        (b"<html/>", "outermost element"),
        (b'<?xml version="1.0" encoding="klingon"?><testsuite/>', "klingon"),
        (b'<?xml version="1.0" encoding="shift_jis"?><testsuite/>', "multi-byte"),
        (b"<testsuite>&nbsp;</testsuite>", "undefined entity"),
        (b"<testsuite/><testsuite/>", "junk after"),
        (b"<testsuite>\xff</testsuite>", "invalid token"),
    ],
    ids=["tags", "words", "html", "encoding", "multi-byte", "entity", "two-roots", "not-utf-8"],
)
def test_what_is_no_report_is_malformed_and_says_why(data: bytes, why: str) -> None:
    read = read_report(data)
    assert isinstance(read, Malformed)
    assert why in read.why


def test_entity_bombs_are_refused_before_they_grow() -> None:
    levels = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    bomb = f'<!DOCTYPE t [<!ENTITY l0 "ha">{levels}]><testsuite><testcase name="&l11;"/></testsuite>'
    outside = '<!DOCTYPE t SYSTEM "file:///etc/passwd"><testsuite/>'
    for text in (bomb, outside):
        assert read_report(text.encode()) == Malformed("it declares a document type, which is not read")


def test_a_report_nested_without_end_is_refused() -> None:
    def nested(depth: int) -> ReportRead:
        return read_report(b"<testsuite>" * depth + b"</testsuite>" * depth)

    assert nested(MAX_DEPTH) == read_report(b"<testsuite/>")
    assert nested(MAX_DEPTH + 1) == Malformed("its elements are nested more than 100 deep")


def test_a_report_too_large_to_be_one_is_refused() -> None:
    assert isinstance(read_report(b"<" + b" " * MAX_REPORT_BYTES), Malformed)


@pytest.mark.parametrize("attribute", ["failures", "errors"])
@pytest.mark.parametrize("root", ["testsuite", "testsuites"])
def test_failures_that_are_counted_but_not_shown_make_it_unreadable(root: str, attribute: str) -> None:
    data = f'<{root} {attribute}="2"><testcase name="t"/></{root}>'.encode()
    assert read_report(data) == Malformed("it counts failures that none of its cases shows")
    assert isinstance(read_report(data.replace(b'"2"', b'"0"')), Readable)
    assert isinstance(read_report(data.replace(b'"2"', b'""')), Readable)


def test_every_beginning_of_a_report_is_unreadable() -> None:
    for length in range(1, len(PYTEST)):
        assert isinstance(read_report(PYTEST[:length]), Malformed)


@given(st.binary(max_size=300) | st.text(alphabet='<>/="testcasui ', max_size=300).map(str.encode))
def test_reading_never_raises(data: bytes) -> None:
    read_report(data)
