"""JUnit XML reports: bytes in, cases out.

The writer of a report is code under test, so its bytes are not trusted: a document type (and with it every
entity of its own) is refused, as are reports too deep or too large to be one. What is cut anywhere is not
well-formed and never reads as a report.

Where writers differ, the doubt goes against the pass: cases count wherever they stand (Node's runner puts
them outside a suite), an error that stands on a suite itself is a failing case, and counts of failures
that no case shows make the whole report unreadable.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from gitsched.domain.verdicts import (
    Case,
    CaseOutcome,
    Empty,
    Malformed,
    Missing,
    Readable,
    Report,
    ReportRead,
)

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element, TreeBuilder

MAX_REPORT_BYTES: Final = 64 * 1024 * 1024
MAX_DEPTH: Final = 100
"""Nested elements; writers that nest suites stay under ten."""
MAX_MESSAGE_CHARS: Final = 2_000

_SUITES = frozenset({"testsuites", "testsuite"})
_NOT_RUN = frozenset({"notrun", "disabled"})
"""GoogleTest and CTest mark cases that did not run by `status`, without a `<skipped>`."""


def read_report(data: bytes | None) -> ReportRead:
    """Read the bytes of a report file; None when the file is not there.

    Cases stand in document order. Messages are cut at `MAX_MESSAGE_CHARS`.
    """
    if data is None:
        return Missing()
    if not data.strip(b"\0 \t\r\n"):
        return Empty()
    if len(data) > MAX_REPORT_BYTES:
        return Malformed(f"{len(data)} bytes, more than the {MAX_REPORT_BYTES} that are read")
    return _parsed(data)


def _parsed(data: bytes) -> ReportRead:
    from xml.etree.ElementTree import ParseError, TreeBuilder, XMLParser

    # junitparser would parse by itself, but a document type can only be refused while it is read.
    parser = XMLParser(target=_GuardedBuilder(TreeBuilder()))  # noqa: S314
    try:
        parser.feed(data)
        root = parser.close()
    except (ParseError, LookupError, ValueError) as error:
        return Malformed(str(error))
    if root.tag not in _SUITES:
        return Malformed("its outermost element is neither <testsuites> nor <testsuite>")
    report = Report(tuple(_cases(root)))
    if not report.failing and _counts_failures(root):
        return Malformed("it counts failures that none of its cases shows")
    return Readable(report)


class _GuardedBuilder:
    """Builds the tree without namespaces and refuses what no report needs, by ValueError."""

    def __init__(self, tree: "TreeBuilder") -> None:
        self._tree = tree
        self._depth = 0

    def doctype(self, name: str, public_id: str | None, system: str | None) -> None:
        raise ValueError("it declares a document type, which is not read")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ValueError(f"its elements are nested more than {MAX_DEPTH} deep")
        self._tree.start(_local(tag), attributes)

    def end(self, tag: str) -> None:
        self._depth -= 1
        self._tree.end(_local(tag))

    def data(self, text: str) -> None:
        self._tree.data(text)

    def close(self) -> "Element":
        return self._tree.close()


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


def _cases(element: "Element", file: str | None = None) -> Iterator[Case]:
    """List the cases at and under `element`; `file` is that of the nearest suite that names one."""
    file = element.get("file") or element.get("filepath") or file
    if element.tag == "testcase":
        yield _case(element, file)
        return
    if any(child.tag in ("failure", "error") for child in element):
        yield _suite_failure(element, file)
    for child in element:
        if child.tag == "testcase" or child.tag in _SUITES:
            yield from _cases(child, file)


def _case(element: "Element", file: str | None) -> Case:
    from junitparser import Skipped, TestCase

    wrap: Callable[[Element], TestCase] = TestCase.fromelem  # the library gives it no types
    case = wrap(element)
    results = case.result
    faults = [result for result in results if not isinstance(result, Skipped)]
    if faults:
        outcome = CaseOutcome.FAILED
    elif results or element.get("status") in _NOT_RUN:
        outcome = CaseOutcome.SKIPPED
    else:
        outcome = CaseOutcome.PASSED
    message = next((text for result in faults or results if (text := result.message or result.text)), "")
    return Case(
        name=case.name or "",
        classname=case.classname or "",
        file=file,
        outcome=outcome,
        message=message.strip()[:MAX_MESSAGE_CHARS],
    )


def _suite_failure(element: "Element", file: str | None) -> Case:
    return Case(name=element.get("name") or element.tag, file=file, outcome=CaseOutcome.FAILED)


def _counts_failures(root: "Element") -> bool:
    counted = (
        element.get(attribute, "0")
        for element in root.iter()
        if element.tag in _SUITES
        for attribute in ("failures", "errors")
    )
    return any(text.strip().lstrip("0") for text in counted)
