"""`lacis route`: what it says, what it writes, and how it fails."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import Lacis


def test_a_healthy_tree_is_routed_and_written(tmp_path: Path, lacis: Lacis) -> None:
    lfts, cache = tmp_path / "t.lfts", tmp_path / "guid2lid"
    done = lacis("route", "fat-tree:4,2", "-R", "ftree", "-o", lfts, "--guid2lid", cache)
    assert (done.status, done.err) == (0, "")
    # 4 leaves and 2 spines of 4 ports, 8 nodes: 14 LIDs, all of them in both files.
    assert "6 switches × 14 LIDs, by ftree" in done.out
    assert re.findall(r"^Unicast lids \[0-14\]", lfts.read_text(), re.M) == ["Unicast lids [0-14]"] * 6
    assert len(re.findall(r"^0x[0-9a-f]{16} 0x[0-9a-f]{4} 0x[0-9a-f]{4}$", cache.read_text(), re.M)) == 14


def test_json_begins_with_the_schema_and_has_the_agreed_keys(lacis: Lacis) -> None:
    answer = json.loads(lacis("route", "fat-tree:4,2", "-R", "ftree", "--json").out)
    assert next(iter(answer.items())) == ("schema", "lacis.route/1")
    assert answer["engine_requested"] == answer["engine_used"] == "ftree"
    assert (answer["refusals"], answer["switches"], answer["lids"], answer["file"]) == ([], 6, 14, None)
    # ftree makes no way between the two roots: one entry on each.
    assert (answer["unrouted"], answer["unrouted_to_end_nodes"]) == (2, 0)


def test_a_refusal_is_said_aloud_and_minhop_routes(lacis: Lacis) -> None:
    done = lacis("route", "torus:4x4", "-R", "ftree,updn", "--json")
    answer = json.loads(done.out)
    assert done.status == 0
    assert (answer["engine_requested"], answer["engine_used"]) == ("ftree,updn", "minhop")
    assert [refusal["engine"] for refusal in answer["refusals"]] == ["ftree", "updn"]
    first, second = done.err.splitlines()
    assert first.startswith("lacis: ftree refused: ")
    assert first.endswith("; OpenSM would go on to updn and say so only in its log")
    assert second.startswith("lacis: updn refused: ")
    assert second.endswith("; OpenSM would fall back to minhop and say so only in its log")


def test_without_fallback_a_refusal_is_the_answer_no(tmp_path: Path, lacis: Lacis) -> None:
    done = lacis("route", "torus:4x4", "-R", "ftree", "--no-fallback", "-o", tmp_path / "t")
    assert (done.status, done.out) == (1, "")
    assert re.fullmatch(r"lacis: ftree refuses: [^\n]+\n", done.err)
    assert not list(tmp_path.iterdir())


def test_written_tables_are_read_back_the_same(tmp_path: Path, lacis: Lacis) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    assert lacis("route", "fat-tree:8,3", "-R", "updn", "-o", first).status == 0
    done = lacis("route", "fat-tree:8,3", "--lfts", first, "-o", second)
    assert (done.status, done.err) == (0, "")
    assert f"LIDs, read from {first} " in " ".join(done.out.split())
    assert first.read_bytes() == second.read_bytes()


def test_the_engine_file_without_a_file_says_that_it_is_minhop(tmp_path: Path, lacis: Lacis) -> None:
    of = {engine: tmp_path / engine for engine in ("file", "minhop")}
    said = {engine: lacis("route", "fat-tree:4,2", "-R", engine, "-o", path) for engine, path in of.items()}
    assert said["file"].err == (
        "lacis: file: neither -U nor -M names a file, so it is minhop; OpenSM does the same\n"
    )
    assert "LIDs, by file\n" in said["file"].out
    assert of["file"].read_bytes() == of["minhop"].read_bytes()


def test_tables_of_another_state_are_loaded_and_what_does_not_fit_is_said(
    tmp_path: Path, lacis: Lacis
) -> None:
    dump, again = tmp_path / "dump", tmp_path / "again"
    assert lacis("route", "fat-tree:4,2", "-R", "updn", "-o", dump).status == 0
    whole = lacis("route", "fat-tree:4,2", "-R", "file", "-U", dump, "-o", again)
    assert (whole.status, whole.err) == (0, "")
    assert f"LIDs, read from {dump} " in " ".join(whole.out.split())
    proof = lacis("verify", "fat-tree:4,2", "-R", "file", "-U", dump)
    assert proof.out.startswith(f"Tables of {dump}\n")
    assert dump.read_bytes() == again.read_bytes()
    # Another manager, other LIDs: one spine is gone, with it its LID, and the others move up.
    worn = lacis(
        "route", "fat-tree:4,2", "--without", "spine-02", "--sm", "node0003 HCA-1", "-R", "file", "-U", dump
    )
    assert worn.status == 0
    said = worn.err.splitlines()
    assert said[0].startswith(f"lacis: {dump}: 1 table of switches not in the fabric, such as 0x")
    assert any(" entries moved to the LIDs that their ports have now" in line for line in said)
    part = tmp_path / "part"
    part.write_text("".join(dump.read_text().partition("lids dumped\n")[:2]) + "\n")
    alone = lacis("route", "fat-tree:4,2", "-R", "file", "-U", part)
    # 5 of 6 switches have no table, so that 5 × 14 entries are missing.
    assert alone.err.startswith(f"lacis: {part}: 5 switches have no table and will drop all packets: ")
    assert re.search(r"^unrouted  \d+ entries to end nodes", alone.out, re.M)


def test_lanes_are_counted_and_written(tmp_path: Path, lacis: Lacis) -> None:
    mapping, levels = tmp_path / "sl2vl", tmp_path / "levels"
    done = lacis("route", "ring:6", "-R", "lash", "--sl2vl", mapping, "--service-levels", levels)
    assert (done.status, done.err) == (0, "")
    found = re.search(r"^lanes     (\d+); entries by service level (.*)$", done.out, re.M)
    assert found
    entries = {int(sl): int(n) for sl, n in (part.split(": ") for part in found[2].split(", "))}
    # Six switches and six nodes: 12 LIDs. The file says the same, entry by entry.
    assert sum(entries.values()) == 6 * 12
    listed = [int(sl) for sl in re.findall(r"^0x[0-9a-f]{4} (\d{3})$", levels.read_text(), re.M)]
    assert {sl: listed.count(sl) for sl in set(listed)} == entries
    assert max(entries) + 1 == int(found[1])
    # Each switch: 3 cabled ports, 4 inputs; each node one line.
    fabric = tmp_path / "fabric.net"
    assert lacis("fabric", "ring:6", "-o", fabric).status == 0
    radix = int(re.findall(r"^Switch\s+(\d+)", fabric.read_text(), re.M)[0])
    assert len(re.findall(r"^\d+ +\d+ +:", mapping.read_text(), re.M)) == 6 * 3 * (radix + 1) + 6
    answer = json.loads(lacis("route", "ring:6", "-R", "lash", "--json").out)
    assert answer["entries_by_service_level"] == {str(sl): n for sl, n in entries.items()}
    plain = lacis("route", "ring:6", "--service-levels", levels)
    assert (plain.status, plain.out) == (2, "")
    assert plain.err == f"lacis: {levels}: minhop assigns no service levels: all paths have 0\n"


def test_hop_matrices_are_loaded(tmp_path: Path, lacis: Lacis) -> None:
    matrix, made, loaded = (tmp_path / name for name in ("matrix", "made", "loaded"))
    assert lacis("route", "fat-tree:4,3", "-R", "updn", "--lid-matrix", matrix, "-o", made).status == 0
    done = lacis("route", "fat-tree:4,3", "-R", "file", "-M", matrix, "-o", loaded)
    assert (done.status, done.err) == (0, "")
    assert made.read_bytes() == loaded.read_bytes()


def test_the_manager_has_the_first_lid(tmp_path: Path, lacis: Lacis) -> None:
    cache = tmp_path / "guid2lid"
    for node in ("node0003 HCA-1", "spine-02"):
        assert lacis("route", "fat-tree:4,2", "--sm", node, "--guid2lid", cache).status == 0
        lfts = lacis("route", "fat-tree:4,2", "--sm", node, "-o", "-").out
        assert re.findall(r"^0x0001 .*: '(.*)'$", lfts, re.M) == [node] * 6
        assert " 0x0001 0x0001" in cache.read_text().splitlines()[0]


def test_guids_that_are_not_there_are_named(tmp_path: Path, lacis: Lacis) -> None:
    roots = tmp_path / "roots"
    roots.write_text("0xdeadbeef # typo\n")
    done = lacis("route", "fat-tree:4,2", "-R", "updn", "-a", roots, "--lenient")
    assert done.status == 0
    assert f"{roots}: its only GUID is not in the fabric, 0x00000000deadbeef" in done.err
    assert "updn refused: " in done.err


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["-R", "ftre"], "ftree"),
        (["-R", "updn", "-a", "BARE"], "BARE:2: .*as decimal"),
        (["-R", "updn", "-a", "/nonexistent"], "/nonexistent: no such file"),
        (["-R", "ftree", "-u", "."], "is a directory"),
        (["-H", "256"], "256 is not in the range"),
        (["--sm", "leaf-1"], "leaf-01"),
        (["--lfts", "OTHER"], "OTHER:.*another fabric"),
        (["--lfts", "OTHER", "-R", "updn"], "-R has no meaning"),
        (["-o", "/nonexistent/x"], "/nonexistent/x: cannot be written"),
        (["-o", "-", "--json"], "do not go together"),
    ],
)
def test_a_mistake_is_one_line_and_exit_2(
    tmp_path: Path, lacis: Lacis, args: list[str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("BARE").write_text("0x2c9\n12345678\n")
    assert lacis("route", "torus:3x3", "-o", "OTHER").status == 0
    before = sorted(tmp_path.iterdir())
    done = lacis("route", "fat-tree:4,2", *args)
    assert done.status == 2
    assert done.out == "" or "--json" in args
    assert done.err.count("\n") == 1
    assert re.search(said, done.err), done.err
    assert sorted(tmp_path.iterdir()) == before


def test_tables_that_vary_in_opensm_itself_are_remarked_on(lacis: Lacis) -> None:
    # OpenSM's ftree sorts adapters by unrelated memory on a leaf that is cabled to another leaf.
    with_cable = ("--with", "leaf-01--leaf-02")
    result = lacis("route", "fat-tree:8,2:radix=9", "-R", "ftree", *with_cable)
    assert result.status == 0, result.err
    assert "vary from run to run" in result.err
    assert "vary from run to run" not in lacis("route", "fat-tree:8,2", "-R", "ftree").err


def test_what_opensm_dumps_is_written_all_or_nothing(tmp_path: Path, lacis: Lacis) -> None:
    order, matrix, roots = (tmp_path / name for name in ("order", "matrix", "roots"))
    assert lacis("route", "fat-tree:4,2", "-R", "ftree", "--ca-order", order).status == 0
    # Four leaves of two nodes each, all of them named.
    lines = [line.split("\t") for line in order.read_text().splitlines()]
    assert len(lines) == 8
    assert all(lid.startswith("0x") and name for lid, name in lines)
    result = lacis("route", "fat-tree:4,2", "-R", "updn", "--lid-matrix", matrix, "--updn-roots", roots)
    assert result.status == 0
    assert roots.read_text().count("0x") == 2
    assert matrix.read_text().count("Switch: guid 0x") == 6
    # updn has no such order, and so nothing is written.
    other = tmp_path / "tables"
    result = lacis("route", "fat-tree:4,2", "-R", "updn", "-o", other, "--ca-order", tmp_path / "none")
    assert (result.status, other.exists(), (tmp_path / "none").exists()) == (2, False, False)
    assert "opensm-ftree-ca-order.dump is written by ftree, and the tables are updn's" in result.err


def torus_conf(sizes: str) -> str:
    """A configuration of `torus:6x5`, whose switches are numbered with the last dimension fastest."""
    from lacis import _core

    guid = [f"0x{g:016x}" for g in _core.generate_fabric("torus:6x5").guids()[:30].tolist()]
    return f"torus {sizes}\nxp_link {guid[0]} {guid[5]}\nyp_link {guid[0]} {guid[1]}\n"


def test_a_torus_is_routed_by_its_configuration_and_opensm_conf_names_it(
    tmp_path: Path, lacis: Lacis
) -> None:
    conf, opensm_conf = tmp_path / "torus-2QoS.conf", tmp_path / "opensm.conf"
    conf.write_text(torus_conf("6 5 1"))
    opensm_conf.write_text(f"routing_engine torus-2QoS\ntorus_config {conf}\n")
    for arguments in (("-R", "torus-2QoS", "--torus-config", conf), ("--opensm-conf", opensm_conf)):
        done = lacis("verify", "torus:6x5", *arguments)
        assert (done.status, done.err) == (0, "")
        assert "torus-2QoS" in done.out
    done = lacis("verify", "torus:6x5", "-R", "torus-2QoS", "--no-fallback")
    assert (done.status, done.out) == (1, "")
    assert "torus-2QoS refuses: there is no torus configuration" in done.err


def test_a_torus_configuration_that_does_not_fit_is_refused_with_its_line(
    tmp_path: Path, lacis: Lacis
) -> None:
    conf = tmp_path / "torus-2QoS.conf"
    for sizes, reason in (
        ("5 5 1", "1: the fabric has 30 switches, a torus of these sizes 25: 5 x 5 x 1"),
        ("6 five 1", '1: "five" is not a size: a number from 1, and t for closed or m for open after it: '),
        ("4 8 1", "2: the seed needs xp_link and xm_link, since x is closed and 4 long"),
    ):
        conf.write_text(torus_conf(sizes))
        done = lacis("route", "torus:6x5", "-R", "torus-2QoS", "--torus-config", conf, "-o", tmp_path / "t")
        assert (done.status, done.out) == (2, "")
        assert done.err.startswith(f"lacis: {conf}:{reason}")
        assert done.err.count("\n") == 1
        assert not (tmp_path / "t").exists()


def test_of_an_engine_that_opensm_lacks_nothing_is_said_of_opensm(lacis: Lacis) -> None:
    lines = lacis("route", "ring:5", "-R", "eventree,updn").err.splitlines()
    assert [line.split(": ")[1] for line in lines] == ["eventree refused", "updn refused"]
    assert lines[0].endswith("; updn instead")
    assert lines[1].endswith("; OpenSM would fall back to minhop and say so only in its log")
