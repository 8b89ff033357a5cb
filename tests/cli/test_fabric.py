"""`lacis fabric`: the summary, the findings, what it writes."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from lacis import _core
from lacis.cli._fabric_facts import share

if TYPE_CHECKING:
    from tests.conftest import Lacis


def as_json(lacis: Lacis, *args: str | Path) -> dict[str, Any]:
    result = lacis("fabric", *args, "--json")
    assert result.status == 0
    found: dict[str, Any] = json.loads(result.out)
    return found


def test_json_has_the_agreed_keys_and_schema_first(lacis: Lacis) -> None:
    found = as_json(lacis, "fat-tree:8,2", "--without", "leaf-03[5]")
    assert next(iter(found)) == "schema"
    assert found["schema"] == "lacis.fabric/1"
    # fat-tree:8,2 by closed form: 8 leaves and 4 spines, 32 hosts, 64 cables less the one.
    expected = {"switches": 12, "end_nodes": 32, "hosts": 32, "planes": 1, "links": 63, "levels": 2}
    assert {key: found[key] for key in expected} == expected
    [finding] = found["findings"]
    assert (finding["code"], finding["severity"]) == ("UPLINK_MISSING", "warning")
    assert "leaf-03" in finding["where"]
    assert "spine-01" in finding["where"]
    # Leaf ports 5–8 lead to spines 1–4; spine port 3 leads to leaf 3.
    assert [(end["node"], end["port"]) for end in finding["ends"]] == [("leaf-03", 5), ("spine-01", 3)]


@pytest.mark.parametrize("seed", [1, 2])
def test_the_order_of_the_nodes_in_a_dump_changes_nothing(
    lacis: Lacis, tmp_path: Path, dgx: Path, seed: int
) -> None:
    blocks = [block for block in dgx.read_text().split("\n\n") if block.strip()]
    random.Random(seed).shuffle(blocks)
    (tmp_path / "shuffled").write_text("\n\n".join(blocks) + "\n")
    assert as_json(lacis, tmp_path / "shuffled") == as_json(lacis, dgx)


def test_a_whole_fabric_is_said_to_be_so(lacis: Lacis) -> None:
    result = lacis("fabric", "opa-1152")
    assert (result.status, result.err) == (0, "")
    assert "Nothing is wrong with it." in result.out


def test_strict_makes_warnings_the_answer_no(lacis: Lacis) -> None:
    assert lacis("fabric", "fat-tree:8,2", "--strict").status == 0
    assert lacis("fabric", "fat-tree:8,2", "--without", "node0007", "--strict").status == 0  # a notice
    assert lacis("fabric", "fat-tree:8,2", "--without", "leaf-03[5]", "--strict").status == 1


def test_text_fits_eighty_columns(lacis: Lacis, monkeypatch: pytest.MonkeyPatch) -> None:
    from rich.console import Console

    monkeypatch.setattr("lacis.cli.fabric.console", lambda: Console(width=80, highlight=False))
    out = lacis("fabric", "itasca:67", "--without", "random-cables=2%,seed=1").out
    assert max(map(len, out.splitlines())) <= 80
    assert all(line == line.rstrip() for line in out.splitlines())
    assert "→" in out


@pytest.mark.parametrize("suffix", ["net", "json"])
def test_what_is_written_reads_back_the_same(lacis: Lacis, tmp_path: Path, suffix: str) -> None:
    out = tmp_path / f"x.{suffix}"
    first = as_json(lacis, "fat-tree:4,3", "--shuffle-guids", "5", "-o", out)
    assert list(tmp_path.iterdir()) == [out]  # no temporary file left
    again = as_json(lacis, out)
    assert again == first


def test_an_unknown_suffix_writes_nothing(lacis: Lacis, tmp_path: Path) -> None:
    result = lacis("fabric", "fat-tree:4,2", "-o", tmp_path / "x.xml")
    assert result.status == 2
    assert ".net or .json" in result.err
    assert not list(tmp_path.iterdir())


def test_a_name_map_names_nodes(lacis: Lacis, tmp_path: Path) -> None:
    fabric = _core.generate_fabric("fat-tree:4,2")
    names = dict(zip(fabric.descriptions(), fabric.guids().tolist(), strict=True))
    good, bad = tmp_path / "good", tmp_path / "bad"
    good.write_text(f'{names["leaf-02"]:#018x} "rack 7 leaf"\n')
    bad.write_text('0x123 "nobody"\n')
    found = as_json(lacis, "fat-tree:4,2", "--without", "leaf-02[3]", "--node-name-map", good)
    assert "rack 7 leaf" in found["findings"][0]["where"]
    result = lacis("fabric", "fat-tree:4,2", "--node-name-map", bad)
    assert result.status == 2
    assert "none of its GUIDs" in result.err


def test_every_code_is_documented_as_it_is() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "findings.md").read_text()
    rows = [
        [cell.strip() for cell in line.split("|")[1:4]]
        for line in page.splitlines()
        if line.startswith("| `")
    ]
    assert rows == [[f"`{name}`", severity, meaning] for name, severity, meaning in _core.finding_codes()]


# The truth about dgx-2025.ibnetdiscover, counted by hand from the file: leaf → spines it has no cable to, and
# spines it has one cable to. Each other leaf has two cables to each of the nine spines.
MISSING = {
    "A09-P1-IBLEAF-01-02": {1, 4},
    "A09-P1-IBLEAF-01-03": {4},
    "A09-P1-IBLEAF-02-03": {6},
    "A09-P1-IBLEAF-02-04": {4},
    "A09-P1-IBLEAF-04-02": {1},
    "A09-P1-IBLEAF-04-04": {1},
    "B09-P1-IBLEAF-01-07": {4},
    "B09-P1-IBLEAF-02-06": {7},
    "B09-P1-IBLEAF-03-07": {5},
}
SINGLE = {
    "A09-P1-IBLEAF-01-01": {4},
    "A09-P1-IBLEAF-02-03": {1},
    "B09-P1-IBLEAF-01-05": {4, 8},
    "B09-P1-IBLEAF-01-08": {6},
    "B09-P1-IBLEAF-03-07": {6},
}


@pytest.mark.parametrize(
    ("fraction", "said"), [(1.0, "100%"), (0.9954, "99.5%"), (0.99999, "99.9%"), (0.926, "93%"), (0.5, "50%")]
)
def test_what_is_short_of_the_whole_is_not_said_to_be_whole(fraction: float, said: str) -> None:
    assert share(fraction) == said


def test_the_dgx_cluster_has_these_findings_and_no_others(lacis: Lacis, dgx: Path) -> None:
    found = as_json(lacis, dgx)
    expected = {
        "switches": 40,
        "end_nodes": 582,
        # 120 that descriptions name, 19 that ports of numbered leaves show, `localhost` (port 10) and `ubuntu` (port 21 of
        # two leaves whose other hosts have one port number on both).
        "hosts": 141,
        "unnamed": 69,
        "inferred": 69 + 3 + 2,
        "unknown": 0,
        "planes": 1,
        "links": 1114,
        "levels": 2,
    }
    assert {key: found[key] for key in expected} == expected
    # Two cables × 9 spines × 31 leaves, less two for each missing and one for each single pair.
    lost = sum(2 * len(s) for s in MISSING.values()) + sum(len(s) for s in SINGLE.values())
    assert found["trunks"] == 2 * 9 * 31 - lost

    by_code: dict[str, list[dict[str, Any]]] = {}
    for finding in found["findings"]:
        by_code.setdefault(finding["code"], []).append(finding)

    def pairs(code: str) -> dict[str, set[int]]:
        out: dict[str, set[int]] = {}
        for finding in by_code.pop(code):
            ends = finding["ends"]
            for leaf, spine in zip(ends[::2], ends[1::2], strict=True):
                spine_number = int(spine["node"].rsplit("-", 1)[1])
                out.setdefault(leaf["node"], set()).add(spine_number)
                # Leaf ports 33, 34 lead to spine 1, 35, 36 to spine 2, and so on.
                assert (leaf["port"] - 31) // 2 == spine_number
        return out

    assert pairs("UPLINK_MISSING") == MISSING
    assert pairs("UPLINK_FEWER") == SINGLE
    [absent] = by_code.pop("SWITCH_ABSENT")
    assert absent["where"] == "A09-P1-IBLEAF-03-01"
    assert "ports 5, 6" in absent["text"]  # empty on all nine spines
    [rail] = by_code.pop("RAIL_MISSING")
    assert (
        len(rail["ends"]) == 18
    )  # the hosts of rack a05, which that leaf served: 10 named, 7 inferred, `localhost`
    assert "HCA-5" in rail["text"]
    assert "A09-P1-IBLEAF-03-01" in rail["text"]
    [crossed] = by_code.pop("RAIL_CROSSED")
    assert crossed["where"] == "b08-p1-dgx-08-c01"  # HCA-5 on leaf 04-08, HCA-6 on leaf 03-08
    # Adapters on another leaf port than their host's others, read off the file.
    assert {finding["where"] for finding in by_code.pop("PORT_UNEXPECTED")} == {
        "a05-p1-dgx-01-c12 HCA-2 – A09-P1-IBLEAF-02-01[11]",
        "a05-p1-dgx-01-c14 HCA-6 – A09-P1-IBLEAF-04-01[11]",
        "b06-p1-dgx-06-c02 HCA-1 – B09-P1-IBLEAF-01-06[4]",
        "b06-p1-dgx-06-c07 HCA-2 – B09-P1-IBLEAF-02-06[8]",
        "b06-p1-dgx-06-c08 HCA-2 – B09-P1-IBLEAF-02-06[7]",
    }
    # Leaf ports without a node on all leaves of a rack, between its hosts and in use in the other racks. Port 18 of rack a08,
    # the last of the others, is empty too: that rack is not full.
    [hosts] = by_code.pop("HOST_ABSENT")
    assert [end["node"] for end in hosts["ends"] if "guid" not in end] == [
        "a06-p1-dgx-02-c05",
        "a06-p1-dgx-02-c15",
        "b07-p1-dgx-07-c05",
        "b08-p1-dgx-08-c02",
    ]
    generic = by_code.pop("HOST_NAME_GENERIC")
    assert [finding["where"].split()[0] for finding in generic] == ["localhost", "ubuntu"]
    assert "a05-p1-dgx-01-c10" in generic[0]["text"]  # port 10 of three leaves of rack a05
    assert "probably" not in generic[1]["text"]  # ports beyond the numbered hosts
    # `ubuntu` has two adapters where the hosts of its leaves have three or four: nothing shows what it is for.
    assert [finding["facts"]["group"] for finding in generic] == ["compute", None]
    assert "nothing shows what it is for" in generic[1]["text"]
    assert sum(group["assumed"] for group in found["groups"]) == 1
    assert "what 1 of these is for is not known" in " ".join(lacis("fabric", dgx).out.split())
    [unnamed] = by_code.pop("NODE_UNNAMED")
    likely = [end["likely"] for end in unnamed["ends"] if "likely" in end]
    assert len(likely) == len(set(likely)) == 69
    # Nineteen hosts: seven with three rails (rack a05), twelve with four.
    assert len({name.split()[0] for name in likely}) == 7 + 12 == 19
    assert {"a05-p1-dgx-01-c11 HCA-1", "a05-p1-dgx-01-c11 HCA-2", "a05-p1-dgx-01-c11 HCA-6"} < set(likely)
    assert not by_code


def test_levels_are_said_to_be_none_where_there_are_none_and_nowhere_else(
    lacis: Lacis, tmp_path: Path
) -> None:
    # A tree whose dump has no rates has levels and a bisection as a share; a chain has a bisection and no levels.
    whole = tmp_path / "tree.net"
    lacis("fabric", "fat-tree:4,2", "-o", whole)
    bare = tmp_path / "bare.net"
    bare.write_text(whole.read_text("utf-8").replace(" 4xHDR", ""), "utf-8")
    tree = lacis("fabric", bare).out
    # fat-tree:4,2 is whole: any half of its hosts can send all to the other.
    assert "bisection     100% of what the adapters can send, where all links are alike" in tree
    assert "none: not a tree" not in tree
    chain = lacis("fabric", "chain:4").out
    assert "none: not a tree" in chain
    assert "bisection     25 GB/s" in chain
