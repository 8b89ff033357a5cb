"""Counters as the kernel shows them, in a copy of /sys/class/infiniband."""

from __future__ import annotations

from typing import TYPE_CHECKING

import lacis
import pytest
from lacis.counters.files import read

from .texts import (
    rows,
    wide,
)

if TYPE_CHECKING:
    from pathlib import Path


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


def test_a_counter_of_the_kernel_that_is_no_number_is_named(tmp_path: Path) -> None:
    device(tmp_path, port_xmit_data="12", symbol_error="0x")
    with pytest.raises(lacis.LacisError, match=r"symbol_error:1: the value of a counter is a number.*: 0x"):
        read([str(tmp_path)])
    with pytest.raises(lacis.LacisError, match="has no devices as in /sys/class/infiniband"):
        read([str(tmp_path / "mlx5_0" / "ports" / "1" / "counters")])
    with pytest.raises(lacis.LacisError, match="no such file or directory"):
        read([str(tmp_path / "absent")])


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
