"""A folder as FABRIC, files of ibdiagnet, OpenSM and UFM, counters, packed files, and refusals that say what a file is."""

from __future__ import annotations

import gzip
import json
import lzma
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import lacis
import pytest
from lacis.errors import LacisError

from tests.conftest import ROOT, shared_data

if TYPE_CHECKING:
    from tests.conftest import Lacis

FABRICS = ROOT / "tests" / "fabrics"
MANAGER, IBDIAGNET = FABRICS / "manager", FABRICS / "ibdiagnet"


@pytest.fixture
def manager(tmp_path: Path) -> Path:
    """The folder of a manager, without the output of ibnetdiscover."""
    folder = tmp_path / "log"
    shutil.copytree(MANAGER, folder)
    (folder / "ibnetdiscover.txt").unlink()
    for file in folder.iterdir():
        os.utime(file, (1_000_000, 1_000_000))
    return folder


def test_a_managers_folder_is_its_fabric_its_tables_and_its_configuration(
    lacis: Lacis, manager: Path
) -> None:
    done = lacis("verify", manager, "--json")
    found = json.loads(done.out)
    # Two hosts: each reaches the other, and the four end ports of the tables are all delivered to.
    assert (done.status, found["engine_used"], found["verdicts"]["delivered"]) == (0, "file", 2)
    [line] = [line for line in done.err.splitlines() if "cables from" in line]
    assert line == (
        f"lacis: {manager}: cables from opensm-subnet.lst; tables opensm-lfts.dump; configuration opensm.conf; "
        "LID cache guid2lid; 2 other files passed over"
    )
    assert f"Tables of {manager / 'opensm-lfts.dump'}" in lacis("verify", manager).out


def test_an_engine_that_is_named_wins_over_the_tables_of_a_folder(lacis: Lacis, manager: Path) -> None:
    assert json.loads(lacis("verify", manager, "-R", "updn", "--json").out)["engine_requested"] == "updn"


def test_the_configuration_holds_where_a_folder_has_no_tables(lacis: Lacis, manager: Path) -> None:
    for name in ("opensm-lfts.dump", "opensm.fdbs"):
        (manager / name).unlink()
    (manager / "opensm.conf").write_text("routing_engine updn\n")
    assert json.loads(lacis("verify", manager, "--json").out)["engine_requested"] == "updn"


def test_the_routes_of_a_folder_serve_where_there_is_no_dump(lacis: Lacis, manager: Path) -> None:
    (manager / "opensm-lfts.dump").unlink()
    assert f"Tables of {manager / 'opensm.fdbs'}" in lacis("verify", manager).out


def test_tables_of_another_day_are_named(lacis: Lacis, manager: Path) -> None:
    os.utime(manager / "opensm-lfts.dump", (1_000_000 - 3 * 86_400, 1_000_000 - 3 * 86_400))
    err = lacis("fabric", manager).err
    assert "opensm-lfts.dump was written 3 days before opensm-subnet.lst: it may be of another state" in err


def test_truncated_tables_of_a_folder_are_refused_by_verify_and_left_out_of_a_report(
    lacis: Lacis, manager: Path, tmp_path: Path
) -> None:
    dump = manager / "opensm-lfts.dump"
    dump.write_text(dump.read_text()[:-120])
    done = lacis("verify", manager)
    assert done.status == 2
    assert f"{dump}:" in done.err
    assert "truncated" in done.err
    done = lacis("report", manager, "-o", tmp_path / "page.html")
    assert done.status == 0
    assert f"{dump} is left out: " in done.err


def test_a_cable_that_one_file_of_a_folder_has_is_named(lacis: Lacis, tmp_path: Path) -> None:
    shutil.copytree(IBDIAGNET, tmp_path / "out")
    csv = tmp_path / "out" / "ibdiagnet2.db_csv"
    csv.write_text(csv.read_text().replace("0x0000000008f10001,4,0x0000000008f10002,2\n", ""))
    err = lacis("fabric", tmp_path / "out").err
    assert "1 cable of ibdiagnet2.net_dump not in ibdiagnet2.db_csv: leaf 1[4] – leaf 2[2]" in err


def test_lids_that_differ_and_files_of_another_fabric_are_named(lacis: Lacis, manager: Path) -> None:
    newer = manager / "ibnetdiscover.txt"
    newer.write_text((MANAGER / "ibnetdiscover.txt").read_text().replace("lid 3 ", "lid 9 "))
    err = lacis("fabric", manager).err
    assert "has LID 9 in ibnetdiscover.txt, 3 in opensm-subnet.lst: not of one day" in err
    stranger = manager / "other.lst"
    stranger.write_text(
        (manager / "opensm-subnet.lst")
        .read_text()
        .replace("08f1", "09f1")
        .replace("00a", "01a")
        .replace("00b", "01b")
    )
    os.utime(stranger, (900_000, 900_000))
    assert "other.lst is of another fabric, left out" in lacis("fabric", manager).err


def _without_lids(manager: Path) -> None:
    """Adapter 0xa1 has no LID in the files of the fabric."""
    listed = manager / "opensm-subnet.lst"
    listed.write_text(listed.read_text().replace("LID:0003", "LID:0000"))


def test_lids_that_the_fabric_file_lacks_are_those_of_the_cache(lacis: Lacis, manager: Path) -> None:
    _without_lids(manager)
    assert "LIDs of 1 port from guid2lid" in lacis("fabric", manager).err
    # The cache says LID 3; a manager that knew nothing would give it the first free one, which is that too: so 9 instead.
    cache = manager / "guid2lid"
    cache.write_text(cache.read_text().replace("0x0003 0x0003", "0x0009 0x0009"))
    made = lacis("route", manager, "-R", "minhop", "--guid2lid", "-")
    assert "0x00000000000000a1 0x0009 0x0009" in made.out


def test_a_lid_that_the_cache_has_otherwise_is_named_in_one_line(lacis: Lacis, manager: Path) -> None:
    cache = manager / "guid2lid"
    cache.write_text(cache.read_text().replace("0x0003 0x0003", "0x0007 0x0007"))
    lines = [line for line in lacis("fabric", manager).err.splitlines() if "guid2lid" in line]
    assert len(lines) == 2
    assert "has LID 3 in opensm-subnet.lst, 7 in guid2lid: not of one day" in lines[1]
    _without_lids(manager)
    cache.write_text(cache.read_text().replace("0x0007 0x0007", "0x0004 0x0004"))
    assert "has LID 4 in guid2lid, but" in lacis("fabric", manager).err


def test_a_cache_of_another_fabric_is_left_out(lacis: Lacis, manager: Path) -> None:
    (manager / "guid2lid").write_text("0x0000000000000777 0x0001 0x0001\n\n")
    done = lacis("fabric", manager)
    assert done.status == 0
    assert "guid2lid is of another fabric, left out" in done.err
    assert "LID cache" not in done.err


def test_a_folder_without_a_fabric_says_what_it_needs(lacis: Lacis, tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("hello\n")
    (tmp_path / "opensm.conf").write_text("routing_engine ftree\n")
    done = lacis("fabric", tmp_path)
    assert done.status == 2
    assert "a folder without a fabric (it has opensm.conf): it needs an opensm-subnet.lst" in done.err


def test_counters_of_ibdiagnet_are_findings_with_their_cable(lacis: Lacis) -> None:
    found = json.loads(lacis("fabric", IBDIAGNET / "ibdiagnet2.db_csv", "--json").out)
    [finding] = [one for one in found["findings"] if one["code"] == "PORT_ERRORS"]
    assert {(end["node"], end["port"]) for end in finding["ends"]} == {("leaf 1", 4), ("leaf 2", 2)}


def test_the_part_of_a_cable_is_in_the_work_list(lacis: Lacis, tmp_path: Path) -> None:
    done = lacis("report", IBDIAGNET, "-o", tmp_path / "page.html", "--json")
    rows = [row for row in json.loads(done.out)["cabling"] if row["part"]]
    assert {row["part"]["serial"] for row in rows} == {"MT2038FT05678"}
    assert rows[0]["part"]["temperature"] == 61
    assert "Mellanox MFS1S00-H010V, serial MT2038FT05678, 10 m, 61 °C" in (tmp_path / "page.html").read_text()


def test_growth_is_what_was_counted_since_an_earlier_reading(lacis: Lacis, tmp_path: Path) -> None:
    later = tmp_path / "later.txt"
    shutil.copy(FABRICS / "counters" / "ibqueryerrors.txt", later)
    # Two hours after the db_csv, which says 2026-11-26 12:00:00 UTC itself.
    os.utime(later, (1_795_694_400 + 7200, 1_795_694_400 + 7200))
    done = lacis(
        "fabric", MANAGER / "ibnetdiscover.txt", "--counters", later,
        "--since", IBDIAGNET / "ibdiagnet2.db_csv", "--json",
    )  # fmt: skip
    growth = json.loads(done.out)["error_growth"]
    # 90 - 77 symbol errors and 312 - 300 link downs.
    grown = {(row["counter"], row["by"], row["per_hour"]) for row in growth["grown"]}
    assert grown == {("SymbolErrors", 13, 6.5), ("LinkDowned", 12, 6.0)}
    assert {(row["port"], row["far"]) for row in growth["grown"]} == {("leaf 1[4]", "leaf 2[2]")}
    assert growth["seconds"] == 7200
    # 4xHDR is 200e9 bit/s: in 7,200 s, which is less than 7,500, 200e9 x 7,200 x 1e-14 = 14.4 symbol errors are tolerated.
    # The link went down at one end alone, as far as the files say.
    assert {row["counter"]: row["beyond"] for row in growth["grown"]} == {
        "SymbolErrors": False,
        "LinkDowned": False,
    }


def test_what_ibqueryerrors_leaves_out_is_not_known_to_be_clean(lacis: Lacis) -> None:
    counters = FABRICS / "counters" / "ibqueryerrors.txt"
    done = lacis("fabric", IBDIAGNET / "ibdiagnet2.db_csv", "--since", counters, "--json")
    # leaf 2[2] has counters in the db_csv and none in the earlier file.
    assert json.loads(done.out)["error_growth"]["unknown"] == 1


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_packed_files_are_read_whatever_their_names(lacis: Lacis, tmp_path: Path, pack) -> None:  # type: ignore[no-untyped-def]
    fabric, tables = tmp_path / "fabric", tmp_path / "tables"
    fabric.write_bytes(pack((MANAGER / "opensm-subnet.lst").read_bytes()))
    tables.write_bytes(pack((MANAGER / "opensm-lfts.dump").read_bytes()))
    done = lacis("verify", fabric, "--lfts", tables, "--json")
    assert json.loads(done.out)["verdicts"]["delivered"] == 2
    fabric.write_bytes(fabric.read_bytes()[:-8])
    done = lacis("fabric", fabric)
    assert done.status == 2
    assert "has no end: the file looks truncated" in done.err


def test_a_list_of_cables_with_a_sites_own_columns_is_a_fabric(lacis: Lacis, tmp_path: Path) -> None:
    path = tmp_path / "cables.csv"
    path.write_text(
        "Row,Switch_Name,pPort,Target,Target_Port\n1,leaf-1,1,n1 mlx5_0,1\n2,leaf-1,31/2,n2 mlx5_0,1\n"
    )
    columns = "switch=Switch_Name,port=pPort,peer=Target,peer-port=Target_Port"
    found = json.loads(lacis("fabric", path, "--columns", columns, "--json").out)
    assert (found["switches"], found["hosts"], found["links"]) == (1, 2, 2)
    # One switch: any half of its two hosts is cut at one host's link, all of what half of the hosts can send.
    assert found["bisection"] is None
    assert found["bisection_share"]["fraction"] == 1.0
    assert (
        "of what the adapters can send, where all links are alike"
        in lacis("fabric", path, "--columns", columns).out
    )
    done = lacis("fabric", path, "--columns", "switch=Switch")
    assert done.status == 2
    assert "expected switch=NAME,port=NAME,peer=NAME,peer-port=NAME" in done.err


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        (
            "opensm-lfts.dump",
            ":1: a dump of forwarding tables, not a fabric: give the fabric, and this file to --lfts",
        ),
        ("opensm.fdbs", ":1: a list of the routes of switches (.fdbs), not a fabric"),
        (
            "guid2lid",
            ":1: OpenSM's cache of LIDs (guid2lid), not a fabric: give the fabric, and this file to --guid2lid-cache",
        ),
        (
            "opensm.conf",
            ":2: a configuration of OpenSM, not a fabric: give the fabric, and this file to --opensm-conf",
        ),
    ],
)
def test_a_refusal_says_what_a_file_is_and_what_to_give_instead(lacis: Lacis, name: str, reason: str) -> None:
    done = lacis("fabric", MANAGER / name)
    assert done.status == 2
    assert reason in done.err
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize("name", ["no-such-file.txt", "folder/no-such", "fabric.ibnetdicover"])
def test_a_mistyped_file_is_no_such_file(lacis: Lacis, name: str) -> None:
    done = lacis("fabric", name)
    assert (done.status, "no such file" in done.err) == (2, True)


def test_the_paths_of_a_discovery_may_come_first_however_many_they_are(lacis: Lacis) -> None:
    folder = shared_data()
    path = folder / "avakas-2016" / "fabric.ibnetdiscover-p" if folder else None
    if path is None or not path.is_file():
        pytest.skip("no shared/data/avakas-2016 at or above the checkout")
    found = json.loads(lacis("fabric", path, "--json").out)
    # Counted with grep: GUIDs of lines that begin with SW, and with CA, by `sort -u`.
    lines = [line.split() for line in path.read_text().splitlines()]
    switches = {line[3] for line in lines if line[:1] == ["SW"] and len(line) > 3}
    ends = {line[3] for line in lines if line[:1] == ["CA"] and len(line) > 3}
    assert (found["switches"], found["end_nodes"]) == (len(switches), len(ends))


def test_a_file_of_a_folder_that_cannot_be_read_is_named(lacis: Lacis, manager: Path, tmp_path: Path) -> None:
    # The memory of a process is a file that not even root reads from its beginning.
    (manager / "shut.dump").symlink_to("/proc/self/mem")
    done = lacis("fabric", manager)
    assert done.status == 0
    assert "shut.dump is left out: input/output error" in done.err
    (tmp_path / "alone").mkdir()
    (tmp_path / "alone" / "my.fabric").symlink_to("/proc/self/mem")
    done = lacis("fabric", tmp_path / "alone")
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert done.err.endswith("; my.fabric: input/output error\n")


def test_the_library_names_an_argument_where_the_command_line_names_a_flag() -> None:
    with pytest.raises(LacisError, match="give the fabric, and this file to `lfts`: "):
        lacis.read(MANAGER / "opensm-lfts.dump")
