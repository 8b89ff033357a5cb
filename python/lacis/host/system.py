"""What of the machine and its kernel matters to communication."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..documents.host import HostSystem

if TYPE_CHECKING:
    from .tree import Tree

_CPUS = "sys/devices/system/cpu"
_MODULES = (
    "mlx5_core",
    "mlx5_ib",
    "mlx4_core",
    "hfi1",
    "ib_umad",
    "ib_uverbs",
    "ib_ipoib",
    "nvidia_peermem",
    "knem",
    "xpmem",
)
"""Modules whose versions are asked."""


def system(tree: Tree) -> HostSystem:
    """What the kernel says of itself and of the machine."""
    memlock, is_known = _memlock(tree.text("proc/self/limits") or "")
    dmi = "sys/class/dmi/id"
    bios = [tree.text(f"{dmi}/bios_{what}") for what in ("version", "date")]
    return HostSystem(
        name=tree.text("proc/sys/kernel/hostname") or "",
        kernel=tree.text("proc/sys/kernel/osrelease") or "",
        vendor=tree.text(f"{dmi}/sys_vendor") or "",
        product=tree.text(f"{dmi}/product_name") or "",
        bios=", ".join(one for one in bios if one),
        cpus=_processor(tree.text("proc/cpuinfo") or ""),
        numa_nodes=len(tree.names("sys/devices/system/node", r"node\d+")),
        governors=_governors(tree),
        memlock=memlock,
        memlock_known=is_known,
        drivers={name: version for name in _MODULES if (version := tree.text(f"sys/module/{name}/version"))},
    )


def _memlock(limits: str) -> tuple[int | None, bool]:
    """The soft limit of locked memory in bytes, none without limit; and whether it is known."""
    found = re.search(r"^Max locked memory\s+(unlimited|\d+)\s", limits, re.M)
    if found is None:
        return None, False
    return (None if found[1] == "unlimited" else int(found[1])), True


def _processor(info: str) -> str:
    found = re.search(r"^model name\s*:\s*(.+)$", info, re.M)
    return found[1].strip() if found else ""


def _governors(tree: Tree) -> list[str]:
    """Governors in use, each once, in the order of names."""
    cpus = tree.names(_CPUS, r"cpu\d+")
    found = {tree.text(f"{_CPUS}/{name}/cpufreq/scaling_governor") for name in cpus}
    return sorted(one for one in found if one)
