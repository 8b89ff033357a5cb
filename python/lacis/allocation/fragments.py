"""Running jobs on their nodes: how far each is from the best that the machine could give, which share links, and one swap."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .paths import distances, shift_loads
from .score import Judge
from .search import WORK, best

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from .._core import Fabric
    from ..facts.allocation import AllocationRemark
    from .machine import Machine
    from .score import Score

_STRAYS, _ROOMS = 6, 4
"""Hosts of a job that may leave, and hosts of a leaf group that may be taken for them."""
_COMPARED = 12
"""Swaps that are looked at beside all jobs, of those that help the jobs themselves most."""


@dataclass(frozen=True)
class Fragment:
    """A job on its nodes.

    Attributes:
        name: of the job.
        hosts: in natural order.
        groups: leaf groups that they are in.
        fewest: leaf groups that would hold them on the empty machine.
        score: what they get.
        best: what the best nodes of the empty machine get.
    """

    name: str
    hosts: tuple[str, ...]
    groups: int
    fewest: int
    score: Score
    best: Score


@dataclass(frozen=True)
class Shared:
    """Two jobs that use the same links.

    Attributes:
        jobs: their names.
        links: directed links between switches that both use.
        egress: the port that the link leaves that both use most.
        ingress: the port that it enters; empty where the source does not name it.
        flows: flows of either on that link, on average over its shifts.
    """

    jobs: tuple[str, str]
    links: int
    egress: str
    ingress: str
    flows: tuple[float, float]


@dataclass(frozen=True)
class Swap:
    """The exchange of two nodes that helps most.

    Attributes:
        job: whose node leaves.
        leaves: that node.
        takes: the node that it gets.
        other: the job that has that node and gets the first; empty where it is free.
        before: what all nodes get together, mean of the shifts beside each other [bytes/s].
        after: the same after the swap.
        worst: the worst shift of the job before and after, alone [bytes/s].
    """

    job: str
    leaves: str
    takes: str
    other: str
    before: float
    after: float
    worst: tuple[float, float]


@dataclass(frozen=True)
class Fragmentation:
    """What `fragmentation` finds.

    Attributes:
        jobs: in the order given.
        free: hosts on which no job runs.
        of: hosts of the machine.
        groups: leaf groups of the machine.
        fastest: the rate of the slowest host's port [bytes/s].
        shared: pairs of jobs that use the same links, those that load them most first.
        swap: the exchange that helps most; none where none helps.
        remarks: what is to be known about it.
    """

    jobs: tuple[Fragment, ...]
    free: int
    of: int
    groups: int
    fastest: float
    shared: tuple[Shared, ...]
    swap: Swap | None
    remarks: tuple[AllocationRemark, ...]


def fragmentation(
    machine: Machine,
    fabric: Fabric,
    running: Mapping[str, Sequence[str]],
    *,
    pattern: str = "shifts",
    seed: int = 1,
    work: int = WORK,
    progress: Callable[[str], object] = lambda _: None,
) -> Fragmentation:
    """Examine running jobs on their nodes.

    Args:
        machine: from `machine_of`.
        fabric: for the names of ports.
        running: jobs, each with its hosts.
        pattern: what each sends: `shifts`, `ring` or `doubling`.
        seed: of the search for the best nodes.
        work: how long to search, for all sizes of jobs together.
        progress: called with the next step, in words.
    """
    state = _State(machine, pattern, {name: machine.indices(hosts) for name, hosts in running.items()})
    linked = np.flatnonzero(machine.groups.of >= 0)
    alone = machine.judge(pattern)
    sizes = sorted({len(hosts) for hosts in state.jobs.values()})
    found: dict[int, Score] = {}
    for size in sizes:
        progress(f"the best {size:,} nodes")
        of_size = best(alone, machine.groups, linked, size, work=work // max(1, len(sizes)), seed=seed)
        found[size] = of_size.score if of_size else alone.score(linked[:0])
    scores = state.scores()
    jobs = []
    for name, hosts in state.jobs.items():
        own, ideal = scores[name], found[len(hosts)]
        # What a job has is among what it could have.
        ideal = max(ideal, alone.score(hosts), key=lambda score: (score.worst, score.mean))
        groups = len(np.unique(machine.groups.of[hosts]))
        jobs.append(Fragment(name, machine.names(hosts), groups, _fewest(machine, len(hosts)), own, ideal))
    progress("which jobs share links")
    shared = _shared(machine, fabric, state)
    progress("swaps")
    busy = np.unique(np.concatenate(list(state.jobs.values()))) if state.jobs else linked[:0]
    free = np.setdiff1d(linked, busy)
    return Fragmentation(
        tuple(jobs),
        len(machine.hosts) - len(busy),
        len(machine.hosts),
        len(machine.groups),
        machine.paths.fastest,
        shared,
        _best_swap(machine, state, free),
        tuple(machine.remarks()),
    )


class _State:
    """Jobs on their nodes, with what each puts on links on average."""

    def __init__(self, machine: Machine, pattern: str, jobs: Mapping[str, NDArray[np.int64]]) -> None:
        self.machine, self.pattern = machine, pattern
        self.jobs = dict(jobs)
        self.judge = machine.judge(pattern)
        self.loads = {name: self.load(hosts) for name, hosts in self.jobs.items()}

    def load(self, hosts: NDArray[np.int64]) -> NDArray[np.float64]:
        steps = distances(len(hosts), self.judge.most, self.pattern)
        rows = shift_loads(self.machine.paths, hosts, steps)
        return np.mean(rows, axis=0) if rows else np.zeros(len(self.machine.paths.inverse))

    def scores(self, changed: Mapping[str, NDArray[np.int64]] | None = None) -> dict[str, Score]:
        """What every job gets beside the others, with other nodes for some."""
        changed = changed or {}
        loads = self.loads | {name: self.load(hosts) for name, hosts in changed.items()}
        total = sum(loads.values(), np.zeros(len(self.machine.paths.inverse)))
        found = {}
        for name, hosts in (self.jobs | dict(changed)).items():
            # Differences of sums leave crumbs, which are no flows.
            others = np.maximum(total - loads[name], 0.0)
            others[others < 1e-9] = 0.0
            judge = Judge(self.judge.paths, self.pattern, self.judge.most, others, self.judge.apart)
            found[name] = judge.score(hosts)
        return found

    def total(self, scores: Mapping[str, Score], changed: Mapping[str, NDArray[np.int64]]) -> float:
        """What all nodes get together, mean of the shifts beside each other."""
        jobs = self.jobs | dict(changed)
        return sum(
            len(jobs[name]) * score.mean_beside for name, score in scores.items() if len(jobs[name]) > 1
        )


def _fewest(machine: Machine, nodes: int) -> int:
    sizes = np.sort(np.bincount(machine.groups.of[machine.groups.of >= 0]))[::-1]
    return int(np.searchsorted(np.cumsum(sizes), nodes)) + 1


def _shared(machine: Machine, fabric: Fabric, state: _State) -> tuple[Shared, ...]:
    names = [name for name, _ in fabric.switches()]
    cables = fabric.cables().reshape(-1, 4).tolist()
    far = {(a, port): (b, other) for a, port, b, other in cables}
    far |= {(b, other): (a, port) for a, port, b, other in cables}
    found = []
    for one, other in itertools.combinations(state.loads, 2):
        lesser = np.minimum(state.loads[one], state.loads[other])
        if not (links := int((lesser > 0).sum())):
            continue
        link = int(lesser.argmax())
        switch, port = divmod(int(machine.paths.egress[link]), 256)
        end = far.get((switch, port))
        ingress = f"{names[end[0]]}[{end[1]}]" if end else ""
        flows = (float(state.loads[one][link]), float(state.loads[other][link]))
        found.append(Shared((one, other), links, f"{names[switch]}[{port}]", ingress, flows))
    return tuple(sorted(found, key=lambda pair: (-min(pair.flows), -pair.links, pair.jobs)))


def _best_swap(machine: Machine, state: _State, free: NDArray[np.int64]) -> Swap | None:
    """Of the swaps that help their jobs alone most, the one that helps all jobs together most."""
    before = state.scores()
    total = state.total(before, {})
    alone = {name: state.judge.score(hosts) for name, hosts in state.jobs.items()}
    ranked: list[tuple[float, int, dict[str, NDArray[np.int64]], tuple[str, int, int, str]]] = []
    for number, (name, out, into, other) in enumerate(_candidates(machine, state, free)):
        changed = {name: _with(state.jobs[name], out, into)}
        if other:
            changed[other] = _with(state.jobs[other], into, out)
        gain = sum(
            len(hosts) * (state.judge.score(hosts).mean - alone[job].mean) for job, hosts in changed.items()
        )
        ranked.append((gain, -number, changed, (name, out, into, other)))
    ranked.sort(key=lambda one: one[:2], reverse=True)
    found: Swap | None = None
    for _, _, changed, (name, out, into, other) in ranked[:_COMPARED]:
        after = state.scores(changed)
        then = state.total(after, changed)
        if then > (found.after if found else total * (1 + 1e-6)):
            worst = (before[name].worst, after[name].worst)
            found = Swap(name, machine.hosts[out], machine.hosts[into], other, total, then, worst)
    return found


def _with(hosts: NDArray[np.int64], out: int, into: int) -> NDArray[np.int64]:
    return np.sort(np.append(hosts[hosts != out], into))


def _candidates(
    machine: Machine, state: _State, free: NDArray[np.int64]
) -> Iterator[tuple[str, int, int, str]]:
    """Swaps that may help: a job's node that stands alone, or on its most crowded link, for one where more of it are.

    The other node is free, or one of another job that stands alone there.
    """
    of = machine.groups.of
    strays = {name: _strays(of, state, hosts) for name, hosts in state.jobs.items()}
    for name, hosts in state.jobs.items():
        if len(hosts) < 2:
            continue
        counts = np.bincount(of[hosts], minlength=len(machine.groups))
        for out in strays[name]:
            rooms = [group for group in np.argsort(-counts, kind="stable")[:_ROOMS].tolist() if counts[group]]
            for group in rooms:
                if group == of[out] and counts[group] > 1 and len(rooms) > 1:
                    continue
                for into in free[of[free] == group][:_ROOMS].tolist():
                    yield name, out, into, ""
                for other in state.jobs:
                    there = [host for host in strays[other] if of[host] == group and host not in hosts]
                    if other != name and out not in state.jobs[other]:
                        for into in there[:_ROOMS]:
                            yield name, out, into, other


def _strays(of: NDArray[np.int32], state: _State, hosts: NDArray[np.int64]) -> list[int]:
    """Hosts of a job in the leaf groups with the fewest of it, then receivers on its most crowded links."""
    counts = np.bincount(of[hosts])
    alone = hosts[np.argsort(counts[of[hosts]], kind="stable")][:_STRAYS].tolist()
    crowding = state.judge.crowded(hosts)
    found = dict.fromkeys(alone)
    for step, link in crowding.links[:_STRAYS].tolist():
        theirs = np.roll(hosts, -step)
        crossing = (state.judge.paths.links(hosts, theirs) == link).any(axis=(0, -1))
        found |= dict.fromkeys(theirs[crossing][:2].tolist())
    return list(found)[: 2 * _STRAYS]
