"""The adapters that a kernel shows below `sys/class/infiniband`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..documents.host import AdapterPort, HostAdapter, PcieLink

if TYPE_CHECKING:
    from .tree import Tree

DEVICES = "sys/class/infiniband"
_CODING = ((5.0, 8 / 10), (32.0, 128 / 130), (64.0, 242 / 256))
"""Gigatransfers up to which a coding of PCIe is used, and the share that it leaves: 8b/10b, 128b/130b, and flits of 256 bytes."""
_OLD_CODING = ("SDR", "DDR", "QDR")
"""Speeds of InfiniBand whose rate the kernel gives before its coding of 8b/10b."""


def adapters(tree: Tree) -> list[HostAdapter]:
    """All adapters, in the order of names."""
    return [_adapter(tree, name) for name in tree.names(DEVICES, r"\w[\w.-]*")]


def _adapter(tree: Tree, name: str) -> HostAdapter:
    root = f"{DEVICES}/{name}"
    device = f"{root}/device"
    numbers = sorted(int(port) for port in tree.names(f"{root}/ports", "[1-9][0-9]{0,2}"))
    return HostAdapter(
        name=name,
        model=tree.text(f"{root}/hca_type") or "",
        board=tree.text(f"{root}/board_id") or "",
        firmware=tree.text(f"{root}/fw_ver") or "",
        driver=_driver(tree, device),
        guid=_guid(tree.text(f"{root}/node_guid")),
        pci=_pci(tree, device),
        pcie=_pcie(tree, device),
        numa=_numa(tree, device),
        ports=[_port(tree, f"{root}/ports/{number}", number, name) for number in numbers],
    )


def system_image(tree: Tree, name: str) -> str | None:
    """What the functions of one card have in common."""
    return tree.text(f"{DEVICES}/{name}/sys_image_guid")


def _port(tree: Tree, path: str, number: int, adapter: str) -> AdapterPort:
    rate = tree.text(f"{path}/rate") or ""
    layer = tree.text(f"{path}/link_layer") or ""
    return AdapterPort(
        number=number,
        state=_word(tree.text(f"{path}/state")),
        physical=_word(tree.text(f"{path}/phys_state")),
        rate=rate,
        gigabits=_gigabits(rate),
        layer="Omni-Path" if adapter.startswith("hfi1") else layer,
        lid=_hexadecimal(tree.text(f"{path}/lid")),
        sm_lid=_hexadecimal(tree.text(f"{path}/sm_lid")),
    )


def _word(text: str | None) -> str:
    """`4: ACTIVE` → `active`."""
    return (text or "").partition(":")[2].strip().lower()


def _gigabits(rate: str) -> float | None:
    """Gigabits of data in a second: `40 Gb/sec (4X QDR)` carries 32."""
    found = re.match(r"(\d+(?:\.\d+)?) Gb/sec", rate)
    if found is None:
        return None
    return float(found[1]) * (0.8 if rate.rstrip(")").endswith(_OLD_CODING) else 1.0)


def _hexadecimal(text: str | None) -> int | None:
    return int(text, 16) if text and re.fullmatch(r"(?:0x)?[0-9a-fA-F]{1,8}", text) else None


def _guid(text: str | None) -> str | None:
    digits = (text or "").replace(":", "").lower()
    return f"0x{digits}" if re.fullmatch("[0-9a-f]{16}", digits) else None


def _pcie(tree: Tree, device: str) -> PcieLink | None:
    speed, most_speed = (_transfers(tree.text(f"{device}/{kind}_link_speed")) for kind in ("current", "max"))
    width, most_width = (_lanes(tree.text(f"{device}/{kind}_link_width")) for kind in ("current", "max"))
    if speed is None and width is None:
        return None
    return PcieLink(speed, width, most_speed, most_width, _carried(speed, width))


def _transfers(text: str | None) -> float | None:
    """`16.0 GT/s PCIe` → 16; none for `Unknown`."""
    found = re.match(r"(\d+(?:\.\d+)?) ?GT/s", text or "")
    return float(found[1]) if found else None


def _lanes(text: str | None) -> int | None:
    """Lanes; the kernel says 0 or 255 where it does not know."""
    return int(text) if text and re.fullmatch(r"[1-9]\d?", text) else None


def _carried(speed: float | None, width: int | None) -> float | None:
    if speed is None or width is None:
        return None
    share = next((share for most, share in _CODING if speed <= most), _CODING[-1][1])
    return speed * width * share


def _numa(tree: Tree, device: str) -> int | None:
    """The NUMA node; the kernel says -1 where it does not know."""
    node = tree.number(f"{device}/numa_node")
    return node if node is not None and node >= 0 else None


def _pci(tree: Tree, device: str) -> str:
    """The address, of the link's target or of `uevent`, which a kept copy has, too."""
    found = re.search(r"^PCI_SLOT_NAME=(\S+)$", tree.text(f"{device}/uevent") or "", re.M)
    return found[1] if found else ""


def _driver(tree: Tree, device: str) -> str:
    found = re.search(r"^DRIVER=(\S+)$", tree.text(f"{device}/uevent") or "", re.M)
    return found[1] if found else ""
