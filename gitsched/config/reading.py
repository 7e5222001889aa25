"""From a decoded TOML table to a frozen record, by what the record itself says of its fields.

A field is declared once: `timeout_s: Annotated[float, Key("timeout", Duration())] = 1800.0` gives
the key in the file, the rule, the name and unit inside, and the default.
"""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from gitsched.config.lines import KeyPath
from gitsched.config.rules import Choice, Flag, Rule, refused_type
from gitsched.config.spot import Spot, dotted
from gitsched.errors import ConfigError

Record = TypeVar("Record", bound=msgspec.Struct)


@dataclass(frozen=True, slots=True)
class Key:
    """How a field is written in the file."""

    toml: str
    """The key; `*` takes every table whose name no other field takes."""
    rule: Rule | None = None
    """None where the type says it all: a record, a boolean, a closed set of words."""


@dataclass(frozen=True, slots=True)
class Field:
    """One declared field of a record."""

    name: str
    toml: str
    rule: Rule
    default: object
    """`msgspec.NODEFAULT` where the key has to be written."""

    @property
    def is_required(self) -> bool:
        """Whether the key has to be written."""
        return self.default is msgspec.NODEFAULT


@dataclass(frozen=True, slots=True)
class Leaf:
    """One setting with the value it has and the value it has when nothing is written."""

    path: KeyPath
    value: object
    default: object
    rule: Rule


@dataclass(frozen=True, slots=True)
class Table:
    """A record of fields: the rule of a TOML table."""

    kind: type[msgspec.Struct]

    @property
    def says(self) -> str:
        """Name the keys."""
        return "a table with the keys " + ", ".join(f.toml for f in fields_of(self.kind))

    def read(self, value: object, spot: Spot) -> msgspec.Struct:
        """Read a record; what is not written has its default."""
        return read_record(self.kind, value, spot)

    def render(self, value: object) -> str:
        """Write an inline table; a key without a value is left out."""
        values = ((field, getattr(value, field.name)) for field in fields_of(self.kind))
        pairs = ", ".join(f"{field.toml} = {field.rule.render(v)}" for field, v in values if v is not None)
        return f"{{ {pairs} }}"


@dataclass(frozen=True, slots=True)
class Tables:
    """Records in the order of the file: the rule of an array of tables."""

    kind: type[msgspec.Struct]

    @property
    def says(self) -> str:
        """Name the keys of one table."""
        return "an array of tables with the keys " + ", ".join(f.toml for f in fields_of(self.kind))

    def read(self, value: object, spot: Spot) -> tuple[msgspec.Struct, ...]:
        """Read every record."""
        if not isinstance(value, list):
            raise refused_type(value, self, spot)
        return tuple(read_record(self.kind, v, spot.child(i)) for i, v in enumerate(value))

    def render(self, value: object) -> str:
        """Write an array of inline tables."""
        assert isinstance(value, tuple)
        return f"[{', '.join(Table(self.kind).render(item) for item in value)}]"


@cache
def fields_of(kind: type[msgspec.Struct]) -> tuple[Field, ...]:
    """List a record's fields as declared, in their order."""
    hints = get_type_hints(kind, include_extras=True)
    return tuple(_field(declared, hints[declared.name]) for declared in msgspec.structs.fields(kind))


def _field(declared: msgspec.structs.FieldInfo, hint: object) -> Field:
    assert get_origin(hint) is Annotated, f"{declared.name} says nothing of its key"
    inner, key = get_args(hint)
    factory = declared.default_factory
    default = declared.default if factory is msgspec.NODEFAULT else factory()
    return Field(declared.name, key.toml, key.rule or _rule_of(inner), default)


def _rule_of(hint: Any) -> Rule:
    if hint is bool:
        return Flag()
    if get_origin(hint) is Literal:
        return Choice(get_args(hint))
    if issubclass(hint, StrEnum):
        return Choice(tuple(hint))
    return Table(hint)


def read_record(kind: type[Record], value: object, spot: Spot, over: Record | None = None) -> Record:
    """Read a table into a record, over the values of another one where it is given.

    Raises ConfigError for an unknown key, a wrong value, or a required key that is missing.
    """
    if not isinstance(value, Mapping):
        raise refused_type(value, Table(kind), spot)
    fields = {field.toml: field for field in fields_of(kind)}
    read: dict[str, object] = {}
    for key, item in value.items():
        if key in fields and key != "*":
            read[fields[key].name] = _value(fields[key], item, spot.child(key), over)
        elif "*" not in fields or not isinstance(item, dict):
            raise unknown_key(spot.child(key), [name for name in fields if name != "*"])
    if "*" in fields:
        rest = {key: item for key, item in value.items() if key not in fields}
        read[fields["*"].name] = fields["*"].rule.read(rest, spot)
    return _built(kind, read, spot, over)


def _value(field: Field, item: object, spot: Spot, over: msgspec.Struct | None) -> object:
    if over is not None and isinstance(field.rule, Table):
        return read_record(field.rule.kind, item, spot, getattr(over, field.name))
    return field.rule.read(item, spot)


def _built(kind: type[Record], read: dict[str, object], spot: Spot, over: Record | None) -> Record:
    if over is not None:
        return msgspec.structs.replace(over, **read)
    for field in fields_of(kind):
        if field.is_required and field.name not in read:
            raise spot.refusal(f"The table has no key '{field.toml}'.", f"Add `{field.toml}`: {field.rule.says}.")
    return kind(**read)


def unknown_key(spot: Spot, known: list[str]) -> ConfigError:
    """Make the refusal of a key that nothing reads, naming the nearest one and all of its table."""
    wanted = str(spot.path[-1])
    nearest = max(known, key=lambda name: difflib.SequenceMatcher(None, wanted, name).ratio())
    return spot.refusal(
        f"There is no such key; the nearest is '{dotted((*spot.path[:-1], nearest))}'.",
        f"Known here: {', '.join(known)}.",
    )


def leaves_of(record: msgspec.Struct, path: KeyPath = ()) -> Iterator[Leaf]:
    """List every setting of a record and of the records in it, with its default beside it."""
    for field in fields_of(type(record)):
        value = getattr(record, field.name)
        here = path if field.toml == "*" else (*path, field.toml)
        if isinstance(value, msgspec.Struct):
            yield from leaves_of(value, here)
        elif _holds_records(value):
            for key, item in value.items() if isinstance(value, Mapping) else enumerate(value):
                yield from leaves_of(item, (*here, key))
        else:
            yield Leaf(here, value, field.default, field.rule)


def _holds_records(value: object) -> bool:
    items = value.values() if isinstance(value, Mapping) else value
    return isinstance(items, Iterable) and any(isinstance(i, msgspec.Struct) for i in items)
