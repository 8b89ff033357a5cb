"""The alternatives that are compared, and what to type for each."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from .. import _core
from ..facts.advice import EnginesUntried
from ..requests.routing import RouteOptions
from ..sm.engines import OMNI_PATH, OPENSM, OURS, OUTGROWING
from .orders import minhop
from .texts import TORUS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._core import Fabric

TORUS_ENGINE = "torus-2QoS"
SLOW_AT_MOST = 3_000_000
"""Switches times end nodes up to which the slow engines are tried: there each takes some seconds at most."""


@dataclass(frozen=True)
class Variant:
    """An alternative: an engine and the files that steer it."""

    label: str
    engine: str
    options: RouteOptions = field(default_factory=RouteOptions)
    command: str = ""
    """What to type for it."""
    files: dict[str, list[int]] = field(default_factory=dict)
    """Name → GUIDs."""


def variants(fabric: Fabric, levels: Sequence[int] | None, kept: RouteOptions | None = None) -> list[Variant]:
    """Every engine by default, and with root and order files where levels are known; the manager's default first.

    Args:
        fabric: what they route.
        levels: the level of every switch.
        kept: options of what runs now that all of them have.
    """
    common: RouteOptions = kept or {}
    return [replace(one, options={**common, **one.options}) for one in _bare(fabric, levels)]


def _bare(fabric: Fabric, levels: Sequence[int] | None) -> list[Variant]:
    if fabric.technology == "Omni-Path":
        tag = "<RoutingAlgorithm>{0}</RoutingAlgorithm> in opafm.xml"
        return [Variant(name, name, command=tag.format(name)) for name in OMNI_PATH]
    plain = [Variant(name, name, command=f"opensm -R {name}") for name in _tried(fabric, OPENSM)]
    torus = _core.torus_config(fabric)
    if torus is not None:
        command = f"opensm -Q -R {TORUS_ENGINE} --torus_config {TORUS}"
        plain.append(Variant(TORUS_ENGINE, TORUS_ENGINE, {"torus_config": torus}, command))
    ours = [Variant(name, name) for name in _tried(fabric, OURS)]
    if not levels:
        return [*plain, *ours]
    guids = fabric.guids()
    top = max(levels)
    roots = [int(guids[s]) for s, level in enumerate(levels) if level == top]
    order = _core.participants(minhop(fabric), rail="each", order="topology").guids().tolist()
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
    return [name for name in engines if name not in OUTGROWING or not _is_large(fabric)]


def _is_large(fabric: Fabric) -> bool:
    return fabric.num_switches * fabric.num_end_nodes > SLOW_AT_MOST


def untried(fabric: Fabric) -> EnginesUntried | None:
    """The engines that are not tried on a fabric of this size; none where all are."""
    if not _is_large(fabric):
        return None
    return EnginesUntried(tuple(OUTGROWING), fabric.num_switches, fabric.num_end_nodes, SLOW_AT_MOST)
