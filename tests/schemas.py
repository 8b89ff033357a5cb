"""The published JSON Schemas, as tests use them."""

from __future__ import annotations

import functools
import json
from importlib.resources import files
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

SCHEMAS = {
    file.name: json.loads(file.read_text("utf-8"))
    for file in files("lacis").joinpath("schemas").iterdir()
    if file.name.endswith(".json")
}
COMMON = "lacis.common-1.json"


def file_of(schema: str) -> str:
    """The file for the value of a `schema` key: `lacis.route/1`."""
    return schema.replace("/", "-") + ".json"


@functools.cache
def validator(file: str) -> Draft202012Validator:
    registry: Registry[Any] = Registry().with_resources(
        (name, Resource.from_contents(schema)) for name, schema in SCHEMAS.items()
    )
    return Draft202012Validator(SCHEMAS[file], registry=registry)


def check(content: Any, schema: str | None = None) -> None:
    """Raises where JSON does not match its schema, by default the one that it names."""
    schema = content["schema"] if schema is None else schema
    assert file_of(schema) in SCHEMAS, f"python/lacis/schemas/ has no {file_of(schema)}"
    errors = [
        f"{error.json_path}: {_short(error.message)}"
        for error in validator(file_of(schema)).iter_errors(content)
    ]
    assert not errors, f"{schema}: " + "\n".join(errors[:5])


def _short(message: str) -> str:
    """A message without the middle of the value that it begins with."""
    return message if len(message) <= 300 else f"{message[:200]} … {message[-100:]}"
