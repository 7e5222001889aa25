"""The text of gitsched.toml, read whole or refused at its first fault."""

import re
import tomllib
from typing import Final

from gitsched.config.lines import key_lines
from gitsched.config.reading import read_record
from gitsched.config.relations import broken_relations
from gitsched.config.settings import Settings
from gitsched.config.spot import Spot
from gitsched.errors import ConfigError

FILENAME: Final = "gitsched.toml"
_AT_LINE: Final = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


def parse_settings(text: str, filename: str = FILENAME) -> Settings:
    """Read every table; `filename` is only shown.

    Raises ConfigError, naming file, line and key, for a fault of syntax, an unknown key, a wrong
    type or range, a contradiction, and a setting that this version does not serve.
    """
    try:
        raw = tomllib.loads(text)
        root = Spot(filename, key_lines(text))
    except RecursionError as error:
        raise ConfigError(f"{filename} was to be read.", "It is nested too deeply.", "Use plain tables.") from error
    except ValueError as error:  # TOMLDecodeError, and what int() says of thousands of digits
        raise _syntax_refusal(text, filename, str(error)) from error
    settings = read_record(Settings, raw, root)
    for fault in broken_relations(settings, raw, root):
        raise fault
    return settings


def _syntax_refusal(text: str, filename: str, message: str) -> ConfigError:
    """Put tomllib's message in order: its line stands in the text only (attributes: Python 3.14)."""
    found = _AT_LINE.search(message)
    line = int(found[1]) if found and found[1] else text.rstrip("\n").count("\n") + 1
    reason = _AT_LINE.sub("", message)
    return ConfigError(
        f"{filename}, line {line}: no valid TOML.",
        f"{reason[:1].upper()}{reason[1:]}.",
        "https://toml.io/en/v1.0.0 describes the format.",
    )
