"""Attribute: whom the evidence points at when the suite is red.

Each failing test is judged on its own:

1. Its file was changed by exactly one member: that one. By several: ambiguous.
2. Else the sources that carry its file's name (`tests/test_cart.py` → `shop/cart.py`, whatever the folder)
   were changed by exactly one member: that one. By several: ambiguous.
3. Else sources in its file's own folder, other tests apart, likewise.
4. Where that leaves none or several, and a coverage map is configured: the lines that the test runs were changed by
   exactly one member: that one.
5. Else nobody. A folder that merely shares a name is no evidence, nor is what one member changed while the
   others changed less.

A path in the root of the repository claims nothing under rules 2 and 3: settings and read-me files touch
every test alike. The answer is a suspect, never a verdict.

See docs/explanation/gating.md, "Whom does evidence point at?".
"""

import re
from collections.abc import Callable, Container, Mapping, Sequence

from msgspec import Struct

from gitsched.domain.verdicts import Ambiguous, Attribution, Case, Named, Unattributed
from gitsched.domain.words import Method
from gitsched.policy.identify import file_of

_TEST_NAMES = (
    re.compile(r"tests?[_-](?P<subject>.+)"),
    re.compile(r"Test(?P<subject>[A-Z].*)"),
    re.compile(r"(?P<subject>.+?)(?:[_.-](?:tests?|specs?)|Tests?|Spec|IT)"),
)
"""How test files are called after what they test, without the last suffix."""
_PROSE = (".md", ".rst", ".txt", ".adoc")


class MemberChange(Struct, frozen=True, kw_only=True):
    """What one landed member changed."""

    issue: int
    paths: frozenset[str]
    lines: Mapping[str, frozenset[int]] = {}
    """By path: the lines of the version it was cut from that it changed."""


def attribute(failing: Sequence[Case], members: Sequence[MemberChange], tracked: Container[str]) -> Attribution:
    """Say whom the failing tests point at together; `members` in member order, `tracked` paths of the tip.

    Exactly one member named by the tests: `Named`, also when others of them point at nobody. Several named,
    or none and a test that leaves several: `Ambiguous`.
    """
    each = attribute_each(failing, members, tracked).values()
    named = [answer for answer in each if isinstance(answer, Named)]
    suspects = {answer.issue for answer in named}
    if len(suspects) == 1:
        return _joined(named)
    if not suspects:
        suspects = {issue for answer in each if isinstance(answer, Ambiguous) for issue in answer.issues}
    left = tuple(member.issue for member in members if member.issue in suspects)
    return Ambiguous(left) if left else Unattributed()


def attribute_each(
    failing: Sequence[Case],
    members: Sequence[MemberChange],
    tracked: Container[str],
    covered: Mapping[Case, Mapping[str, frozenset[int]]] | None = None,
) -> Mapping[Case, Attribution]:
    """Say of each failing test whom it points at, in the order given; `covered` are the lines that each runs."""
    found = {case: _attribute_one(case, members, file_of(case, tracked)) for case in failing}
    if not covered:
        return found
    return {
        case: answer if isinstance(answer, Named) else _by_lines(case, members, covered.get(case, {})) or answer
        for case, answer in found.items()
    }


def _by_lines(case: Case, members: Sequence[MemberChange], covered: Mapping[str, frozenset[int]]) -> Attribution | None:
    """Name who changed the lines that a test runs; None: nobody did."""
    touched = {
        member.issue: [path for path, lines in sorted(covered.items()) if lines & member.lines.get(path, frozenset())]
        for member in members
    }
    suspects = tuple(issue for issue, paths in touched.items() if paths)
    if len(suspects) == 1:
        issue = suspects[0]
        sentence = f"lines of {touched[issue][0]} that {case.title} runs were changed by #{issue} alone"
        return Named(issue=issue, method=Method.COVERAGE, evidence=(sentence,), cases=(case,))
    return Ambiguous(suspects) if suspects else None


def _attribute_one(case: Case, members: Sequence[MemberChange], file: str | None) -> Attribution:
    if file is None:
        return Unattributed()
    for relates, words in _RULES:
        touched = {member.issue: sorted(path for path in member.paths if relates(file, path)) for member in members}
        suspects = tuple(issue for issue, paths in touched.items() if paths)
        if len(suspects) > 1:
            return Ambiguous(suspects)
        for issue in suspects:
            sentence = words.format(path=touched[issue][0], file=file, issue=issue)
            return Named(issue=issue, method=Method.PATHS, evidence=(sentence,), cases=(case,))
    return Unattributed()


def _joined(named: Sequence[Named]) -> Named:
    evidence = dict.fromkeys(sentence for answer in named for sentence in answer.evidence)
    return Named(
        issue=named[0].issue,
        method=Method.PATHS,
        evidence=tuple(evidence),
        cases=tuple(case for answer in named for case in answer.cases),
    )


def _is_itself(file: str, path: str) -> bool:
    return path == file


def _is_its_subject(file: str, path: str) -> bool:
    return _is_source(path) and _stem(path).lower() == (_subject(file) or _stem(file)).lower()


def _is_beside(file: str, path: str) -> bool:
    return _is_source(path) and _folder(path) == _folder(file) and _subject(path) is None


_RULES: tuple[tuple[Callable[[str, str], bool], str], ...] = (
    (_is_itself, "{file} was changed by #{issue} alone"),
    (_is_its_subject, "{path}, after which {file} is named, was changed by #{issue} alone"),
    (_is_beside, "{path}, in the folder of {file}, was changed by #{issue} alone"),
)
"""How a changed path relates to a failing test's file, strongest first, and the sentence that says so."""


def _is_source(path: str) -> bool:
    return "/" in path and not path.lower().endswith(_PROSE)


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _stem(path: str) -> str:
    name = path.rpartition("/")[2]
    return name.rpartition(".")[0] or name


def _subject(path: str) -> str | None:
    """Name what a test file is called after; None for a file that is not called like a test."""
    found = (pattern.fullmatch(_stem(path)) for pattern in _TEST_NAMES)
    return next((match["subject"] for match in found if match), None)
