"""Files of a folder whose tables are not as usual: columns in another order, missing or twice, a cut table, a million rows."""

from __future__ import annotations

import csv
import io
import json
import resource
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Lacis

MANAGER, IBDIAGNET = ROOT / "tests" / "fabrics" / "manager", ROOT / "tests" / "fabrics" / "ibdiagnet"
TABLES = ("NODES", "PORTS", "LINKS", "CABLE_INFO", "PM_INFO")
A_MILLION = 1_000_000


def with_columns(text: str, table: str, chosen: Callable[[list[str]], list[int]]) -> str:
    """A db_csv in which a table has the columns that are chosen from its header, in that order."""
    lines: list[str] = []
    columns: list[int] = []
    inside = False
    for line in text.splitlines():
        if line == f"START_{table}":
            inside, columns = True, []
        elif line == f"END_{table}":
            inside = False
        elif inside:
            cells = next(csv.reader([line]))
            columns = columns or chosen(cells)
            row = io.StringIO()
            csv.writer(row, lineterminator="").writerow([cells[at] for at in columns])
            line = row.getvalue()
        lines.append(line)
    return "\n".join([*lines, ""])


def folder_of(path: Path, text: str) -> Path:
    """A folder of ibdiagnet's output with this db_csv alone."""
    path.mkdir()
    (path / "ibdiagnet2.db_csv").write_text(text)
    return path


def answer(lacis: Lacis, folder: Path) -> dict[str, Any]:
    """What the fabric of a folder is, without the remark of where it was read."""
    done = lacis("fabric", folder, "--json")
    assert done.status == 0, done.err
    document: dict[str, Any] = json.loads(done.out)
    assert (document["switches"], document["hosts"], document["links"]) == (2, 2, 4)
    return {key: value for key, value in document.items() if key != "doubts"}


@pytest.fixture
def usual() -> str:
    return (IBDIAGNET / "ibdiagnet2.db_csv").read_text()


def test_columns_in_another_order_say_the_same(lacis: Lacis, tmp_path: Path, usual: str) -> None:
    turned = usual
    for table in TABLES:
        turned = with_columns(turned, table, lambda header: list(range(len(header)))[::-1])
    assert "PortNum2,NodeGuid2,PortNum1,NodeGuid1" in turned
    assert answer(lacis, folder_of(tmp_path / "turned", turned)) == answer(
        lacis, folder_of(tmp_path / "usual", usual)
    )


@pytest.mark.parametrize(
    ("table", "column"),
    [("NODES", "NodeGUID"), ("PORTS", "PortNum"), ("LINKS", "PortNum1"), ("PM_INFO", "PortNumber")],
)
def test_a_column_twice_has_to_agree_with_itself(
    lacis: Lacis, tmp_path: Path, usual: str, table: str, column: str
) -> None:
    twice = with_columns(usual, table, lambda header: [*range(len(header)), header.index(column)])
    assert answer(lacis, folder_of(tmp_path / "twice", twice)) == answer(
        lacis, folder_of(tmp_path / "usual", usual)
    )
    # The last cell of the last row says something else.
    end = twice.index(f"\nEND_{table}")
    cell = twice.rindex(",", 0, end) + 1
    (tmp_path / "twice" / "ibdiagnet2.db_csv").write_text(twice[:cell] + "7" + twice[end:])
    done = lacis("fabric", tmp_path / "twice")
    line = twice[:end].count("\n") + 1
    assert done.status == 2
    assert f"ibdiagnet2.db_csv:{line}: " in done.err
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("table", "column"),
    [("NODES", "NodeType"), ("NODES", "NumPorts"), ("PORTS", "PortNum"), ("LINKS", "NodeGuid2")],
)
def test_a_column_that_is_needed_and_missing_is_one_line(
    lacis: Lacis, tmp_path: Path, usual: str, table: str, column: str
) -> None:
    def without(header: list[str]) -> list[int]:
        return [at for at, name in enumerate(header) if name != column]

    done = lacis("fabric", folder_of(tmp_path / "without", with_columns(usual, table, without)))
    line = usual[: usual.index(f"START_{table}\n")].count("\n") + 2
    assert (done.status, done.out) == (2, "")
    assert f"ibdiagnet2.db_csv:{line}: {table} has no column {column}" in done.err
    assert len(done.err.splitlines()) == 1


def test_a_file_of_the_folder_that_can_be_read_serves_where_another_lacks_a_column(
    lacis: Lacis, tmp_path: Path, usual: str
) -> None:
    folder = folder_of(tmp_path / "log", with_columns(usual, "LINKS", lambda _: [0, 1, 2]))
    shutil.copy(IBDIAGNET / "ibdiagnet2.net_dump", folder)
    done = lacis("fabric", folder, "--json")
    assert done.status == 0
    assert "ibdiagnet2.db_csv is left out: " in done.err
    assert "LINKS has no column PortNum2" in done.err
    assert "cables from ibdiagnet2.net_dump" in done.err
    assert json.loads(done.out)["links"] == 4


@pytest.mark.parametrize("table", TABLES)
def test_a_table_that_is_cut_off_is_refused_with_its_line(
    lacis: Lacis, tmp_path: Path, usual: str, table: str
) -> None:
    # The file ends in the middle of the table's header's next line.
    start = usual.index(f"START_{table}\n")
    cut = usual[: usual.index("\n", usual.index("\n", start) + 1) + 12]
    done = lacis("fabric", folder_of(tmp_path / "cut", cut))
    line = usual[:start].count("\n") + 1
    assert done.status == 2
    assert f"ibdiagnet2.db_csv:{line}: the table {table} has no end: the file looks truncated" in done.err
    assert len(done.err.splitlines()) == 1


def test_a_hot_cable_is_a_finding_with_its_work(lacis: Lacis, tmp_path: Path, usual: str) -> None:
    """70 °C are tolerated, and 71 °C are not."""
    folder = folder_of(tmp_path / "log", usual.replace('"61C"', '"70C"'))
    assert "CABLE_HOT" not in _findings(lacis, folder)
    (folder / "ibdiagnet2.db_csv").write_text(usual.replace('"61C"', '"71C"'))
    [facts] = _findings(lacis, folder)["CABLE_HOT"]
    [link] = facts["links"]
    assert {(end["node"], end["port"]) for end in link["cable"]} == {("leaf 1", 4), ("leaf 2", 2)}
    assert (sorted(link["temperatures"], key=str), facts["limit"]) == ([71, None], 70)
    assert ("check", "CABLE_HOT") in _work(lacis, folder, tmp_path)


def test_packets_dropped_are_a_finding_by_their_share(lacis: Lacis, tmp_path: Path, usual: str) -> None:
    """One of 10¹² packets is tolerated. Node 1 (0xa0) has had 3, and `it's` (0xb0) 2 that were broken elsewhere."""
    start, end = usual.index("START_PM_INFO"), usual.index("END_PM_INFO")
    header = "NodeGUID,PortGUID,PortNumber,PortRcvErrors,PortRcvRemotePhysicalErrors,PortRcvPktsExtended\n"

    def counted(ours: int, marked: int) -> str:
        rows = (
            f"0x00000000000000a0,0x00000000000000a1,1,{ours},0,1000000000000\n"
            f"0x00000000000000b0,0x00000000000000b1,1,0,{marked},1000000000000\n"
        )
        return usual[:start] + "START_PM_INFO\n" + header + rows + usual[end:]

    folder = folder_of(tmp_path / "log", counted(1, 1))
    assert "PACKETS_DROPPED" not in _findings(lacis, folder)
    (folder / "ibdiagnet2.db_csv").write_text(counted(3, 2))
    facts = _findings(lacis, folder)["PACKETS_DROPPED"]
    ends = [end for fact in facts for link in fact["links"] for end in link["ends"]]
    found = [(end["port"]["node"], end["errors"], end["marked"]) for end in ends]
    assert sorted(found) == [("it's", 0, 2), ("node1 HCA-1", 3, 0)]
    assert {fact["tolerated"] for fact in facts} == {1e-12}
    # What another link broke asks for no work at this one.
    assert [line for line in _work(lacis, folder, tmp_path) if line[1] == "PACKETS_DROPPED"] == [
        ("check", "PACKETS_DROPPED")
    ]


def _findings(lacis: Lacis, folder: Path) -> dict[str, list[Any]]:
    """The facts of the findings, by code."""
    facts: dict[str, list[Any]] = {}
    for finding in json.loads(lacis("fabric", folder, "--json").out)["findings"]:
        facts.setdefault(finding["code"], []).append(finding["facts"])
    return facts


def _work(lacis: Lacis, folder: Path, out: Path) -> list[tuple[str, str]]:
    """Each line of the work list: what to do, and because of which finding."""
    document = json.loads(lacis("report", folder, "-o", out / "page.html", "--json").out)
    return [(line["action"], line["code"]) for line in document["cabling"]]


def _other_table(text: str) -> str:
    rows = "".join(f"PORT,0x1,0x1,{n},X,row {n}\n" for n in range(A_MILLION))
    return f"{text}START_WARNINGS\nScope,NodeGUID,PortGUID,PortNumber,EventName,Summary\n{rows}END_WARNINGS\n"


def _counters(text: str) -> str:
    rows = "".join(f"0x{n:016x},0x{n:016x},1,0,0,0,0,0,1\n" for n in range(A_MILLION, 2 * A_MILLION))
    return text.replace("END_PM_INFO", rows + "END_PM_INFO")


def _links(text: str) -> str:
    return text.replace("END_LINKS", "0x0000000008f10001,1,0x00000000000000a0,1\n" * A_MILLION + "END_LINKS")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("more", "said"),
    [
        (_other_table, None),
        (_counters, "row about a node that the file does not describe, left out"),
        (_links, "repeated, same content"),
    ],
)
def test_a_million_rows_are_read_to_the_last(
    lacis: Lacis, tmp_path: Path, usual: str, more: Callable[[str], str], said: str | None
) -> None:
    folder = folder_of(tmp_path / "large", more(usual))
    limited(folder)
    done = lacis("fabric", folder, "--json")
    assert json.loads(done.out)["links"] == 4
    remarks = [line for line in done.err.splitlines() if "cables from" not in line]
    assert len(remarks) == (0 if said is None else 1)
    for remark in remarks:
        assert said is not None
        assert said in remark
        assert "(and 999999 more)" in remark


@pytest.mark.slow
@pytest.mark.parametrize("name", ["guid2lid", "opensm-lfts.dump"])
def test_a_million_rows_of_another_fabric_are_one_line(lacis: Lacis, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "log"
    shutil.copytree(MANAGER, folder)
    (folder / "ibnetdiscover.txt").unlink()
    if name == "guid2lid":
        rows = (
            f"0x{n:016x} 0x{n % 40_000 + 1:04x} 0x{n % 40_000 + 1:04x}\n"
            for n in range(A_MILLION, 2 * A_MILLION)
        )
        text = "\n".join(rows)
    else:
        # A hundred switches with ten thousand LIDs each.
        lids = "".join(
            f"0x{lid:04x} 001 # Channel Adapter portguid 0x{lid:016x}: 'n{lid} HCA-1'\n"
            for lid in range(1, 10_001)
        )
        text = "".join(
            f"Unicast lids [0-10000] of switch Lid {s} guid 0x{s + A_MILLION:016x} ('s{s}'):\n{lids}10000 lids dumped\n"
            for s in range(1, 101)
        )
    (folder / name).write_text(text)
    limited(folder)
    done = lacis("fabric", folder)
    assert done.status == 0
    if name == "guid2lid":
        assert "guid2lid is of another fabric, left out" in done.err
    else:
        done = lacis("verify", folder)
        assert done.status == 2
        assert "a dump for another fabric" in done.err.splitlines()[-1]


def limited(folder: Path) -> None:
    """Reads a folder in a process that may take 2 GB of memory and 100 s of a processor."""

    def limits() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (2 << 30, 2 << 30))
        resource.setrlimit(resource.RLIMIT_CPU, (100, 100))

    call = "import sys; from lacis.cli import run; sys.exit(run(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", call, "fabric", str(folder)],
        preexec_fn=limits, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
