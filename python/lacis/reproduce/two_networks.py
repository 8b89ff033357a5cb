"""C: two Omni-Path networks per node (EPCC, 2019)."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .. import _core
from ..fabric.reading import read
from ..rails import hosts as rail_hosts
from ..rails.check import check
from ..rails.environment import read as environment
from ..rails.planes import rail_map
from ..ranks.participants import participants
from ..requests.workload import Workload
from ..routing.making import route
from .record import Bars, Report, Row, exact, relative
from .runs import packets, text_of

if TYPE_CHECKING:
    from .._core import Participants

FABRIC = "diamond:rails=2"
"""Two planes of one 48-port switch, 32 nodes with an adapter in each."""

MPI_SIZE, IO_SIZE = 10**6, 4 * 10**6
PLANNED = "the report plans this and measures nothing, so that ours is consistent with nothing"
PROCESSES = 48
EAGER = 64000
"""The largest message that PSM2 keeps on one rail [bytes]."""
SIZES = (64, 8192, 32768, EAGER, 65536, 1 << 17, 1 << 18, 1 << 20)
SMALL, BETWEEN, LARGE = (64, 128, 1024), (8192, 16384), (32768, 65536, 1 << 17, 1 << 20)
"""Sizes that gained nothing from a second rail, that the report says nothing of, and that gained a factor of two [bytes]."""


class Planes:
    """The fabric, its tables, and the hosts: on one rail, on both, and with each adapter separate."""

    def __init__(self) -> None:
        self.routes = route(read(FABRIC), "minhop")
        self.unit = [participants(self.routes, host_order="name", rail=rail) for rail in ("1", "2")]
        self.both = participants(self.routes, host_order="name", rail="all")
        self.each = participants(self.routes, host_order="name", rail="each")

    def biband(self, size: int, rails: int) -> float:
        """Rate between two nodes with 48 processes each, sum of both directions, on one rail or as PSM2 uses both [bytes/s]."""
        pairs = np.repeat([[0, 1], [1, 0]], PROCESSES, axis=0)
        run = packets(
            self.routes,
            self._hosts(rails),
            pairs,
            size=size,
            device="opa100",
            test="windows",
            window=8,
            count=1,
            striping="psm2",
        )
        return float(run.payload / run.times()[0])

    def alone(self, size: int, rails: int) -> float:
        """Time of one message between two processes, on one rail or as PSM2 uses both [s]."""
        pair = np.array([[0, 1]])
        run = packets(
            self.routes, self._hosts(rails), pair, size=size, device="opa100", test="burst", striping="psm2"
        )
        return float(run.times()[0])

    def _hosts(self, rails: int) -> Participants:
        return self.both if rails == 2 else self.unit[0]

    def latency(self, rail: int | None) -> float:
        """Half a round trip of 8 bytes between two nodes, on one unit, or on both at once [s]."""
        hosts = self.both if rail is None else self.unit[rail]
        run = packets(
            self.routes, hosts, np.array([[0, 9]]), size=8, device="opa100", test="ping-pong", count=8
        )
        return run.latency["max"]


def report() -> Report:
    """Report C."""
    planes = Planes()
    gain = tuple(planes.alone(size, 1) / planes.alone(size, 2) for size in SIZES)
    sizes = (*SMALL, *BETWEEN, *LARGE)
    single, dual = ({size: planes.biband(size, rails) for size in sizes} for rails in (1, 2))
    loaded = {size: dual[size] / single[size] for size in sizes}
    return Report(
        letter="C",
        title="Two Omni-Path networks per node (EPCC, 2019)",
        story=(
            "Two separate fabrics, an adapter of each node on each. Jobs over several nodes timed out until one unit was "
            "chosen (HFI_UNIT) or both were used (PSM2_MULTIRAIL). IMB Biband, two nodes of 48 processes."
        ),
        assumptions=(
            f"the fabric {FABRIC}; device opa100",
            "C1, C2: messages are spread over the rails as PSM2 does it (--striping psm2): up to 64,000 B whole, successive "
            "messages by turns; larger ones in windows of their share, by turns on the rails",
            "C1, C2: each of 48 processes a node has 8 messages in flight, unless one message at a time is named",
            "C2: that small messages of many processes gain nothing needs a bound that both rails share (the processors), "
            "which is not modelled: ours gain",
            "C4: what processes connect with which setting, by PSM2's rules (lacis rails check)",
            "C5: 28 nodes send 1 MB to the next (MPI) while each sends 4 MB to one of 4 storage nodes",
        ),
        rows=(
            Row("C1", f"two rails : one, 48 processes, messages of {_sizes(LARGE)}", "S", "packet", (46 / 23,) * len(LARGE),
                tuple(loaded[size] for size in LARGE), tolerance=relative(0.05), said="twice above 16 KB"),
            Row("C1", "both ways, 1 MiB, one rail and two", "S", "packet", (23, 46),
                (single[1 << 20] / 1e9, dual[1 << 20] / 1e9), "GB/s"),
            Row("C2", f"two rails : one, 48 processes, messages of {_sizes(SMALL)}", "S", "packet", (),
                tuple(loaded[size] for size in SMALL), tolerance=relative(0.05), said="no gain for small messages",
                expected=(1,) * len(SMALL), basis="no gain",
                note="messages of many processes go by turns on both rails, and nothing that the rails share holds them back in "
                "the model"),
            Row("C2", f"two rails : one, 48 processes, messages of {_sizes(BETWEEN)}", "S", "packet", (),
                tuple(loaded[size] for size in BETWEEN)),
            Row("C2", f"two rails : one, one message at a time, of {_sizes(SIZES)}", "S", "packet", (), gain),
            Row("C3", "latency of 8 bytes: unit 1, both units, relative to unit 0", "D", "packet", (),
                tuple(planes.latency(rail) / planes.latency(0) for rail in (1, None)), tolerance=exact(), said="unchanged",
                expected=(1, 1), basis="unchanged"),
            *_connections(planes),
            *_storage(planes),
        ),
        figures=(
            Bars("c2-rails", "C2: gain of a second rail for one message at a time, by its size.", "two rails : one",
                 tuple(map(_size, SIZES)), {"packet": gain}),
        ),
    )  # fmt: skip


def _sizes(sizes: tuple[int, ...]) -> str:
    return ", ".join(map(_size, sizes))


def _size(size: int) -> str:
    return f"{size:,} B" if size % 1024 else f"{size >> 10} KiB" if size < 1 << 20 else f"{size >> 20} MiB"


def _connections(planes: Planes) -> tuple[Row, ...]:
    """Pairs of ranks on different nodes that have no route, by units; and ranks of one node."""
    nodes = np.arange(len(planes.unit[0].hosts))
    a, b = (indices.ravel() for indices in np.meshgrid(nodes, nodes))
    apart = a != b
    lost = []
    for unit_a, unit_b in ((0, 0), (0, 1)):
        pairs = np.stack([2 * a + unit_a, 2 * b + unit_b], axis=1)[apart]
        listed = "\n".join(" ".join(f'"{planes.each.hosts[p]}"' for p in pair) for pair in pairs.tolist())
        found = _core.predict(planes.routes, planes.each, "file:pairs", listed=listed, patterns=1)
        lost.append((found.unrouted, len(pairs)))
    settings: tuple[dict[str, str], ...] = (
        {},
        {"HFI_UNIT": "0"},
        {"HFI_UNIT": "1"},
        {"PSM2_MULTIRAIL": "1", "PSM2_MULTIRAIL_MAP": "0:1,1:1"},
    )
    kinds = rail_hosts.kinds(rail_map(read(FABRIC)))
    connect = tuple(
        float(all(one.verdict == "connects" for one in check(environment("", each), kinds, "psm2").between))
        for each in settings
    )
    inside = _core.times(planes.routes, planes.both, "alltoall:linear", 8, ranks_per_host=2).counts[
        "inside_hosts"
    ]
    return (
        Row("C4", "any two processes connect: no setting, HFI_UNIT=0, HFI_UNIT=1, both units by map", "E", "counted",
            (), connect, tolerance=exact(), said="no; yes; yes; yes", expected=(0, 1, 1, 1), basis="0 is no, 1 is yes"),
        Row("C4", "pairs of nodes with a route, same unit", "E", "counted", (), (lost[0][1] - lost[0][0],), tolerance=exact(),
            said="connect", expected=(lost[0][1],), basis="all pairs"),
        Row("C4", "pairs of nodes with a route, different units", "E", "counted", (), (lost[1][1] - lost[1][0],),
            tolerance=exact(), said="time out", expected=(0,), basis="no pair"),
        Row("C4", "pairs of ranks on different units of one node that need no network", "E", "counted", (), (inside,),
            tolerance=exact(), said="connect", expected=(2 * len(nodes),), basis="both of each node"),
    )  # fmt: skip


def _storage(planes: Planes) -> tuple[Row, ...]:
    """MPI beside traffic to storage: time of the MPI phase relative to the same without I/O, in both models."""
    nodes = np.arange(28)
    mpi = np.stack([nodes, (nodes + 1) % 28], axis=1)
    io = np.stack([nodes, 28 + nodes % 4], axis=1)

    def fluid(io_rail: int | None) -> float:
        """Rank 2 h + r is on host h and its rail r."""
        sent = [("mpi", 2 * mpi, MPI_SIZE)] + ([] if io_rail is None else [("io", 2 * io + io_rail, IO_SIZE)])
        lines = [
            json.dumps({"phase": phase, "source": source, "destination": to, "bytes": size, "after": []})
            for phase, ranks, size in sent
            for source, to in ranks.tolist()
        ]
        found = _core.times(
            planes.routes, planes.both, "trace:io", 1, listed="\n".join(lines), ranks_per_host=2
        )
        return float(found.phases()["time"][0])

    def packet(io_rail: int | None) -> float:
        """When the last message of MPI has arrived."""
        with tempfile.TemporaryDirectory() as folder:
            also = []
            if io_rail is not None:
                hosts = planes.unit[io_rail]
                path = Path(folder) / "io"
                path.write_text(text_of(hosts, io))
                also.append(Workload(traffic=f"file:{path}", size=IO_SIZE, hosts=hosts))
            run = packets(planes.routes, planes.unit[0], mpi, size=MPI_SIZE, device="opa100", also=also)
        return float(run.workload(0).times[0])

    rows = []
    for model, spent in (("fluid", fluid), ("packet", packet)):
        alone = spent(None)
        rows += [
            Row("C5", "MPI time with I/O on the other rail, relative to none", "S", model, (), (spent(1) / alone,), note=PLANNED,
                said="a plan: Lustre on one rail, MPI on the other"),
            Row("C5", "MPI time with I/O on the same rail, relative to none", "S", model, (), (spent(0) / alone,), note=PLANNED),
        ]  # fmt: skip
    return tuple(rows)
