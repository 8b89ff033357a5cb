"""Quality of eventree's tables beside those of other engines, on real fabrics and imperfect trees.

    python -m benchmarks.quality [--seeds N] [--patterns N] [--tune SECONDS] [FABRIC…]

Modelled, not measured: flows are counted on links (the load model), with the same traffic under all
tables: all adapters, leaf by leaf; where hosts have several, also the report's traffic, hosts leaf by leaf, from rail to
rail. The table has a line for each fabric and traffic, and in each cell eventree's figure beside that of the best other
engine that loses no more pairs of hosts, with the inputs that help it most: roots (the top or a leaf), compute nodes,
orders of targets and of ports, as `lacis tune` tries them. A second line has eventree beside the best of those that
`lacis tune` tries or, with --tune, finds in so many seconds. Shifts are of hosts in the order `topology`, and of hosts in
the order that suits the tables best: `topology`, `eventree` or `name`. The first column is what some link must carry
whatever the tables. All figures are in `build/bench/quality.json`. eventree's and
numbered's tables are Lacis' own, the others identical to OpenSM's.
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from lacis import _core, tuning
from lacis.opensm.plugin import judged
from lacis.ranks.participants import participants
from lacis.sm.engines import OPENSM, OUTGROWING
from lacis.tuning.candidates import from_leaves
from lacis.tuning.layout import Layout
from lacis.tuning.layout import participants as by_rail

from .measure import ROOT, shared_file

if TYPE_CHECKING:
    from collections.abc import Iterator

OURS = "eventree"
PEERS = (*OPENSM, "numbered")
CUTS = (1, 5, 10)
REAL = ("selene-2021", "dgx-2025")
SLOW_AT_MOST = 1000
"""Switches up to which engines that outgrow their tables are compared."""
FROM_LEAVES = 24
"""Inputs with a leaf as the root: those of the two leaves that suit best."""


@dataclass(frozen=True)
class Quality:
    """The figures of an engine's tables on a fabric."""

    fabric: str
    engine: str
    traffic: str
    """Of bisections and shifts: `adapters` or `report`."""
    lost: int
    """Pairs of hosts without a route."""
    lost_others: int
    """Pairs with aggregation nodes that cables join and tables do not."""
    loops: int
    """Credit loops among hosts."""
    busiest: float
    """Fullest link between switches over the mean, every host sending to every other."""
    forced: float
    """The fullest link over what some link must carry, whatever the tables."""
    bisection: float
    """Mean bandwidth of random bisections, relative to the link rate."""
    worst_bisection: float
    """That of the worst bisection."""
    bisection_flows: int
    """Most flows of one bisection that share a link."""
    shift: float
    """Mean bandwidth of all shifts, relative to the link rate."""
    worst_shift: float
    """That of the worst shift."""
    shift_flows: int
    """Most flows of one shift that share a link."""
    bound: int
    """Flows that some link must carry whatever the tables, every host sending to every other."""
    own_order: str
    """The order of hosts with the best mean of shifts: `topology`, `eventree` or `name`."""
    own_shift: float
    """That mean."""


FIGURES = {
    "fullest / forced": ("forced", False),
    "fullest / mean": ("busiest", False),
    "bisections": ("bisection", True),
    "worst": ("worst_bisection", True),
    "flows on a link": ("bisection_flows", False),
    "shifts": ("shift", True),
    "worst shift": ("worst_shift", True),
    "flows on a link, shifts": ("shift_flows", False),
    "shifts, own order": ("own_shift", True),
}
"""Columns of the table: the field, and whether more is better."""
OF_HOSTS = ("forced", "busiest")
"""Those that are the same for both kinds of traffic."""
COMMON = "topology"
ORDERS = (COMMON, "eventree", "name")
EVEN = 1.02
"""Tables are as even as others where their fullest link carries so many times as much."""
TUNED = "tune: "
"""What begins the label of inputs that a search found."""


def fabrics(names: list[str], seeds: int) -> Iterator[tuple[str, _core.Fabric]]:
    """The named fabrics; or the real ones, and trees, with cables, switches and hosts missing."""
    if names:
        for name in names:
            spec, *changes = name.split()
            yield name, _core.generate_fabric(spec).edit(changes) if changes else _core.generate_fabric(spec)
        return
    real = {name: shared_file(f"{name}.ibnetdiscover") for name in REAL}
    found = {name: _core.read_fabric(file.read_bytes()) for name, file in real.items() if file is not None}
    yield from found.items()
    if (dgx := found.get("dgx-2025")) is not None:
        yield "dgx-2025, a spine lost", dgx.edit([spines(dgx)[0]])
        yield from without("dgx-2025", dgx, seeds, "random-hosts=40%", "40 % of the hosts missing")
    for spec, cuts in {"itasca:67": (1, 3), "fat-tree:16,3": CUTS, "fat-tree:36,2": CUTS}.items():
        whole = _core.generate_fabric(spec)
        yield spec, whole
        for cut in cuts:
            yield from without(spec, whole, seeds, f"random-cables={cut}%", f"{cut} % cut")
        if spec == "fat-tree:16,3":
            yield from without(spec, whole, seeds, "random-switches=3", "3 switches lost")
        elif spec == "fat-tree:36,2":
            yield f"{spec}, a spine lost", whole.edit(spines(whole)[:1])
            yield f"{spec}, 2 spines lost", whole.edit(spines(whole)[:2])
        yield from without(spec, whole, seeds, "random-hosts=25%", "25 % of the hosts missing")


def spines(fabric: _core.Fabric) -> list[str]:
    """The GUIDs of the switches at the top, as selectors."""
    return [f"0x{guid:016x}" for guid in top(fabric)]


def top(fabric: _core.Fabric) -> list[int]:
    """The GUIDs of the switches at the top; none without levels."""
    if (levels := fabric.levels()) is None:
        return []
    guids = fabric.guids()
    return [int(guids[s]) for s, level in enumerate(levels[0]) if level == max(levels[0])]


def without(
    name: str, fabric: _core.Fabric, seeds: int, change: str, words: str
) -> Iterator[tuple[str, _core.Fabric]]:
    """The fabric after random losses, for each seed."""
    for seed in range(1, seeds + 1):
        yield f"{name}, {words}, seed {seed}", fabric.edit([f"{change},seed={seed}"])


def variants(fabric: _core.Fabric) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The alternatives: a label, an engine and its inputs; eventree first."""
    yield OURS, OURS, {}
    is_large = fabric.num_switches > SLOW_AT_MOST
    for engine in PEERS:
        if engine not in OUTGROWING or not is_large:
            yield engine, engine, {}
    routes, traffic, rails = by_rail(fabric, "all")
    hosts = _core.participants(routes, rail="each", order="topology").guids().tolist()
    roots = top(fabric)
    yield "minhop, shifted", "minhop", {"port_shifting": True}
    yield "minhop, ordered", "minhop", {"order": hosts}
    if not is_large:
        yield "sssp, hosts", "sssp", {"cn": hosts}
        yield "dfsssp, hosts", "dfsssp", {"cn": hosts}
    if roots:
        yield "updn, roots", "updn", {"roots": roots}
        yield "updn, roots, ordered", "updn", {"roots": roots, "order": hosts}
        yield "ftree, roots", "ftree", {"roots": roots}
        yield "ftree, roots, hosts", "ftree", {"roots": roots, "cn": hosts}
    layout = Layout.of(fabric, routes, traffic, rails)
    seen = set()
    for candidate in itertools.islice(from_leaves(fabric, layout), FROM_LEAVES):
        inputs: dict[str, Any] = {**candidate.options}
        yield candidate.label, candidate.engine, inputs
        order = candidate.label.removeprefix("updn, a leaf as root, ").replace("ordered", "ordered by rail")
        if candidate.engine == "updn" and order not in seen and order != "plain":
            seen.add(order)
            yield f"minhop, {order}", "minhop", {k: v for k, v in inputs.items() if k != "roots"}
            if roots:
                yield f"updn, roots, {order}", "updn", {**inputs, "roots": roots}


def quality(
    name: str, fabric: _core.Fabric, variant: tuple[str, str, dict[str, Any]], patterns: int
) -> list[Quality]:
    """Routes and counts, for each kind of traffic; nothing where the engine refuses or its tables are undefined."""
    label, engine, inputs = variant
    routes = _core.route(fabric, engine, **inputs)
    if routes.refusals or routes.undefined:
        return []
    proof = _core.verify(routes, "hosts")
    lost = proof.pairs - proof.verdicts["delivered"]
    most, mean, _, _ = proof.balance
    bound = _core.forced(routes, "hosts").flows
    forced = most / max(1, bound)
    lost_others = max(0, judged(_core.verify(routes, "all"))[1] - lost)
    kinds = {"adapters": "each"}
    report = participants(routes)
    if report.num_ports != len(report.hosts):
        kinds["report"] = "all"
    found = []
    for kind, rail in kinds.items():
        hosts = _core.participants(routes, rail=rail, order=COMMON)
        random, shifts = _core.predict_each(routes, hosts, ["bisection", "shift"], patterns=patterns, seed=1)
        own_order, own_shift = best_order(routes, rail, shifts.relative_bandwidth["mean"])
        found.append(
            Quality(
                fabric=name,
                engine=label,
                traffic=kind,
                lost=lost,
                lost_others=lost_others,
                loops=len(proof.credit_loops),
                busiest=most / mean,
                forced=forced,
                bisection=random.relative_bandwidth["mean"],
                worst_bisection=float(random.phases()["mean"].min()),
                bisection_flows=random.max_contention,
                shift=shifts.relative_bandwidth["mean"],
                worst_shift=float(shifts.phases()["mean"].min()),
                shift_flows=shifts.max_contention,
                bound=bound,
                own_order=own_order,
                own_shift=own_shift,
            )
        )
    return found


def best_order(routes: _core.Routes, rail: str, common: float) -> tuple[str, float]:
    """The order of hosts with the best mean of shifts, and that mean, where the common order has this one."""
    seen = [_core.participants(routes, rail=rail, order=COMMON).guids().tobytes()]
    means = {COMMON: common}
    for order in ORDERS[1:]:
        hosts = _core.participants(routes, rail=rail, order=order)
        if (guids := hosts.guids().tobytes()) not in seen:
            seen.append(guids)
            (shifts,) = _core.predict_each(routes, hosts, ["shift"], patterns=1, seed=1)
            means[order] = shifts.relative_bandwidth["mean"]
    best = max(means, key=lambda order: round(means[order], 3))
    return best, means[best]


def is_tuned(label: str) -> bool:
    """Whether `lacis tune` tries these inputs, or found them."""
    return label.startswith(TUNED) or ", a leaf as root" in label


def as_even(own: Quality, peers: list[Quality]) -> list[Quality]:
    """Those whose fullest link carries little more than eventree's."""
    return [peer for peer in peers if peer.forced <= EVEN * max(own.forced, 1.0)]


def searched(fabric: _core.Fabric, seconds: float) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """What `lacis tune` finds in so many seconds and accepts: a label, an engine and its inputs."""
    for one in tuning.tune(fabric, limits=tuning.Limits(seconds=seconds)):
        if one.accepted:
            yield f"{TUNED}{one.label}", one.engine, {**one.options}


def compare(figure: tuple[str, bool], own: Quality, peers: list[Quality]) -> tuple[str, str, float]:
    """A cell of the table, whether eventree wins, ties or loses, and by what share of the other's figure."""
    name, more = figure
    best = (max if more else min)(peers, key=lambda peer: float(getattr(peer, name)))
    ours, theirs = float(getattr(own, name)), float(getattr(best, name))
    shown = "{:.0f} / {:.0f} {}" if name.endswith("flows") else "{:.3f} / {:.3f} {}"
    if name == "own_shift":
        shown = f"{{:.3f}} {own.own_order} / {{:.3f}} {best.own_order} {{}}"
    better = ours - theirs if more else theirs - ours
    verdict = "ties" if abs(better) < 0.0005 else "wins" if better > 0 else "loses"
    mark = {"wins": "**", "ties": "", "loses": "_"}[verdict]
    peer = best.engine + (" †" if best.lost_others > own.lost_others else "")
    return mark + shown.format(ours, theirs, peer) + mark, verdict, better / theirs if theirs else 0.0


def cells_of(own: Quality, peers: list[Quality]) -> dict[str, tuple[str, str, float]]:
    """A row of the table, by title; without what is the same for both kinds of traffic where it is the report's."""
    figures = {t: f for t, f in FIGURES.items() if own.traffic == "adapters" or f[0] not in OF_HOSTS}
    return {title: compare(figure, own, peers) for title, figure in figures.items()}


def main() -> None:
    """Compare, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--patterns", type=int, default=300)
    parser.add_argument("--tune", type=float, default=0.0, metavar="SECONDS")
    parser.add_argument("fabrics", nargs="*", metavar="FABRIC")
    arguments = parser.parse_args()
    started = time.process_time()
    found: list[Quality] = []
    counts: dict[str, Counter[str]] = {title: Counter() for title in FIGURES}
    losses: list[tuple[float, str]] = []
    losses_as_even: list[tuple[float, str]] = []
    print("| fabric | forced | " + " | ".join(FIGURES) + " |")
    print("|---|---|" + "---|" * len(FIGURES), flush=True)
    for name, fabric in fabrics(arguments.fabrics, arguments.seeds):
        tried = [*variants(fabric), *(searched(fabric, arguments.tune) if arguments.tune else ())]
        every = [q for variant in tried for q in quality(name, fabric, variant, arguments.patterns)]
        found += every
        for kind in dict.fromkeys(q.traffic for q in every):
            own, *others = [q for q in every if q.traffic == kind]
            peers = [peer for peer in others if peer.lost <= own.lost]
            row = name if kind == "adapters" else f"{name}, the report's traffic"
            beside = {
                f"{row} | {own.bound:,}": (peers, losses),
                "… beside `lacis tune` | ": ([peer for peer in peers if is_tuned(peer.engine)], []),
                "… beside those as even | ": (as_even(own, peers), losses_as_even),
            }
            for label, (some, lost) in beside.items():
                if not some:
                    continue
                cells = cells_of(own, some)
                print(
                    f"| {label} | {' | '.join(cells.get(title, ('',))[0] for title in FIGURES)} |", flush=True
                )
                for title, (cell, verdict, share) in cells.items():
                    if some is peers:
                        counts[title][verdict] += 1
                    if verdict == "loses":
                        lost.append((share, f"{row}: {title} {cell.strip('_')}, {share:+.1%}"))
    tallies = [
        ", ".join(f"{verdict} {n}" for verdict, n in sorted(count.items())) for count in counts.values()
    ]
    print("| eventree | | " + " | ".join(tallies) + " |")
    print(
        f"\nOurs / the best other engine's; **ours wins**, _ours loses_; † loses pairs of aggregation nodes that eventree "
        f"keeps. {arguments.patterns} random bisections (seed 1), all shifts, hosts in the order of their leaves, or in their tables' own. Forced: what some link must carry, all to all [flows]. Modelled. "
        f"{time.process_time() - started:.0f} s.\n"
    )
    total = sum(sum(count.values()) for count in counts.values())
    print(f"{total} figures, of which eventree loses {len(losses)}, the greatest losses first:\n")
    for _, line in sorted(losses):
        print(f"* {line}")
    print(
        f"\nOf these it loses {len(losses_as_even)} to tables whose fullest link carries at most {EVEN} times as much:\n"
    )
    for _, line in sorted(losses_as_even):
        print(f"* {line}")
    folder = ROOT / "build" / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "quality.json").write_text(json.dumps([asdict(q) for q in found], indent=1) + "\n")


if __name__ == "__main__":
    main()
