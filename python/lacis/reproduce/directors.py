"""E: Itasca, an InfiniBand fabric with two director switches (MSI, 2009)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .. import _core
from ..fabric.reading import read
from ..model.prediction import predict, worst_permutation
from ..routing.making import route
from .director_bench import DRAWN_SIZE, IDEAL, LINK, MAP_TABLE, MB, Bench
from .director_draws import (
    FAST,
    FEW,
    MAP_SIZE,
    OFFSETS,
    RUNNING,
    Draws,
    filled,
    least_rate_row,
    partners,
    random_pair_rows,
    range_rows,
    shared_node_rows,
)
from .director_tables import LABELS, NEAR_SET, Directors
from .record import Bars, HeatMaps, Report, Row, averaged, between, exact, not_modelled, relative
from .runs import ping_pong_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._core import Participants, Routes

    Rates = NDArray[np.float64]

FIRST = 1
"""The first seed, also that of rows of a single draw."""


def report(seeds: int = 32) -> Report:
    """Report E, with `seeds` draws of what depends on chance."""
    net = Directors.build(FIRST)
    bench, fast = Bench.of(net, 1.0), Bench.of(net, 0.75)
    drawn = Draws.of(bench, fast, range(FIRST, FIRST + seeds))
    pairs, apart = bench.pairing(FIRST)
    packets = bench.packet(MAP_TABLE, pairs)
    virtual = bench.packet(MAP_TABLE, pairs, queues="virtual")[apart]
    alternating = bench.fluid(IDEAL, ping_pong_text(pairs, 4, MB), 4)[apart]
    maps = {label: _fluid_map(bench, label) for label in (*LABELS, IDEAL)}
    packet_map = filled({o: bench.packet(MAP_TABLE, partners(o), size=MAP_SIZE) for o in range(1, 64)})
    return Report(
        letter="E",
        title="Itasca: an InfiniBand fabric with two director switches (MSI, 2009)",
        story=(
            "No one rate of the links between switches fits all that was reported: with one rate for all links the range of E6 "
            "is OUT, with 4 × 1024 MB/s the averages of E3 would be. Everything is judged with one rate. "
            "64 leaves of 16 nodes and 8 uplinks under two directors of 18 mid-level and 9 top-level chips; 9 leaves share "
            "their mids (near). Blocking ping-pong of 1 MB between random pairs, and leaf to leaf."
        ),
        assumptions=(
            "the fabric itasca; device itasca (input FIFOs and 32 KiB of buffer a port are assumed); a pair by itself gets "
            f"{LINK:.0f} MB/s",
            f"one rate for all links, {LINK:.0f} MB/s, as the report's counting has it; rows '{FAST}' show what links between "
            f"switches of that rate would give, with hosts at 75 % of it, over the first {FEW} draws, and claim nothing",
            "the tables that ran are not known: all of D-mod-K, min-hop in node order, min-hop in node order whose mids and "
            "tops follow an unrelated order, and min-hop in a shuffled order are tried",
            f"what depends on chance is drawn {seeds} times, with the seeds from {FIRST} (E3, E5, E6's range, E7's shuffled orders, E9): "
            "the pairs, and the unrelated orders; the mean is judged, and ± is half of its 95 % interval",
            f"E2: the first pairing, 2 rounds of 1 MB instead of 100; E3, E9: 2 rounds of {DRAWN_SIZE >> 10} KiB, with which averages are "
            "up to 1.5 % and the least up to 2.5 % from those with 1 MB (two seeds, two tables); fluid: 2 rounds of 1 MB",
            "E4: the first pairing; all pairs send both ways at once, split ideally over all shortest paths (E6's ideal: split evenly, which is the "
            "same here); if they alternate, as the test did, the ideal is higher (the row that is not claimed)",
            "E5: 32 nodes of two near leaves, random pairings of 256 ranks; pairs inside a node left out",
            f"E6: messages of {MAP_SIZE >> 10} KiB packet by packet, 2 rounds, the lower leaf begins; fluid: one round of 1 MB; the range is "
            f"that of the fastest of 8 pairs under \"{LABELS[2]}\" at the offsets {', '.join(map(str, OFFSETS))}",
        ),
        rows=(
            *_structure(),
            *_same_leaf(packets[~apart]),
            *random_pair_rows(drawn),
            not_modelled("E3", "Same Node", "ranks of one node exchange by memory, which is no part of the fabric"),
            not_modelled("E3", "Overall", "it is the average with the pairs of Same Node"),
            *(
                Row("E3", f"one rank per node, different leaves, {MAP_TABLE}, virtual output queues, the first seed, 1 MB: {what}", "S",
                    "packet", (reported,), (ours,), "MB/s",
                    note="with virtual output queues no packet waits behind one for another port: rates are near the fluid "
                    "model's, so the two models differ by head-of-line blocking")
                for what, reported, ours in (
                    ("average", 1226, float(virtual.mean())), ("least", 588, float(virtual.min()))
                )
            ),
            *_ideal(bench, pairs[apart], alternating),
            *shared_node_rows(drawn),
            *_leaf_to_leaf(packet_map),
            *range_rows(bench, fast, drawn),
            *_counted(net, range(FIRST, FIRST + seeds)),
            *_worst(bench),
            *_connectivity(net),
            least_rate_row(drawn),
            *_cells(),
        ),
        figures=(
            Bars(
                "e3-random-pairs",
                "E3, E4: one rank per node, pairs on different leaves: averages, means of all draws. Line: the report's average.",
                "MB/s",
                (*LABELS, IDEAL),
                {"fluid": (*drawn.averages("fluid"), float(alternating.mean())),
                 "packet": drawn.averages("packet"),
                 f"packet, {FAST}": drawn.averages(FAST)},
                dict.fromkeys(LABELS, 1226.0),
            ),
            *(
                HeatMaps(
                    f"e6-{name}",
                    f"E6: leaf to leaf, all 63 rounds: the {name} of 8 pairs. Blocks of 9 leaves are near sets; white: not measured.",
                    "MB/s",
                    {f"{label} (fluid)": found[which] for label, found in maps.items()}
                    | {f"{MAP_TABLE} (packet)": packet_map[which]},
                    NEAR_SET, "leaf",
                )
                for which, name in enumerate(("fastest", "mean", "slowest"))
            ),
        ),
    )  # fmt: skip


def _structure() -> tuple[Row, ...]:
    """Ports of a director, near sets and lengths of paths, counted in the generated fabrics."""
    full = read("itasca:81")
    names = full.descriptions()
    cables = full.cables().reshape(-1, 4)
    leaves = np.array([name.startswith("leaf") for name in names])
    director = np.array([name.startswith("director-1") for name in names])
    ends = cables[:, [0, 2]]
    ports = int(((leaves[ends].sum(axis=1) == 1) & (director[ends].sum(axis=1) == 1)).sum())
    sets = [_near_sets(f"itasca:{leaves}") for leaves in (67, 68)]
    routes = route(read("itasca"), "minhop")
    descriptions = routes.fabric.descriptions()[routes.fabric.num_switches :]
    near, far = (_core.trace(routes, descriptions[0], descriptions[16 * leaf]).switches for leaf in (8, 9))
    return (
        Row("E1", "ports of a director; leaves of a near set", "E", "counted", (324, 9), (ports, sets[0][0]),
            tolerance=exact()),
        Row("E1", "near sets of 67 and 68 leaves", "E", "counted", (8, 8), (sets[0][1], sets[1][1]), tolerance=exact()),
        Row("E1", "switches on a near and a far path", "E", "counted", (3, 5), (near, far), tolerance=exact()),
    )  # fmt: skip


def _near_sets(spec: str) -> tuple[int, int]:
    """The size of the largest set of leaves under the same mids, and how many sets there are."""
    bundles = read(spec).bundles().reshape(-1, 3)
    fabric = read(spec)
    levels = fabric.levels()
    level = np.array(levels[0] if levels else [])
    a, b = np.where(
        (level[bundles[:, 0]] < level[bundles[:, 1]])[:, None], bundles[:, :2], bundles[:, 1::-1]
    ).T
    mids = a[level[a] == 0], b[level[a] == 0]
    first = np.full(len(level), len(level))
    np.minimum.at(first, mids[0], mids[1])
    sizes = np.unique(first[level == 0], return_counts=True)[1]
    return int(sizes.max()), len(sizes)


def _same_leaf(found: Rates) -> tuple[Row, ...]:
    ours = (float(found.max()), float(found.mean()), float(found.min()))
    note = "the rate of a pair by itself is an input"
    return (
        Row("E2", "one rank per node, same leaf: most, average, least", "D", "packet", (3085, 3078, 2984), ours, "MB/s",
            relative(0.03), note),
    )  # fmt: skip


def _ideal(bench: Bench, pairs: NDArray[np.int64], alternating: Rates) -> tuple[Row, ...]:
    """Both directions at once, and alternating."""
    both = np.concatenate([pairs, pairs[:, ::-1]])
    found = bench.fluid(IDEAL, ping_pong_text(both, 1, MB), 1, ideal="ideal")
    return (
        Row("E4", f"{IDEAL}, both ways at once: average", "S", "fluid", (1500,), (float(found.mean()),), "MB/s",
            relative(0.1)),
        Row("E4", f"{IDEAL}, by turns: average", "S", "fluid", (1500,), (float(alternating.mean()),), "MB/s",
            note="what a blocking ping-pong would get; the report's figure is half a link, 16 nodes to 8 uplinks"),
    )  # fmt: skip


def _fluid_map(bench: Bench, label: str) -> NDArray[np.float64]:
    rounds = {o: bench.fluid(label, ping_pong_text(partners(o), 2, MB), 2) for o in range(1, 64)}
    return filled(rounds)


def _leaf_to_leaf(maps: NDArray[np.float64]) -> tuple[Row, ...]:
    leaves = np.arange(64)
    near = (leaves[:, None] // NEAR_SET == leaves // NEAR_SET) & ~np.eye(64, dtype=bool)
    far = leaves[:, None] // NEAR_SET != leaves // NEAR_SET
    least = maps[2]
    size, sets = _near_sets("itasca")
    return (
        Row("E6", f"near pairs, {MAP_TABLE}: least, of the link's rate", "D", "packet", (0.94,),
            (float(least[near].min()) / LINK,), tolerance=between("≥ 0.94", 0.94, 1)),
        Row("E6", "blocks of near sets, leaves of a block", "E", "counted", (64, 9), (sets**2, size),
            tolerance=exact(), said="8 × 8 blocks of 9"),
        Row("E6", f"far pairs, {MAP_TABLE}: least, of the link's rate", "S", "packet", (),
            (float(least[far].min()) / LINK,), tolerance=between("≤ 0.5", 0, 0.5), said="lose up to a factor 2 and more"),
    )  # fmt: skip


def _counted(net: Directors, seeds: range) -> tuple[Row, ...]:
    """Flows on the busiest link: each pair of leaves alone, and all pairs at once."""

    def alone(routes: Routes) -> tuple[float, float]:
        worst = {True: 0, False: 0}
        for a in range(0, 64, 3):
            for b in range(a):
                pattern = f"leaf-offset:offset={a ^ b},nodes={RUNNING},leaves={b},{a}"
                found = predict(routes, pattern, hosts=net.hosts, hottest=0).max_contention
                near = a // NEAR_SET == b // NEAR_SET
                worst[near] = max(worst[near], found)
        return worst[True], worst[False]

    def at_once(routes: Routes) -> float:
        return predict(
            routes, f"leaf-offset:offset=16,32,nodes={RUNNING}", hosts=net.hosts, hottest=0
        ).max_contention

    ordered, dmodk = net.tables[MAP_TABLE], net.tables["D-mod-K"]
    broken = [
        predict(
            net.drawn(seed).tables["shuffled"],
            f"leaf-offset:offset=1,2,4,nodes={RUNNING}", hosts=net.hosts, hottest=0,
        ).mean_max_contention
        for seed in seeds
    ]  # fmt: skip
    return (
        Row("E7", "ordered min-hop, one pair of leaves: near, far", "E", "counted", (), alone(ordered), "flows",
            exact(), expected=(1, 1), basis="by hand: 8 nodes on 8 uplinks"),
        Row("E7", "D-mod-K, one pair of leaves: near, far", "E", "counted", (), alone(dmodk), "flows", exact(),
            expected=(1, 2), basis="by hand: as nodes 0 to 7 alone run, half of each mid's lines up idle"),
        Row("E7", "all 32 pairs at once, far: ordered, D-mod-K", "E", "counted", (), (at_once(ordered), at_once(dmodk)),
            "flows", exact(), expected=(2, 4), basis="by hand: two leaves of a set on the same lines"),
        Row("E7", "shuffled, near offsets: mean of the worst", "S", "counted", unit="flows", tolerance=relative(0.07),
            note="over the offsets 1, 2, 4", expected=(4.5,), basis="counted once, by one order", **averaged(broken)),
    )  # fmt: skip


def _worst(bench: Bench) -> tuple[Row, ...]:
    """The permutation that puts most flows on an uplink of a leaf, and on any link, by matching; the first is simulated."""
    rows = []
    for label in LABELS:
        routes, hosts = bench.net.tables[label], bench.net.hosts
        leaf = worst_permutation(routes, hosts=hosts, switches=bench.net.level(0))
        anywhere = worst_permutation(routes, hosts=hosts)
        pairs = np.empty((0, 2), dtype=np.int64) if leaf is None else leaf[2].astype(np.int64)
        replayed = float(bench.packet(label, pairs, test="burst", count=1).mean())
        most = 0 if anywhere is None else len(anywhere[2])
        rows += [
            Row("E8", f"flows that can share one uplink of a leaf, {label}", "D", "counted", (16,), (len(pairs),),
                tolerance=exact(), note="a greatest matching: no permutation puts more there"),
            Row("E8", f"flows that can share any one link, {label}", "D", "counted", (), (most,)),
            Row("E8", f"the worst permutation replayed, {label}: average of its flows", "D", "packet", (), (replayed,), "MB/s",
                relative(0.05), said="16 nodes through one link", expected=(LINK / 16,), basis="a sixteenth of a link"),
        ]  # fmt: skip
    return tuple(rows)


def _connectivity(net: Directors) -> tuple[Row, ...]:
    """The share of a link that each node has when a job fills a leaf, and a near set."""

    def uplinks(leaves: int) -> float:
        """Links up from the leaves, per node."""
        fabric = read(f"itasca:{leaves}")
        bundles = fabric.bundles().reshape(-1, 3)
        levels = fabric.levels()
        level = np.array(levels[0] if levels else [])
        return float(bundles[level[bundles[:, :2]].min(axis=1) == 0, 2].sum()) / fabric.num_end_nodes

    inside = predict(net.tables[MAP_TABLE], "permutation", hosts=_first(net, 16), model="fluid", patterns=100)
    whole = float(inside.relative_bandwidth["mean"])
    return (
        Row("E9", "128 cores, a leaf: any permutation, part of a link a node", "E", "fluid", (1,), (whole,), tolerance=exact()),
        Row("E9", "1152 cores, a near set: uplinks a node", "E", "counted", (0.5,), (uplinks(NEAR_SET),), tolerance=exact()),
    )  # fmt: skip


def _first(net: Directors, count: int) -> Participants:
    """The first hosts only."""
    listed = list(enumerate(net.hosts.hosts[:count], start=1))
    return _core.participants(net.tables[MAP_TABLE], order="file:hosts", listed=listed)


def _cells() -> tuple[Row, ...]:
    """Blocks of 256³ cells: the process grid whose blocks have least surface, best for a stencil."""

    def block(ranks: int) -> tuple[float, ...]:
        sides = [side for side in range(1, ranks + 1) if ranks % side == 0]
        grids = [
            (a, b, ranks // a // b)
            for a in sides
            for b in sides
            if ranks // a % b == 0 and a <= b <= ranks // a // b
        ]
        fits = [grid for grid in grids if all(256 % side == 0 for side in grid)]

        def surface(grid: tuple[int, ...]) -> int:
            x, y, z = (256 // side for side in grid)
            return x * y + y * z + z * x

        grid = min(fits, key=lambda grid: (surface(grid), grid))
        return (*(256 // side for side in grid), *grid)

    return (
        Row("E10", "256³ cells on 16 ranks: cells of a rank, process grid", "E", "exact", (128, 128, 64, 2, 2, 4), block(16),
            tolerance=exact()),
        Row("E10", "256³ cells on 8192 ranks: cells of a rank, process grid", "E", "exact", (16, 16, 8, 16, 16, 32),
            block(8192), tolerance=exact()),
        not_modelled("E10", "times of the stencil code, weak and strong scaling", "a step's time is that of its arithmetic, of which the report "
                     "gives no count", "0.0035 s, and curves over processes"),
        not_modelled("E10", "the same on Blade and Calhoun", "these machines' fabrics are not described", "curves"),
    )  # fmt: skip
