"""The published JSON Schemas: whole, strict, one for each command. What commands print is compared by `lacis`."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import lacis as api
import pytest
from jsonschema import Draft202012Validator

from tests import schemas
from tests.cli.test_main import EVERY

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import click

    from tests.conftest import Lacis


@pytest.mark.parametrize("file", schemas.SCHEMAS)
def test_a_schema_is_one_and_says_what_it_is_of(file: str) -> None:
    schema = schemas.SCHEMAS[file]
    Draft202012Validator.check_schema(schema)
    assert (schema["$id"], schema["$schema"]) == (file, "https://json-schema.org/draft/2020-12/schema")
    assert schema["title"]


def objects(schema: Any, where: str = "$") -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(schema, dict):
        if "properties" in schema:
            yield where, schema
        for key, value in schema.items():
            yield from objects(value, f"{where}.{key}")
    elif isinstance(schema, list):
        for place, value in enumerate(schema):
            yield from objects(value, f"{where}[{place}]")


@pytest.mark.parametrize("file", schemas.SCHEMAS)
def test_objects_have_no_other_keys_and_lack_none_unsaid(file: str) -> None:
    for where, schema in objects(schemas.SCHEMAS[file]):
        assert schema["additionalProperties"] is False, where
        assert set(schema.get("required", ())) <= set(schema["properties"]), where


@pytest.mark.parametrize(
    ("name", "command"), [one for one in EVERY if any(p.name == "as_json" for p in one[1].params)]
)
def test_a_command_with_json_has_a_schema(name: str, command: click.Command) -> None:
    assert schemas.file_of(f"lacis.{name.replace(' ', '-')}/1") in schemas.SCHEMAS, command


def paths(content: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where every key of every object is, of lists the first item's."""
    if isinstance(content, dict):
        for key, value in content.items():
            yield (*path, key)
            yield from paths(value, (*path, key))
    elif isinstance(content, list) and content:
        yield from paths(content[0], (*path, 0))


def test_a_key_that_is_renamed_is_found(lacis: Lacis) -> None:
    content = json.loads(lacis("fabric", "fat-tree:4,2", "--without", "leaf-01--spine-01", "--json").out)
    for path in paths(content):
        other = copy.deepcopy(content)
        at = other
        for step in path[:-1]:
            at = at[step]
        at["renamed"] = at.pop(path[-1])
        with pytest.raises((AssertionError, KeyError), match=r"renamed|schema|facts: "):
            schemas.check(other)


def test_lines_of_survive(lacis: Lacis, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    assert lacis("survive", "fat-tree:4,2", "-R", "ftree", "-o", kept).status == 0
    lines = [json.loads(line) for line in kept.read_text().splitlines()]
    assert len(lines) == 1 + 8 + 6  # a header; 4 leaves with 2 cables each, 6 switches
    for line in lines:
        schemas.check(line, "lacis.survive.lines/1")


@pytest.mark.parametrize("spec", ["fat-tree:4,2", "itasca:67", "torus:4x4:unmanaged=1,rails=2"])
def test_fabric_files(spec: str) -> None:
    schemas.check(json.loads(api.read(spec).to_json()))
