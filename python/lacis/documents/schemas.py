"""The published JSON Schemas (2020-12), made of the documents' types.

`python -m lacis.documents.schemas` writes them; `tests/unit/test_documents.py` says when they are not what the types give.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import json
import pkgutil
import re
import sys
from pathlib import Path
from typing import Any

import msgspec

from ..facts.fact import FoundFact
from . import __path__ as _room
from .base import BASES, Document, Row

Schema = dict[str, Any]

FOLDER = Path(__file__).parents[1] / "schemas"
COMMON = "lacis.common-1.json"
_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_HERE = "#/$defs/"


def documents() -> dict[str, list[type[Document]]]:
    """By the value of `schema`, as `lacis.route/1`: the types that have it; several are alternatives."""
    by_name: dict[str, list[type[Document]]] = {}
    for module in pkgutil.iter_modules(_room):
        for value in vars(importlib.import_module(f"{__package__}.{module.name}")).values():
            if isinstance(value, type) and issubclass(value, Document) and value not in BASES:
                same = by_name.setdefault(str(value.__struct_config__.tag), [])
                if value not in same:
                    same.append(value)
    return dict(sorted(by_name.items()))


def file_of(name: str) -> str:
    """The file for a value of `schema`: `lacis.route-1.json`."""
    return name.replace("/", "-") + ".json"


def published() -> dict[str, Schema]:
    """Every schema by its file. Rows of several files are defined in `COMMON`, all others where they are used."""
    by_file = {file_of(name): _alternatives(kinds) for name, kinds in documents().items()}
    every = [kind for kinds in by_file.values() for kind in kinds]
    refs, rows = msgspec.json.schema_components(every, ref_template=_HERE + "{name}")
    kinds_of_rows = _kinds(tuple(every))
    rows = {name: _strict(row, kinds_of_rows[name]) for name, row in rows.items()}
    tops = dict(zip(every, (ref["$ref"].removeprefix(_HERE) for ref in refs), strict=True))
    used = {file: _reached([tops[kind] for kind in kinds], rows) for file, kinds in by_file.items()}
    shared = {
        name
        for name in rows
        if sum(name in names for names in used.values()) > 1 or issubclass(kinds_of_rows[name], FoundFact)
    }
    made: dict[str, Schema] = {
        COMMON: {
            "$schema": _DIALECT,
            "$id": COMMON,
            "title": "What the schemas of Lacis have in common",
            "$defs": {name: rows[name] for name in sorted(shared)},
        }
    }
    for file, kinds in by_file.items():
        heads = [tops[kind] for kind in kinds]
        inner = {name: rows[name] for name in sorted(used[file] - shared)}
        body = (
            inner.pop(heads[0]) if len(kinds) == 1 else {"oneOf": [{"$ref": _HERE + name} for name in heads]}
        )
        title, text = title_of(kinds[0])
        head = {"$schema": _DIALECT, "$id": file, "title": title}
        made[file] = _across(
            head | body | {"description": text} | ({"$defs": inner} if inner else {}), shared
        )
    return made


def title_of(kind: type[Row]) -> tuple[str, str]:
    """The command of a document, and what it says: its docstring up to the colon, and after it."""
    text = inspect.cleandoc(kind.__doc__ or "")
    title, _, rest = text.partition(": ")
    return title.replace("`", ""), rest[:1].upper() + rest[1:]


@functools.cache
def descriptions(kind: type[Row]) -> dict[str, str]:
    """The text below each field of a type, by its key."""
    keys = {field.name: field.encode_name for field in msgspec.structs.fields(kind)}
    found: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if issubclass(base, Row) and base.__module__ != Row.__module__:
            found |= {
                keys[name]: text
                for name, text in _texts(base.__module__)[base.__name__].items()
                if name in keys
            }
    return found


@functools.cache
def _texts(module: str) -> dict[str, dict[str, str]]:
    """The texts below the fields of a module's classes."""
    found: dict[str, dict[str, str]] = {}
    for kind in ast.parse(inspect.getsource(sys.modules[module])).body:
        if not isinstance(kind, ast.ClassDef):
            continue
        texts = found.setdefault(kind.name, {})
        for field, text in zip(kind.body, kind.body[1:], strict=False):
            if (
                isinstance(field, ast.AnnAssign)
                and isinstance(field.target, ast.Name)
                and isinstance(text, ast.Expr)
                and isinstance(text.value, ast.Constant)
            ):
                texts[field.target.id] = str(text.value.value)
    return found


def _alternatives(kinds: list[type[Document]]) -> list[type[Row]]:
    """What a file of this schema may hold: its documents, and the lines that follow one."""
    lines = [line for kind in kinds for line in getattr(kind, "line_rows", ())]
    return [*kinds, *lines]


@functools.cache
def _kinds(every: tuple[type[Row], ...]) -> dict[str, type[Row]]:
    """The types of documents and of all that they hold, by name."""
    found: dict[str, type[Row]] = {}

    def visit(of: object) -> None:
        if isinstance(of, msgspec.inspect.StructType):
            if issubclass(of.cls, Row) and of.cls.__name__ not in found:
                found[of.cls.__name__] = of.cls
                for field in of.fields:
                    visit(field.type)
        elif isinstance(of, msgspec.inspect.Type):
            for name in of.__struct_fields__:
                inner = getattr(of, name)
                for one in inner if isinstance(inner, tuple) else (inner,):
                    visit(one)

    for one in msgspec.inspect.multi_type_info(every):
        visit(one)
    return found


def _strict(row: Schema, kind: type[Row]) -> Schema:
    """A definition with its descriptions; a key with a default is printed all the same, unless its type leaves defaults out."""
    texts = descriptions(kind)
    properties: Schema = {}
    config = kind.__struct_config__
    for key, schema in row["properties"].items():
        said = {"description": texts[key]} if key in texts else {}
        if config.omit_defaults and schema.get("default", "") is None:
            schema = next(one for one in schema["anyOf"] if one != {"type": "null"})
        properties[key] = {name: value for name, value in schema.items() if name != "default"} | said
    tag = config.tag_field
    if tag is not None:
        properties[tag] = {"const": config.tag}
        if tag != "schema":
            properties[tag]["description"] = inspect.cleandoc(kind.__doc__ or "")
    required = [
        field.encode_name
        for field in msgspec.structs.fields(kind)
        if field.default is not msgspec.UNSET and not (config.omit_defaults and not field.required)
    ]
    head = [] if tag is None else [tag]
    return {
        "description": inspect.cleandoc(kind.__doc__ or ""),
        "type": "object",
        "properties": properties,
        "required": [*head, *required],
        "additionalProperties": False,
    }


def _reached(heads: list[str], rows: dict[str, Schema]) -> set[str]:
    """The definitions that some refer to, and these themselves."""
    found: set[str] = set()
    left = list(heads)
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += re.findall(rf'"{re.escape(_HERE)}(\w+)"', json.dumps(rows[name]))
    return found


def _across(schema: Any, shared: set[str]) -> Any:
    """A schema whose references to shared definitions lead to `COMMON`."""
    if isinstance(schema, list):
        return [_across(one, shared) for one in schema]
    if not isinstance(schema, dict):
        return schema
    ref = schema.get("$ref")
    moved = {"$ref": COMMON + ref} if ref and ref.removeprefix(_HERE) in shared else {}
    return {key: _across(value, shared) for key, value in (schema | moved).items()}


def text_of(schema: Schema) -> str:
    """A schema as its file has it."""
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    made = published()
    for path in FOLDER.glob("*.json"):
        path.unlink()
    for name, schema in made.items():
        (FOLDER / name).write_text(text_of(schema), "utf-8")
