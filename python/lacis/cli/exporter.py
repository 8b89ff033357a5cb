"""`lacis exporter`: counters of all ports for Prometheus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ._address import Address
from ._fabric import optional_fabric_argument, warn
from ._help import GroupedCommand
from ._sources import opened, source_options

if TYPE_CHECKING:
    from .._core import Fabric
    from ._counters_read import Through

DEFAULT = "127.0.0.1:9683"
"""The port that Prometheus' list of ports has for counters of InfiniBand."""


@click.command("exporter", cls=GroupedCommand)
@optional_fabric_argument
@click.option(
    "--discover", is_flag=True, help="Find the fabric through an adapter of this machine, in place of FABRIC."
)
@source_options
@click.option(
    "--listen",
    type=Address(9683),
    default=DEFAULT,
    show_default=True,
    metavar="ADDRESS:PORT",
    help="Where to offer the page; port 0 is any free one.",
)
@click.option(
    "--textfile", metavar="FILE", help="Sweep once and write the page to a file, for node_exporter, and end."
)
@click.option("--rules", "shipped", flag_value="rules", help="Print rules of alerts for Prometheus, and end.")
@click.option(
    "--dashboard", "shipped", flag_value="dashboard", help="Print a dashboard for Grafana, and end."
)
@click.option(
    "--scrape-config",
    "shipped",
    flag_value="configuration",
    help="Print a prometheus.yml that scrapes --listen, and end.",
)
def command(
    fabric: Fabric | None,
    discover: bool,
    recordings: tuple[str, ...],
    store: str | None,
    every: float,
    listen: tuple[str, int],
    textfile: str | None,
    shipped: str | None,
    through: Through,
) -> None:
    """Offer the counters of all ports of FABRIC to Prometheus, with the nodes at both ends of each cable.

    Sweeps have a clock of their own: a scrape waits for none. The page at /metrics has every counter that the source knows,
    the state of each port, the age of its reading, what it is cabled to, and how long the last sweep took and what it lost. A port
    that is down keeps its last peer.

    It listens on this machine alone, unless --listen says otherwise, and until it gets SIGTERM or Ctrl-C.
    """
    from ..exporter import offered

    if shipped is not None:
        _print(offered, shipped, listen, every)
        return
    if (fabric is None) != discover:
        raise click.UsageError("the fabric is given once: FABRIC, or --discover")
    from importlib.metadata import version

    from .. import exporter

    def ready(host: str, port: int) -> None:
        warn(f"listening on http://{_address(host, port)}/metrics")

    page = exporter.Page(version("lacis"))
    with opened(fabric, through, recordings, store) as (source, present):
        sweeper = exporter.Sweeper(source, every, warn, cabled=lambda: page.cabled(present()))
        if textfile is not None:
            exporter.write_once(page, sweeper, textfile)
        else:
            exporter.serve(page, sweeper, *listen, ready)


def _print(offered: Any, shipped: str, listen: tuple[str, int], every: float) -> None:
    if shipped == "configuration":
        click.echo(offered.configuration(_address(*listen), every), nl=False)
    else:
        click.echo(getattr(offered, shipped)(), nl=False)


def _address(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
