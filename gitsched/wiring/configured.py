"""Where the text of gitsched.toml comes from."""

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from gitsched.config.parse import FILENAME, parse_settings
from gitsched.config.settings import Settings
from gitsched.errors import ConfigError

if TYPE_CHECKING:
    from gitsched.engine.desk import Surroundings


def configuration_text(root: Path, common: Path, revision: str | None) -> str | None:
    """Read gitsched.toml of a checkout, in a bare repository of its HEAD; None where there is none.

    Where a revision is named, that one's is read: what lies in a checkout is then nobody's word.
    """
    file = root / FILENAME
    if revision is None and file.is_file():
        return file.read_text(encoding="utf-8")
    if revision is None and root != common:
        return None
    from gitsched.adapters.git.process import engine_git

    kept = engine_git(common).run("cat-file", "blob", f"{revision or 'HEAD'}:{FILENAME}", check=False)
    return kept.text() if kept.ok else None


class Edits:
    """gitsched.toml of a checkout, as it is edited while a driver runs."""

    def __init__(self, root: Path, text: str | None) -> None:
        """Begin with the text that the driver was started with; None: it has none of its own to be edited."""
        self._file = root / FILENAME
        self._text = text

    def __call__(self) -> Settings | ConfigError | None:
        """Read what was edited since the last call, be it wrong; None: nothing was."""
        text = self._written()
        if text == self._text:
            return None
        self._text = text
        try:
            return settings_in(text, self._file.parent)
        except ConfigError as wrong:
            return wrong

    def _written(self) -> str | None:
        """Read the file; one that is gone or empty for the moment, as editors make it, is as it was."""
        if self._text is None:
            return None
        try:
            return self._file.read_text(encoding="utf-8") or self._text
        except (OSError, UnicodeDecodeError):
            return self._text


def bounded(around: "Surroundings", settings: Settings, at_most: int | None) -> "tuple[Surroundings, Settings]":
    """Let a driver have at most so many runs on this machine, however its configuration is edited meanwhile."""
    if at_most is None:
        return around, settings

    def narrow(given: Settings) -> Settings:
        most = min(at_most, given.slots.per_host or at_most)
        return replace(given, slots=replace(given.slots, per_host=most))

    def edits() -> Settings | ConfigError | None:
        edited = around.edits()
        return narrow(edited) if isinstance(edited, Settings) else edited

    return replace(around, edits=edits), narrow(settings)


def settings_in(text: str | None, root: Path) -> Settings:
    """Read settings from a text of gitsched.toml. Raises ConfigError when it is missing or wrong."""
    file = root / FILENAME
    if text is None:
        asked = f"The configuration '{file}' was to be read."
        raise ConfigError(asked, "There is no such file.", "`gitsched init` writes it.")
    return parse_settings(text, str(file))
