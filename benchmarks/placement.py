"""Nodes for a job on a half-full machine: the best ones beside those of Slurm's tree, first fit and contiguous.

    python -m benchmarks.placement [--fabrics NAME …] [--nodes N …] [--states N] [-R ENGINE] [--packets N] [--scattered]

A state is drawn at random: jobs fill the machine one after another where Slurm's tree puts them, then jobs end in random order
until half of the nodes are free. ``--scattered`` frees single nodes instead, with no jobs beside. ``--packets`` compares the
predicted gain over Slurm's tree, in the time of all shifts, with the packet simulation's in so many states.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from typing import TYPE_CHECKING

import lacis as api
import numpy as np
from lacis import allocation
from lacis.allocation.paths import distances
from lacis.allocation.rivals import slurm_tree
from lacis.facts.wording.allocation import RULES

from .measure import shared_file
from .routing import load, machine

if TYPE_CHECKING:
    from lacis.allocation import Choice, Machine

_PAYLOAD = 256 << 10
"""Bytes of a simulated message."""


def main() -> int:
    """Measures, and prints one table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--fabrics", nargs="+", default=["dgx-2025", "selene-2021"])
    parser.add_argument("--nodes", type=int, nargs="+", default=[8, 64, 256])
    parser.add_argument("--states", type=int, default=20)
    parser.add_argument("-R", "--engine", default="minhop")
    parser.add_argument("--packets", type=int, default=0)
    parser.add_argument("--scattered", action="store_true")
    given = parser.parse_args()
    print(
        f"{machine()}, {given.states} states a row, tables of {given.engine}, modelled; GB/s, means over the states\n"
    )
    print(
        "| fabric | nodes | by | found | leaf groups | worst shift | mean | worst beside | mean beside | slower / same / faster than Slurm |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    packets, seconds = [], []
    for name in given.fabrics:
        file = shared_file(f"{name}.ibnetdiscover")
        routes = api.route(load(str(file) if file else name), given.engine)
        here = allocation.machine_of(routes)
        for nodes in given.nodes:
            if nodes > len(here.hosts) * 0.6:
                continue
            rows: dict[str, list[Choice]] = {}
            for seed in range(given.states):
                free, running = state(here, nodes, seed, scattered=given.scattered)
                begun = time.process_time()
                found = allocation.fit(here, nodes, free, running=running)
                seconds.append((nodes, time.process_time() - begun))
                for choice in found.choices:
                    rows.setdefault(choice.rule, []).append(choice)
                if seed < given.packets and nodes == 64:
                    packets.append((name, seed, *gains(routes, here, found.choices[:2])))
            for rule, choices in rows.items():
                print(row(name, nodes, rule, choices, rows["slurm"]), flush=True)
    for nodes in given.nodes:
        of_size = [took for size, took in seconds if size == nodes]
        if of_size:
            print(
                f"\n{nodes} nodes: {statistics.mean(of_size):.2f} s of CPU a search, {max(of_size):.2f} at most"
            )
    for name, seed, predicted, simulated in packets:
        print(
            f"\n{name}, state {seed}: gain over Slurm's tree {predicted:.3f} predicted, {simulated:.3f} packet by packet"
        )
    return 0


def state(here: Machine, nodes: int, seed: int, *, scattered: bool) -> tuple[list[str], dict[str, list[str]]]:
    """Free hosts of a half-full machine, or as many as a job needs, and the jobs that run."""
    random = np.random.default_rng(seed)
    count = len(here.hosts)
    wanted = max(count // 2, min(count, nodes * 9 // 8))
    if scattered:
        chosen = random.permutation(count)[:wanted]
        return [here.hosts[host] for host in sorted(chosen.tolist())], {}
    free = np.arange(count)
    jobs: list[np.ndarray] = []
    for job in allocation.generate_trace(count, 400, 1.0, seed).jobs:
        taken = slurm_tree(here.groups, free, job.nodes)
        if taken is not None:
            jobs.append(taken)
            free = np.setdiff1d(free, taken)
    random.shuffle(jobs)
    while len(free) < wanted:
        free = np.union1d(free, jobs.pop())
    running = {str(number): list(here.names(hosts)) for number, hosts in enumerate(jobs)}
    return list(here.names(free)), running


def row(fabric: str, nodes: int, rule: str, choices: list[Choice], slurm: list[Choice]) -> str:
    """A line of the table."""
    scores = [choice.score for choice in choices if choice.score]
    if not scores:
        return f"| {fabric} | {nodes} | {RULES[rule]} | 0 of {len(choices)} | | | | | | |"
    groups = statistics.mean(choice.groups for choice in choices if choice.score)
    rates = (
        statistics.mean(getattr(score, key) for score in scores) / 1e9
        for key in ("worst", "mean", "worst_beside", "mean_beside")
    )
    order = [0, 0, 0]
    for one, other in zip(choices, slurm, strict=True):
        if one.score and other.score:
            ratio = one.score.worst / other.score.worst if other.score.worst else 1.0
            order[1 + (ratio > 1 + 1e-6) - (ratio < 1 - 1e-6)] += 1
    cells = " | ".join(f"{rate:.2f}" for rate in rates)
    compared = "" if rule == "slurm" else " / ".join(map(str, order))
    return f"| {fabric} | {nodes} | {RULES[rule]} | {len(scores)} of {len(choices)} | {groups:.1f} | {cells} | {compared} |"


def gains(routes: api.Routes, here: Machine, choices: tuple[Choice, ...]) -> tuple[float, float]:
    """How many times as long all shifts take on Slurm's nodes as on the best: predicted, and packet by packet."""
    judge = here.judge("shifts")
    predicted, simulated = [], []
    for choice in choices:
        hosts = here.indices(choice.hosts)
        steps = distances(len(hosts), judge.most, "shifts")
        predicted.append(float((1 / judge.rates(hosts)).sum()))
        sent = api.participants(routes, groups=",".join(choice.hosts), host_order="name")
        traffic = f"shift:{','.join(map(str, steps))}"
        done = api.simulate(routes, api.Workload(traffic=traffic, size=_PAYLOAD, hosts=sent), device="hdr")
        simulated.append(float(done.times().sum()))
    return predicted[1] / predicted[0], simulated[1] / simulated[0]


if __name__ == "__main__":
    sys.exit(main())
