"""What is wrong with a host: its adapters, their PCIe links, limits, and the transport that MPI would use."""

from __future__ import annotations

from typing import TypeAlias

from .fact import Fact
from .row import Count, Positive


class NoAdapter(Fact, frozen=True):
    """The kernel shows no adapter of InfiniBand or Omni-Path."""


class NoDeviceFile(Fact, frozen=True):
    """An adapter is there, and no device file by which programs use it."""

    file: str
    """What is missing: `/dev/infiniband/uverbs*`."""
    adapters: tuple[str, ...]
    """The adapters."""


class PortNotActive(Fact, frozen=True):
    """A port whose link is not active."""

    adapter: str
    """The adapter."""
    port: Positive
    """The port's number."""
    state: str
    """`down`, `init`, `armed`."""
    physical: str
    """The physical state: `polling`, `linkup`."""
    is_only: bool
    """Whether the host has no active port of this fabric at all."""


class PcieNarrow(Fact, frozen=True):
    """A PCIe link with fewer lanes than the device could use."""

    adapter: str
    """The adapter."""
    width: Positive
    """Its lanes."""
    most: Positive
    """Those that the device could use."""


class PcieSlow(Fact, frozen=True):
    """A PCIe link that runs below the speed of the device."""

    adapter: str
    """The adapter."""
    speed: float
    """Gigatransfers in a second and lane."""
    most: float
    """Those that the device could."""


class PcieBelowRate(Fact, frozen=True):
    """A PCIe link that carries less than a port of the adapter."""

    adapter: str
    """The adapter."""
    pcie: float
    """Gigabits in a second that PCIe carries after coding."""
    ports: float
    """Gigabits in a second of the fastest active port."""


class MemlockLimited(Fact, frozen=True):
    """A process may lock so little memory that libraries cannot register buffers."""

    limit: Count
    """Bytes."""


class FirmwareDiffers(Fact, frozen=True):
    """Adapters of the same board with different firmware."""

    board: str
    """The board."""
    versions: dict[str, str]
    """By adapter."""


class GovernorSaves(Fact, frozen=True):
    """A governor that lowers clock rates when processors wait, which raises latency."""

    governors: tuple[str, ...]
    """Those in use."""


class FallsBackToTcp(Fact, frozen=True):
    """An MPI library that would send over TCP though the host has an adapter."""

    library: str
    """The MPI library."""
    asked: bool
    """Whether the environment asks for it; else it was built without anything better."""


HostFact: TypeAlias = (
    NoAdapter
    | NoDeviceFile
    | PortNotActive
    | PcieNarrow
    | PcieSlow
    | PcieBelowRate
    | MemlockLimited
    | FirmwareDiffers
    | GovernorSaves
    | FallsBackToTcp
)
