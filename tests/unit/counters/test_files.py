"""Counters in files of other tools: what is read, and whose it is."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import lacis
import pytest
from lacis import _core
from lacis.counters import recording
from lacis.counters.files import PowerSupply, of_fabric, read, read_sensors
from lacis.counters.names import PortNames

from tests.conftest import ROOT, shared_data

from .texts import (
    DATA,
    DB_CSV,
    DETAILS,
    ERRORS,
    EXTENDED,
    NET_DUMP_EXT,
    PLAIN,
    SENSORS,
    UFM,
    rows,
    wide,
)

if TYPE_CHECKING:
    from collections.abc import Callable


def test_a_port_of_perfquery_is_that_of_its_lid(given: Callable[..., str], fabric: _core.Fabric) -> None:
    found = read([given(PLAIN)], fabric)
    assert rows(found) == {
        ("8f10001", 4): {
            "SymbolErrors": 77,
            "LinkErrorRecovery": 0,
            "LinkDowned": 255,
            "RcvErrors": 9,
            "VL15Dropped": 0,
            "XmitData": 864,
            "XmitWait": 5000,
        }
    }
    assert (wide(found), found.lids.tolist(), found.unit, found.only_faulty) == ([], [1], 4, False)


def test_an_adapter_with_several_lids_is_found_by_each(
    given: Callable[..., str], fabric: _core.Fabric
) -> None:
    # Its first LID is 6, and with an LMC of 1 it has 7, too.
    found = read([given(PLAIN.replace("Lid 1 port 4", "Lid 7 port 1"))], fabric)
    assert (list(rows(found)), found.lids.tolist()) == ([("a0", 1)], [7])


def test_of_two_attributes_the_one_of_64_bits_is_taken_in_any_order(
    given: Callable[..., str], fabric: _core.Fabric
) -> None:
    for texts in ((PLAIN, EXTENDED), (EXTENDED, PLAIN)):
        together = read([given("".join(texts))], fabric)
        apart = read([given(text, f"{n}.txt") for n, text in enumerate(texts)], fabric)
        for found in (together, apart):
            [port] = rows(found).values()
            assert (port["XmitData"], port["UnicastXmitPkts"], port["SymbolErrors"]) == (
                5000000000216,
                12,
                77,
            )
            assert wide(found) == ["UnicastXmitPkts", "XmitData"]


def test_blocks_of_details_and_of_all_ports_are_no_counters_of_a_port(
    given: Callable[..., str], fabric: _core.Fabric
) -> None:
    found = read([given(DETAILS + PLAIN + PLAIN.replace("port 4", "port 255").replace("77", "99"))], fabric)
    assert rows(found)["8f10001", 4]["SymbolErrors"] == 77
    with pytest.raises(lacis.LacisError, match=r"a\.txt: has sums over all ports \(-a\) or details"):
        read([given(DETAILS)], fabric)


def test_ports_that_ibqueryerrors_leaves_out_and_counters_that_it_does_not_list_are_not_zero(
    given: Callable[..., str], fabric: _core.Fabric
) -> None:
    found = read([given(ERRORS)], fabric)
    assert rows(found) == {
        ("b0", 1): {"VL15Dropped": 2},  # The file has the GUID of the adapter's port.
        ("8f10001", 4): {"SymbolErrors": 77, "LinkDowned": 312, "XmitData": 1008},
    }
    assert (found.only_faulty, found.lids.tolist()) == (True, [4, 1])
    assert bool(found.wide["LinkDowned"][1])  # 8 bits do not hold 312.
    assert not found.wide["SymbolErrors"].any()


def test_with_its_data_of_all_ports_nothing_is_left_out(given: Callable[..., str]) -> None:
    found = read([given(DATA)])
    assert rows(found) == {("a0", 1): {"XmitData": 2880, "XmitPkts": 40}}
    assert not found.only_faulty


def test_of_ibdiagnets_columns_the_extended_ones_are_taken_where_they_have_a_value(
    given: Callable[..., str],
) -> None:
    found = read([given(DB_CSV)])
    assert rows(found) == {
        ("8f10001", 4): {"LinkDowned": 300, "SymbolErrors": 77, "XmitData": 123456},
        ("8f10002", 2): {"LinkDowned": 0, "XmitData": 123456},
    }
    assert found.wide["LinkDowned"].tolist() == [True, False]


def test_when_a_whole_db_csv_was_made_is_read_in_it() -> None:
    found = read([str(ROOT / "tests/fabrics/ibdiagnet/ibdiagnet2.db_csv")])
    assert set(found.times.tolist()) == {1795694400 * 10**9}
    assert rows(found)["8f10001", 4]["XmitWait"] == 4_000_000_000


def test_a_table_of_ufm_has_times_and_lids_and_nan_is_no_value(given: Callable[..., str]) -> None:
    found = read([given(UFM, "a.csv")])
    assert rows(found) == {
        ("8f10001", 4): {"XmitData": 123456789012, "SymbolErrors": 3},
        ("8f10002", 2): {"SymbolErrors": 0},
    }
    assert found.times.tolist() == [1795694400123456000, 1795694400223456000]
    assert (found.lids.tolist(), wide(found)) == ([1, 2], ["SymbolErrors", "XmitData"])


@pytest.mark.parametrize("digits", [10, 13, 16, 19])
def test_a_time_says_its_unit_by_its_size(given: Callable[..., str], digits: int) -> None:
    text = UFM.replace("1795694400123456", "1795694400000000000"[:digits])
    assert read([given(text)]).times.tolist()[0] == 1795694400 * 10**9


def test_of_several_readings_of_a_port_the_latest_counts(
    given: Callable[..., str], fabric: _core.Fabric
) -> None:
    # Rows of UFM have times; blocks of perfquery come one after the other.
    late, early = UFM.splitlines()[1].replace(",3,", ",9,"), UFM.splitlines()[1].replace("4001", "3001")
    found = read([given("\n".join([UFM.splitlines()[0], late, early, ""]))])
    assert rows(found)["8f10001", 4]["SymbolErrors"] == 9
    assert found.times.tolist() == [1795694400123456000]
    found = read([given(PLAIN + EXTENDED + PLAIN.replace("77", "99"))], fabric)
    assert (rows(found)["8f10001", 4]["SymbolErrors"], len(found)) == (99, 1)


def test_a_packed_file_is_read(given: Callable[..., str]) -> None:
    assert rows(read([given(gzip.compress(DATA.encode()), "a.gz")])) == {
        ("a0", 1): {"XmitData": 2880, "XmitPkts": 40}
    }


def test_a_number_that_may_be_cut_is_no_value(given: Callable[..., str], fabric: _core.Fabric) -> None:
    [port] = rows(read([given(PLAIN[:-4])], fabric)).values()
    assert "XmitWait" not in port
    assert port["XmitData"] == 864
    assert list(rows(read([given(UFM[:-3])]))) == [("8f10001", 4)]


def test_a_description_cannot_make_a_line(given: Callable[..., str]) -> None:
    text = DATA.replace("node1", "x\x0b   GUID 0xbad port 1: [PortXmitData == 1]\x85\u2028")
    assert list(rows(read([given(text)]))) == [("a0", 1)]


def test_counters_of_another_fabric_are_refused(given: Callable[..., str], fabric: _core.Fabric) -> None:
    with pytest.raises(lacis.LacisError, match=r"a\.txt: counters of another fabric"):
        read([given(DATA.replace("0xa0", "0xdead"))], fabric)
    with pytest.raises(
        lacis.LacisError, match=r"a\.txt:1: the fabric has no LID 99: # Port counters: Lid 99"
    ):
        read([given(PLAIN.replace("Lid 1", "Lid 99"))], fabric)


def test_a_snapshot_of_omni_path_counts_flits() -> None:
    folder = shared_data()
    path = folder / "cases/omnipath/s1.xml" if folder else None
    if path is None or not path.is_file():
        pytest.skip("no shared/data/cases/omnipath at or above the checkout (LACIS_SHARED names its parent)")
    found = read([str(path)])
    # Its first line says unixtime="1795687080", and each port 15625000000 in XmitData.
    assert (len(found), found.unit, found.started) == (20, 8, 1795687080 * 10**9)
    assert set(found.values["XmitData"].tolist()) <= {0, 15625000000}
    assert set(found.values["LinkErrorRecovery"].tolist()) <= {0, 50}


def test_of_a_recording_the_last_sweep_is_read(given: Callable[..., str], fabric: _core.Fabric) -> None:
    sweeps = [read([given(DATA.replace("2880", f"{value}"))]) for value in (2880, 2999)]
    lines = [recording.line(recording.document(sweep, PortNames(fabric, {}, {}))) for sweep in sweeps]
    path = given(b"".join(lines), "a.jsonl")
    assert rows(read([path])) == {("a0", 1): {"XmitData": 2999, "XmitPkts": 40}}
    given(lines[0] + lines[1][:-40], "a.jsonl")
    with pytest.raises(lacis.LacisError, match=r"a\.jsonl:2: no sweep of counters"):
        read([path])


@pytest.mark.parametrize("text", [ERRORS, DB_CSV])
def test_the_core_reads_the_same_for_findings(
    given: Callable[..., str], fabric: _core.Fabric, text: str
) -> None:
    if text is DB_CSV:
        path = str(ROOT / "tests/fabrics/ibdiagnet/ibdiagnet2.db_csv")
        of_core = of_fabric(lacis.read(path))
    else:
        path = given(text)
        of_core = of_fabric(lacis.with_counters(fabric, path))
    assert rows(of_core) == rows(read([path], fabric if text is ERRORS else None))
    assert len(rows(of_core)) == 2


def test_ibdiagnets_net_dump_ext_needs_its_fabric(given: Callable[..., str], fabric: _core.Fabric) -> None:
    path = given(NET_DUMP_EXT)
    assert rows(read([path], fabric)) == {("8f10001", 1): {"SymbolErrors": 4, "EffectiveErrors": 5}}
    with pytest.raises(lacis.LacisError, match=r"a\.txt: is ibdiagnet's net_dump_ext: the fabric"):
        read([path])
    with pytest.raises(lacis.LacisError, match=r"a\.txt:2: counters of another fabric"):
        read([path], lacis.read("chain:2"))


def test_a_fabric_file_has_the_counters_that_it_was_written_with(
    given: Callable[..., str], fabric: _core.Fabric
) -> None:
    counted = lacis.with_counters(fabric, given(ERRORS))
    found = read([given(counted.to_json(), "a.json")])
    assert rows(found)["8f10001", 4] == {"SymbolErrors": 77, "LinkDowned": 312, "XmitData": 1008}
    with pytest.raises(lacis.LacisError, match="has no counters"):
        of_fabric(fabric)


def test_the_sensors_of_a_switch_are_not_taken_for_counters(given: Callable[..., str]) -> None:
    path = given(SENSORS)
    with pytest.raises(
        lacis.LacisError, match="is ibswinfo's: it has the sensors of a switch and no counters"
    ):
        read([path])
    found = read_sensors(path)
    assert (found.guid, found.name, found.celsius, found.celsius_most) == (
        0x1C34DA0300010540,
        "Scorpion IB EDR Unmanaged",
        45,
        None,
    )
    assert found.uptime == ((160 * 24 + 10) * 60 + 38) * 60 + 53
    assert found.fans_ok is False
    assert [(fan.number, fan.rpm) for fan in found.fans] == [(1, 8493), (2, None)]
    assert found.supplies == (
        PowerSupply(0, is_ok=True, dc_ok=True, fan_ok=False, watts=None),
        PowerSupply(1, is_ok=None, dc_ok=None, fan_ok=None, watts=None),
    )
    with pytest.raises(lacis.LacisError, match="no GUID of a switch"):
        read_sensors(given("PSU0 status | OK\n"))
