"""A: static against adaptive routing on Omni-Path (2017)."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..fabric.reading import read
from ..model.simulation import Adaptive
from ..qos.lanes import Lanes
from ..ranks.participants import participants
from ..requests.workload import Workload
from ..routing.making import route
from .record import Report, Row, between, exact, promise, relative, within
from .runs import busy, end_lids, fluid, mean_rate, packets, text_of

if TYPE_CHECKING:
    from .._core import Participants, Routes, Simulation

HOST_EFFICIENCY = 0.9904
"""What one pair reaches of its link: 12.38 of 12.5 GB/s, an input."""

PAIRS = np.array([[0, 2], [1, 3]])
"""A to C and B to D."""


def collision() -> tuple[Routes, Participants]:
    """Two edges, two cores, four nodes, and tables that send all between the edges over core 2."""
    fabric = read("article")
    routes = route(fabric, "minhop")
    hosts = participants(routes, host_order="name")
    lids, edge_switches, table = end_lids(routes, hosts), routes.edge_switches(), routes.table()
    edges = edge_switches[lids[[0, 2]]]
    core2 = fabric.descriptions().index("core2")
    cables = fabric.cables().reshape(-1, 4)
    up = {int(a): int(p) for a, p, b, _ in cables if b == core2}
    table[edges[0], lids[2:]] = up[int(edges[0])]
    table[edges[1], lids[:2]] = up[int(edges[1])]
    return routes.with_table(table), hosts


def mbw_mr(
    routes: Routes, hosts: Participants, pairs: Any = PAIRS, count: int = 2, **settings: Any
) -> Simulation:
    """osu_mbw_mr with one rank a node: windows of 64 messages of 1 MiB, each window answered."""
    return packets(
        routes,
        hosts,
        pairs,
        size=1 << 20,
        device="opa100",
        test="windows",
        window=64,
        count=count,
        **settings,
    )


def _rate(simulation: Simulation) -> float:
    """Payload over the time of the slowest pair [GB/s]: the benchmark's corrected timing."""
    return simulation.payload / float(simulation.times()[0]) / 1e9


def report() -> Report:
    """Report A."""
    routes, hosts = collision()
    alone = mbw_mr(routes, hosts, PAIRS[:1])
    static, free = mbw_mr(routes, hosts), mbw_mr(routes, hosts, adaptive="least")
    shared = fluid(routes, hosts, PAIRS, host_efficiency=HOST_EFFICIENCY)
    return Report(
        letter="A",
        title="Static against adaptive routing on Omni-Path (2017)",
        story=(
            "Two edge and two core switches, one cable between each; nodes A → C and B → D at once, "
            "osu_mbw_mr with one rank a node. The tables send both pairs over core 2."
        ),
        assumptions=(
            "device opa100 (lacis simulate --devices); its header of 64 bytes is assumed, and gives a lone pair "
            "99.2 % of its link",
            "tables made by hand: between the edges everything goes over core 2, as opareport showed",
            "windows of 64 messages of 1 MiB; bandwidth is payload over the time of the slowest pair",
            "Omni-Path's adaptive routing: Enable 1, LostRouteOnly 0, Algorithm 2, ARFrequency 0, Threshold 7, as reported; that "
            "a switch moves one LID of a congested port at each interval is assumed (the firmware's rule is not public)",
            f"A9: messages of {SMALL} B at random times, a thousandth of the link; both pairs send bulk over core 2; the small ones' lane "
            "is served first",
            f"fluid: hosts use {HOST_EFFICIENCY} of their links (the report's 12.38 of 12.5 GB/s)",
        ),
        rows=(
            _link_rate(alone),
            *_largest_tree(),
            Row(
                "A3", "one pair", "I", "packet", (12.38,), (_rate(alone),), "GB/s",
                note="ours follows from the assumed header",
            ),
            Row(
                "A4", "two pairs, static, same core", "D", "packet", (12.38, 12.5), (_rate(static),), "GB/s",
                between("12.38 … 12.5", 12.38, 12.5),
            ),
            Row(
                "A4", "two pairs, static, same core", "D", "fluid", (12.38, 12.5),
                (mean_rate(shared) * shared.flows / 1e9,), "GB/s", between("12.38 … 12.5", 12.38, 12.5),
            ),
            _use("static: cable to core 2, host ports, cable to core 1", static, (100, 50, 0)),
            _use("adaptive packet by packet: cables to both cores", free, (100, 100)),
            Row(
                "A6", "two pairs, adaptive packet by packet", "D", "packet", (24.7,), (_rate(free),), "GB/s",
                relative(0.01), "the port with least waiting; Omni-Path moves destinations instead",
            ),
            *_omni_path(routes, hosts),
        ),
    )  # fmt: skip


def _link_rate(simulation: Simulation) -> Row:
    rate = simulation.link_rate / 1e9
    what = "rate of a link, each way and both ways"
    return Row("A1", what, "E", "exact", (12.5, 25), (rate, 2 * rate), "GB/s", exact())


def _largest_tree() -> tuple[Row, ...]:
    """The largest two-tier tree of 48-port switches: its nodes, its routes and their balance."""
    fabric = read("opa-1152")
    routes = route(fabric, "ftree")
    nodes = fabric.num_end_nodes
    hosts = np.array([count for _, count in fabric.switches()])
    edges = hosts[hosts > 0]
    shape = (nodes, len(edges), int(edges[0]), len(hosts) - len(edges))
    flows = _core.all_to_all(routes)[2]
    crossing = nodes * (nodes - 1) - int((edges * (edges - 1)).sum())
    counts = (nodes * (nodes - 1), crossing, int(flows.min()), int(flows.max()))
    return (
        Row("A2", "nodes, edges, hosts on each, cores", "E", "exact", (1152, 48, 24, 24), shape,
            tolerance=exact()),
        Row("A2", "routes; of them between edges; least and most in a direction of a cable", "E", "counted", (), counts,
            tolerance=exact(), note="tables of ftree", said="N² − N routes, against links that grow as N",
            expected=(1_325_952, 1_299_456, 1128, 1128),
            basis="1152 · 1151; less 48 · 24 · 23; these over 1,152 links up"),
    )  # fmt: skip


def _use(what: str, simulation: Simulation, reported: tuple[float, ...]) -> Row:
    sending = busy(simulation)
    core2, core1 = sending.get("edge1[26]", 0.0), sending.get("edge1[25]", 0.0)
    host = sending.get("NodeA hfi1_0[1]", 0.0)
    ours = (core2, host, core1) if len(reported) == 3 else (core1, core2)
    percent = tuple(100 * value for value in ours)
    return Row("A5", what, "D", "packet", reported, percent, "%", within(1, "point"))


FREQUENCIES = (0, 1, 2)
SMALL = 64


def _omni_path(routes: Routes, hosts: Participants) -> tuple[Row, ...]:
    """What Omni-Path's own adaptive routing does: switches move destinations, at intervals.

    Bandwidth after the move is the difference in payload of a longer and a shorter run over the difference in time.
    """

    def run(windows: int, frequency: int = 0, only: bool = False) -> Simulation:
        settings = Adaptive(
            how="omni-path", algorithm=2, threshold=7, frequency=frequency, lost_route_only=only
        )
        return mbw_mr(routes, hosts, count=windows, adaptive=settings)

    short, long = run(12), run(20)
    carried, spent = long.payload - short.payload, long.times()[0] - short.times()[0]
    after = carried / spent / 1e9
    lost = run(12, only=True)
    static = mbw_mr(routes, hosts, count=4)
    # Before the move both pairs share a link: the time until the move follows from the payload that is missing.
    slow = _rate(static)
    moved = tuple(
        1e3 * (after * s.times()[0] - s.payload / 1e9) / (after - slow)
        for s in (run(12 << frequency, frequency) for frequency in FREQUENCIES)
    )
    cores = (busy(long), busy(short))
    use = tuple(
        100 * (cores[0][port] * long.times()[0] - cores[1][port] * short.times()[0]) / spent
        for port in ("edge1[25]", "edge1[26]")
    )
    return (
        Row("A5", "adaptive as Omni-Path's, after the move: cables to both cores", "D", "packet", (100, 100), use, "%",
            within(1, "point")),
        Row("A6", "two pairs, adaptive as Omni-Path's, after the move", "D", "packet", (24.7,), (after,), "GB/s",
            relative(0.01)),
        Row("A7", "Threshold 7", "E", "exact", (), (_core.adaptive_settings(7, 0)[0],), "%", exact(), said="Threshold 7",
            expected=(55,), basis="the manager's description of the setting"),
        Row("A7", f"when a destination moves, ARFrequency {', '.join(map(str, FREQUENCIES))}", "E", "packet",
            (), moved, "ms", exact(0.5), "found from what both pairs carried in all", "ARFrequency 0",
            expected=tuple(64 * 2.0**n for n in FREQUENCIES),
            basis="2ⁿ × 64 ms: the manager's description of the setting"),
        Row("A8", "LostRouteOnly 1: two pairs", "D", "packet", (12.38, 12.5), (_rate(lost),), "GB/s",
            between("12.38 … 12.5", 12.38, 12.5), said="as static"),
        _flow_optimization(routes, hosts),
    )  # fmt: skip


def _flow_optimization(routes: Routes, hosts: Participants) -> Row:
    """Latency of small messages from A to C beside bulk over the same links, in packet times beyond that without bulk."""
    bulk_lane, urgent_lane = 0, 1
    own_lane = Lanes(lanes=2, vlarb_high=[(urgent_lane, 64)], vlarb_low=[(bulk_lane, 64)], high_limit=255)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bulk"
        path.write_text(text_of(hosts, PAIRS))
        bulk = Workload(
            traffic=f"file:{path}",
            test="windows",
            size=1 << 20,
            window=64,
            count=2,
            sl=bulk_lane,
            hosts=hosts,
        )

        def p99(also: list[Workload], **settings: Any) -> float:
            run = packets(
                routes, hosts, PAIRS[:1], size=SMALL, device="opa100", test="load", load=0.001, duration=10e-3, also=also,
                **settings,
            )  # fmt: skip
            return float(run.workload(0).latency["p99"])

        alone = p99([])
        found = (
            p99([bulk]),
            p99([bulk], sl=urgent_lane, lanes=own_lane),
            p99([bulk], sl=urgent_lane, preempt=True, lanes=own_lane),
        )
    mtu, header = (
        {name: value for name, value, _ in _core.device("opa100")}[key] for key in ("mtu", "header")
    )
    packet = sum(int(amount.split()[0]) for amount in (mtu, header)) / mbw_mr(routes, hosts).link_rate
    return Row(
        "A9", f"p99 of messages of {SMALL} B beside bulk, beyond that without: on its lane, on one of their own, with Traffic Flow "
        "Optimization", "S", "packet", (), tuple((value - alone) / packet for value in found), "packet times",
        promise("falls from one to the next, to 1 at most",
                lambda shared, own, optimized: optimized <= 1 and optimized < own < shared),
        f"a packet of bulk is {packet * 1e6:.2f} µs on a link", "small messages interrupt bulk in flight",
    )  # fmt: skip
