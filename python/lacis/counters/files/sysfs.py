"""Counters as the kernel shows them: `/sys/class/infiniband` of a host, or a copy of it.

    mlx5_0/node_guid                          0c42:a103:0065:5f6a
    mlx5_0/ports/1/state                      4: ACTIVE
    mlx5_0/ports/1/counters/port_xmit_data    178791657177235
    hfi1_0/hw_counters/DcXmitFlits            1234

A path is a device, the folder of devices, the root of a copy, or a folder of such roots, one a host. Entries that cannot be read or say `N/A (no PMA)`
are absent; a port of Ethernet has none. A planarised adapter has a device whose ports, one a plane, all have the port GUID of the device that
programs use: these are read instead of that one. The kernel reads data of 64 bits where there are counters of unicast packets, and error counters of PortCounters.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import LacisError
from ...facts.words import excerpt
from ..readings import Unread
from .names import counter
from .nodes import state
from .rows import ABSENT, Port, guid, number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .rows import Rows

_HFI = {
    "DcXmitFlits": "XmitData",
    "DcTxFlits": "XmitData",
    "DcRcvFlits": "RcvData",
    "DcXmitPkts": "XmitPkts",
    "DcRcvPkts": "RcvPkts",
    "DcMcXmitPkts": "MulticastXmitPkts",
    "DcMcRcvPkts": "MulticastRcvPkts",
    "DcRecvErr": "RcvErrors",
    "DcFmCfgErr": "FMConfigErrors",
    "DcRmtPhyErr": "RcvRemotePhysicalErrors",
    "DcRcvBbl": "RcvBubble",
    "DcRcvFecn": "RcvFECN",
    "DcRcvBecn": "RcvBECN",
    "DcMarkFecn": "MarkFECN",
}
"""Counters of an Omni-Path adapter, which answers no queries of InfiniBand's counters, by their files in hw_counters."""
_FLIT = 8
_INSIDE = ("", "class/infiniband", "sys/class/infiniband", "infiniband")


def read(path: Path, rows: Rows) -> None:
    """Reads all devices below a path.

    Raises:
        LacisError: when there is none, when a counter is no number, or when devices of InfiniBand and Omni-Path are mixed.
    """
    found = list(dict.fromkeys(_devices(path)))
    if not found:
        raise LacisError("has no devices as in /sys/class/infiniband (DEV/ports/N/counters)")
    units = set()
    planes = {device: _planes(device) for device in found}
    read_already: set[tuple[int, str]] = set()
    # Those with planes first, which stand for the port that they make up together.
    for device in sorted(found, key=lambda one: not planes[one]):
        own = _text(device / "node_guid")
        if own is None:
            raise LacisError(f"{excerpt(device.name)} has no node_guid")
        node = guid(own.replace(":", ""), None)
        before = len(rows)
        is_hfi = device.name.startswith("hfi1") or (device / "hw_counters" / "DcXmitFlits").exists()
        for folder in _entries(device / "ports"):
            if (
                folder.name.isascii()
                and folder.name.isdigit()
                and int(folder.name) < 256
                and (node, _port_guid(folder)) not in read_already
                and _port(device, folder, node, is_hfi, rows, planes[device].get(folder.name, 0))
            ):
                units.add(_FLIT if is_hfi else 4)
        if planes[device] and len(rows) > before:
            read_already.add((node, _port_guid(next(iter(_entries(device / "ports"))))))
    if len(units) > 1:
        raise LacisError("has adapters of InfiniBand and of Omni-Path: give one after the other")
    rows.unit = units.pop() if units else 4


def _devices(path: Path) -> Iterator[Path]:
    if (path / "ports").is_dir():
        yield path
        return
    for root in (path, *_entries(path)):
        for inside in _INSIDE:
            yield from (device for device in _entries(root / inside) if (device / "ports").is_dir())


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(entry for entry in folder.iterdir() if entry.is_dir())
    except OSError:
        return []


def _port_guid(folder: Path) -> str:
    """The GUID of a port, the second half of its first GID; empty where that is not known."""
    gid = (_text(folder / "gids" / "0") or "").split(":")
    return "".join(gid[4:]) if len(gid) == 8 else ""


def _planes(device: Path) -> dict[str, int]:
    """The plane of each port of a device that has one for each, from 1; nothing of other devices."""
    ports = [
        folder for folder in _entries(device / "ports") if folder.name.isascii() and folder.name.isdigit()
    ]
    ports.sort(key=lambda folder: int(folder.name))
    guids = {_port_guid(folder) for folder in ports}
    if len(ports) < 2 or len(guids) != 1 or "" in guids:
        return {}
    return {folder.name: plane for plane, folder in enumerate(ports, 1)}


def _port(device: Path, folder: Path, node: int, is_hfi: bool, rows: Rows, plane: int) -> bool:
    """Reads a port; no where it is one of Ethernet."""
    layer = _text(folder / "link_layer")
    if layer is not None and layer.lower() == "ethernet":
        return False
    port = int(folder.name)
    values: list[tuple[str, int, bool]] = []
    times = [rows.time]
    files = _files(folder / "counters")
    has_wide = any(file.name.startswith("unicast_") for file in files)
    for file in files:
        known, value = counter(file.name), _value(file)
        if known is not None and value is not None:
            is_data = known[0].endswith(("Data", "Pkts"))
            values.append((known[0], value, has_wide and is_data))
    if is_hfi:
        for folder_of in (folder / "hw_counters", device / "hw_counters"):
            for file in _files(folder_of):
                value = _value(file) if file.name in _HFI else None
                if value is not None:
                    values.append((_HFI[file.name], value, True))
    times += [int(file.stat().st_mtime_ns) for file in files[:1]]
    if not values:
        rows.unread.append(Unread(node, port, "unreadable", "no counter can be read"))
        return True
    lid = _text(folder / "lid") or "0"
    when = time.time_ns() if folder.resolve().is_relative_to("/sys") else max(times)
    about = Port(
        node,
        port,
        plane,
        lid=number(lid, None, "a LID") & 0xFFFF_FFFF,
        time=when,
        state=state(_text(folder / "state") or ""),
    )
    row = rows.port(about)
    for name, value, is_wide in values:
        rows.count(row, name, value, is_wide=is_wide)
    return True


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(file for file in folder.iterdir() if file.is_file())
    except OSError:
        return []


def _text(file: Path) -> str | None:
    """The first line of a file; none where it cannot be read."""
    try:
        with file.open("rb") as lines:
            return lines.readline(200).decode("ascii", "replace").strip()
    except OSError:
        return None


def _value(file: Path) -> int | None:
    text = _text(file)
    if text is None or text.lower() in ABSENT:
        return None
    try:
        return number(text, 1)
    except LacisError as error:
        raise error.within(str(file)) from None
