"""The facts of a fabric that `lacis fabric` prints first: its nodes, links and ports, its bisection, its pattern."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..facts.words import count

if TYPE_CHECKING:
    from rich.table import Table

    from ..documents.fabric import FabricSummary


def facts(summary: FabricSummary) -> Table:
    """What the fabric is, a line a fact."""
    from rich.table import Table

    ports = summary.ports
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    table.add_row("switches", f"{summary.switches:,}")
    table.add_row("end nodes", _end_nodes(summary))
    table.add_row("hosts", _hosts(summary))
    table.add_row("planes", f"{summary.planes:,}")
    table.add_row("links", _links(summary))
    table.add_row("switch ports", f"{ports.used:,} of {ports.total:,} in use")
    if bisection := _bisection(summary):
        table.add_row("bisection", bisection)
    if summary.cabling.cables:
        table.add_row("pattern", _pattern(summary))
    if not summary.by_level:
        table.add_row("levels", "none: not a tree")
    return table


def _end_nodes(summary: FabricSummary) -> str:
    """How many of which kind; their sum too, where there are several kinds or planes."""
    kinds = summary.kinds
    planes = f" of {summary.planes_per_adapter} planes" if summary.planes_per_adapter > 1 else ""
    by_kind = ", ".join(
        count(number, one, many)
        for number, one, many in (
            (kinds.adapters, f"adapter{planes}", f"adapters{planes}"),
            (kinds.routers, "router", "routers"),
            (kinds.aggregation, "aggregation node", "aggregation nodes"),
        )
        if number
    )
    if "," in by_kind or planes:
        return f"{summary.end_nodes:,}: {by_kind}"
    return by_kind or "none"


def _hosts(summary: FabricSummary) -> str:
    """How many hosts, what they are for, and how that is known."""
    words = f"{summary.hosts:,}" if summary.hosts else "none known"
    groups = [(group.group, group.hosts) for group in summary.groups if group.hosts]
    if len(groups) > 1:
        by_group = ", ".join(f"{number:,} {name}" for name, number in groups)
        words += f"; {by_group} (by names, cabling and --roles)"
    elif groups and groups[0][0] != "compute":
        words += f", all {groups[0][0]}"
    if assumed := sum(group.assumed for group in summary.groups):
        words += f"; what {count(assumed, 'of these is', 'of these are')} for is not known"
    if summary.inferred:
        words += f"; those of {count(summary.inferred, 'adapter')} inferred from cabling and numbers"
    if summary.unknown:
        words += f"; besides {count(summary.unknown, 'adapter')} of unknown hosts"
    return words


def _links(summary: FabricSummary) -> str:
    """Cables by rate, and how many of them are between switches."""
    rates = ", ".join(
        f"{rate.links:,} at {rate.rate}"
        + (f" ({_rate(rate.bytes_per_second)})" if rate.bytes_per_second else "")
        for rate in summary.links_by_rate
    )
    return f"{rates or 'none'}; {summary.trunks:,} of them between switches"


def _bisection(summary: FabricSummary) -> str:
    """What half of the hosts can send to the other half; empty where it is not known."""
    if bisection := summary.bisection:
        of_adapters = f"{share(bisection.fraction)} of what the adapters can send"
        most = _rate(bisection.bytes_per_second)
        if bisection.exact:
            return f"{most} each way, {of_adapters} (modelled, exact)"
        least = bisection.at_least_bytes_per_second
        proven = f"; at least {_rate(least)}" if least else ""
        return f"at most {most} each way (a cut), {of_adapters}{proven} (modelled)"
    if in_links := summary.bisection_share:
        words = f"{share(in_links.fraction)} of what the adapters can send, where all links are alike"
        if not in_links.exact:
            words = f"at most {words}; at least {share(in_links.at_least_fraction)}"
        return f"{words} (modelled{', exact' if in_links.exact else ''}; the file has no rates)"
    return ""


def _pattern(summary: FabricSummary) -> str:
    """The pattern of the cables between switches, and how many follow it."""
    from ..health import PATTERNS

    cabling = summary.cabling
    name = "none found" if cabling.pattern is None else PATTERNS[cabling.pattern]
    if summary.switch_groups:
        name += f" of {count(len(summary.switch_groups), 'group')}"
        if summary.by_level:
            name += ", two levels in each"
    if cabling.checked == "all":
        return f"{name}; all cables between switches compared with those of their like"
    if cabling.checked == "none":
        return f"{name}: cabling not checked"
    return f"{name}; {cabling.compared:,} of {cabling.cables:,} cables between switches compared with those of their like"


def share(fraction: float) -> str:
    """A share in percent; what is short of the whole is not rounded to it."""
    return (
        f"{fraction:.0%}" if fraction < 0.985 or fraction >= 1 else f"{math.floor(1000 * fraction) / 10:g}%"
    )


def _rate(bytes_per_second: float) -> str:
    """A rate in the unit that suits it."""
    for unit, size in (("TB/s", 1e12), ("GB/s", 1e9), ("MB/s", 1e6)):
        if bytes_per_second >= size:
            return f"{bytes_per_second / size:.4g} {unit}"
    return f"{bytes_per_second:.4g} B/s"
