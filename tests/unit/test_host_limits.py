"""`lacis host` at its limits: rates after coding, what is not known, which transport is left, and the words."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from lacis.facts import host as facts
from lacis.facts.wording import text
from lacis.host import described

from .. import hosts

if TYPE_CHECKING:
    from pathlib import Path

DEVICE = "sys/class/infiniband/mlx5_0"


@pytest.mark.parametrize(
    ("width", "speed", "carried"),
    [
        # 8 of 10 bits are data up to 5 GT/s, 128 of 130 up to 32, 242 of 256 bytes above.
        ("16", "2.5 GT/s PCIe", 16 * 2.5 * 0.8),
        ("16", "5.0 GT/s PCIe", 16 * 5 * 0.8),
        ("8", "8.0 GT/s PCIe", 8 * 8 * 128 / 130),
        ("16", "32.0 GT/s PCIe", 16 * 32 * 128 / 130),
        ("16", "64.0 GT/s PCIe", 16 * 64 * 242 / 256),
        ("16", "128.0 GT/s PCIe", 16 * 128 * 242 / 256),
        ("16", "Unknown", None),
        ("0", "16.0 GT/s PCIe", None),
    ],
)
def test_what_a_pcie_link_carries(tmp_path: Path, width: str, speed: str, carried: float | None) -> None:
    hosts.adapter(tmp_path, width=width, speed=speed)
    link = described(tmp_path).host.adapters[0].pcie
    assert link is not None
    assert link.gigabits == (carried if carried is None else pytest.approx(carried))


@pytest.mark.parametrize(
    ("rate", "gigabits"),
    [
        ("2.5 Gb/sec (1X SDR)", 2),
        ("20 Gb/sec (4X DDR)", 16),
        ("40 Gb/sec (4X QDR)", 32),
        ("56 Gb/sec (4X FDR)", 56),
        ("400 Gb/sec (4X NDR)", 400),
    ],
)
def test_what_a_port_carries(tmp_path: Path, rate: str, gigabits: float) -> None:
    hosts.adapter(tmp_path, rate=rate)
    [port] = described(tmp_path).host.adapters[0].ports
    assert port.gigabits == pytest.approx(gigabits)


def of_pcie(root: Path) -> list[facts.HostFact]:
    kinds = (facts.PcieNarrow, facts.PcieSlow, facts.PcieBelowRate)
    return [one for one in described(root).facts if isinstance(one, kinds)]


def test_a_pcie_link_is_below_the_rate_of_the_fastest_port_that_is_active(tmp_path: Path) -> None:
    hosts.host(tmp_path)
    # 4 lanes of 5 GT/s carry 16 Gbit/s, and so does DDR.
    hosts.adapter(tmp_path, width="4", speed="5.0 GT/s PCIe", rate="20 Gb/sec (4X DDR)")
    least = [facts.PcieNarrow("mlx5_0", 4, 16), facts.PcieSlow("mlx5_0", 5.0, 16.0)]
    assert of_pcie(tmp_path) == least
    for state, found in (("1: DOWN", []), ("4: ACTIVE", [facts.PcieBelowRate("mlx5_0", 16.0, 32.0)])):
        hosts.put(tmp_path, f"{DEVICE}/ports/2/state", state)
        hosts.put(tmp_path, f"{DEVICE}/ports/2/rate", "40 Gb/sec (4X QDR)")
        assert of_pcie(tmp_path) == [*least, *found]
    hosts.put(tmp_path, f"{DEVICE}/ports/2/rate", "unknown")
    assert of_pcie(tmp_path) == least


def test_what_a_device_could_do_and_does_not_say_is_no_fault(tmp_path: Path) -> None:
    hosts.adapter(tmp_path, width="8", speed="8.0 GT/s PCIe", rate="40 Gb/sec (4X QDR)")
    assert of_pcie(tmp_path) == [facts.PcieNarrow("mlx5_0", 8, 16), facts.PcieSlow("mlx5_0", 8.0, 16.0)]
    hosts.put(tmp_path, f"{DEVICE}/device/max_link_width", "255")
    assert of_pcie(tmp_path) == [facts.PcieSlow("mlx5_0", 8.0, 16.0)]
    hosts.put(tmp_path, f"{DEVICE}/device/max_link_speed", "Unknown")
    assert of_pcie(tmp_path) == []


@pytest.mark.parametrize(
    ("image", "bus", "shared"),
    [
        (hosts.GUID, "af", True),
        (hosts.GUID, "3b", False),
        ("0002:c903:0012:3460", "af", False),
        ("", "af", False),
    ],
)
def test_a_card_divides_its_lanes_where_it_is_on_two_buses(
    tmp_path: Path, image: str, bus: str, *, shared: bool
) -> None:
    for name, where in (("mlx5_0", "3b"), ("mlx5_1", bus)):
        hosts.adapter(tmp_path, name, width="8", bus=where, image=hosts.GUID if name == "mlx5_0" else image)
    if not image:
        for name in ("mlx5_0", "mlx5_1"):
            (tmp_path / f"sys/class/infiniband/{name}/sys_image_guid").unlink()
    narrow = [one.adapter for one in of_pcie(tmp_path) if isinstance(one, facts.PcieNarrow)]
    assert narrow == ([] if shared else ["mlx5_0", "mlx5_1"])
    assert len(of_pcie(tmp_path)) == 2 * len(narrow)  # 126 Gbit/s for HDR, each


def test_firmware_is_compared_among_adapters_of_one_board_that_say_theirs(tmp_path: Path) -> None:
    hosts.host(tmp_path)
    for at, firmware in enumerate(("1", "2", "")):
        hosts.adapter(tmp_path, f"mlx5_{at}", image=f"0002:c903:0012:346{at}", firmware=firmware)
    board = "sys/class/infiniband/mlx5_{}/board_id"
    [fact] = described(tmp_path).facts
    assert fact == facts.FirmwareDiffers("MT_0000000223", {"mlx5_0": "1", "mlx5_1": "2"})
    hosts.put(tmp_path, board.format(1), "MT_0000000224")
    assert described(tmp_path).facts == []
    for at in (0, 1):
        hosts.put(tmp_path, board.format(at), "")
    assert described(tmp_path).facts == []


def test_the_worst_comes_first(tmp_path: Path) -> None:
    hosts.host(tmp_path, memlock="65536", governor="ondemand")
    hosts.adapter(tmp_path)
    hosts.adapter(tmp_path, "mlx5_1", image="0002:c903:0012:3460", firmware="1", state="1: DOWN")
    (tmp_path / "dev/infiniband/uverbs0").unlink()
    kinds = [type(one) for one in described(tmp_path).facts]
    assert kinds == [
        *(facts.NoDeviceFile, facts.FallsBackToTcp),
        facts.MemlockLimited,
        *(facts.PortNotActive, facts.FirmwareDiffers, facts.GovernorSaves),
    ]


@pytest.mark.parametrize(("limit", "little"), [(64 << 20, False), ((64 << 20) - 1, True)])
def test_64_mib_to_lock_are_enough(tmp_path: Path, limit: int, *, little: bool) -> None:
    hosts.host(tmp_path, memlock=str(limit))
    assert described(tmp_path).facts == [facts.NoAdapter()]
    hosts.adapter(tmp_path)
    assert described(tmp_path).facts == [facts.MemlockLimited(limit)] * little


def test_governors_that_save_are_named_and_powersave_only_without_the_driver_of_its_own(
    tmp_path: Path,
) -> None:
    hosts.host(tmp_path, governor="powersave")
    hosts.adapter(tmp_path)
    hosts.put(tmp_path, "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "ondemand")
    [fact] = described(tmp_path).facts
    assert isinstance(fact, facts.GovernorSaves)
    assert set(fact.governors) == {"powersave", "ondemand"}
    hosts.put(tmp_path, "sys/devices/system/cpu/intel_pstate/status", "active")
    assert described(tmp_path).facts == [facts.GovernorSaves(("ondemand",))]
    hosts.put(tmp_path, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance")
    assert described(tmp_path).facts == [facts.GovernorSaves(("ondemand",))]


def test_each_kind_of_adapter_has_a_device_file_of_its_own(tmp_path: Path) -> None:
    hosts.host(tmp_path)
    hosts.adapter(tmp_path)
    hosts.adapter(tmp_path, "hfi1_0", image="0011:7501:0000:0001", rate="100 Gb/sec (4X EDR)")
    assert described(tmp_path).facts == [facts.NoDeviceFile("/dev/hfi1*", ("hfi1_0",))]
    hosts.put(tmp_path, "dev/hfi1_0")
    (tmp_path / "dev/infiniband/uverbs0").unlink()
    found = [one for one in described(tmp_path).facts if isinstance(one, facts.NoDeviceFile)]
    assert found == [facts.NoDeviceFile("/dev/infiniband/uverbs*", ("mlx5_0",))]
    shutil.rmtree(tmp_path / "sys/class/infiniband/mlx5_0")
    found = [one for one in described(tmp_path).facts if isinstance(one, facts.NoDeviceFile)]
    assert found == []


# --- the transport ---------------------------------------------------------------------------------


def used(
    root: Path, *, commands: dict[str, str], environment: str = "", omni_path: bool = False
) -> list[str]:
    hosts.host(root)
    hosts.adapter(root, "hfi1_0" if omni_path else "mlx5_0")
    if omni_path:
        hosts.put(root, "dev/hfi1_0")
    for path in (root / "commands").iterdir():
        path.unlink()
    for command, said in commands.items():
        hosts.put(root, f"commands/{command}", said)
    hosts.put(root, "environment", environment)
    return [one.uses for one in described(root).host.mpi]


def open_mpi(*parts: str) -> dict[str, str]:
    lines = [f'mca:{part}:version:"mca:2.1.0"' for part in parts]
    return {"ompi_info --parsable": "\n".join(["ompi:version:full:4.1.6", *lines])}


UCX = {"ucx_info -d": "# Transport: rc_mlx5"}
UCX_TCP = {"ucx_info -d": "# Transport: tcp\n# Transport: self"}


@pytest.mark.parametrize(
    ("parts", "more", "environment", "expected"),
    [
        (("pml:ucx",), UCX, "", "ucx"),
        (("pml:ucx",), {}, "", "ucx"),
        (("pml:ucx",), UCX_TCP, "", "tcp"),
        (("pml:ucx", "btl:openib"), UCX_TCP, "", "openib"),
        (("pml:ucx",), UCX, "UCX_TLS=tcp,self", "tcp"),
        (("pml:ucx",), UCX, "UCX_TLS=rc,tcp", "ucx"),
        (("pml:ucx",), UCX, "OMPI_MCA_pml=ob1", "tcp"),
        (("pml:ucx",), UCX, "OMPI_MCA_pml=^ucx", "tcp"),
        (("pml:ucx",), UCX, "OMPI_MCA_pml=^cm,ucx", "tcp"),
        (("pml:ucx",), UCX, "OMPI_MCA_pml=^ob1", "ucx"),
        (("pml:ucx",), UCX, "OMPI_MCA_pml=ob1,ucx", "ucx"),
        (("pml:ucx", "btl:openib"), UCX, "OMPI_MCA_pml=ob1", "openib"),
        (("btl:openib",), {}, "", "openib"),
        (("btl:openib",), {}, "OMPI_MCA_btl=self,openib", "openib"),
        (("btl:openib",), {}, "OMPI_MCA_btl=tcp,self", "tcp"),
        (("btl:openib",), {}, "OMPI_MCA_btl=^tcp", "openib"),
        (("btl:openib",), {}, "OMPI_MCA_btl=^openib", "tcp"),
        (("btl:openib",), {}, "OMPI_MCA_btl=^tcp,openib", "tcp"),
        (("btl:uct",), {}, "", "tcp"),
    ],
)
def test_the_transport_of_open_mpi(
    tmp_path: Path, parts: tuple[str, ...], more: dict[str, str], environment: str, expected: str
) -> None:
    assert used(tmp_path, commands=open_mpi(*parts) | more, environment=environment) == [expected]


OFI = {"fi_info -l": "psm2:\n    version: 1\ntcp:\n    version: 1"}
OFI_TCP = {"fi_info -l": "tcp:\n    version: 1"}


@pytest.mark.parametrize(
    ("parts", "more", "environment", "expected"),
    [
        (("mtl:psm2", "pml:ucx"), {}, "", "psm2"),
        (("mtl:ofi",), OFI, "", "psm2"),
        (("mtl:ofi",), OFI, "FI_PROVIDER=opx", "opx"),
        (("mtl:ofi",), OFI, "FI_PROVIDER=tcp;ofi_rxm", "tcp"),
        (("mtl:ofi",), OFI, "FI_PROVIDER=^psm2", "tcp"),
        (("mtl:ofi",), OFI_TCP, "", "tcp"),
        (("mtl:ofi",), {}, "", "tcp"),
        (("mtl:psm2",), {}, "OMPI_MCA_pml=ob1", "tcp"),
        (("mtl:psm2", "pml:ucx"), UCX, "OMPI_MCA_pml=ucx", "ucx"),
        (("mtl:psm2",), {}, "OMPI_MCA_pml=cm", "psm2"),
    ],
)
def test_the_transport_of_open_mpi_on_omni_path(
    tmp_path: Path, parts: tuple[str, ...], more: dict[str, str], environment: str, expected: str
) -> None:
    commands = open_mpi(*parts) | more
    assert used(tmp_path, commands=commands, environment=environment, omni_path=True) == [expected]


def test_a_transport_needs_its_adapter_and_its_device_file(tmp_path: Path) -> None:
    assert used(tmp_path / "a", commands=open_mpi("mtl:psm2")) == ["tcp"]
    # What libfabric lists is of no use to an Open MPI without it.
    both = open_mpi("pml:ucx") | UCX | OFI
    assert used(tmp_path / "b", commands=both, omni_path=True) == ["ucx"]
    hosts.adapter(tmp_path / "c", "mlx5_0", image="0002:c903:0012:3460")
    assert used(tmp_path / "c", commands=open_mpi("mtl:psm2"), omni_path=True) == ["psm2"]
    for part in ("pml:ucx", "btl:openib"):
        root = tmp_path / part[:3]
        assert used(root, commands=open_mpi(part)) != ["tcp"]
        (root / "dev/infiniband/uverbs0").unlink()
        assert [one.uses for one in described(root).host.mpi] == ["tcp"]
    (tmp_path / "c/dev/hfi1_0").unlink()
    assert [one.uses for one in described(tmp_path / "c").host.mpi] == ["tcp"]


def mpich(device: str) -> dict[str, str]:
    return {"mpichversion": f"MPICH Version:      4.2.3\nMPICH Device:       {device}"}


@pytest.mark.parametrize(
    ("device", "more", "environment", "expected"),
    [
        ("ch4:ofi", OFI, "", "psm2"),
        ("ch4:ofi", OFI_TCP, "", "tcp"),
        ("ch4:ofi", {}, "", ""),
        ("ch4:ofi", {}, "FI_PROVIDER=sockets", "tcp"),
        ("ch4:ofi", OFI, "FI_PROVIDER=^tcp", "psm2"),
        ("ch4:ucx", UCX, "", "ucx"),
        ("ch4:ucx", UCX_TCP, "", "tcp"),
        ("ch4:ucx", {}, "", ""),
        ("ch4:ucx", {}, "UCX_TLS=tcp", "tcp"),
        ("ch4:ucx", UCX, "UCX_TLS=tcp", "tcp"),
        ("ch3:nemesis", UCX, "", ""),
    ],
)
def test_the_transport_of_mpich(
    tmp_path: Path, device: str, more: dict[str, str], environment: str, expected: str
) -> None:
    assert used(tmp_path, commands=mpich(device) | more, environment=environment) == [expected]
    [library] = described(tmp_path).host.mpi
    assert (library.version, library.transports) == ("4.2.3", [device.partition(":")[2]])


@pytest.mark.parametrize(
    ("parts", "environment", "asked"),
    [
        (("pml:ucx",), "UCX_TLS=tcp", True),
        (("pml:ucx",), "OMPI_MCA_pml=ob1", True),
        # The environment asks for something better, which the library does not have.
        ((), "UCX_TLS=rc,self", False),
        ((), "OMPI_MCA_pml=ucx", False),
        ((), "", False),
    ],
)
def test_the_environment_asks_for_tcp_where_something_else_is_used_without_it(
    tmp_path: Path, parts: tuple[str, ...], environment: str, *, asked: bool
) -> None:
    assert used(tmp_path, commands=open_mpi(*parts) | UCX, environment=environment) == ["tcp"]
    assert described(tmp_path).facts == [facts.FallsBackToTcp("Open MPI", asked)]


# --- words -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fact", "words"),
    [
        (
            facts.PortNotActive("a", 1, "init", "linkup", False),
            "a port 1 is init: no subnet manager has made it active",
        ),
        (facts.PortNotActive("a", 2, "down", "polling", False), "a port 2 is down: the link is polling"),
        (facts.PortNotActive("a", 1, "down", "", True), "a port 1 is down: no link; no other port is active"),
        (
            facts.PcieBelowRate("a", 126.03, 200.0),
            "a: a port of it carries 200 Gbit/s and its PCIe link 126 Gbit/s at most: the fabric is not what limits this host",
        ),
        (
            facts.GovernorSaves(("ondemand",)),
            "governor ondemand: processors that wait run slower, which raises latency",
        ),
        (
            facts.GovernorSaves(("ondemand", "powersave")),
            "governors ondemand, powersave: processors that wait run slower, which raises latency",
        ),
        (facts.FallsBackToTcp("MPICH", True), "MPICH would send over TCP: the environment asks for it"),
        (
            facts.FallsBackToTcp("MPICH", False),
            "MPICH would send over TCP: it was built without anything better that works here",
        ),
    ],
)
def test_what_is_wrong_in_words(fact: facts.HostFact, words: str) -> None:
    assert text(fact) == words


def test_memory_to_lock_is_said_in_kib() -> None:
    assert text(facts.MemlockLimited(65536)).startswith("a process may lock 64 KiB of memory: ")
