"""Synthetic measurements, computed in plain Python from a net file and tables, independently of Lacis' paths and loads."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from lacis.measured.results import checked, polars

from .unit.walk import Net

if TYPE_CHECKING:
    from collections.abc import Sequence

    import lacis
    import polars as pl

Channel = tuple[str, int]
"""A directed link: the sending node and its port."""
RATE = 12e9


@dataclass
class Bench:
    """A fabric on which flows are measured."""

    routes: lacis.Routes
    net: Net = field(init=False)
    port: dict[str, Channel] = field(init=False)

    def __post_init__(self) -> None:
        self.net = Net.parse(self.routes.fabric.to_net())
        lids, guids = self.routes.lids()
        self.lid = {
            self.net.by_guid[guid]: lid for lid, guid in zip(lids.tolist(), guids.tolist(), strict=True)
        }
        self.table = dict(zip(self.net.switches, (row.tolist() for row in self.routes.table()), strict=True))
        self.port = {
            self.net.name[end[0]].split()[0]: end
            for end in sorted(self.lid, reverse=True)
            if end[0] in self.net.hosts
        }

    def path(self, source: str, destination: str) -> list[Channel]:
        """The links from a host to another, those of the hosts included."""
        start, target = self.port[source], self.port[destination]
        way, at = [start], self.net.peer[start]
        while at != target:
            channel = (at[0], self.table[at[0]][self.lid[target]])
            way.append(channel)
            at = self.net.peer[channel]
        return way

    def measure(
        self,
        rounds: Sequence[Sequence[tuple[str, str]]],
        factor: dict[Channel, float],
        seed: int,
        *,
        noise: float = 0.05,
        spread: float = 0.02,
        outliers: float = 0.02,
    ) -> pl.DataFrame:
        """Rates of the flows of rounds: the least share on the path, with links at `factor` times their rate; hosts differ,
        and a fraction `outliers` of the values is too low."""
        rng = np.random.default_rng(seed)
        host = {
            name: float(value)
            for name, value in zip(self.port, spread * rng.standard_normal(len(self.port)), strict=True)
        }
        rows: list[tuple[str, str, int, float]] = []
        for number, flows in enumerate(rounds):
            paths = [self.path(*flow) for flow in flows]
            load = Counter(channel for path in paths for channel in path)
            for (a, b), path in zip(flows, paths, strict=True):
                rate = min(RATE * factor.get(channel, 1.0) / load[channel] for channel in path)
                rows.append((a, b, number, rate * float(np.exp(host[a] + host[b]))))
        values = np.array([row[3] for row in rows]) * np.exp(noise * rng.standard_normal(len(rows)))
        is_out = rng.random(len(rows)) < outliers
        values[is_out] *= rng.uniform(0.2, 1.0, int(is_out.sum()))
        source, destination, number_of, _ = zip(*rows, strict=True)
        return frame(source, destination, values, round=number_of)


def frame(
    source: Any, destination: Any, values: Any, *, unit: str = "bytes/s", **columns: Any
) -> pl.DataFrame:
    """Values of pairs as a table of results."""
    pl = polars()
    is_time = unit == "s"
    fixed = {
        "test": "made",
        "what": "latency" if is_time else "bandwidth",
        "unit": unit,
        "bytes": 0 if is_time else 4 << 20,
    }
    content = {
        "source": list(source),
        "destination": list(destination),
        "value": values,
        "provenance": "modelled",
        **fixed,
    }
    return checked(pl.DataFrame({**content, **columns}))
