"""The ways to route that a report compares, and what to type for each."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from .. import _core

if TYPE_CHECKING:
    from .._core import Fabric
    from .drawing import Topology

ENGINES = ("minhop", "updn", "dnup", "ftree", "dor", "lash", "sssp", "dfsssp", "nue")
"""OpenSM's engines that a report compares."""
OURS = ("eventree", "numbered")
"""Lacis' own engines, whose tables OpenSM loads from a file: on one lane, for such a file says nothing of lanes."""
SLOW = ("lash", "sssp", "dfsssp", "nue", "numbered")
SLOW_AT_MOST = 3_000_000
"""Switches times end nodes up to which the slow engines are tried: there each takes some seconds at most."""


@dataclass(frozen=True)
class Variant:
    """A way to route: an engine and the files that steer it, and what to type for it."""

    label: str
    engine: str
    options: dict[str, list[int]] = field(default_factory=dict)
    command: str = ""
    files: dict[str, list[int]] = field(default_factory=dict)


def variants(fabric: Fabric, topology: Topology | None, source: str) -> list[Variant]:
    """Every engine by default, and with root and order files where levels are known; OpenSM's default first."""
    plain = [Variant(name, name, command=f"opensm -R {name}") for name in _tried(fabric, ENGINES)]
    ours = [Variant(name, name, command=_loading(name, source)) for name in _tried(fabric, OURS)]
    if topology is None or not topology.levels:
        return [*plain, *ours]
    guids = fabric.guids()
    top = max(topology.levels)
    roots = [int(guids[s]) for s, level in enumerate(topology.levels) if level == top]
    order = _core.traffic_hosts(_core.route(fabric, "minhop"), rail="each", order="topology").guids().tolist()
    root_file, order_file = {"root_guids.txt": roots}, {"order_guids.txt": order}
    return [
        *plain,
        Variant(
            "minhop, ordered", "minhop", {"order": order}, "opensm -R minhop -X order_guids.txt", order_file
        ),
        Variant("updn, roots given", "updn", {"roots": roots}, "opensm -R updn -a root_guids.txt", root_file),
        Variant(
            "updn, roots given, ordered",
            "updn",
            {"roots": roots, "order": order},
            "opensm -R updn -a root_guids.txt -X order_guids.txt",
            root_file | order_file,
        ),
        Variant(
            "ftree, roots and hosts given",
            "ftree",
            {"roots": roots, "cn": order},
            "opensm -R ftree -a root_guids.txt -u cn_guids.txt",
            root_file | {"cn_guids.txt": order},
        ),
        *ours,
    ]


def _tried(fabric: Fabric, engines: tuple[str, ...]) -> list[str]:
    return [name for name in engines if name not in SLOW or not _is_large(fabric)]


def _loading(engine: str, source: str) -> str:
    """What to type to make an engine's tables and load them."""
    tables = f"{engine}-lfts.txt"
    return f"lacis route {_argument(source)} --engine {engine} -o {tables}\nopensm -R file -U {tables}"


def _argument(source: str) -> str:
    """What the user called the fabric, and the options that change it, as words of a command line."""
    name, mark, changes = source.partition(" --")
    known = Path(name).exists() or _core.is_spec(name)
    return (shlex.quote(name) if known else "FABRIC") + mark + changes


def _is_large(fabric: Fabric) -> bool:
    return fabric.num_switches * fabric.num_end_nodes > SLOW_AT_MOST


def left_out(fabric: Fabric) -> str:
    """The engines that were not tried, and why, in words."""
    if not _is_large(fabric):
        return ""
    size = f"{fabric.num_switches:,} switches × {fabric.num_end_nodes:,} end nodes"
    return f"Not tried, for they take long: {', '.join(SLOW)} ({size}, more than {SLOW_AT_MOST:,})."
