"""Static and adaptive routing side by side, packet by packet, for the generation of a fabric's switches."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ..documents.report import AdaptiveComparison, AdaptiveRow, FlowRates
from ..errors import LacisError
from ..facts.words import count
from ..model.simulation import simulate
from ..ranks.participants import participants
from ..requests.workload import Workload

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._core import Fabric, Routes
    from ..documents.fabric import LinksOfRate
    from ..health.examination import Health
    from .failures import Tried

SIZES = (8_000_000, 4_000_000, 2_000_000, 1_000_000, 500_000, 250_000, 125_000, 64_000)
"""Bytes of a message, the largest that can be afforded first: short ones end before queues have settled."""
HOPS = 40_000_000
"""Hops of packets under static routing that a report may simulate: some two seconds of processor time."""
ADAPTIVE_HOP = 1.7
"""Time of a hop where a switch chooses among ports, over that where it looks in a table (measured)."""
SEEDS = range(2, 6)
"""How many random permutations, the fewest to the most."""
FIRST_SEED = 1
ROWS = 3
MTU = 4096
_STATIC, _ADAPTIVE = "off", "least"

_DEVICES = {"EDR": "edr", "HDR": "hdr", "NDR": "ndr", "XDR": "ndr"}
"""Speed of links → device of the simulator, for switches that can route packets adaptively."""
_OLD = ("SDR", "DDR", "QDR", "FDR10", "FDR")
"""Speeds of links of switches that cannot."""
_MANAGER = "It needs NVIDIA's own subnet manager (ar_updn, ar_ftree, ar_torus and the like): OpenSM 3.3.23 has no adaptive routing"
_OMNI_PATH = (
    "Omni-Path's switches do not choose packet by packet: they move destinations to other ports, every 64 ms at the "
    "soonest. `lacis simulate --adaptive omni-path` models that; a burst ends before."
)


@dataclass(frozen=True)
class Generation:
    """A generation of switches, by the speed of most links between them; `device` is None where these cannot route adaptively."""

    device: str | None
    about: str
    words: str


def compare(
    engines: Sequence[Tried], links: float, found: Health, progress: Callable[[str], None]
) -> AdaptiveComparison | None:
    """What flows of random permutations get under each set of tables, static and adaptive.

    Flows that have no route count as zero. Where a deadlock stops some, that is the result.

    Args:
        engines: tables in the order of importance; at most `ROWS` are simulated, and as many as `HOPS` allows.
        links: mean number of links between switches on a path from host to host.
        found: the rates of the links.
        progress: called with the current step, in words.

    Returns:
        None where there is no switch, or fewer than two hosts, or so many that even short messages would take long.
    """
    fabric = engines[0].routes.fabric
    if not fabric.num_switches:
        return None
    switches = generation(rates_of_switches(fabric, found.summary.links_by_rate))
    if switches.device is None:
        return AdaptiveComparison(switches.about, "", [], switches.words)
    ports = max(participants(engine.routes).num_ports for engine in engines)
    free = [_is_free(engine) for engine in engines]
    plan = afford(ports, links + 2, free)
    if ports < 2 or plan is None:
        return None
    size, seeds, affordable = plan
    rows, stuck, lost = [], [], 0
    # Runs of a simulation end at different times: beside each other, adaptive and static ones keep all processors busy.
    pool = ThreadPoolExecutor(1)
    try:
        begun: list[Future[_Got]] = []
        shared: Future[_Got] | None = None
        for engine, is_free in zip(engines[:affordable], free, strict=False):
            asked = (engine.routes, switches.device, size, seeds, _ADAPTIVE)
            simulated = shared if is_free and shared else pool.submit(_run, *asked)
            shared = simulated if is_free else shared
            begun.append(simulated)
        for engine, simulated in zip(engines, begun, strict=False):
            progress(f"adaptive routing, {engine.label}")
            try:
                static = _run(engine.routes, switches.device, size, seeds, _STATIC)
                adaptive = simulated.result()
            except LacisError:  # tables that lead in circles, or too little memory
                continue
            lost = max(lost, static.unrouted, adaptive.unrouted)
            rows.append(AdaptiveRow(engine.label, static.rates, adaptive.rates))
            stuck += [
                f"{engine.label}, {how}"
                for how, got in (("static", static), ("adaptive", adaptive))
                if got.rates.deadlock
            ]
    finally:
        pool.shutdown(cancel_futures=True)
    pattern = f"random permutations of all host adapters, {_bytes(size)} a message, {seeds} seeds" + (
        "" if size == SIZES[0] else f"; no more than {_bytes(size)}, so that the report takes seconds"
    )
    words = " ".join([*_sentences(rows, stuck, lost), switches.words])
    return AdaptiveComparison(switches.about, pattern, rows, words)


def rates_of_switches(fabric: Fabric, rates: list[LinksOfRate]) -> list[LinksOfRate]:
    """The links between switches by rate. Without any, the fastest links, since adapters may be older than their switch.

    Args:
        fabric: a fabric with switches.
        rates: all its links by rate, the fastest first.
    """
    import numpy as np

    names, of_cable = fabric.cable_rates()
    ends = fabric.cables().reshape(-1, 2, 2)[:, :, 0]
    between = (ends < fabric.num_switches).all(axis=1)
    if not between.any():
        return rates[:1]
    number = dict(zip(names, np.bincount(of_cable[between], minlength=len(names)).tolist(), strict=True))
    return [replace(rate, links=number[rate.rate]) for rate in rates if number.get(rate.rate)]


def generation(rates: list[LinksOfRate]) -> Generation:
    """The generation of the switches, by the rate of most of the links given; its words follow the makers' papers."""
    known = [rate for rate in rates if rate.bytes_per_second]
    if not known:
        return Generation(
            None,
            "unknown, as the links report no rate",
            "Whether the switches can route adaptively is not known.",
        )
    usual = max(known, key=lambda rate: rate.links)
    speed = usual.rate.partition("x")[2]
    about = (
        f"{usual.links:,} of {count(sum(rate.links for rate in rates), 'link')} of switches "
        f"{'runs' if usual.links == 1 else 'run'} at {usual.rate}"
    )
    if speed in _OLD:
        return Generation(None, about, f"Switches of {speed} cannot route adaptively.")
    if speed not in _DEVICES:
        return Generation(None, about, _OMNI_PATH)
    device = _DEVICES[speed]
    constants = f"device {device} of the packet simulator"
    if speed.lower() != device:
        constants += f", with the constants of {device.upper()} (assumed)"
    return Generation(
        device, f"{constants}: {about}", f"Switches of {speed} can route adaptively. {_MANAGER}."
    )


def afford(ports: int, hops: float, free: Sequence[bool]) -> tuple[int, int, int] | None:
    """Bytes of a message, seeds and engines within `HOPS`; none where even the shortest messages take ten times that.

    In order of importance: two engines, long messages, a third engine, more seeds.
    Past some thousand ports a hop costs more, as packets do not fit the processor's caches.

    Args:
        ports: adapters that send.
        hops: links of a packet's path.
        free: for each engine, whether packets ignore its tables under adaptive routing.
    """
    budget = HOPS / (1 + ports / 2000)

    def cost(size: int, seeds: int, rows: int) -> float:
        adaptive = any(free[:rows]) + list(free[:rows]).count(False)
        return (rows + ADAPTIVE_HOP * adaptive) * seeds * ports * hops * -(-size // MTU)

    two = min(len(free), 2)
    size = next((size for size in SIZES if cost(size, SEEDS[0], two) <= budget), SIZES[-1])
    if cost(size, SEEDS[0], two) > 10 * budget:
        return None
    rows = max(
        (n for n in range(two, min(len(free), ROWS) + 1) if cost(size, SEEDS[0], n) <= budget), default=two
    )
    seeds = max((n for n in SEEDS if cost(size, n, rows) <= budget), default=SEEDS[0])
    return size, seeds, rows


def _is_free(engine: Tried) -> bool:
    """Whether packets ignore the tables under adaptive routing: on one lane, with a route for all."""
    return engine.routes.lane_census() is None and not engine.routes.unrouted()[0]


@dataclass(frozen=True)
class _Got:
    """What flows get, and how many of them have no route."""

    rates: FlowRates
    unrouted: int


def _run(routes: Routes, device: str, size: int, seeds: int, mode: str) -> _Got:
    """What flows get, all seeds together."""
    got = simulate(
        routes,
        Workload(traffic="permutation", size=size),
        patterns=seeds,
        seed=FIRST_SEED,
        device=device,
        adaptive=mode,
    )
    rates = got.bandwidths()
    flows = got.flows + got.unrouted
    mean = float(rates.sum()) / flows if flows else 0.0
    worst = float(rates.min()) if rates.size == flows and flows else 0.0
    return _Got(FlowRates(mean, worst, got.deadlock is not None), got.unrouted)


def _rate(rates: FlowRates) -> str:
    """The mean in words, or that a deadlock leaves none."""
    return "deadlock" if rates.deadlock else f"{rates.mean / 1e9:.1f} GB/s a flow"


def _sentences(rows: list[AdaptiveRow], stuck_runs: list[str], lost: int) -> list[str]:
    sentences = []
    for row in rows[:1]:
        static, adaptive = row.static, row.adaptive
        stuck = static.deadlock or adaptive.deadlock
        gain = 100 * (adaptive.mean / static.mean - 1) if static.mean and not stuck else 0.0
        change = f" ({gain:+.0f} %)" if abs(gain) >= 1 else ""
        worst = f"; worst flow {static.worst / 1e9:.1f} and {adaptive.worst / 1e9:.1f} GB/s"
        sentences.append(
            f"{row.engine}: {_rate(static)} static, {_rate(adaptive)} adaptive{change}{'' if stuck else worst} (modelled)."
        )
    if lost:
        sentences.append(
            f"{count(lost, 'flow')} without a route {'counts' if lost == 1 else 'count'} as zero."
        )
    if stuck_runs:
        sentences.append(
            f"Deadlocks: {'; '.join(stuck_runs)}: flows wait for each other in a circle for ever."
        )
    return sentences


def _bytes(size: int) -> str:
    return f"{size // 1_000_000} MB" if size >= 1_000_000 else f"{size // 1000} KB"
