"""Identify: which file a reported test stands in, and by which argument it is run again.

Reports are written by code under test: a name that a tool could take for an option or a file of options
never becomes an argument.

Sources: pytest's `--junit-xml` (class name = the file's dotted path and its classes),
`go help testflag` (`-run` takes one regular expression for each level of subtests).
"""

import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import Final

from gitsched.config.checking import CaseIds
from gitsched.domain.verdicts import Case

_CLASS_FILES: Final = (
    ("", ".py"),
    ("src/test/java/", ".java"),
    ("src/test/kotlin/", ".kt"),
    ("src/test/scala/", ".scala"),
)
"""Where the file of a dotted class name is looked for: folder and suffix."""
_DRIVE: Final = re.compile(r"[A-Za-z]:/")
_OPTION_SIGNS: Final = ("-", "@")
"""`@file` is a file of further arguments to pytest and to many others."""


def file_of(case: Case, tracked: Container[str]) -> str | None:
    """Name the file of a case by its path in the tree, or None where the report does not tell it.

    Its `file` attribute decides (where that is absolute, its longest tracked tail); else the tracked path
    that its class name (of a module that could not be collected: its name) spells.
    """
    if case.file:
        return _file_from_attribute(case.file, tracked)
    spelled = case.classname or case.name
    return next((path for path in _spelled_paths(spelled) if path in tracked), None)


def rerun_ids(cases: Sequence[Case], ids: CaseIds, tracked: Container[str]) -> tuple[str, ...]:
    """List the arguments that run just these cases again, one for each test, none twice, in their order.

    Empty when one of them cannot be named safely: then only the whole suite tells.
    """
    written = (_WRITERS[ids](case, file_of(case, tracked)) for case in cases)
    arguments = [argument for argument in written if argument is not None and _is_argument(argument)]
    return tuple(dict.fromkeys(arguments)) if len(arguments) == len(cases) else ()


def _file_from_attribute(text: str, tracked: Container[str]) -> str | None:
    slashed = text.replace("\\", "/")
    parts = [part for part in slashed.split("/") if part not in ("", ".")]
    if not parts or ".." in parts:
        return None
    if not slashed.startswith("/") and not _DRIVE.match(slashed):
        return "/".join(parts)
    # Written on the machine that judged it: the tree's own place is the part that no tracked path has.
    tails = ("/".join(parts[start:]) for start in range(len(parts)))
    return next((tail for tail in tails if tail in tracked), None)


def _spelled_paths(spelled: str) -> Iterator[str]:
    """List the paths that a class name may mean, the longest first."""
    yield spelled
    parts = spelled.split(".")
    for end in range(len(parts), 0, -1):
        for folder, suffix in _CLASS_FILES:
            yield folder + "/".join(parts[:end]) + suffix


def _pytest_id(case: Case, file: str | None) -> str | None:
    if file is None:
        return None
    if not case.classname:  # the module itself could not be collected
        return file
    classes = _classes_in(case.classname, file)
    # Where the class name does not belong to the file, the whole file still holds the test.
    return file if classes is None else "::".join((file, *classes, case.name))


def _classes_in(classname: str, file: str) -> list[str] | None:
    """List the classes in a dotted name whose start spells the module, or a tail of its path."""
    module = file.removesuffix(".py").split("/")
    given = classname.split(".")
    for start in range(len(module)):
        tail = module[start:]
        if given[: len(tail)] == tail:
            return given[len(tail) :]
    return None


def _go_pattern(case: Case, _file: str | None) -> str | None:
    return "/".join(f"^{re.escape(level)}$" for level in case.name.split("/"))


def _is_argument(text: str) -> bool:
    return text != "" and text.isprintable() and not text.startswith(_OPTION_SIGNS)


_WRITERS: Final[Mapping[CaseIds, Callable[[Case, str | None], str | None]]] = {
    "pytest": _pytest_id,
    "go": _go_pattern,
    "file": lambda _case, file: file,
    "name": lambda case, _file: case.name,
}
