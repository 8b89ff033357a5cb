"""A host described from copies of its files that were made by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lacis.errors import LacisError
from lacis.facts import host as facts
from lacis.facts.wording import text
from lacis.host import described
from lacis.host.recorded import recorded
from lacis.host.wrong import severity

from .. import hosts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_a_host_with_which_nothing_is_wrong(tmp_path: Path) -> None:
    hosts.host(tmp_path)
    hosts.adapter(tmp_path)
    host, found = described(tmp_path)
    assert found == []
    assert (host.system.name, host.system.kernel) == ("n017.cluster.example", "5.14.0-362.el9.x86_64")
    assert (host.system.vendor, host.system.product, host.system.bios) == (
        "Maker",
        "Blade 1",
        "2.4, 01/02/2024",
    )
    assert (host.system.cpus, host.system.numa_nodes, host.system.governors) == (
        "EPYC 7763",
        2,
        ["performance"],
    )
    assert (host.system.memlock, host.system.memlock_known) == (None, True)
    assert host.system.drivers == {"mlx5_core": "24.01"}
    (adapter,) = host.adapters
    assert (adapter.model, adapter.firmware, adapter.guid) == ("MT4123", "20.31.1014", "0x0002c90300123450")
    assert (adapter.driver, adapter.pci, adapter.numa) == ("mlx5_core", "0000:3b:00.0", 1)
    assert adapter.pcie is not None
    # 16 lanes of 16 GT/s, of 130 bits 128 are data.
    assert adapter.pcie.gigabits == pytest.approx(16 * 16 * 128 / 130)
    (port,) = adapter.ports
    assert (port.state, port.physical, port.gigabits, port.lid, port.sm_lid) == (
        "active",
        "linkup",
        200,
        31,
        1,
    )
    assert [(one.name, one.version, one.uses) for one in host.mpi] == [("Open MPI", "4.1.6", "ucx")]


def narrow(root: Path) -> None:
    hosts.adapter(root, width="8")


def slow(root: Path) -> None:
    hosts.adapter(root, speed="8.0 GT/s PCIe")


def unmanaged(root: Path) -> None:
    hosts.adapter(root, state="2: INIT")


def second_port_down(root: Path) -> None:
    hosts.adapter(root)
    hosts.adapter(
        root, "mlx5_1", image="0002:c903:0012:3460", bus="5e", state="1: DOWN", physical="2: Polling"
    )


def two_firmwares(root: Path) -> None:
    hosts.adapter(root)
    hosts.adapter(root, "mlx5_1", image="0002:c903:0012:3460", bus="5e", firmware="20.28.1002")


def little_to_lock(root: Path) -> None:
    hosts.host(root, memlock="65536")
    hosts.adapter(root)


def saving(root: Path) -> None:
    hosts.host(root, governor="powersave")
    hosts.adapter(root)


def without_device_file(root: Path) -> None:
    hosts.adapter(root)
    (root / "dev/infiniband/uverbs0").unlink()
    (root / "commands/ompi_info --parsable").unlink()


def without_ucx(root: Path) -> None:
    hosts.adapter(root)
    hosts.put(
        root, "commands/ompi_info --parsable", 'ompi:version:full:4.1.6\nmca:btl:tcp:version:"mca:2.1.0"'
    )


def tcp_by_wish(root: Path) -> None:
    hosts.adapter(root)
    hosts.put(root, "environment", "UCX_TLS=tcp,self,sm\nPATH=/bin")


WRONG: dict[str, tuple[Callable[[Path], None], list[facts.HostFact], list[str]]] = {
    # x8 of 16 GT/s carries 126 Gbit/s, less than HDR's 200.
    "narrow": (
        narrow,
        [facts.PcieNarrow("mlx5_0", 8, 16), facts.PcieBelowRate("mlx5_0", 8 * 16 * 128 / 130, 200.0)],
        ["warning", "warning"],
    ),
    "slow": (
        slow,
        [facts.PcieSlow("mlx5_0", 8.0, 16.0), facts.PcieBelowRate("mlx5_0", 16 * 8 * 128 / 130, 200.0)],
        ["warning", "warning"],
    ),
    "unmanaged": (unmanaged, [facts.PortNotActive("mlx5_0", 1, "init", "linkup", True)], ["error"]),
    "second port down": (
        second_port_down,
        [facts.PortNotActive("mlx5_1", 1, "down", "polling", False)],
        ["notice"],
    ),
    "two firmwares": (
        two_firmwares,
        [facts.FirmwareDiffers("MT_0000000223", {"mlx5_0": "20.31.1014", "mlx5_1": "20.28.1002"})],
        ["notice"],
    ),
    "little to lock": (little_to_lock, [facts.MemlockLimited(65536)], ["warning"]),
    "saving": (saving, [facts.GovernorSaves(("powersave",))], ["notice"]),
    "without device file": (
        without_device_file,
        [facts.NoDeviceFile("/dev/infiniband/uverbs*", ("mlx5_0",))],
        ["error"],
    ),
    "without UCX": (without_ucx, [facts.FallsBackToTcp("Open MPI", False)], ["error"]),
    "TCP by wish": (tcp_by_wish, [facts.FallsBackToTcp("Open MPI", True)], ["error"]),
    "no adapter": (lambda _: None, [facts.NoAdapter()], ["error"]),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_found_and_nothing_else(tmp_path: Path, what: str) -> None:
    make, expected, severities = WRONG[what]
    hosts.host(tmp_path)
    make(tmp_path)
    found = described(tmp_path).facts
    assert found == expected
    assert [severity(fact) for fact in found] == severities
    assert all(text(fact) for fact in found)


def test_a_card_that_divides_its_lanes_is_not_narrow(tmp_path: Path) -> None:
    hosts.host(tmp_path)
    hosts.adapter(tmp_path, width="8", rate="100 Gb/sec (4X EDR)")
    hosts.adapter(tmp_path, "mlx5_1", width="8", bus="af", rate="100 Gb/sec (4X EDR)")
    assert described(tmp_path).facts == []


def test_powersave_of_intel_pstate_saves_nothing(tmp_path: Path) -> None:
    hosts.host(tmp_path, governor="powersave")
    hosts.adapter(tmp_path)
    hosts.put(tmp_path, "sys/devices/system/cpu/intel_pstate/status", "active")
    assert described(tmp_path).facts == []


def test_ports_in_ethernet_mode_are_not_of_the_fabric(tmp_path: Path) -> None:
    hosts.host(tmp_path)
    hosts.adapter(tmp_path)
    hosts.adapter(
        tmp_path,
        "mlx5_1",
        image="0002:c903:0012:3460",
        state="1: DOWN",
        physical="3: Disabled",
        layer="Ethernet",
    )
    assert described(tmp_path).facts == []


def test_omni_path_uses_psm2(tmp_path: Path) -> None:
    hosts.host(tmp_path)
    hosts.adapter(tmp_path, "hfi1_0", rate="100 Gb/sec (4X EDR)", layer="InfiniBand")
    hosts.put(tmp_path, "dev/hfi1_0")
    hosts.put(
        tmp_path, "commands/ompi_info --parsable", 'ompi:version:full:4.1.6\nmca:mtl:psm2:version:"mca:2.1.0"'
    )
    host, found = described(tmp_path)
    assert found == []
    assert [one.uses for one in host.mpi] == ["psm2"]
    assert host.adapters[0].ports[0].layer == "Omni-Path"


def test_values_that_a_kernel_does_not_know_are_not_known(tmp_path: Path) -> None:
    hosts.host(tmp_path)
    hosts.adapter(tmp_path, width="0", speed="Unknown", rate="unknown", state="", physical="")
    hosts.put(tmp_path, "sys/class/infiniband/mlx5_0/device/numa_node", "-1")
    host, found = described(tmp_path)
    assert found == []
    (adapter,) = host.adapters
    assert (adapter.pcie, adapter.numa, adapter.ports[0].gigabits, adapter.ports[0].state) == (
        None,
        None,
        None,
        "",
    )


def test_files_that_hold_anything_make_no_error(tmp_path: Path) -> None:
    hosts.host(tmp_path)
    hosts.adapter(tmp_path)
    for path in sorted(tmp_path.rglob("*")):
        if path.is_file():
            path.write_bytes(b"\xff\x00\x1b[31m9999999999999999999999 GT/s: \n")
    described(tmp_path)


def test_what_was_recorded_is_described_alike(tmp_path: Path) -> None:
    real, copy = tmp_path / "real", tmp_path / "copy"
    hosts.host(real, memlock="65536")
    hosts.adapter(real, width="8")
    for name, data in recorded(real).items():
        target = copy / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    assert described(copy) == described(real)


def test_a_root_that_is_absent_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(LacisError, match="no such folder"):
        described(tmp_path / "absent")
