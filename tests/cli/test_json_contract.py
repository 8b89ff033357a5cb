"""What readers of `--json` build on: `schema` comes first, and every key that there was is there, with its types."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from lacis.cli import COMMANDS

from tests.schema_keys import Key, keys
from tests.schemas import SCHEMAS, file_of

if TYPE_CHECKING:
    from tests.conftest import Lacis

KEPT = Path(__file__).with_name("json_keys.txt")
"""Documents, each with its keys as the schemas had them in November 2026, when they were written by hand.

`path: type|type [optional] ['value' …]`, as `schema_keys` names them. Keys that are promised from now on are added below
their document; no line is ever taken away or changed while the document has its version.
"""


def kept() -> dict[str, dict[str, Key]]:
    documents: dict[str, dict[str, Key]] = {}
    name = ""
    for line in KEPT.read_text("utf-8").splitlines():
        if not line.startswith(" "):
            name = line
            continue
        path, _, said = line.strip().partition(": ")
        types, *rest = said.split(" ", 1)
        words = rest[0] if rest else ""
        optional = words.startswith("optional")
        values = {value for value in words.removeprefix("optional").split("'") if value.strip()}
        documents.setdefault(name, {})[path] = Key(set(types.split("|")), values, optional)
    return documents


PROMISED = kept()


@pytest.mark.parametrize("name", PROMISED)
def test_no_key_is_lost_or_has_other_types(name: str) -> None:
    now = keys(SCHEMAS, file_of(name))
    wrong = [f"{path} is gone" for path in PROMISED[name].keys() - now.keys()]
    for path, then in PROMISED[name].items():
        if path not in now:
            continue
        # A number may be a whole one.
        whole = {"integer"} if "number" in then.types else set()
        if now[path].types - whole != then.types - whole:
            wrong.append(f"{path} was {then} and is {now[path]}")
        if now[path].optional and not then.optional:
            wrong.append(f"{path} was always there")
        if then.values and not now[path].values:
            wrong.append(f"{path} was one of {sorted(then.values)} and may be anything")
    assert not wrong


def test_the_list_is_read_as_it_is_meant() -> None:
    rows = PROMISED["lacis.diff/1"]
    assert rows["nodes[].by"] == Key({"string", "null"}, {"name", "place"}, optional=False)
    assert rows["candidates"] == Key({"array"}, optional=True)
    assert str(rows["nodes[].by"]) == "null|string 'name' 'place'"
    verdicts = PROMISED["lacis.results-diff/1"]["tests[].verdict"].values
    assert verdicts == {"better", "worse", "no difference shown", "too few repeats"}


# A two-level tree that lost a cable: it has findings, and ftree refuses it.
SPEC = ("fat-tree:4,2", "--without", "random-cables=1,seed=1")
# Options, and the lists that must hold an item, so that the schema of items is compared too.
CASES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "fabric": ((), ("findings",)),
    "verify": ((), ()),
    "predict": (("--patterns", "3"), ("hottest",)),
    "simulate": ((), ("times", "busiest")),
    "route": (("-R", "ftree"), ("refusals",)),
    "order": ((), ("hosts", "guids")),
    "trace": ((), ("routes",)),
    "rails": ((), ("planes", "rails", "leaves", "hosts")),
    "job": (("--with", "node[0005-0008]"), ("rails", "bandwidths", "meetings")),
    "topology": ((), ("leaves", "above", "roots")),
    "fit": (("--nodes", "2", "--free", "node[0003-0008]"), ("choices",)),
    "replay": (("--seeds", "1", "--share", "0"), ("policies",)),
    "report": ((), ("engines",)),
    "whatif": (("--drop", "spine-01", "--restore", "spine-01"), ("steps",)),
    "tune": (("--steps", "20", "--failures", "4"), ("found", "conf")),
    "survive": (("-R", "ftree"), ("failures",)),
}
# Commands that read no fabric, or several: their own tests run them with `--json`.
ELSEWHERE = {
    "reproduce",
    "opensm",
    "opafm",
    "advise",
    "diff",
    "measure",
    "results",
    "explain",
    "host",
    "capture",
    "why",
    "counters",
    "watch",
    "fragmentation",
    "permute",
}
WITHOUT_JSON = {"completion", "exporter", "top", "serve"}
# The leaf that lost a cable is lost with its other one.
STATUS = {"survive": 1}
# `lacis rails FABRIC` is `lacis rails show FABRIC`.
SCHEMA = {"rails": "rails-show"}


def test_every_command_is_run() -> None:
    assert {*CASES, *ELSEWHERE, *WITHOUT_JSON} == set(COMMANDS)


@pytest.mark.parametrize("source", ["spec", "standard input"])
@pytest.mark.parametrize("name", CASES)
def test_the_first_key_is_the_schema(
    lacis: Lacis, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, source: str
) -> None:
    options, filled = CASES[name]
    where: tuple[str, ...] = SPEC
    if source == "standard input":
        file = tmp_path / "fabric.net"
        assert lacis("fabric", *SPEC, "-o", file).status == 0
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(file.read_bytes())))
        where = ("-",)
    ends = {"trace": ("1", "3"), "job": ("node[0001-0004]",)}.get(name, ())
    page = ("-o", str(tmp_path / "page.html")) if name == "report" else ()

    result = lacis(name, where[0], *ends, *where[1:], *options, *page, "--json")

    assert result.status == STATUS.get(name, 0), result.err
    content = json.loads(result.out)
    assert next(iter(content.items())) == ("schema", f"lacis.{SCHEMA.get(name, name)}/1")
    assert all(content[key] for key in filled)


def test_hops_and_loops_have_the_promised_form(lacis: Lacis) -> None:
    # A ring of six switches with a host on each, routed by shortest paths: a credit loop both ways.
    # Of the 5 other hosts 2 are one link away (2 switches), 2 two links, 1 three links: times 6 senders.
    result = lacis("verify", "ring:6", "--json")
    assert result.status == 1
    content = json.loads(result.out)
    assert content["hops"] == {"2": 12, "3": 12, "4": 6}
    assert content["credit_loops"]
    assert content["verdicts"]["delivered"] == content["pairs"] == 30


def test_where_there_is_no_tree_levels_are_null(lacis: Lacis) -> None:
    assert json.loads(lacis("fabric", "torus:4x4", "--json").out)["levels"] is None
