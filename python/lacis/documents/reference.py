"""The tables of `docs/reference/json.md`, made of the published schemas.

`python -m lacis.documents.reference PAGE` writes them below the page's mark; what stands above it is written by hand.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from .schemas import COMMON, published

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .schemas import Schema

MARK = "<!-- What follows is made of python/lacis/documents by `make documents`. -->\n"
_TYPES = {"string": "text", "array": "list", "null": "null", "integer": "integer", "number": "number"}
_HEAD = "| key | type | meaning |\n|---|---|---|\n"


def tables() -> str:
    """All documents, then the objects that several have."""
    files = published()
    shared = files[COMMON]["$defs"]
    parts = [_document(files, file) for file in files if file != COMMON]
    parts.append("## Objects that several documents have\n")
    parts += [
        f"### {name}\n\n{_description(row)}\n\n{_table(files, COMMON, row)}" for name, row in shared.items()
    ]
    return "\n".join(parts)


def page(text: str) -> str:
    """The page with its tables made afresh."""
    return text.partition(MARK)[0] + MARK + "\n" + tables()


def _document(files: Mapping[str, Schema], file: str) -> str:
    """A document: its command and its keys; alternatives one after the other."""
    schema = files[file]
    kinds = [(file, schema)] if "properties" in schema else list(_alternatives(files, file, schema))
    name = file.removesuffix("-1.json")
    parts = [f"## `{name}/1`\n"]
    for where, kind in kinds:
        if where == file:
            said = (
                f"`{schema['title']}`: {_uncapitalised(_description(schema))}"
                if kind is schema
                else _description(kind)
            )
            parts.append(f"{said}\n\n{_table(files, file, kind)}")
        else:
            parts.append(f"Each further line has the keys of {_link(files, where, kind)}.\n")
    parts.append(f'<a href="../schemas/{file}">Its schema</a>\n')
    return "\n".join(parts)


def _table(files: Mapping[str, Schema], file: str, schema: Schema) -> str:
    """The keys of an object and of those inside that only this document has: `bisection.exact`, `rails[].labels`."""
    rows = _rows(files, file, schema, "", {})
    return _HEAD + "".join(f"| `{path}` | {kind} | {meaning} |\n" for path, kind, meaning in rows)


def _rows(
    files: Mapping[str, Schema], file: str, schema: Schema, path: str, shown: dict[int, str]
) -> Iterator[tuple[str, str, str]]:
    """The rows of an object; `shown` has the path of each object inside whose rows are there already."""
    for key, value in schema["properties"].items():
        if key == "schema" and not path:
            continue
        optional = "" if key in schema["required"] else ", may be absent"
        own = list(_own(files, file, value, f"{path}{key}"))
        again = [f" Its keys are those of `{shown[id(row)]}`." for _, row in own if id(row) in shown]
        meaning = _description(value) + _values(files, file, value) + "".join(again)
        yield f"{path}{key}", _type(files, file, value) + optional, meaning
        for inner, row in own:
            if id(row) not in shown:
                shown[id(row)] = inner
                yield from _rows(files, file, row, f"{inner}.", shown)


def _own(files: Mapping[str, Schema], file: str, schema: Schema, path: str) -> Iterator[tuple[str, Schema]]:
    """The objects inside a value that are defined in the document itself, with their path."""
    for where, one in _alternatives(files, file, schema):
        if "properties" in one and where == file != COMMON:
            yield path, one
        for items in (one.get("items"), *one.get("prefixItems", ())):
            if isinstance(items, dict):
                yield from _own(files, where, items, f"{path}[]")
        if isinstance(one.get("additionalProperties"), dict):
            yield from _own(files, where, one["additionalProperties"], f"{path}.KEY")


def _type(files: Mapping[str, Schema], file: str, schema: Schema) -> str:
    """The type in words: `list of texts`, `number or null`."""
    kinds: list[str] = []
    for where, one in _alternatives(files, file, schema):
        if "properties" in one:
            kinds.append(_link(files, where, one) if where != file or file == COMMON else "object")
        elif "const" in one or ("enum" in one and "type" not in one):
            kinds += ["text", "null"] if None in one.get("enum", ()) else ["text"]
        elif one.get("type") == "array":
            kinds.append(_list(files, where, one))
        else:
            kinds.append(_TYPES.get(one["type"]) or str(one["type"]))
    return " or ".join(dict.fromkeys(kinds))


def _list(files: Mapping[str, Schema], file: str, schema: Schema) -> str:
    """The type of a list: `list of texts`, or of each item where their number is fixed."""
    if "prefixItems" in schema:
        return f"list ({', '.join(_type(files, file, one) for one in schema['prefixItems'])})"
    inner = _type(files, file, schema["items"])
    return "list of " + (f"{inner}s" if re.fullmatch("text|integer|number|object|list", inner) else inner)


def _values(files: Mapping[str, Schema], file: str, schema: Schema) -> str:
    """The values to which a text is limited, unless its description has them all."""
    allowed = [
        [one["const"]] if "const" in one else one.get("enum", [])
        for _, one in _alternatives(files, file, schema)
    ]
    values = [f"`{value}`" for some in allowed for value in some if value is not None]
    if all(value in _description(schema) for value in values):
        return ""
    return f" One of {', '.join(values)}." if len(values) > 1 else f" Always {values[0]}."


def _alternatives(files: Mapping[str, Schema], file: str, schema: Schema) -> Iterator[tuple[str, Schema]]:
    """What a schema allows, references followed: each with the file that it is in."""
    if "$ref" in schema:
        name, _, inside = schema["$ref"].partition("#/$defs/")
        other = name or file
        yield from _alternatives(files, other, files[other]["$defs"][inside])
    elif "oneOf" in schema or "anyOf" in schema:
        for one in schema.get("oneOf") or schema["anyOf"]:
            yield from _alternatives(files, file, one)
    else:
        yield file, schema


def _link(files: Mapping[str, Schema], file: str, row: Schema) -> str:
    """A link to the table of an object that several documents have."""
    name = next(name for name, one in files[file]["$defs"].items() if one is row)
    return f"[{name}](#{name.lower()})"


def _description(schema: Schema) -> str:
    return " ".join(str(schema.get("description", "")).split()).replace("|", "\\|")


def _uncapitalised(text: str) -> str:
    return text[:1].lower() + text[1:]


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.write_text(page(target.read_text("utf-8")), "utf-8")
