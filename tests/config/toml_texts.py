"""Random valid TOML documents that know where each of their keys stands."""

from collections.abc import Callable
from typing import Any, TypeVar

from hypothesis import strategies as st

T = TypeVar("T")
Path = tuple[str | int, ...]

SCALARS = [
    "1",
    "-7_000",
    "1.5e3",
    "true",
    "1979-05-27T07:32:00Z",
    "inf",
    '"text, # ] }"',
    r'"\" [x] \\"',
    "'it [is] = \"'",
]
LONG_TEXTS = [
    '"""\n[fake]\nkey = 1\n"""',
    "'''\n[[fake]]\n# no comment\n'''",
    '""""quoted" and\n two""\\\n   more"""""',
    "''''quoted'\n'''''",
    '""""""',
    '"""a\\"""\n"""',
]
BLANKS = ["", "\n", "# [comment]\n", "\n  \n", "\t# a = 1\n\n"]


class Page:
    """A document under construction: its text, and the line of every key in it."""

    def __init__(self, draw: Callable[[st.SearchStrategy[Any]], Any]) -> None:
        self.draw = draw
        self.text = ""
        self.lines: dict[Path, int] = {}
        self._names = 0

    @property
    def line(self) -> int:
        return self.text.count("\n") + 1

    def write(self, text: str) -> None:
        self.text += text

    def one_of(self, choices: list[T]) -> T:
        drawn: T = self.draw(st.sampled_from(choices))
        return drawn

    def new_name(self) -> tuple[str, str]:
        """Make a key that no other is equal to: as it is written, and what it says."""
        self._names += 1
        n = self._names
        return self.one_of(
            [(f"k{n}", f"k{n}"), (f'"a.b {n}"', f"a.b {n}"), (f"'= # {n}'", f"= # {n}"), (f'"\\"\\u0041{n}"', f'"A{n}')]
        )

    def new_key(self, prefix: Path) -> Path:
        """Write a key, dotted at times, and note every part of it."""
        path = prefix
        for index in range(self.one_of([1, 1, 2, 3])):
            written, said = self.new_name()
            self.lines[(*path, said)] = self.line
            path = (*path, said)
            self.write((self.one_of([".", " . "]) if index else "") + written)
        return path

    def pair(self, prefix: Path, depth: int) -> None:
        path = self.new_key(prefix)
        self.write(self.one_of(["=", " = ", "\t=\t"]))
        self.value(path, depth)

    def value(self, path: Path, depth: int) -> None:
        kind = self.one_of(["scalar", "long", "array", "table"] if depth else ["scalar", "long"])
        if kind == "scalar":
            self.write(self.one_of(SCALARS))
        elif kind == "long":
            self.write(self.one_of(LONG_TEXTS))
        elif kind == "array":
            self.array(path, depth)
        else:
            self.inline_table(path, depth)

    def array(self, path: Path, depth: int) -> None:
        count = self.one_of([0, 1, 3])
        self.write("[")
        for index in range(count):
            self.write(self.one_of(BLANKS))
            self.lines[(*path, index)] = self.line
            self.value((*path, index), depth - 1)
            self.write(self.one_of(BLANKS))
            last_comma = self.one_of([",", ""])
            self.write("," if index < count - 1 else last_comma)
        self.write(self.one_of(BLANKS) + "]")

    def inline_table(self, path: Path, depth: int) -> None:
        count = self.one_of([0, 1, 2])
        self.write("{")
        for index in range(count):
            self.write(", " if index else " ")
            self.pair(path, depth - 1)
        self.write(" }")

    def body(self, prefix: Path) -> None:
        for _ in range(self.one_of([0, 1, 3])):
            self.write(self.one_of(["", "  "]))
            self.pair(prefix, 2)
            self.write(self.one_of(["\n", "  # end\n"]) + self.one_of(BLANKS))

    def table(self, parent: Path, written_parent: str) -> None:
        """Write a header, its keys, and at times a table inside it."""
        written, said = self.new_name()
        dotted = f"{written_parent}.{written}" if written_parent else written
        is_array = self.one_of([True, False])
        for index in range(self.one_of([1, 2]) if is_array else 1):
            path: Path = (*parent, said, index) if is_array else (*parent, said)
            self.lines.setdefault((*parent, said), self.line)
            self.lines[path] = self.line
            self.write(f"[[ {dotted} ]]\n" if is_array else f"[{dotted}] # head\n")
            self.body(path)
            if len(parent) < 3 and self.one_of([True, False]):
                self.table(path, dotted)


@st.composite
def toml_pages(draw: Callable[[st.SearchStrategy[Any]], Any]) -> Page:
    """Draw a document: keys at the root, then tables and arrays of tables, nested at times."""
    page = Page(draw)
    page.write(page.one_of(BLANKS))
    page.body(())
    for _ in range(page.one_of([0, 1, 2, 3])):
        page.table((), "")
    return page
