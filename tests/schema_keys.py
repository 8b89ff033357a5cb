"""The keys that a JSON Schema promises: where each is, its types, and whether it is always there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Schema = dict[str, Any]

_NAMES = {str: "string", bool: "boolean", type(None): "null"}


@dataclass
class Key:
    """A key: `null`, `integer` and other types of its values; those to which it is limited; whether it may be absent."""

    types: set[str] = field(default_factory=set)
    values: set[str] = field(default_factory=set)
    optional: bool = False

    def __str__(self) -> str:
        values = "".join(f" {value!r}" for value in sorted(self.values))
        return f"{'|'.join(sorted(self.types))}{' optional' if self.optional else ''}{values}"


def keys(files: Mapping[str, Schema], file: str) -> dict[str, Key]:
    """Keys by their path, `findings[].ends[].node`; the values of an object with free keys are at `{}`."""
    found: dict[str, Key] = {}
    _object(files, file, files[file], "", found)
    return found


def _object(files: Mapping[str, Schema], file: str, schema: Schema, path: str, found: dict[str, Key]) -> None:
    """Adds the keys of an object and of all inside; with alternatives a key that only some have is optional."""
    alternatives = list(_alternatives(files, file, schema))
    objects = [(where, one) for where, one in alternatives if "properties" in one or "allOf" in one]
    parts = [_merged(files, where, one) for where, one in objects]
    every = {key for properties, _ in parts for key in properties}
    for key in sorted(every):
        inner = f"{path}.{key}" if path else key
        entry = found.setdefault(inner, Key())
        entry.optional |= any(key not in required for _, required in parts)
        for properties, _ in parts:
            if key in properties:
                _value(files, *properties[key], inner, entry, found)


def _value(
    files: Mapping[str, Schema], file: str, schema: Schema, path: str, entry: Key, found: dict[str, Key]
) -> None:
    for where, one in _alternatives(files, file, schema):
        types = one.get("type", [])
        entry.types |= {types} if isinstance(types, str) else set(types)
        for value in [one["const"]] if "const" in one else one.get("enum", []):
            entry.types.add(_NAMES[type(value)])
            if value is not None:
                entry.values.add(str(value))
        if "properties" in one or "allOf" in one:
            entry.types.add("object")
        items = [*one.get("prefixItems", []), *([one["items"]] if isinstance(one.get("items"), dict) else [])]
        for item in items:
            _value(files, where, item, f"{path}[]", found.setdefault(f"{path}[]", Key()), found)
        if isinstance(one.get("additionalProperties"), dict):
            inner = f"{path}{{}}"
            _value(files, where, one["additionalProperties"], inner, found.setdefault(inner, Key()), found)
    _object(files, file, schema, path, found)


def _alternatives(files: Mapping[str, Schema], file: str, schema: Schema) -> Iterator[tuple[str, Schema]]:
    """What a schema allows, references followed: each with the file that it is in."""
    if "$ref" in schema:
        name, _, inside = schema["$ref"].partition("#")
        other = name or file
        there: Any = files[other]
        for step in filter(None, inside.split("/")):
            there = there[step]
        yield from _alternatives(files, other, there)
    elif "oneOf" in schema or "anyOf" in schema:
        for one in [*schema.get("oneOf", []), *schema.get("anyOf", [])]:
            yield from _alternatives(files, file, one)
    else:
        yield file, schema


def _merged(
    files: Mapping[str, Schema], file: str, schema: Schema
) -> tuple[dict[str, tuple[str, Schema]], set[str]]:
    """The keys of an object, those that it takes over too, each with the file that it is in; and those always there."""
    properties = {key: (file, one) for key, one in schema.get("properties", {}).items()}
    required = set(schema.get("required", []))
    for base in schema.get("allOf", []):
        for where, one in _alternatives(files, file, base):
            inner, always = _merged(files, where, one)
            properties = inner | properties
            required |= always
    return properties, required
