"""Where the text of gitsched.toml comes from."""

from pathlib import Path

from gitsched.config.parse import FILENAME, parse_settings
from gitsched.config.settings import Settings
from gitsched.errors import ConfigError


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


def settings_in(text: str | None, root: Path) -> Settings:
    """Read settings from a text of gitsched.toml. Raises ConfigError when it is missing or wrong."""
    file = root / FILENAME
    if text is None:
        asked = f"The configuration '{file}' was to be read."
        raise ConfigError(asked, "There is no such file.", "`gitsched init` writes it.")
    return parse_settings(text, str(file))
