"""The words of what is wrong with a host."""

from __future__ import annotations

from .. import host as of_host
from ..words import noun
from .dispatch import text


@text.register
def _(_: of_host.NoAdapter) -> str:
    return "no adapter: /sys/class/infiniband is absent or empty; is the driver loaded?"


@text.register
def _(fact: of_host.NoDeviceFile) -> str:
    names = ", ".join(fact.adapters)
    return f"{names}: {fact.file} is absent, so that no program can use it; is the kernel's module for it loaded?"


@text.register
def _(fact: of_host.PortNotActive) -> str:
    reason = {
        "init": "no subnet manager has made it active",
        "armed": "the subnet manager has not made it active yet",
    }.get(fact.state, f"the link is {fact.physical}" if fact.physical else "no link")
    only = "; no other port is active" if fact.is_only else ""
    return f"{fact.adapter} port {fact.port} is {fact.state}: {reason}{only}"


@text.register
def _(fact: of_host.PcieNarrow) -> str:
    return f"{fact.adapter}: PCIe x{fact.width} where the device could use x{fact.most}: another slot, or a bad contact"


@text.register
def _(fact: of_host.PcieSlow) -> str:
    return f"{fact.adapter}: PCIe at {fact.speed:g} GT/s where the device could do {fact.most:g}: the slot, a riser, or the BIOS"


@text.register
def _(fact: of_host.PcieBelowRate) -> str:
    return (
        f"{fact.adapter}: a port of it carries {fact.ports:g} Gbit/s and its PCIe link {fact.pcie:.0f} Gbit/s at most: the fabric is "
        "not what limits this host"
    )


@text.register
def _(fact: of_host.MemlockLimited) -> str:
    return (
        f"a process may lock {fact.limit >> 10:,} KiB of memory: libraries cannot register their buffers; set memlock unlimited in "
        "/etc/security/limits.conf and in the units of the scheduler"
    )


@text.register
def _(fact: of_host.FirmwareDiffers) -> str:
    each = ", ".join(f"{name} {version}" for name, version in fact.versions.items())
    return f"adapters of board {fact.board} have different firmware: {each}"


@text.register
def _(fact: of_host.GovernorSaves) -> str:
    kinds = ", ".join(fact.governors)
    return f"{noun(len(fact.governors), 'governor')} {kinds}: processors that wait run slower, which raises latency"


@text.register
def _(fact: of_host.FallsBackToTcp) -> str:
    why = (
        "the environment asks for it"
        if fact.asked
        else "it was built without anything better that works here"
    )
    return f"{fact.library} would send over TCP: {why}"
