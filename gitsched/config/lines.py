"""Where each key of a TOML document stands.

`tomllib` tells values but no lines. This reads a document that `tomllib` has accepted, so it only
has to find its way, not to judge: https://toml.io/en/v1.0.0 is the grammar.
"""

import re
import tomllib
from collections.abc import Mapping
from typing import Final

KeyPath = tuple[str | int, ...]
"""Keys from the root; an element of an array of tables is its index from 0."""

_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")
_BLANK: Final = re.compile(r"[ \t]*")
_VOID: Final = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BASIC: Final = re.compile(r'"(?:[^"\\]|\\.)*"')
_LITERAL: Final = re.compile(r"'[^']*'")
# A multi-line string may end in up to two quotes of its own, directly before the closing three.
_STRING: Final = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}(?!")' r"|'''.*?'{3,5}(?!')" r'|"(?:[^"\\]|\\.)*"' r"|'[^']*'",
    re.DOTALL,
)
_SCALAR: Final = re.compile(r"[^,\]}#\r\n]+")


def key_lines(text: str) -> Mapping[KeyPath, int]:
    """Find the line, from 1, of every key and table of a valid TOML document.

    A table has the line of its own header, else of the first key that implies it.
    """
    scanner = _Scanner(text)
    scanner.document()
    return scanner.lines


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.lines: dict[KeyPath, int] = {}
        self._counts: dict[KeyPath, int] = {}
        self._line = 1
        self._counted_to = 0

    def document(self) -> None:
        prefix: KeyPath = ()
        self._skip(_VOID)
        while self.at < len(self.text):
            if self.text[self.at] == "[":
                prefix = self._header()
            else:
                self._pair(prefix)
            self._skip(_VOID)

    def _header(self) -> KeyPath:
        line = self._line_here()
        is_array = self.text.startswith("[[", self.at)
        self.at += 2 if is_array else 1
        *parents, last = self._key()
        path: KeyPath = ()
        for part in parents:
            path = self._entered((*path, part), line)
        path = (*path, last)
        if is_array:
            self.lines.setdefault(path, line)
            self._counts[path] = self._counts.get(path, 0) + 1
            path = (*path, self._counts[path] - 1)
        self.lines[path] = line
        self.at += 2 if is_array else 1
        return path

    def _entered(self, path: KeyPath, line: int) -> KeyPath:
        """Note a table that a longer header implies, and step into an array's newest element."""
        self.lines.setdefault(path, line)
        return (*path, self._counts[path] - 1) if path in self._counts else path

    def _pair(self, prefix: KeyPath) -> None:
        line = self._line_here()
        path = prefix
        for part in self._key():
            path = (*path, part)
            self.lines.setdefault(path, line)
        self.at += 1  # the equals sign
        self._skip(_BLANK)
        self._value(path)

    def _key(self) -> list[str]:
        """Read a dotted key and the blanks after it."""
        parts: list[str] = []
        while True:
            self._skip(_BLANK)
            parts.append(self._key_part())
            self._skip(_BLANK)
            if self.text[self.at] != ".":
                return parts
            self.at += 1

    def _key_part(self) -> str:
        if self.text[self.at] == '"':
            return _unquoted(self._take(_BASIC))
        if self.text[self.at] == "'":
            return self._take(_LITERAL)[1:-1]
        return self._take(_BARE_KEY)

    def _value(self, path: KeyPath) -> None:
        opening = self.text[self.at]
        if opening == "[":
            self._array(path)
        elif opening == "{":
            self._inline_table(path)
        else:
            self._take(_STRING if opening in "\"'" else _SCALAR)

    def _array(self, path: KeyPath) -> None:
        self.at += 1
        self._skip(_VOID)
        index = 0
        while self.text[self.at] != "]":
            self.lines[(*path, index)] = self._line_here()
            self._value((*path, index))
            index += 1
            self._next_item()
        self.at += 1

    def _inline_table(self, path: KeyPath) -> None:
        self.at += 1
        self._skip(_VOID)
        while self.text[self.at] != "}":
            self._pair(path)
            self._next_item()
        self.at += 1

    def _next_item(self) -> None:
        self._skip(_VOID)
        if self.text[self.at] == ",":
            self.at += 1
            self._skip(_VOID)

    def _skip(self, pattern: re.Pattern[str]) -> None:
        self._take(pattern)

    def _take(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.at)
        assert found is not None, "tomllib accepted what this scanner cannot read"
        self.at = found.end()
        return found[0]

    def _line_here(self) -> int:
        self._line += self.text.count("\n", self._counted_to, self.at)
        self._counted_to = self.at
        return self._line


def _unquoted(raw: str) -> str:
    return str(tomllib.loads(f"key = {raw}")["key"])
