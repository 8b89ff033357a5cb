"""`lacis rails show`: adapters, planes, rails and leaves of every host, and what is wrong with them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import click

from ...errors import LacisError
from ...facts.words import count
from .._output import console, json_option, new_table, print_json, print_table, print_unpadded
from ._fabrics import (
    fabrics_argument,
    name_map_option,
    prefix_option,
    read_prefixes,
    several_fabrics,
    without_option,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from ...documents.rails import PlaneRow, RailRow, RailsDocument

_SHOWN = 20
"""Rows that are printed before the rest are counted."""


@click.command(
    "show", short_help="Adapters, planes, rails and leaves of every host; what is wrong with them."
)
@fabrics_argument
@without_option
@name_map_option
@prefix_option
@click.option(
    "--host",
    "wanted",
    metavar="SET",
    multiple=True,
    help="List these hosts alone: `node[01-18]`; repeatable.",
)
@click.option("--all", "show_all", is_flag=True, help=f"List every host and leaf, not the first {_SHOWN}.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Also write the planes as one fabric: FILE.net for ibsim, FILE.json for Lacis.",
)
@click.option("--strict", is_flag=True, help="Exit 1 when there is an error or a warning.")
@json_option
def command(
    fabrics: tuple[str, ...],
    without: tuple[str, ...],
    name_map: str | None,
    prefixes: tuple[str, ...],
    wanted: tuple[str, ...],
    show_all: bool,
    output: str | None,
    strict: bool,
    as_json: bool,
) -> int:
    """Adapters, planes, rails and leaves of every host of FABRIC…, and what is wrong with them.

    Several fabrics are the planes of one machine, whose hosts are matched by name. Rails are numbered by the cables: hosts
    that call their adapters HCA-1, 2, 5, 6 and hosts that call them mlx5_0, 1, 4, 5 share rails where they share
    leaves.

    Exit status: 0 done, whatever was found; with --strict 1 when there is an error or a warning; 2 bad input.
    """
    from ...io import files
    from ...rails import planes
    from ..fabric import content_of

    fabric = several_fabrics(fabrics, without, name_map)
    given = read_prefixes(prefixes)
    found = planes.rail_map(fabric, given)
    if len(given) > len(found.planes):
        has = count(len(found.planes), "plane")
        raise LacisError(
            f"--subnet-prefix is given {len(given)} times, and there {'is' if len(found.planes) == 1 else 'are'} {has}"
        )
    if wanted:
        from msgspec.structs import replace

        from ...ranks import nodesets

        names = set(nodesets.find(",".join(wanted), [host.host for host in found.hosts], "--host"))
        found = replace(found, hosts=[host for host in found.hosts if host.host in names])
    if output:
        files.write(output, content_of(fabric, output))
    if as_json:
        print_json(found)
    else:
        out = console()
        print_unpadded(out, lambda: _print_all(out, found, None if show_all or wanted else _SHOWN))
    troubled = any(finding.severity in ("error", "warning") for finding in found.findings)
    return int(strict and troubled)


def _print_all(out: Console, found: RailsDocument, most: int | None) -> None:
    out.print(_headline(found))
    for table in (_planes(found.planes), _rails(found.rails)):
        out.print()
        print_table(out, table)
    if odd := _print_leaves(out, found, most):
        out.print(odd)
    _print_hosts(out, found, most)
    from ..fabric import print_findings

    out.print()
    print_findings(out, found.findings, most, nothing="Nothing is wrong with its rails.")


def _headline(found: RailsDocument) -> str:
    hosts, rails = found.hosts, found.rails
    planes = len(found.planes)
    text = f"{count(len(hosts), 'host')}, {count(len(rails), 'rail')}, {count(planes, 'plane')}"
    if found.planes_per_adapter > 1:
        text += f"; an adapter has {found.planes_per_adapter} planes"
    if found.inferred:
        text += f"; the hosts of {count(found.inferred, 'adapter')} are inferred"
    if found.unknown:
        text += f"; besides {count(len(found.unknown), 'adapter')} of unknown hosts"
    if len(rails) > 1:
        kind = (
            "rail-optimised: a leaf serves one rail" if found.rail_optimised else "leaves serve several rails"
        )
        text += f"; {kind}"
    return text


def _planes(rows: list[PlaneRow]) -> Table:
    table = new_table(
        "plane",
        "switches",
        "adapters",
        "hosts",
        "with switch",
        "subnet prefix",
        words=("with switch", "subnet prefix"),
    )
    for row in rows:
        table.add_row(
            *(f"{n:,}" for n in (row.plane, row.switches, row.adapters, row.hosts)),
            row.switch,
            f"{row.prefix} ({'given' if row.prefix_from == 'option' else 'reported'})"
            if row.prefix
            else "unknown",
        )
    return table


def _rails(rows: list[RailRow]) -> Table:
    table = new_table("rail", "adapters", "leaves", "plane", "labels", prose=("labels",), words=("plane",))
    for row in rows:
        planes = ", ".join(map(str, row.planes)) or "none"
        table.add_row(
            *(f"{n:,}" for n in (row.rail, row.adapters, row.leaves)),
            planes,
            ", ".join(row.labels) or "–",
        )
    return table


def _print_leaves(out: Console, found: RailsDocument, most: int | None) -> str:
    """Prints leaves and the rail that each serves; returns a line about those left out."""
    leaves = found.leaves
    shown = leaves if most is None else leaves[:most]
    table = new_table("leaf", "rail", "plane", "adapters", "labels", words=("leaf",), prose=("labels",))
    for row in shown:
        labels = ", ".join(f"{number} {label or 'unnamed'}" for label, number in row.labels)
        table.add_row(row.leaf, _number(row.rail), _number(row.plane), f"{row.adapters:,}", labels)
    out.print()
    print_table(out, table)
    left = len(leaves) - len(shown)
    return f"… {count(left, 'more leaf', 'more leaves')}: --all" if left else ""


def _number(value: int | None) -> str:
    return "–" if value is None else f"{value:,}"


def _print_hosts(out: Console, found: RailsDocument, most: int | None) -> None:
    from ...ranks.nodesets import fold

    if most is not None:
        alike: dict[tuple[tuple[str, int | None, int | None, str | None], ...], list[str]] = {}
        for host in found.hosts:
            planes = Counter(a.card for a in host.adapters if a.plane_of_adapter)
            key = tuple(
                (
                    f"{a.label or 'adapter'} ({planes[a.card]} planes)" if planes[a.card] else a.label,
                    a.rail,
                    a.plane,
                    a.rate,
                )
                for a in host.adapters
                if a.plane_of_adapter in (None, 1)
            )
            alike.setdefault(key, []).append(host.host)
        table = new_table("hosts", "adapter → rail", "which", prose=("adapter → rail", "which"))
        kinds = sorted(alike.items(), key=lambda kind: -len(kind[1]))
        for key, names in kinds[:most]:
            where = ", ".join(f"{label or 'adapter'} → {_number(rail)}" for label, rail, _, _ in key)
            table.add_row(f"{len(names):,}", where, fold(names))
        out.print()
        print_table(out, table)
        if len(kinds) > most:
            out.print(f"… {count(len(kinds) - most, 'more kind')} of hosts: --all")
        return
    table = new_table(
        "host",
        "adapter",
        "port",
        "rail",
        "plane",
        "leaf",
        "leaf port",
        "rate",
        words=("host", "adapter", "leaf", "rate"),
    )
    for host in found.hosts:
        for row in host.adapters:
            table.add_row(
                host.host,
                row.label or "–",
                *(_number(n) for n in (row.port, row.rail, row.plane)),
                row.leaf or "no cable",
                _number(row.leaf_port),
                row.rate or "–",
            )
    out.print()
    print_table(out, table)
