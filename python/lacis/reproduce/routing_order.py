"""B: the order of routing for up/down on InfiniBand (OpenSM, 2008)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..fabric.reading import read
from ..model.prediction import predict, times
from ..model.simulation import Device, simulate
from ..ranks.participants import participants
from ..requests.workload import Workload
from ..routing.making import route
from .record import Bars, Report, Row, exact, not_modelled, promise, within
from .runs import end_lids, mean_rate, nodes_named

if TYPE_CHECKING:
    from .._core import Fabric, Participants, Routes

CHASSIS = "pgft:2;12,24;1,12;1,1:rate=4xDDR"
"""288 ports: 24 leaf chips with 12 nodes and 12 spine chips, a line between every two."""

BROKEN = "leaf-01--spine-01"
HOST_EFFICIENCY = 0.8
SHUFFLES = 4


@dataclass(frozen=True)
class Tables:
    """The three tables of the report, on one fabric."""

    hosts: Participants
    default: tuple[Routes, ...]
    ordered: Routes
    ftree: Routes

    @classmethod
    def of(cls, fabric: Fabric) -> Tables:
        """Up/down in an unrelated and in node order, and ftree."""
        hosts = participants(route(fabric, "minhop"), host_order="name")
        guids = hosts.guids()
        unrelated = [np.random.default_rng(seed).permutation(guids).tolist() for seed in range(SHUFFLES)]
        roots = fabric.guids()[nodes_named(fabric, ["spine"])].tolist()
        return cls(
            hosts,
            tuple(route(fabric, "updn", order=order, roots=roots) for order in unrelated),
            route(fabric, "updn", order=guids.tolist(), roots=roots),
            route(fabric, "ftree", roots=roots, fallback=False),
        )

    def each(self) -> tuple[Routes, Routes, Routes]:
        """Default, ordered, ftree."""
        return self.default[0], self.ordered, self.ftree


def report() -> Report:
    """Report B."""
    chassis = read(CHASSIS)
    whole, broken = Tables.of(chassis), Tables.of(chassis.without([BROKEN]))
    rates = {
        model: [_mpigraph(t, broken.hosts, model) for t in broken.each()] for model in ("fluid", "packet")
    }
    intact = [_mpigraph(t, whole.hosts, "fluid") for t in whole.each()]
    return Report(
        letter="B",
        title="Order of routing for up/down on InfiniBand (OpenSM, 2008)",
        story=(
            "A 288-port chassis with one broken internal line; mpiGraph and all-to-all under up/down in the order of "
            "OpenSM's internal table, in node order (guid_routing_order_file), and under ftree."
        ),
        assumptions=(
            f"the fabric {CHASSIS}: 288 nodes; the broken line is {BROKEN}",
            "the internal table's order has nothing to do with the nodes': a shuffled order stands for it "
            f"(B2 to B4: the first of {SHUFFLES} seeds)",
            f"hosts use {HOST_EFFICIENCY} of a link's rate",
            "the spine chips are given as roots: without them ftree of OpenSM 3.3.23 refuses the damaged chassis",
            "packet: device ideal, messages of 64 KiB, packets of 2 KiB, input FIFOs of 64 KiB",
            "ratios only: what a host reached in MB/s in 2008 is not modelled",
        ),
        rows=(
            *_uplinks(whole),
            *(row for model in ("fluid", "packet") for row in _ratios(model, rates[model])),
            *_whole_or_broken(intact, rates["fluid"]),
            *_all_to_all(broken),
            _shifts(whole),
        ),
        figures=(
            Bars(
                "b2-mpigraph",
                "B2: mpiGraph's mean, relative to ftree. Lines: as reported.",
                "relative to ftree",
                ("default order", "ordered", "ftree"),
                {model: tuple(value / found[2] for value in found) for model, found in rates.items()},
                {"default order": 391.374 / 579.603, "ordered": 573.678 / 579.603, "ftree": 1.0},
            ),
        ),
    )  # fmt: skip


def _mpigraph(routes: Routes, hosts: Participants, model: str) -> float:
    """Mean bandwidth over all shifts and hosts [bytes/s]."""
    if model == "fluid":
        found = predict(routes, "mpigraph", hosts=hosts, model="fluid", host_efficiency=HOST_EFFICIENCY)
        return mean_rate(found)
    work = Workload(traffic="mpigraph", hosts=hosts, size=64 << 10)
    run = simulate(routes, work, device=Device(mtu=2048, host_efficiency=HOST_EFFICIENCY))
    return float(run.bandwidths().mean())


def _distinct(routes: Routes, hosts: Participants) -> tuple[float, float]:
    """Uplinks that a leaf uses for the 12 destinations behind another: mean and least."""
    lids = end_lids(routes, hosts)
    edge_switches, table = routes.edge_switches()[lids], routes.table()
    leaves = np.unique(edge_switches)
    behind = lids.reshape(len(leaves), -1)  # hosts are in the order of leaves
    ports = np.sort(table[leaves][:, behind], axis=-1)  # (leaf, other leaf, its destinations)
    distinct = 1 + (np.diff(ports, axis=-1) != 0).sum(axis=-1)
    other = ~np.eye(len(leaves), dtype=bool)
    return float(distinct[other].mean()), float(distinct[other].min())


def _uplinks(whole: Tables) -> tuple[Row, ...]:
    shuffled = float(np.mean([_distinct(routes, whole.hosts)[0] for routes in whole.default]))
    return (
        Row("B1", "uplinks used for 12 destinations, ordered (mean, least)", "E", "counted", (),
            _distinct(whole.ordered, whole.hosts), tolerance=exact(), said="in node order", expected=(12, 12),
            basis="one each"),
        Row("B1", "the same, shuffled", "E", "counted", (), (shuffled,), tolerance=within(0.2, ""),
            note="7.78 is for draws with replacement; a table draws without, 7.87; ours is the mean of "
            f"{SHUFFLES} orders", said="on random uplinks", expected=(12 * (1 - (11 / 12) ** 12),),
            basis="12 (1 − (11 / 12)¹²)"),
    )  # fmt: skip


def _ratios(model: str, rates: list[float]) -> tuple[Row, ...]:
    default, ordered, ftree = rates
    return (
        Row("B2", "mpiGraph, default order : ftree", "S", model, (391.374 / 579.603,), (default / ftree,),
            tolerance=within(0.07, ""), said="391.374 : 579.603 MB/s"),
        Row("B2", "mpiGraph, ordered : ftree", "S", model, (573.678 / 579.603,), (ordered / ftree,),
            tolerance=within(0.01, ""), said="573.678 : 579.603 MB/s"),
    )  # fmt: skip


def _whole_or_broken(intact: list[float], broken: list[float]) -> tuple[Row, ...]:
    lost = tuple(1 - after / before for after, before in zip(broken, intact, strict=True))
    return (
        Row("B3", "whole chassis, mpiGraph: ordered : ftree", "D", "fluid", (), (intact[1] / intact[2],),
            tolerance=exact(), expected=(1,), basis="in a whole tree both are free of contention"),
        Row("B3", "lost by the broken line: ordered, ftree", "D", "fluid", (), lost[1:], "of the mean",
            promise("ftree least", lambda ordered, ftree: 0 < ftree < ordered),
            said="ftree works around the line, up/down does not"),
    )  # fmt: skip


def _all_to_all(broken: Tables) -> tuple[Row, ...]:
    """All-to-all of 16 KiB, pairwise exchange."""
    found = tuple(
        times(t, "alltoall:pairwise", 16 << 10, hosts=broken.hosts, host_efficiency=HOST_EFFICIENCY).total
        for t in broken.each()
    )
    order = promise(
        "updn > ordered ≈ ftree (5 %)",
        lambda updn, ordered, ftree: updn > 1.05 * ordered and abs(ordered / ftree - 1) < 0.05,
    )
    return (
        Row("B4", "alltoall of 16 KiB: updn, ordered, ftree, relative to ftree", "S", "fluid",
            (495460.6 / 415490.7, 416562.7 / 415490.7, 1), tuple(value / found[2] for value in found),
            tolerance=order, note="pairwise exchange, no latency: the order only is claimed",
            said="495460.6, 416562.7, 415490.7 µs"),
        not_modelled("B4", "all-to-all with LMC 1 and 2", "the report itself cannot explain these rows, and one of them has a digit "
                     "too many by all appearances"),
        not_modelled("B4", "all-to-all of sizes other than 16 KiB", "its time is that of the software for each message, of which the report "
                     "says nothing"),
        not_modelled("B2", "mpiGraph in MB/s", "what a host reached in 2008 depends on its bus and software; ratios are modelled",
                     "391.374, 573.678, 579.603 MB/s"),
    )  # fmt: skip


def _shifts(whole: Tables) -> Row:
    """Every shift of hosts in node order under ftree."""
    found = predict(whole.ftree, "shift", hosts=whole.hosts)
    return Row("B5", "most flows on a link, over all shifts, ftree on the whole tree", "E", "counted", (),
               (found.max_contention,), tolerance=exact(), said="routes in topological order", expected=(1,),
               basis="by the theorem on ordered routing of whole trees")  # fmt: skip
