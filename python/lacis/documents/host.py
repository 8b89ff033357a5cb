"""The document of `lacis host`: adapters, limits and libraries of one host, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Sequence

from ..facts.host import HostFact
from .base import Count, Document, Guid, Positive, Row, Severity


class AdapterPort(Row, frozen=True):
    """A port of an adapter, as the kernel shows it."""

    number: Positive
    """Its number."""
    state: str
    """Of the link: `active`, `init`, `down`."""
    physical: str
    """The physical state: `linkup`, `polling`."""
    rate: str
    """As the kernel says: `100 Gb/sec (4X EDR)`."""
    gigabits: float | None
    """Gigabits in a second, from `rate`."""
    layer: str
    """`InfiniBand` or `Ethernet`; `Omni-Path` for hfi1."""
    lid: Count | None
    """Its LID; 0 where no manager gave one."""
    sm_lid: Count | None
    """The manager's LID; 0 where it knows of none."""


class PcieLink(Row, frozen=True):
    """The PCIe link of a device: what it runs at, and what the device could."""

    speed: float | None
    """Gigatransfers in a second and lane."""
    width: Count | None
    """Lanes."""
    most_speed: float | None
    """The most that the device could."""
    most_width: Count | None
    """The most lanes that the device could use."""
    gigabits: float | None
    """What the link carries after coding, gigabits in a second; headers of packets cost more."""


class HostAdapter(Row, frozen=True):
    """An adapter of the host."""

    name: str
    """The device: `mlx5_0`, `hfi1_0`."""
    model: str
    """As the driver names it: `MT4123`."""
    board: str
    """The identification of the board, which firmware is made for."""
    firmware: str
    """Its version."""
    driver: str
    """The kernel's driver."""
    guid: Guid | None
    """The node's GUID."""
    pci: str
    """The address of the device: `0000:3b:00.0`."""
    pcie: PcieLink | None
    """Its PCIe link; none where the kernel shows none, as in a virtual machine."""
    numa: int | None
    """The NUMA node it hangs on; none where that is not known."""
    ports: Sequence[AdapterPort]
    """Its ports."""


class HostSystem(Row, frozen=True):
    """What of the system matters to communication."""

    name: str
    """Of the host."""
    kernel: str
    """The kernel's release."""
    vendor: str
    """Who built the machine."""
    product: str
    """What it is called."""
    bios: str
    """Version and date of the BIOS."""
    cpus: str
    """The processor's name."""
    numa_nodes: Count
    """NUMA nodes."""
    governors: Sequence[str]
    """Governors of clock rates in use, each once."""
    memlock: int | None
    """Bytes that a process may lock; none without limit."""
    memlock_known: bool
    """Whether the limit could be read."""
    drivers: dict[str, str]
    """Versions of modules that say one: `mlx5_core`."""


class MpiLibrary(Row, frozen=True):
    """An MPI that is found first in the path, and what it would send with."""

    name: str
    """`Open MPI`, `MPICH`."""
    version: str
    """Its version."""
    transports: Sequence[str]
    """What it was built with, of those that matter: `ucx`, `ofi`, `psm2`, `openib`."""
    uses: str
    """The transport that it would use between hosts: `ucx`, `tcp`; empty where that is not known."""


class HostDescription(Row, frozen=True):
    """A host, as `lacis host` describes it and an archive keeps it."""

    system: HostSystem
    """The machine."""
    adapters: Sequence[HostAdapter]
    """Its adapters."""
    mpi: Sequence[MpiLibrary]
    """MPI libraries."""
    variables: dict[str, str]
    """Variables of the environment that MPI, UCX, libfabric, PSM2 or NCCL read."""


class HostFinding(Row, frozen=True):
    """Something that is wrong with a host."""

    severity: Severity
    """How bad it is; a notice may be as it should be."""
    text: str
    """In words."""
    fact: HostFact
    """What is the case."""


class HostDocument(Document, frozen=True, tag="lacis.host/1"):
    """`lacis host --json`: this host, and what is wrong with it."""

    host: HostDescription
    """What is there."""
    findings: Sequence[HostFinding]
    """What is wrong, the worst first."""
