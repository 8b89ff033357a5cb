"""`lacis diff`: two states of a fabric, two tables, tables and an engine."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis

TREE = "fat-tree:4,2"
"""Four leaves of two hosts, node0001 to node0008, under two spines; a leaf has a cable to each spine."""


def asked(lacis: Lacis, *args: str | Path, status: int) -> dict[str, Any]:
    done = lacis("diff", *args, "--json")
    assert (done.status, done.err) == (status, "")
    content: dict[str, Any] = json.loads(done.out)
    assert next(iter(content.items())) == ("schema", "lacis.diff/1")
    return content


def tables(lacis: Lacis, path: Path, *args: str | Path) -> Path:
    assert lacis("route", *args, "-o", path).status == 0
    return path


def test_a_fabric_is_equal_to_itself(lacis: Lacis) -> None:
    found = asked(lacis, TREE, TREE, status=0)
    # 8 cables of hosts and 4 leaves times 2 spines.
    assert (found["equal"], found["same_cables"], found["nodes"], found["cables"]) == (True, 16, [], [])
    assert lacis("diff", TREE, TREE).out == (
        "Both fabrics are generated: nodes are matched by name, then by position.\n"
        "Equal: the same nodes, and 16 cables alike.\n"
    )


def test_cables_gone_are_listed_under_the_switch_that_lost_most(lacis: Lacis, tmp_path: Path) -> None:
    cut = tmp_path / "cut.json"
    cuts = [
        "--without",
        "leaf-01--spine-01",
        "--without",
        "leaf-01--spine-02",
        "--without",
        "leaf-03--spine-01",
    ]
    assert lacis("fabric", TREE, *cuts, "-o", cut).status == 0
    found = asked(lacis, TREE, cut, status=1)
    # leaf-01 and spine-01 both lost two; leaf-01 comes first, and the third cable is of spine-01, which lost more
    # than leaf-03.
    assert [(c["change"], c["at"]) for c in found["cables"]] == [("gone", "leaf-01")] * 2 + [
        ("gone", "spine-01")
    ]
    assert found["same_cables"] == 13
    back = asked(lacis, cut, TREE, status=1)
    assert [c["change"] for c in back["cables"]] == ["new"] * 3
    assert sorted(map(str, (c["new"] for c in back["cables"]))) == sorted(
        map(str, (c["old"] for c in found["cables"]))
    )


def test_a_node_that_is_gone_takes_its_cables_along(lacis: Lacis, tmp_path: Path) -> None:
    cut = tmp_path / "cut.json"
    assert lacis("fabric", TREE, "--without", "leaf-02", "-o", cut).status == 0
    done = lacis("diff", TREE, cut)
    assert done.status == 1
    assert re.search(r"^gone      switch leaf-02 \(0x[0-9a-f]{16}\), 4 cables$", done.out, re.M)
    assert "\nleaf-02\n  gone   4 cables of nodes that are gone (--all)\n" in done.out
    found = asked(lacis, TREE, cut, status=1)
    assert {c["at"] for c in found["cables"] if c["change"] == "gone"} == {"leaf-02"}
    assert all(c["with_node"] for c in found["cables"])


def test_rates_names_and_replaced_nodes_are_reported(lacis: Lacis, tmp_path: Path) -> None:
    net, other = tmp_path / "a.net", tmp_path / "b.net"
    assert lacis("fabric", TREE, "-o", net).status == 0
    text = net.read_text()
    name = "node0003"
    guid = re.search(rf'caguid=0x([0-9a-f]+)\nCa\s+\d+ "[^"]+"\s+# "{name}', text)
    assert guid
    # The adapter of one host has another GUID, as after a swap; ids and port GUIDs follow it.
    changed = text.replace(guid[1], "00deadbeef000000")
    changed = changed.replace("node0005", "node5000")
    assert changed != text
    other.write_text(changed)
    found = asked(lacis, net, other, status=1)
    changes = {
        (n["change"], n["old"]["name"], n["new"]["name"], n["by"], n["cables"]) for n in found["nodes"]
    }
    old = {n["old"]["name"] for n in found["nodes"]}
    assert any(text.startswith("node0003") for text in old)
    assert any(text.startswith("node0005") for text in old)
    assert {(t[0], t[3], t[4]) for t in changes} == {("replaced", "name", 1), ("renamed", None, None)}
    assert found["cables"] == []
    slow = tmp_path / "slow.net"
    lines = text.splitlines(keepends=True)
    at = next(i for i, line in enumerate(lines) if re.match(r"\[1\]", line) and "4x" in line)
    lines[at] = re.sub(r"4x[A-Z]+", "4xSDR", lines[at])
    slow.write_text("".join(lines))
    found = asked(lacis, net, slow, status=1)
    assert [c["change"] for c in found["cables"]] == ["rate"]
    assert found["cables"][0]["rates"][1] == "4xSDR"


def test_shuffled_guids_are_matched_by_name_and_that_is_said(lacis: Lacis, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    assert lacis("fabric", TREE, "--shuffle-guids", "5", "-o", other).status == 0
    done = lacis("diff", TREE, other)
    assert (done.status, done.out.splitlines()[0]) == (
        0,
        "No node GUID is in common: nodes are matched by name, then by position.",
    )


def test_an_engine_makes_its_own_tables(lacis: Lacis, tmp_path: Path) -> None:
    dump = tables(lacis, tmp_path / "t", TREE, "-R", "updn", "--lmc", "1")
    found = asked(lacis, TREE, dump, "-R", "updn", status=0)
    # 6 switches; 8 adapters of two LIDs, 6 switches of one.
    assert (found["compared"], found["differing"]) == (6 * 22, 0)
    assert asked(lacis, "--fabric", TREE, dump, "-R", "updn", status=0)["equal"] is True


def test_a_changed_entry_is_printed_with_ports_and_reason(lacis: Lacis, tmp_path: Path) -> None:
    dump = tables(lacis, tmp_path / "t", TREE, "-R", "minhop")
    text = dump.read_text()
    # The first table's entry for the LID of some host of another switch: to the other spine, and to no port.
    table = next(t for t in text.split("Unicast")[1:] if "leaf-01" in t.splitlines()[0])
    line = next(li for li in table.splitlines() if "node0007" in li)
    lid, port = line.split()[:2]
    # Ports 1 and 2 lead to hosts, 3 and 4 to the spines.
    assert port in ("003", "004")
    other = "004" if port == "003" else "003"
    for found_port, why in ((other, "tie"), ("001", "wrong_end_node")):
        changed = tmp_path / f"t{found_port}"
        changed.write_text(
            text.replace(table, table.replace(line, line.replace(f"{lid} {port}", f"{lid} {found_port}")))
        )
        found = asked(lacis, "--fabric", TREE, dump, changed, status=1)
        [entry] = found["entries"]
        assert (entry["switch"], entry["lid"]) == ("leaf-01", int(lid, 16))
        assert (entry["expected"], entry["found"], entry["why"]) == (int(port), int(found_port), why)
        assert [(r["why"], r["entries"]) for r in found["reasons"]] == [(why, 1)]
        text_of = lacis("diff", "--fabric", TREE, dump, changed, "--all")
        assert text_of.status == 1
        assert text_of.out.splitlines()[-1].split("\t")[3:] == [str(int(port)), str(int(found_port)), why]


def test_the_engine_and_its_options_are_found(lacis: Lacis, tmp_path: Path) -> None:
    fabric = ["fat-tree:8,3", "--without", "random-cables=3,seed=4"]
    file = tmp_path / "f.json"
    assert lacis("fabric", *fabric, "-o", file).status == 0
    for engine, options, said in (
        ("sssp", [], "sssp"),
        ("minhop", ["--scatter-ports", "3"], "--scatter-ports 3"),
        ("updn", ["--port-shifting", "--connect-roots"], "--port-shifting"),
    ):
        dump = tables(lacis, tmp_path / f"{engine}.lfts", file, "-R", engine, *options)
        found = asked(lacis, file, dump, "--which-engine", status=0)
        exact = [c for c in found["candidates"] if c["share"] == 1.0]
        assert exact
        assert any(c["engine"] == engine and said in "; ".join([engine, *c["options"]]) for c in exact)
        shares = [c["share"] for c in found["candidates"]]
        assert shares == sorted(shares, reverse=True)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["torus:4x4", "unrelated.json"], "no node GUID and no node name in common"),
        ([TREE], "two fabrics, or a fabric and tables"),
        (["t.lfts"], "--fabric FABRIC"),
        (["t.lfts", "t.lfts"], "--fabric FABRIC"),
        ([TREE, "t.lfts"], "-R ENGINE"),
        ([TREE, TREE, "-R", "updn"], "neither A nor B is a file of tables"),
        (["--fabric", TREE, TREE, "t.lfts"], "is no file of tables"),
        (["--fabric", TREE, "t.lfts", "t.lfts", "-R", "updn"], "not with an engine"),
        ([TREE, "t.lfts", "--which-engine", "-R", "updn"], "-R has no meaning with it"),
        ([TREE, "nothing.here"], "nothing.here"),
        (["fat-tree:6,2", "t.lfts", "-R", "updn"], "t.lfts"),
    ],
)
def test_a_mistake_is_one_line_and_exit_2(
    lacis: Lacis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    tables(lacis, tmp_path / "t.lfts", TREE)
    file = tmp_path / "unrelated.json"
    assert lacis("fabric", "hypercube:3", "--shuffle-guids", "9", "-o", file).status == 0
    file.write_text(re.sub(r'"(node|switch|leaf|sw|s|cube)-?(\d)', r'"other\2', file.read_text()))
    done = lacis("diff", *args)
    assert (done.status, done.out) == (2, "")
    assert re.fullmatch(r"lacis: [^\n]+\n", done.err), done.err
    assert said in done.err
