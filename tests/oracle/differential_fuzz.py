"""Looks for a fabric on which Lacis and OpenSM differ: random trees, damaged and extended, random options.

    python -m tests.oracle.differential_fuzz --seconds 600 [--seed N]

A difference is printed and its net file kept in build/oracle. Differences of ftree are ignored where a
leaf has a cable to a sibling or to a lower switch: there OpenSM orders adapters by unrelated memory,
and its results vary from run to run.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from lacis.errors import LacisError

from .choices import drawn
from .compare import Run, differences
from .fabrics import Subject, of
from .nets import Net, damaged, grid, irregular, tree2, tree3
from .scores import Count

if TYPE_CHECKING:
    from lacis.requests.routing import RouteOptions


def draw(seed: int) -> Subject:
    """A random fabric."""
    rng = random.Random(seed)
    kind = rng.choice(["two", "two", "three", "three", "three", "irregular", "grid"])
    if kind == "two":
        leaves = rng.randint(2, 9)
        net = tree2(leaves, rng.randint(1, 5), rng.randint(0, 5), rng.randint(1, 3), seed=seed)
        top = "s"
    elif kind == "three":
        net = tree3(rng.randint(2, 4), rng.randint(2, 3), rng.randint(1, 3), rng.randint(1, 2), seed=seed)
        top = "c"
    elif kind == "irregular":
        net = irregular(rng.randint(2, 24), rng.randint(0, 20), rng.randint(1, 4), seed=seed)
        top = f"r{rng.randrange(3)}"
    else:
        sizes = [rng.randint(2, 4) for _ in range(rng.randint(1, 3))]
        net = grid(sizes, rng.randint(1, 2), wrap=rng.random() < 0.6, seed=seed)
        top = "t0"
    _change(net, rng)
    return of(net, top)


def _change(net: Net, rng: random.Random) -> None:
    names = [s.name for s in net.switches()]
    while len(net.adapters()) < 2:
        net.host(f"first{len(net.nodes)}", rng.choice(names))
    if rng.random() < 0.5:
        spare = len(net.adapters()) - 2
        links = sum(net.nodes[o].is_switch for s in net.switches() for o, _ in s.cables.values()) // 2
        damaged(net, rng.randint(0, max(0, min(5, links - len(names)) // 2)), rng.randint(0, min(spare, 6)))
    for i in range(rng.choice([0, 0, 0, 1, 3])):
        net.host(f"io{i}", rng.choice(names))
    for i in range(rng.choice([0, 0, 0, 2])):
        net.host(f"dual{i}", rng.choice(names), rng.choice([*names, None]))
    for i in range(rng.choice([0, 0, 1, 1, 3])):
        net.router(f"gateway{i}", *rng.choices(names, k=rng.choice([1, 1, 2])))
    if len(names) > 1 and rng.random() < 0.3:
        a, b = rng.sample(names, 2)
        net.cable(a, b)
    if rng.random() < 0.5:
        net.shuffle_ports()
    if rng.random() < 0.3:
        # ibsim takes no LIDs of routers from a file.
        for node in net.switches() + net.adapters():
            node.lid = rng.choice([0, rng.randrange(1, 3 * len(net.nodes))])


ENGINES_ASKED = (
    *("minhop", "updn", "dnup", "dor", "ftree", "ftree", "ftree", "ftree,updn"),
    *("sssp", "dfsssp", "dfsssp", "lash"),
)


def ask(subject: Subject, seed: int) -> Iterator[Run]:
    """Random runs on a fabric."""
    rng = random.Random(-seed)
    adapters, switches = subject.adapter_port_guids, subject.switch_guids

    def some(guids: list[int]) -> list[int]:
        return rng.sample(guids, rng.randint(1, len(guids)))

    for engines in ENGINES_ASKED:
        settings: RouteOptions = {"connect_roots": rng.random() < 0.3}
        if rng.random() < 0.7:
            settings.update(drawn(subject, rng))
        if rng.random() < 0.3 and engines in ("minhop", "updn", "dor"):
            settings["hop_weights"] = subject.some_hop_weights(rng)
        if rng.random() < 0.3 and engines == "updn":
            settings["ids"] = subject.some_ids(rng)
        if engines not in ("minhop", "dnup", "dor", "sssp", "dfsssp"):
            roots = list(subject.roots) or None
            settings["roots"] = rng.choice([None, roots, roots, some(switches)])
        if {"ftree", "sssp", "dfsssp"} & set(engines.split(",")):
            settings["cn"] = some(adapters) if rng.random() < 0.3 else None
            settings["io"] = some(adapters) if rng.random() < 0.4 else None
        if engines in ("lash", "sssp", "dfsssp") and rng.random() < 0.4:
            settings["lmc"] = rng.randint(0, 2)
        if engines == "lash":
            settings["mesh_analysis"] = rng.random() < 0.7
        if "ftree" in engines:
            settings["quasi_ftree"] = rng.random() < 0.3
            settings["reverse_hops"] = rng.choice([0, 0, 1, 2, 3])
        yield Run(engines, rng.choice(subject.idents), settings, seed=rng.getrandbits(20))


def undetermined(net: str, run: Run) -> bool:
    """Whether a switch with compute nodes has a cable to a switch of its rank or lower."""
    blocks = re.findall(r'^Switch[^"]*"S-([0-9a-f]+)".*\n((?:\[.*\n?)*)', net, re.M)
    peers = {int(g, 16): [int(p, 16) for p in re.findall(r'"S-([0-9a-f]+)"', body)] for g, body in blocks}
    ports = {
        int(g, 16): [int(p, 16) for p in re.findall(r'"H-[^(]*\(([0-9a-f]+)\)', body)] for g, body in blocks
    }

    def ranks(start: list[int]) -> dict[int, int]:
        rank = dict.fromkeys(start, 0)
        todo = list(rank)
        for switch in todo:
            for peer in peers[switch]:
                if peer not in rank:
                    rank[peer] = rank[switch] + 1
                    todo.append(peer)
        return rank

    roots = [g for g in run.options.get("roots") or () if g in peers]
    if not roots:
        above = ranks([g for g in peers if ports[g]])
        roots = [g for g, level in above.items() if level == max(above.values())]
    rank = ranks(roots)
    io = set(run.options.get("io") or ()) - set(run.options.get("cn") or ())
    cn = run.options.get("cn")
    compute = {g: [p for p in ports[g] if p not in io and (cn is None or p in cn)] for g in rank}
    return any(compute[g] and rank.get(peer, 0) >= rank[g] for g in rank for peer in peers[g])


def try_one(seed: int) -> tuple[Counter[str], list[str]]:
    """Compares one random fabric; returns counts and differences."""
    tally: Counter[str] = Counter()
    lines: list[str] = []
    subject = draw(seed)
    for run in ask(subject, seed):
        count = Count()
        try:
            found = differences(subject.text, run, count)
        except LacisError:
            tally.update(endless=1)
            continue
        tally.update(runs=1, entries=count.entries, fell_back=count.fell_back)
        if found and "ftree" in run.engines and undetermined(subject.text, run):
            tally.update(undetermined=1)
            continue
        if found:
            lines += [f"seed {seed}: {line}" for line in found]
    return tally, lines


def main() -> int:
    """Draws fabrics and compares for the time given; exit status 1 where something differed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    end = time.monotonic() + options.seconds
    total: Counter[str] = Counter()
    seed, wrong = options.seed, 0
    with ThreadPoolExecutor(2) as pool:
        while time.monotonic() < end:
            for s, (tally, lines) in zip(
                range(seed, seed + 20), pool.map(try_one, range(seed, seed + 20)), strict=True
            ):
                total += tally
                if lines:
                    wrong += 1
                    folder = Path("build/oracle")
                    folder.mkdir(parents=True, exist_ok=True)
                    (folder / f"fuzz-{s}.net").write_text(draw(s).text)
                    print("\n".join(lines), flush=True)
            seed += 20
    print(f"{seed - options.seed} fabrics, {dict(total)}, {wrong} fabrics with differences")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
