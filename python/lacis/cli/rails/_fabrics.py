"""Several fabrics on a command line: the planes of one machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ...errors import LacisError
from .._fabric import load, warn_of_notes

if TYPE_CHECKING:
    from ..._core import Fabric


def several_fabrics(
    fabrics: tuple[str, ...], without: tuple[str, ...] = (), name_map: str | None = None
) -> Fabric:
    """The fabrics of a command line, each one or more planes of one machine, as one."""
    import os

    from ... import _core, health
    from ...rails import planes

    loaded = [load(source) for source in fabrics]
    generated = [source != "-" and not os.path.exists(source) and _core.is_spec(source) for source in fabrics]  # noqa: PTH110
    try:
        fabric = planes.join(loaded, generated=generated)
    except LacisError as error:
        listed = ", ".join(f"{k} is {source}" for k, source in enumerate(fabrics, start=1))
        raise LacisError(f"{error.reason} ({listed})") from None
    if name_map:
        fabric, notes = health.rename(fabric, name_map)
        warn_of_notes(name_map, notes)
    return fabric.without(list(without)) if without else fabric


fabrics_argument = click.argument("fabrics", metavar="FABRIC…", nargs=-1, required=True)
without_option = click.option(
    "--without", multiple=True, metavar="SELECTOR", help="Remove cables, switches or hosts first; repeatable."
)
name_map_option = click.option(
    "--node-name-map",
    "name_map",
    metavar="FILE",
    help="Names by node GUID, for nodes whose description says nothing.",
)
prefix_option = click.option(
    "--subnet-prefix",
    "prefixes",
    multiple=True,
    metavar="PREFIX",
    help="Subnet prefix of each plane in turn, instead of that in snapshots: a number, or the manager's opensm.conf or opafm.xml; repeatable.",
)


def read_prefixes(prefixes: tuple[str, ...]) -> list[int]:
    """Subnet prefixes as given, one a plane."""
    from ...rails import planes

    return [planes.prefix(text) for text in prefixes]
