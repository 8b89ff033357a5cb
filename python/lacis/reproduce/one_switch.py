"""D: evaluation of a 32-node Omni-Path cluster (RACF, 2015)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .. import _core
from ..explain.latency_matrix import analyse
from ..fabric.reading import read
from ..health.examination import examine
from ..ranks.participants import participants
from ..routing.making import route
from .record import HeatMaps, Report, Row, exact, not_modelled, promise, within
from .runs import packets

if TYPE_CHECKING:
    from numpy.typing import NDArray

CORES, THREADS = 28, 2
"""Cores of a node, and threads of a core, from the report."""

FULL = "pgft:1;48;1;1:rate=4xOPA100"
"""A node at each of the 48 ports."""

REPEATS = 400
JITTER, SYSTEMATIC = 0.01, 0.05
ASYMMETRY = (-0.0068, 0.0096)


def latencies(spec: str) -> NDArray[np.float64]:
    """Latency of 8 bytes from each node to each other, one pair a node at a time [s]; shape `(n, n)`."""
    routes = route(read(spec), "minhop")
    hosts = participants(routes, host_order="name")
    n = len(hosts.hosts)
    found = np.full((n, n), np.nan)
    for turn in range(n - 1):  # a tournament: in each round every node has one partner
        ring = np.roll(np.arange(n - 1), turn)
        a, b = np.append(ring[: n // 2 - 1], ring[-1]), np.append(ring[n // 2 - 1 : -1][::-1], n - 1)
        run = packets(
            routes, hosts, np.stack([a, b], axis=1), size=8, device="opa100", test="ping-pong", count=1
        )
        found[a, b] = found[b, a] = 8 / run.bandwidths()
    return found


def disturbed(
    clean: NDArray[np.float64], seed: int
) -> tuple[NDArray[np.float64], dict[str, NDArray[np.float64]]]:
    """Repeats of a matrix with the disturbances of the report's size, and the disturbances, relative to its mean."""
    rng = np.random.default_rng(seed)
    n, level = len(clean), np.nanmean(clean)
    upper = np.triu(rng.uniform(*ASYMMETRY, (n, n)), 1)
    asymmetry = upper - upper.T
    nodes = rng.uniform(-SYSTEMATIC / 2, SYSTEMATIC / 2, n)
    nodes -= nodes.mean()
    still = clean + level * (asymmetry / 2 + nodes[:, None] + nodes)
    samples = still + level * rng.uniform(-JITTER, JITTER, (REPEATS, n, n))
    return samples, {"asymmetry": asymmetry, "nodes": nodes}


def report() -> Report:
    """Report D."""
    routes = route(read("diamond"), "minhop")
    hosts = participants(routes, host_order="name")
    clean = latencies(FULL)
    return Report(
        letter="D",
        title="Evaluation of a 32-node Omni-Path cluster (RACF, 2015)",
        story="One 48-port switch, 32 nodes of 28 cores, copper of 2 m; OSU and IMB benchmarks, latency of all pairs.",
        assumptions=(
            "the fabric diamond; device opa100, whose endpoints (400 ns each), switch (110 ns) and cables (5 ns/m) are the "
            "report's parts of its 0.93 µs",
            "100 ns between ports of a block of 4: a maker's range is 100 to 110 ns; the report only says lower",
            f"D4, D5: measurements are synthetic: simulated latencies of {FULL}, {REPEATS} repeats, uniform noise of the "
            "report's size, seed 1",
            "D4: each node adds up to half of ± 5 % to all that it sends and receives",
        ),
        rows=(
            _latency(routes, hosts),
            *_sizes(),
            Row("D3", "MPI bandwidth", "I", "input", (96.9,), unit="Gb/s"),
            Row("D3", "IPoIB bandwidth", "I", "input", (99.2,), unit="Gb/s"),
            Row("D3", "message rate", "I", "input", (160,), unit="million/s"),
            not_modelled("D3", "latency, bandwidth and message rate over 1 to 28 processes a node",
                         "what processes of one node share (an adapter's engines, memory, the software's locks) is not modelled: "
                         "only links and switches are", "curves"),
            not_modelled("D3", "latency with processes bound and unbound", "where an operating system puts a process is not modelled"),
            not_modelled("D3", "iperf from one node to one and to four", "TCP and the driver of IP over the fabric are not modelled"),
            *_recovered(clean),
            *_blocks(clean),
            _rank_pairs(routes, hosts),
            Row("D7", "difference of two compilers", "P", "protocol only", said="−6.8 … +3.1 %, mean −0.4 %",
                note="per test: the difference, its mean and interval over 3 repeats or more"),
        ),
        figures=(
            HeatMaps(
                "d5-megaports",
                "D5: latency from node to node beyond what the nodes themselves add, simulated, and with noise: "
                "12 blocks of 4 ports.",
                "ns",
                {
                    "simulated": analyse(clean).rest * 1e9,
                    "with ± 1 % noise, 3 repeats": analyse(disturbed(clean, 1)[0][:3]).rest * 1e9,
                    f"{REPEATS} repeats": analyse(disturbed(clean, 1)[0]).rest * 1e9,
                },
                4,
                "node (by port)",
            ),
        ),
    )  # fmt: skip


def _latency(routes: _core.Routes, hosts: _core.Participants) -> Row:
    """An empty message between ports of different blocks, less the time of its header on the wire."""
    run = packets(routes, hosts, np.array([[0, 4]]), size=0, device="opa100", test="ping-pong", count=4)
    header = {name: value for name, value, _ in _core.device("opa100")}["header"]
    wire = int(header.split()[0]) / run.link_rate
    return Row("D1", "latency: 2 endpoints, a switch, 2 cables", "E", "packet", (0.93,),
               ((run.latency["max"] - wire) * 1e6,), "µs", exact(),
               f"without the {wire * 1e9:.1f} ns that the packet's header is on the wire")  # fmt: skip


def _sizes() -> tuple[Row, ...]:
    summary = examine(read("diamond")).summary
    ports, used = summary.ports.total, summary.ports.used
    rate = summary.links_by_rate[0].bytes_per_second or 0.0
    cores = summary.hosts * CORES
    return (
        Row("D2", "switch: all ports, both ways", "E", "exact", (9.6,), (ports * rate * 8 * 2 / 1e12,), "Tb/s", exact()),
        Row("D2", "used by the nodes", "E", "exact", (67,), (100 * used / ports,), "%", exact(0.5)),
        Row("D2", "cores, threads", "E", "exact", (896, 1792), (cores, cores * THREADS), tolerance=exact(),
            note=f"{CORES} cores a node are given"),
    )  # fmt: skip


def _recovered(clean: NDArray[np.float64]) -> tuple[Row, ...]:
    """What was injected and what the analysis finds: extremes, and the greatest error of any pair or node."""
    samples, injected = disturbed(clean, 1)
    found = analyse(samples)
    upper = np.triu_indices(len(clean), 1)
    given, ours = injected["asymmetry"][upper] * 100, found.asymmetry[upper] * 100
    nodes, fitted = injected["nodes"] * 100, (found.sending + found.receiving) / 2 * 100
    off = ~np.eye(len(clean), dtype=bool)
    spread = (found.mean - np.nanmean(clean))[off] / np.nanmean(clean) * 100
    true = ((clean - np.nanmean(clean))[off] / np.nanmean(clean) * 100
            + (injected["asymmetry"] / 2 + injected["nodes"][:, None] + injected["nodes"])[off] * 100)  # fmt: skip
    return (
        Row("D4", "asymmetry of pairs, least and most; injected from −0.68 to 0.96", "D", "counted",
            (-0.68, 0.96), (ours.min(), ours.max()), "%", within(0.2, "points"),
            expected=(float(given.min()), float(given.max())), basis="drawn from that range, injected"),
        Row("D4", "asymmetry: greatest error of a pair", "D", "counted", (), (float(abs(ours - given).max()),), "%",
            within(0.2, "points"), expected=(0,), basis="what was injected is recovered"),
        Row("D4", "jitter, least and most", "D", "counted", (-1, 1),
            tuple(100 * value for value in found.jitter), "%", within(0.15, "points"),
            expected=(-100 * JITTER, 100 * JITTER), basis="injected"),
        Row("D4", "systematic differences of pairs, least and most; injected from the nodes", "D", "counted",
            (-5, 5), (spread.min(), spread.max()), "%", within(0.2, "points"),
            expected=(float(true.min()), float(true.max())), basis="drawn from that range, injected"),
        Row("D4", "what a node adds: greatest error", "D", "counted", (), (float(abs(fitted - nodes).max()),), "%",
            within(0.05, "points"), expected=(0,), basis="what was injected is recovered"),
    )  # fmt: skip


def _blocks(clean: NDArray[np.float64]) -> tuple[Row, ...]:
    """Blocks of 4 ports, found in latencies with noise below and above the gap between the classes."""
    n, gap = len(clean), analyse(clean).gap
    rng = np.random.default_rng(1)
    noise = np.where(np.triu(np.ones((n, n)), 1) > 0, rng.uniform(-0.5, 0.5, (n, n)), 0)
    noise += noise.T  # the same in both directions: nothing averages out

    def recovered(amount: float) -> tuple[int, ...]:
        return tuple(np.bincount(analyse(clean + amount * gap * noise).blocks).tolist())

    amounts = (0.0, 0.5, 0.9)
    whole = [recovered(amount) for amount in amounts]
    right = tuple(float(len(blocks)) for blocks in whole) + tuple(
        float(b) for blocks in whole for b in {*blocks}
    )
    lost = recovered(4.0)
    return (
        Row("D5", "blocks found, and their sizes, with noise of 0, 0.5 and 0.9 of the gap", "D", "counted",
            (), right, tolerance=exact(),
            note=f"noise from end to end; the gap is {gap * 1e9:.1f} ns, assumed", said="12 megaports of 4",
            expected=(12, 12, 12, 4, 4, 4), basis="the report's 12 of 4, at each noise"),
        Row("D5", "blocks found with noise of 4 gaps", "D", "counted", (), (float(len(lost)),),
            tolerance=promise("not 12", lambda blocks: blocks != 12),
            basis="latencies that overlap as a whole show no blocks"),
    )  # fmt: skip


def _rank_pairs(routes: _core.Routes, hosts: _core.Participants) -> Row:
    counts = _core.times(routes, hosts, "alltoall:linear", 8, ranks_per_host=8).counts
    inside = counts["inside_hosts"]
    return Row("D6", "ordered pairs of ranks, 8 a node: over the fabric, inside nodes", "E", "counted",
               (), (counts["messages"] - inside, inside), tolerance=exact(), said="two groups, at 0.95 and 0.70 µs",
               expected=(63_488, 1792), basis="256 · 255 pairs, less 32 · 8 · 7 inside")  # fmt: skip
