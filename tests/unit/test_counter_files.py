"""Counters in files of other tools: what is read, whose it is, and the one line that bad input gets."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import lacis
import numpy as np
import pytest
from lacis import _core
from lacis.counters import recording
from lacis.counters.files import PowerSupply, of_fabric, read, read_sensors
from lacis.counters.names import Names

from tests.conftest import ROOT, shared_data

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from lacis.counters import Readings

# As ibnetdiscover prints the fabric of tests/fabrics/plain on ibsim 0.10.
FABRIC = """
switchguid=0x8f10002(8f10002)
Switch\t4 "S-0000000008f10002"\t\t# "leaf 2" base port 0 lid 2 lmc 0
[1]\t"S-0000000008f10001"[3]\t\t# "leaf 1" lid 1 4xHDR
[3]\t"H-00000000000000b0"[1](b1) \t\t# "it's" lid 4 4xHDR

switchguid=0x8f10001(8f10001)
Switch\t4 "S-0000000008f10001"\t\t# "leaf 1" enhanced port 0 lid 1 lmc 0
[1]\t"H-00000000000000a0"[1](a1) \t\t# "node1 HCA-1" lid 6 4xHDR
[3]\t"S-0000000008f10002"[1]\t\t# "leaf 2" lid 2 4xHDR

caguid=0xb0
Ca\t2 "H-00000000000000b0"\t\t# "it's"
[1](b1) \t"S-0000000008f10002"[3]\t\t# lid 4 lmc 0 "leaf 2" lid 2 4xHDR

caguid=0xa0
Ca\t1 "H-00000000000000a0"\t\t# "node1 HCA-1"
[1](a1) \t"S-0000000008f10001"[1]\t\t# lid 6 lmc 1 "leaf 1" lid 1 4xHDR
"""
# As perfquery of infiniband-diags 44 prints it there.
PLAIN = """# Port counters: Lid 1 port 4 (CapMask: 0x1300)
PortSelect:......................4
CounterSelect:...................0x0000
SymbolErrorCounter:..............77
LinkErrorRecoveryCounter:........0
LinkDownedCounter:...............255
PortRcvErrors:...................9
CounterSelect2:..................0x00
QP1Dropped:......................0
VL15Dropped:.....................0
PortXmitData:....................864
PortXmitWait:....................5000
"""
EXTENDED = """# Port extended counters: Lid 1 port 4 (CapMask: 0x1300 CapMask2: 0x0000000)
PortSelect:......................4
CounterSelect:...................0x0000
PortXmitData:....................5000000000216
PortUnicastXmitPkts:.............12
"""
DETAILS = """# PortRcvErrorDetails counters: Lid 1 port 4
PortSelect:......................4
PortMalformedPktErrors:..........9
"""
ERRORS = """Errors for 0x8f10001 "leaf 1"
   GUID 0x8f10001 port ALL: [SymbolErrorCounter == 77] [PortXmitData == 1008 (3.938KB)]
   GUID 0x8f10001 port 4: [SymbolErrorCounter == 77] [LinkDownedCounter == 312] [PortXmitData == 1008 (3.938KB)]
       Link info:      1   4[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>  0x0000000008f10002      2    2[  ] "leaf 2" (Could be 12X )
Errors for "it's"
   GUID 0xb1 port 1: [VL15Dropped == 2]

## Summary: 4 nodes checked, 1 bad nodes found
##          11 ports checked, 1 ports have errors beyond threshold
"""
DATA = """Data Counters for 0xa0 "node1 HCA-1"
   GUID 0xa0 port 1: [PortXmitData == 2880 (11.250KB)] [PortXmitPkts == 40 (40.000)]
"""
DB_CSV = """# Timestamp 1795694400
START_PM_INFO
NodeGUID,PortGUID,PortNumber,LinkDownedCounter,LinkDownedCounterExt,SymbolErrorCounter,PortXmitData
0x0000000008f10001,0x0000000008f10001,4,255,300,77,123456
0x0000000008f10002,0x0000000008f10002,2,0,N/A,,123456
END_PM_INFO
"""
NET_DUMP_EXT = """Ty : # : #IB : GUID               : LID : Sta : Conn LID : Symbol Err : Effective Err : Node Desc
SW : 1 : 1   : 0x0000000008f10001 : 1   : ACT : 6        : 4          : 5             : "leaf 1"
"""
UFM = """timestamp,source_id,tag,node_guid,port_guid,port_num,lid,PortXmitDataExtended,SymbolErrorCounterExtended,Temp
1795694400123456,0x8f10001_4,cset,0x8f10001,0x8f10001,4,1,123456789012,3,40
1795694400223456,0x8f10002_2,cset,0x8f10002,0x8f10002,2,2,NaN,0,41
"""


@pytest.fixture(scope="module")
def fabric() -> _core.Fabric:
    return _core.read_fabric(FABRIC.encode())


@pytest.fixture
def given(tmp_path: Path) -> Callable[..., str]:
    def write(text: str | bytes, name: str = "a.txt") -> str:
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return str(path)

    return write


def rows(readings: Readings) -> dict[tuple[str, int], dict[str, int]]:
    """Counters that are known, by node GUID and port."""
    return {
        (f"{guid:x}", port): {
            name: int(values[row]) for name, values in readings.values.items() if readings.known[name][row]
        }
        for row, (guid, port) in enumerate(zip(readings.guids.tolist(), readings.ports.tolist(), strict=True))
    }


def wide(readings: Readings) -> list[str]:
    return sorted(name for name, flags in readings.wide.items() if flags[0])


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


def device(root: Path, name: str = "mlx5_0", *, layer: str = "InfiniBand", **counters: str) -> Path:
    """A copy of a device with one port, as the kernel shows it."""
    port = root / name / "ports" / "1"
    (port / "counters").mkdir(parents=True)
    (root / name / "node_guid").write_text("0c42:a103:0065:5f6a\n")
    for entry, text in (("state", "4: ACTIVE"), ("lid", "0x5"), ("link_layer", layer)):
        (port / entry).write_text(f"{text}\n")
    for entry, text in counters.items():
        (port / "counters" / entry).write_text(f"{text}\n")
    return root / name


COUNTERS = {
    "port_xmit_data": "178791657177235",
    "port_rcv_packets": "12",
    "unicast_xmit_packets": "7",
    "symbol_error": "3",
    "VL15_dropped": "0",
    "port_xmit_wait": "N/A (no PMA)",
}


@pytest.mark.parametrize("below", ["", "sys/class/infiniband", "node17/sys/class/infiniband"])
def test_a_copy_of_the_kernels_folder_is_read_from_any_folder_above(tmp_path: Path, below: str) -> None:
    device(tmp_path / below, **COUNTERS)
    device(tmp_path / below, "mlx5_1", layer="Ethernet", **COUNTERS)
    found = read([str(tmp_path)])
    assert rows(found) == {
        ("c42a10300655f6a", 1): {
            "XmitData": 178791657177235,
            "RcvPkts": 12,
            "UnicastXmitPkts": 7,
            "SymbolErrors": 3,
            "VL15Dropped": 0,
        }
    }
    assert (found.lids.tolist(), found.states.tolist()) == ([5], [4])
    assert wide(found) == ["RcvPkts", "UnicastXmitPkts", "XmitData"]


def test_a_port_whose_counters_cannot_be_read_is_named_and_not_zero(tmp_path: Path) -> None:
    path = device(tmp_path, port_xmit_data="N/A (no PMA)")
    (path / "ports/1/counters/symbol_error").mkdir()  # as one that cannot be read
    found = read([str(tmp_path)])
    assert len(found) == 0
    assert [(one.guid, one.port, one.reason) for one in found.unread] == [
        (0x0C42A10300655F6A, 1, "unreadable")
    ]


def test_an_omni_path_adapter_has_its_counters_elsewhere_and_flits_of_8_bytes(tmp_path: Path) -> None:
    path = device(tmp_path, "hfi1_0", port_xmit_data="N/A (no PMA)")
    (path / "hw_counters").mkdir()
    for name, value in (("DcXmitFlits", "1000"), ("DcRecvErr", "2"), ("CceIntErr", "9")):
        (path / "hw_counters" / name).write_text(f"{value}\n")
    found = read([str(tmp_path)])
    assert (list(rows(found).values()), found.unit) == ([{"XmitData": 1000, "RcvErrors": 2}], 8)


def test_data_of_32_bits_are_known_by_the_counters_that_old_adapters_lack(tmp_path: Path) -> None:
    device(tmp_path, port_xmit_data="4294967295", symbol_error="65535")
    assert wide(read([str(tmp_path)])) == []


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
    lines = [recording.line(recording.document(sweep, Names(fabric, {}, {}))) for sweep in sweeps]
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


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "a.txt: is empty"),
        ("hello\n", "a.txt: is not a file of counters: neither perfquery's"),
        (FABRIC, "a.txt: has no counters: it seems to be a dump of ibnetdiscover"),
        (PLAIN.replace("77", "-77"), "a.txt:4: the value of a counter is a number, and not negative: -77"),
        (PLAIN.replace("77", "nan"), "a.txt:4: the value of a counter is a number, and not negative: nan"),
        (
            PLAIN.replace("77", "18446744073709551616"),
            "a.txt:4: the value of a counter has more than 64 bits: 184467",
        ),
        (
            PLAIN.replace("..77", "\x1b[31m"),
            "a.txt:4: the value of a counter is a number, and not negative: �[31m",
        ),
        (PLAIN + "PortXmitDa\n", "a.txt:13: not a line of perfquery, `NAME:....VALUE`: PortXmitDa"),
        (PLAIN.replace("Lid 1 port 4", "Lid 1 port 256"), "a.txt:1: a port's number is at most 255: 256"),
        (ERRORS[:128], "a.txt:3: not `GUID 0x… port N: [NAME == VALUE]`: the line looks cut: GUID 0x"),
        (
            ERRORS.replace("== 77]", "== x]"),
            "a.txt:3: the value of a counter is a number, and not negative: x",
        ),
        (
            ERRORS.replace("312]", "312"),
            "a.txt:3: not `[NAME == VALUE]`: the line looks cut: GUID 0x8f10001 port 4",
        ),
        (DATA.replace("0xa0 port", "0xzz port"), "a.txt:2: a bad GUID: 0xzz"),
        (DB_CSV.replace("END_PM_INFO\n", ""), "a.txt:2: PM_INFO has no end: the file looks cut"),
        (
            DB_CSV.replace("PM_INFO", "NODES"),
            "a.txt: has no table PM_INFO: ibdiagnet was not asked for counters",
        ),
        (
            DB_CSV.replace(",77,", ",7.5,"),
            "a.txt:4: the value of a counter is a number, and not negative: 7.5",
        ),
        (
            DB_CSV.replace(",77,123456", ",77"),
            "a.txt:4: 6 values in a table of 7 columns: the line looks cut: 0x0000",
        ),
        (
            DB_CSV.replace("PortNumber", "Pt"),
            "a.txt:3: a table of counters needs the columns NodeGUID and PortNumber",
        ),
        (UFM.replace(",3,", ",3e5,"), "a.txt:2: the value of a counter is a number, and not negative: 3e5"),
        (UFM.replace("1795694400123456", "9" * 30), "a.txt:2: a time has more than 64 bits: 9999"),
        (UFM.replace(",4,1,", ",4,99999999999,"), "a.txt:2: a LID is at most 4294967295: 99999999999"),
        ("<Report><Snapshot>", "a.txt"),
    ],
)
def test_bad_input_is_one_line_with_the_file_the_line_and_the_text(
    given: Callable[..., str], fabric: _core.Fabric, text: str, error: str
) -> None:
    path = given(text)
    with pytest.raises(lacis.LacisError) as caught:
        read([path], fabric)
    said = str(caught.value).replace(path, "a.txt")
    assert said.startswith(error)
    assert said.isprintable()


def test_a_counter_of_the_kernel_that_is_no_number_is_named(tmp_path: Path) -> None:
    device(tmp_path, port_xmit_data="12", symbol_error="0x")
    with pytest.raises(lacis.LacisError, match=r"symbol_error:1: the value of a counter is a number.*: 0x"):
        read([str(tmp_path)])
    with pytest.raises(lacis.LacisError, match="has no devices as in /sys/class/infiniband"):
        read([str(tmp_path / "mlx5_0" / "ports" / "1" / "counters")])
    with pytest.raises(lacis.LacisError, match="no such file or directory"):
        read([str(tmp_path / "absent")])


def test_perfquery_without_a_fabric_is_not_guessed_at(given: Callable[..., str]) -> None:
    with pytest.raises(lacis.LacisError, match=r"a\.txt:1: perfquery prints LIDs and no GUIDs"):
        read([given(PLAIN)])


SENSORS = """=================================================
SwitchIB Mellanox Technologies
=================================================
part number        | MSB7790-ES2F
serial number      | MT1943X00498
product name       | Scorpion IB EDR Unmanaged
GUID               | 0x1c34da0300010540
firmware version   | 11.2008.2102
-------------------------------------------------
uptime (d-h:m:s)   | 160d-10:38:53
-------------------------------------------------
PSU0 status        | OK
     P/N           | MTEF-PSF-AC-A
     DC power      | OK
     fan status    | ERROR
     power (W)     | foo
PSU1 status        |
-------------------------------------------------
temperature (C)    | 45
-------------------------------------------------
fan status         | ERROR
fan#1 (rpm)        | 8493
fan#2 (rpm)        |
-------------------------------------------------
"""


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


SAMPLES = (PLAIN, EXTENDED + PLAIN, DETAILS, ERRORS, DATA, DB_CSV, UFM, SENSORS)


def changed(text: str, rng: np.random.Generator) -> bytes:
    """A sample with a few bytes changed, a piece cut out, doubled, or taken from another sample."""
    data = bytearray(text.encode())
    for _ in range(int(rng.integers(1, 5))):
        at, length = int(rng.integers(0, len(data) + 1)), int(rng.integers(0, 40))
        kind = rng.integers(0, 5)
        if kind == 0:
            data[at : at + 1] = bytes([int(rng.integers(0, 256))])
        elif kind == 1:
            del data[at : at + length]
        elif kind == 2:
            data[at:at] = data[at : at + length] * int(rng.integers(1, 4))
        elif kind == 3:
            other = SAMPLES[int(rng.integers(0, len(SAMPLES)))].encode()
            data[at:at] = other[: length * 8]
        else:
            data[at:at] = [b"0", b"-", b"\n", b",", b"nan", b"\x00", b"0x", b"9" * 25, "٣".encode(), b"\r"][
                rng.integers(0, 10)
            ]
    return bytes(data)


@pytest.mark.parametrize("seed", range(8))
def test_no_text_makes_anything_but_readings_or_one_line(
    given: Callable[..., str], fabric: _core.Fabric, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    read_well, errors = 0, []
    path = given("")
    for n in range(250):
        given(changed(SAMPLES[n % len(SAMPLES)], rng))
        try:
            found = read([path], fabric if n % 3 else None)
        except lacis.LacisError as error:
            errors.append(error)
        else:
            read_well += 1
            assert (found.guids != 0).all()
            for name, values in found.values.items():
                assert not values[~found.known[name]].any()
        try:
            read_sensors(path)
        except lacis.LacisError as error:
            errors.append(error)
    assert read_well > 20
    assert all(str(error).isprintable() and error.source == path for error in errors)


def planarised(
    root: Path, *, has_counters: bool = True, gid: str = "fe80:0000:0000:0000:0c42:a103:0065:5f6a"
) -> None:
    """An adapter of two devices: `mlx5_0`, which programs use, and `smi1` with a port for each of four planes."""
    for name, ports in (("mlx5_0", 1), ("smi1", 4)):
        for port in range(1, ports + 1):
            folder = root / name / "ports" / str(port)
            (folder / "gids").mkdir(parents=True)
            (folder / "gids" / "0").write_text(f"{gid}\n" if name == "smi1" or port == 1 else "")
            if name == "mlx5_0" or has_counters:
                (folder / "counters").mkdir()
                (folder / "counters" / "port_xmit_data").write_text(
                    f"{100 * port if name == 'smi1' else 1000}\n"
                )
        (root / name / "node_guid").write_text("0c42:a103:0065:5f69\n")


def test_the_planes_of_an_adapter_are_read_instead_of_the_port_that_they_make_up(tmp_path: Path) -> None:
    planarised(tmp_path)
    found = read([str(tmp_path)])
    ends = zip(found.ports.tolist(), found.planes.tolist(), found.values["XmitData"].tolist(), strict=True)
    assert [*ends] == [(1, 1, 100), (2, 2, 200), (3, 3, 300), (4, 4, 400)]


def test_without_counters_of_planes_the_port_that_they_make_up_is_read(tmp_path: Path) -> None:
    planarised(tmp_path, has_counters=False)
    found = read([str(tmp_path)])
    ends = zip(found.ports.tolist(), found.planes.tolist(), found.values["XmitData"].tolist(), strict=True)
    assert [*ends] == [(1, 0, 1000)]


def test_ports_without_a_guid_are_no_planes(tmp_path: Path) -> None:
    planarised(tmp_path, gid="")
    assert not read([str(tmp_path)]).planes.any()
