"""Documents: one type is what is printed, its schema and its page; neither of these is behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from lacis.documents import reference, schemas
from lacis.documents.base import row_of
from lacis.documents.common import Refusal
from lacis.documents.routes import RouteDocument

from ..conftest import ROOT
from ..schemas import SCHEMAS

if TYPE_CHECKING:
    from tests.conftest import Lacis


def test_the_published_schemas_are_those_of_the_types() -> None:
    there = {path.name: path.read_text("utf-8") for path in schemas.FOLDER.iterdir()}
    published = schemas.published()
    assert there.keys() == published.keys(), "make documents"
    behind = [name for name, schema in published.items() if there[name] != schemas.text_of(schema)]
    assert not behind, "make documents"


def test_the_page_has_the_tables_of_the_types() -> None:
    page = (ROOT / "docs" / "reference" / "json.md").read_text("utf-8")
    assert page == reference.page(page), "make documents"


@pytest.mark.parametrize("file", SCHEMAS)
def test_every_key_is_described(file: str) -> None:
    lacking = []

    def visit(schema: object, path: str) -> None:
        if isinstance(schema, dict):
            for key, value in schema.get("properties", {}).items():
                if key != "schema" and not value.get("description", "").strip().endswith(
                    (".", "…", "`", ")")
                ):
                    lacking.append(f"{path}.{key}")
            for key, value in schema.items():
                visit(value, f"{path}.{key}")
        elif isinstance(schema, list):
            for value in schema:
                visit(value, path)

    visit(SCHEMAS[file], file)
    assert not lacking


def test_what_is_printed_is_read_back_as_its_type(lacis: Lacis) -> None:
    # ftree refuses a tree that lost a cable; 6 switches, whose 8 hosts and own ports have a LID each.
    done = lacis("route", "fat-tree:4,2", "--without", "leaf-01--spine-01", "-R", "ftree", "--json")
    found = msgspec.json.decode(done.out, type=RouteDocument)
    assert (found.engine_requested, found.engine_used, found.refusals[0].engine) == (
        "ftree",
        "minhop",
        "ftree",
    )
    assert (found.switches, found.lids, found.entries) == (6, 14, 84)
    with pytest.raises(msgspec.ValidationError, match="unknown field `engine_tried`"):
        msgspec.json.decode(done.out.replace("engine_used", "engine_tried"), type=RouteDocument)


def test_a_misspelt_key_cannot_be_constructed() -> None:
    with pytest.raises(TypeError, match="resaon"):
        Refusal(engine="ftree", resaon="no tree")  # type: ignore[call-arg]
    with pytest.raises(msgspec.ValidationError, match="reason"):
        row_of(Refusal, {"engine": "ftree"})
