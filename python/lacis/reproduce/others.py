"""F: figures of others: closed forms from textbooks and papers, and what other programs counted."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from .. import _core
from .._core import verify
from ..fabric.reading import read
from ..health.examination import examine
from ..model.prediction import times, worst_permutation
from ..model.simulation import Device
from ..ranks.participants import participants
from ..routing.making import route
from .director_tables import dmodk
from .record import Report, Row, exact, not_modelled, relative
from .runs import packets

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .._core import Fabric

LOADS = (0.2, 0.5, 0.8)
PACKET = 2048
"""Bytes of a packet of the queue: 163.84 ns at 12.5 GB/s."""

DALLY = 'W. J. Dally, B. Towles, "Principles and Practices of Interconnection Networks", 2004'
HYPERX = 'J. Domke et al., "HyperX Topology: First At-Scale Implementation and Comparison to the Fat-Tree", SC 2019'


def report() -> Report:
    """Report F."""
    return Report(
        letter="F",
        title="Figures of others",
        story=(
            "Numbers that others have published, or that follow from a formula, each on the fabric that it is about. "
            "The note of each names its source and its formula."
        ),
        assumptions=(
            "one host a switch on tori, meshes and hypercubes, four in F8",
            "HyperX and Slim Fly are cabled as their papers say; no generator of Lacis makes them",
            f"F6: device ideal, packets of {PACKET} B without a header, messages of one packet at random times over 4xEDR, 20 ms",
            "F7: 1 MB from each host to each other, links of 25 GB/s, shared max-min fairly; tables of ftree",
        ),
        rows=(
            _permutation(),
            *_all_to_all(),
            *_bisections(),
            *_hyperx(),
            _slim_fly(),
            _queue(),
            _tapered(),
            _hops(),
            not_modelled(
                "F9", "routes between the 281 hosts of Avakas, as ibroute printed its tables",
                "they are those of a real machine's files, which are not part of Lacis; `lacis verify FABRIC --lfts FILE` reads "
                "them, and a test compares the count where the files are",
                "78,680 routes",
            ),
        ),
    )  # fmt: skip


def _permutation() -> Row:
    routes = route(read("fat-tree:36,2"), "minhop")
    hosts = participants(routes, host_order="name")
    found = worst_permutation(dmodk(routes, hosts), hosts=hosts)
    most = 0 if found is None else len(found[2])
    return Row(
        "F1", "flows on one link under the worst permutation, D-mod-K on fat-tree:36,2", "E", "counted", (18,), (most,), "flows",
        exact(), 'all 18 hosts of a leaf can send to destinations of one remainder by 18: W. Nienaber et al., "Improving Performance '
        'of Deterministic Single-path Routing on 2-Level Generalized Fat-trees"',
    )  # fmt: skip


def _loads(spec: str, engine: str) -> tuple[float, float]:
    """Mean and most flows on a direction of a cable when each host sends to each other."""
    flows = _core.all_to_all(route(read(spec), engine, fallback=False))[2]
    return float(flows.mean()), float(flows.max())


def _all_to_all() -> tuple[Row, ...]:
    cube = _loads("hypercube:7", "dor")
    return (
        Row("F2", "all-to-all on torus:8x8x8, dimension by dimension: mean and most on a link", "E", "counted", (512, 640),
            _loads("torus:8x8x8", "dor"), "flows", exact(),
            f"N k / 8 = 512 · 8 / 8, {DALLY}; where all that goes half way round takes one side, N (1 + 2 + 3 + 4) / 8"),
        Row("F2", "all-to-all on hypercube:7, dimension by dimension: mean and most on a link", "E", "counted", (64, 64), cube,
            "flows", exact(), f"N / 2 = 128 / 2, {DALLY}"),
    )  # fmt: skip


def _bisections() -> tuple[Row, ...]:
    def links(spec: str) -> float:
        """The links that a cut into halves must cross."""
        summary = examine(read(spec)).summary
        rate = summary.links_by_rate[0].bytes_per_second
        if summary.bisection is None or not rate:
            raise ValueError(f"{spec} has no bisection")
        return summary.bisection.bytes_per_second / rate

    formulas = {
        "torus:8x8x8": (128, "2 · 8 · 8"),
        "torus:10x5x5": (50, "2 · 5 · 5"),
        "hypercube:7": (64, "2⁷ / 2"),
        "mesh:8x8": (8, "8"),
    }
    return tuple(
        Row("F3", f"bisection of {spec}", "E", "counted", (known,), (links(spec),), "links", exact(),
            f"{spec}: {formula}, the cut across the longest side, {DALLY}")
        for spec, (known, formula) in formulas.items()
    )  # fmt: skip


def _hyperx() -> tuple[Row, ...]:
    def share(a: int, b: int, hosts: int) -> float:
        found = examine(hyperx(a, b, hosts)).summary.bisection_share
        if found is None:
            raise ValueError("a HyperX without a bisection")
        return 100 * found.fraction

    return (
        Row("F4", "bisection of a HyperX of 12 × 8 switches with 7 hosts", "E", "counted", (57.1,), (share(12, 8, 7),), "%",
            exact(0.05), f"4 · 4 · 12 cables for 336 hosts, {HYPERX}"),
        Row("F4", "bisection of a HyperX of 4 × 4 switches with 4 hosts", "E", "counted", (50,), (share(4, 4, 4),), "%", exact(),
            "2 · 2 · 4 cables for 32 hosts"),
    )  # fmt: skip


def _slim_fly() -> Row:
    hops = verify(route(slim_fly(4), "minhop")).hops
    return Row(
        "F5", "Slim Fly, q = 5, 4 hosts a switch: pairs by the switches on their path, 1, 2 and 3", "E", "counted",
        (600, 5600, 33_600), tuple(float(hops.get(switches, 0)) for switches in (1, 2, 3)), "pairs", exact(),
        '200 · 3; 200 · 7 · 4; the rest of 200 · 199, as any two switches are two cables apart at most: M. Besta, T. Hoefler, "Slim '
        'Fly: A Cost Effective Low-Diameter Network Topology", SC 2014',
    )  # fmt: skip


def _queue() -> Row:
    routes = route(read("fat-tree:4,2:rate=4xEDR"), "minhop")
    hosts = participants(routes, host_order="name")

    def mean(load: float) -> float:
        run = packets(
            routes,
            hosts,
            np.array([[0, 1]]),
            size=PACKET,
            device=Device(mtu=PACKET),
            test="load",
            load=load,
            duration=20e-3,
        )
        return 1e9 * float(run.workload(0).latency["mean"])

    return Row(
        "F6", f"time of a packet in an M/D/1 queue, loads {', '.join(map(str, LOADS))}", "S", "packet", (184.32, 245.76, 491.52),
        tuple(map(mean, LOADS)), "ns", relative(0.02),
        "163.84 ns (1 + ρ / 2 (1 − ρ)): F. Pollaczek 1930, A. Khinchine 1932",
    )  # fmt: skip


def _tapered() -> Row:
    routes = route(read("fat-tree:24,2:taper=2"), "ftree", fallback=False)
    spent = times(routes, "alltoall:linear", 10**6).total
    return Row(
        "F7", "all-to-all of 1 MB on fat-tree:24,2:taper=2", "D", "fluid", (29.44,), (1e3 * spent,), "ms", exact(0.005),
        "2 (N − H) M / B: 384 hosts, 16 a leaf, two to each uplink of 25 GB/s",
    )  # fmt: skip


def _hops() -> Row:
    """Hops of pairs of adapters, as ibdmchk prints them in its histogram."""
    hops = verify(route(read("hypercube:3:h=4"), "minhop"), "hosts").hops
    return Row(
        "F8", "histogram of ibdmchk, hypercube:3:h=4: pairs by the switches on their path, 1 to 4", "E", "counted",
        (96, 384, 384, 128), tuple(float(hops.get(switches, 0)) for switches in range(1, 5)), "pairs", exact(),
        "32 · 3; then 32 · 4 times 3, 3, 1 switches at distance 1, 2, 3: CA to CA hops of ibdmchk 1.5.7 (ibutils)",
    )  # fmt: skip


def hyperx(a: int, b: int, hosts: int) -> Fabric:
    """A HyperX of two dimensions: each switch is cabled to all others of its row and its column."""
    rows = ((i * b + j, i * b + k) for i in range(a) for j, k in itertools.combinations(range(b), 2))
    columns = ((i * b + j, k * b + j) for j in range(b) for i, k in itertools.combinations(range(a), 2))
    return _cabled([*rows, *columns], a * b, hosts)


def slim_fly(hosts: int) -> Fabric:
    """The Slim Fly of q = 5: 50 switches, the graph of McKay, Miller and Širáň, with 1 and 4 as squares of 5."""
    squares, others = (1, 4), (2, 3)
    cables = [
        (first + 5 * x + y, first + 5 * x + z)
        for first, steps in ((0, squares), (25, others))
        for x in range(5)
        for y, z in itertools.combinations(range(5), 2)
        if z - y in steps
    ]
    cables += [(5 * x + y, 25 + 5 * m + (y - m * x) % 5) for x, y, m in itertools.product(range(5), repeat=3)]
    return _cabled(cables, 50, hosts)


def _cabled(cables: Iterable[tuple[int, int]], switches: int, hosts: int) -> Fabric:
    """Switches with so many hosts each, and these cables at the first free ports."""
    ends: list[list[tuple[int, int]]] = [[] for _ in range(switches)]
    for a, b in cables:
        at_a, at_b = hosts + 1 + len(ends[a]), hosts + 1 + len(ends[b])
        ends[a].append((b, at_b))
        ends[b].append((a, at_a))
    radix = hosts + max(map(len, ends))
    lines = []
    for switch, far in enumerate(ends):
        lines += ["", f'Switch {radix} "s{switch}"']
        lines += [f'[{host + 1}] "n{switch}-{host}"[1]' for host in range(hosts)]
        lines += [f'[{hosts + 1 + at}] "s{other}"[{port}]' for at, (other, port) in enumerate(far)]
        for host in range(hosts):
            lines += ["", f'Hca 1 "n{switch}-{host}"', f'[1] "s{switch}"[{host + 1}]']
    return _core.read_fabric("\n".join([*lines, ""]).encode())
