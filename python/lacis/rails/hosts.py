"""Hosts as communication libraries see them: adapters with unit numbers, on planes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..documents.rails import AdapterRow, RailsDocument

_OMNI_PATH = ("OPA100", "CN5000")
"""Speeds that links of Omni-Path adapters have."""


@dataclass(frozen=True)
class Adapter:
    """A cabled port of an adapter.

    Attributes:
        unit: number that libraries give the adapter, from 0: of `hfi1_1` and `mlx5_1` 1, of `HCA-2` 1 (assumed).
        port: of the adapter, from 1.
        device: as libraries call it: `hfi1_1`, `mlx5_1`.
        plane: from 1; 0 on an island.
        prefix: subnet prefix of the plane, where it is known.
        card: equal for ports that share a PCIe slot.
        rail: from 1; 0 where unknown. Libraries do not know it: hosts that differ only in it are alike.
    """

    unit: int
    port: int
    device: str
    plane: int
    prefix: int | None = None
    card: int = 0
    rail: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"{self.device}:{self.port}"


@dataclass(frozen=True)
class Kind:
    """Hosts with the same adapters and planes.

    Attributes:
        adapters: by unit and port.
        names: of the hosts; empty where these are assumed, in any number.
    """

    adapters: tuple[Adapter, ...]
    names: tuple[str, ...] = ()

    @property
    def is_assumed(self) -> bool:
        """Whether no fabric was given."""
        return not self.names

    def units(self) -> list[int]:
        """Numbers of the adapters, each once."""
        return sorted({adapter.unit for adapter in self.adapters})

    def on_plane(self, plane: int) -> list[Adapter]:
        """Its adapters on a plane."""
        return [adapter for adapter in self.adapters if adapter.plane == plane]


def in_common(a: Kind, b: Kind) -> int:
    """How many rails two hosts have in common: adapters that can be paired, each once, with one on the same plane."""
    planes = {adapter.plane for adapter in a.adapters}
    return sum(min(len(a.on_plane(plane)), len(b.on_plane(plane))) for plane in planes)


def kinds(found: RailsDocument, prefixes: Sequence[int | None] = ()) -> list[Kind]:
    """The hosts of a map of rails by kind, commonest first."""
    alike: dict[tuple[Adapter, ...], list[str]] = {}
    for host in found.hosts:
        alike.setdefault(_adapters(host.adapters, prefixes), []).append(host.host)
    made = [Kind(adapters, tuple(names)) for adapters, names in alike.items()]
    return sorted(made, key=lambda kind: -len(kind.names))


def assumed(
    units: int,
    planes: int,
    technology: str,
    prefixes: Sequence[int | None] = (),
    devices: Sequence[str] = (),
) -> list[Kind]:
    """Assumed hosts with a number of adapters, dealt out over planes; `devices` are names of the first of them."""
    name = {"omni-path": "hfi1_", "infiniband": "mlx5_"}[technology]
    named = [*devices, *(f"{name}{unit}" for unit in range(units))][:units]
    adapters = [
        Adapter(unit, 1, device, unit % planes + 1, _prefix(prefixes, unit % planes + 1), unit, unit + 1)
        for unit, device in enumerate(named)
    ]
    return [Kind(tuple(adapters))]


def _prefix(prefixes: Sequence[int | None], plane: int) -> int | None:
    return prefixes[plane - 1] if 0 < plane <= len(prefixes) else None


def _adapters(rows: Sequence[AdapterRow], prefixes: Sequence[int | None]) -> tuple[Adapter, ...]:
    # Libraries see one adapter, whatever planes its port is spread over.
    rows = [row for row in rows if row.plane_of_adapter in (None, 1)]
    cards = {row.card: number for number, row in reversed(list(enumerate(rows)))}
    nodes = {guid: number for number, guid in enumerate(dict.fromkeys(row.guid for row in rows))}
    units = {row.guid: unit_of(row.label, nodes[row.guid]) for row in rows}
    # Dumps of several planes may give all adapters of a host one name; the host does not.
    are_alike = len(set(units.values())) < len(units)
    made = []
    for row in rows:
        if row.leaf is None or row.port is None:
            continue
        unit, device = units[row.guid]
        if are_alike:
            unit = nodes[row.guid]
            device = f"{device.rstrip('0123456789')}{unit}"
        if (row.rate or "").endswith(_OMNI_PATH):
            # Descriptions may be older than the adapters; a link's rate is not.
            device = f"hfi1_{unit}"
        plane = row.plane or 0
        made.append(
            Adapter(
                unit,
                row.port,
                device,
                plane,
                _prefix(prefixes, plane),
                cards[row.card],
                row.rail or 0,
            )
        )
    return tuple(sorted(made, key=lambda adapter: (adapter.unit, adapter.port)))


def unit_of(label: str, index: int) -> tuple[int, str]:
    """Unit and device of an adapter's label; `index` is the unit where the label has none."""
    if match := re.fullmatch(r"((?:hfi1|mlx[45]|qib|bnxt_re|irdma|hns)_)(\d{1,4})", label, re.IGNORECASE):
        return int(match.group(2)), label.lower()
    if match := re.fullmatch(r"HCA-(\d{1,4})", label, re.IGNORECASE):
        unit = max(int(match.group(1)) - 1, 0)
        return unit, f"mlx5_{unit}"
    return index, label or f"adapter{index}"
