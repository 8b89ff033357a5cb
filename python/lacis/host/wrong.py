"""What is wrong with a host that was described."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import host as facts
from .mpi import libraries

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..documents.host import HostAdapter, HostDescription
    from ..facts.fact import Severity
    from ..facts.host import HostFact
    from .tree import Tree

LOCKED = 64 << 20
"""Bytes that a process must be able to lock at least: queues and buffers of some ranks need as much."""
_SAVING = ("powersave", "ondemand", "conservative", "schedutil")
_DRIVER_OF_ITS_OWN = "sys/devices/system/cpu/intel_pstate"
"""Where this is, `powersave` is the governor that raises clock rates by load, which is that driver's usual one."""


def severity(fact: HostFact) -> Severity:
    """How bad something is."""
    match fact:
        case facts.NoAdapter() | facts.NoDeviceFile() | facts.FallsBackToTcp():
            return "error"
        case facts.PortNotActive():
            return "error" if fact.is_only else "notice"
        case facts.FirmwareDiffers() | facts.GovernorSaves():
            return "notice"
    return "warning"


_RANK = ("error", "warning", "notice")


def wrong(tree: Tree, host: HostDescription, images: dict[str, str]) -> list[HostFact]:
    """What is wrong, the worst first; `images` has the system image of each adapter that says one."""
    found = [
        *_missing(tree, host),
        *_ports(host.adapters),
        *(fact for one in host.adapters for fact in _pcie(one, _shares_a_card(one, host.adapters, images))),
        *_firmware(host.adapters),
        *_system(tree, host),
        *_mpi(tree, host),
    ]
    return sorted(found, key=lambda fact: _RANK.index(severity(fact)))


def _missing(tree: Tree, host: HostDescription) -> Iterator[HostFact]:
    if not host.adapters:
        yield facts.NoAdapter()
        return
    verbs = tuple(one.name for one in host.adapters if not one.name.startswith("hfi1"))
    if verbs and not tree.names("dev/infiniband", r"uverbs\d+"):
        yield facts.NoDeviceFile("/dev/infiniband/uverbs*", verbs)
    psm = tuple(one.name for one in host.adapters if one.name.startswith("hfi1"))
    if psm and not tree.names("dev", "hfi1.*"):
        yield facts.NoDeviceFile("/dev/hfi1*", psm)


def _ports(adapters: Sequence[HostAdapter]) -> Iterator[HostFact]:
    """Ports that are not active; those in Ethernet mode are not of this fabric."""
    ports = [(one, port) for one in adapters for port in one.ports if port.layer != "Ethernet"]
    has_active = any(port.state == "active" for _, port in ports)
    for adapter, port in ports:
        if port.state and port.state != "active":
            yield facts.PortNotActive(adapter.name, port.number, port.state, port.physical, not has_active)


def _shares_a_card(adapter: HostAdapter, adapters: Sequence[HostAdapter], images: dict[str, str]) -> bool:
    """Whether a card divides its lanes among several slots or hosts: another device with its image is on another bus."""
    bus = adapter.pci.rpartition(":")[0]
    image = images.get(adapter.name)
    return image is not None and any(
        images.get(other.name) == image and other.pci.rpartition(":")[0] != bus for other in adapters
    )


def _pcie(adapter: HostAdapter, shares: bool) -> Iterator[HostFact]:
    link = adapter.pcie
    if link is None:
        return
    if link.width and link.most_width and link.width < link.most_width and not shares:
        yield facts.PcieNarrow(adapter.name, link.width, link.most_width)
    if link.speed and link.most_speed and link.speed < link.most_speed:
        yield facts.PcieSlow(adapter.name, link.speed, link.most_speed)
    rates = [port.gigabits for port in adapter.ports if port.state == "active" and port.gigabits]
    if link.gigabits and rates and max(rates) > link.gigabits and not shares:
        yield facts.PcieBelowRate(adapter.name, link.gigabits, max(rates))


def _firmware(adapters: Sequence[HostAdapter]) -> Iterator[HostFact]:
    boards: dict[str, dict[str, str]] = {}
    for one in adapters:
        if one.board and one.firmware:
            boards.setdefault(one.board, {})[one.name] = one.firmware
    for board, versions in boards.items():
        if len(set(versions.values())) > 1:
            yield facts.FirmwareDiffers(board, versions)


def _system(tree: Tree, host: HostDescription) -> Iterator[HostFact]:
    system = host.system
    if system.memlock is not None and system.memlock < LOCKED and host.adapters:
        yield facts.MemlockLimited(system.memlock)
    saving = [one for one in system.governors if one in _SAVING]
    if tree.has(_DRIVER_OF_ITS_OWN) and "powersave" in saving:
        saving.remove("powersave")
    if saving:
        yield facts.GovernorSaves(tuple(saving))


def _mpi(tree: Tree, host: HostDescription) -> Iterator[HostFact]:
    if not any(port.state == "active" for one in host.adapters for port in one.ports):
        return
    # The environment asks for TCP where a library would use something else without it.
    alone = {one.name: one.uses for one in libraries(tree, host.adapters, {})}
    for library in host.mpi:
        if library.uses == "tcp":
            yield facts.FallsBackToTcp(library.name, alone[library.name] != "tcp")
