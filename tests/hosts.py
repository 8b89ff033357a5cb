"""Copies of what a kernel shows of a host, made by hand: what `lacis host --root` reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

GUID = "0002:c903:0012:3450"


def put(root: Path, path: str, text: str = "") -> None:
    """Writes a file below a root, with the folders above it."""
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(f"{text}\n" if text else "")


def adapter(
    root: Path,
    name: str = "mlx5_0",
    *,
    bus: str = "3b",
    image: str = GUID,
    width: str = "16",
    speed: str = "16.0 GT/s PCIe",
    rate: str = "200 Gb/sec (4X HDR)",
    state: str = "4: ACTIVE",
    physical: str = "5: LinkUp",
    firmware: str = "20.31.1014",
    layer: str = "InfiniBand",
) -> None:
    """An adapter of one port whose device could use 16 lanes of 16 GT/s."""
    base = f"sys/class/infiniband/{name}"
    for path, text in {
        "hca_type": "MT4123",
        "board_id": "MT_0000000223",
        "fw_ver": firmware,
        "node_guid": image,
        "sys_image_guid": image,
        "device/current_link_width": width,
        "device/max_link_width": "16",
        "device/current_link_speed": speed,
        "device/max_link_speed": "16.0 GT/s PCIe",
        "device/numa_node": "1",
        "device/uevent": f"DRIVER=mlx5_core\nPCI_SLOT_NAME=0000:{bus}:00.0",
        "ports/1/state": state,
        "ports/1/phys_state": physical,
        "ports/1/rate": rate,
        "ports/1/link_layer": layer,
        "ports/1/lid": "0x1f",
        "ports/1/sm_lid": "0x1",
    }.items():
        put(root, f"{base}/{path}", text)


def host(root: Path, *, memlock: str = "unlimited", governor: str = "performance") -> None:
    """The rest of a host with which nothing is wrong."""
    put(root, "proc/sys/kernel/hostname", "n017.cluster.example")
    put(root, "proc/sys/kernel/osrelease", "5.14.0-362.el9.x86_64")
    put(root, "proc/cpuinfo", "processor\t: 0\nmodel name\t: EPYC 7763")
    put(
        root,
        "proc/self/limits",
        f"Limit  Soft  Hard  Units\nMax locked memory         {memlock}   unlimited   bytes",
    )
    put(root, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", governor)
    put(root, "sys/devices/system/node/node0/cpulist", "0")
    put(root, "sys/devices/system/node/node1/cpulist", "1")
    put(root, "sys/class/dmi/id/sys_vendor", "Maker")
    put(root, "sys/class/dmi/id/product_name", "Blade 1")
    put(root, "sys/class/dmi/id/bios_version", "2.4")
    put(root, "sys/class/dmi/id/bios_date", "01/02/2024")
    put(root, "sys/module/mlx5_core/version", "24.01")
    put(root, "dev/infiniband/uverbs0")
    put(root, "commands/ompi_info --parsable", 'ompi:version:full:4.1.6\nmca:pml:ucx:version:"mca:2.1.0"')
    put(root, "commands/ucx_info -d", "#      Transport: rc_mlx5\n#         Device: mlx5_0:1")
