"""`lacis host`: this host's adapters, limits and libraries, and what is wrong with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..facts.words import count
from ._ends import NO
from ._help import GroupedCommand
from ._output import console, echo, json_option, new_table, print_json, print_table

if TYPE_CHECKING:
    from ..documents.host import HostAdapter, HostDescription, HostFinding


@click.command("host", cls=GroupedCommand)
@click.option(
    "--root",
    metavar="DIR",
    default="/",
    show_default=True,
    help="A copy of another host's /sys, /proc and /dev, such as an archive of `lacis capture` has.",
)
@json_option
def command(root: str, as_json: bool) -> int:
    """Describe this host as far as communication goes, and say what is wrong with it.

    Adapters with firmware, ports and PCIe links, NUMA nodes, limits, governors, BIOS, MPI libraries and the transport
    that each would use. It needs no rights, and changes nothing.

    Exit status 1 where something is wrong, 0 where nothing is; a notice alone is nothing wrong.
    """
    from ..documents.host import HostDocument, HostFinding
    from ..facts.wording import text
    from ..host import described
    from ..host.wrong import severity

    host, facts = described(root)
    findings = [HostFinding(severity(fact), text(fact), fact) for fact in facts]
    if as_json:
        print_json(HostDocument(host, findings))
    else:
        _print(host, findings)
    return NO if any(one.severity != "notice" for one in findings) else 0


def _print(host: HostDescription, findings: list[HostFinding]) -> None:
    for finding in findings:
        echo(f"{finding.severity}: {finding.text}")
    if findings:
        echo()
    system = host.system
    made = " ".join(part for part in (system.vendor, system.product) if part)
    machine = ", ".join(part for part in (made, f"BIOS {system.bios}" if system.bios else "") if part)
    about = {
        "host": system.name,
        "machine": machine,
        "processors": f"{system.cpus}, {count(system.numa_nodes, 'NUMA node')}"
        if system.numa_nodes
        else system.cpus,
        "governors": ", ".join(system.governors),
        "kernel": system.kernel,
        "memory to lock": _limit(system.memlock, system.memlock_known),
        "modules": ", ".join(f"{name} {version}" for name, version in system.drivers.items()),
        **{
            library.name: f"{library.version}; between hosts: {library.uses or 'not known'}"
            for library in host.mpi
        },
        "environment": " ".join(f"{name}={value}" for name, value in host.variables.items()),
    }
    for name, value in about.items():
        if value:
            echo(f"{name:15} {value}")
    if host.adapters:
        echo()
        table = new_table("adapter", "port", "state", "rate", "PCIe", "NUMA", "firmware", "board")
        for adapter in host.adapters:
            for row in _rows(adapter):
                table.add_row(*row)
        print_table(console(), table)


def _rows(adapter: HostAdapter) -> list[tuple[str, ...]]:
    link = adapter.pcie
    lanes = f"x{link.width or '?'} {link.speed or 0:g} GT/s" if link else ""
    numa = "" if adapter.numa is None else str(adapter.numa)
    end = (lanes, numa, adapter.firmware, adapter.board)
    if not adapter.ports:
        return [(adapter.name, "", "", "", *end)]
    return [(adapter.name, str(port.number), port.state, port.rate, *end) for port in adapter.ports]


def _limit(bytes_: int | None, is_known: bool) -> str:
    if not is_known:
        return ""
    return "unlimited" if bytes_ is None else f"{bytes_ >> 10:,} KiB"
