"""Which free nodes a job should get: the best under these tables, beside what other rules would take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import LacisError
from ..facts.allocation import HostsApart, HostsUnlinked, NothingTaken
from ..facts.words import count, noun
from .paths import distances
from .rivals import RIVALS, take
from .search import WORK, best

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from ..facts.allocation import AllocationRemark
    from .machine import Machine
    from .score import Judge, Score


@dataclass(frozen=True)
class Choice:
    """The nodes that a rule takes.

    Attributes:
        rule: `lacis`, `slurm`, `first` or `contiguous`.
        hosts: in natural order; empty where the rule finds none.
        groups: how many leaf groups they are in.
        score: what they get; none where the rule finds none.
    """

    rule: str
    hosts: tuple[str, ...]
    groups: int
    score: Score | None


@dataclass(frozen=True)
class Fit:
    """What `fit` finds.

    Attributes:
        nodes: how many were asked for.
        free: how many are free.
        of: how many the machine has.
        groups: how many leaf groups it has.
        jobs: how many jobs run beside.
        pattern: what the job is taken to send.
        shifts: how many distances were looked at, of how many.
        fastest: the rate of the slowest host's port, which no flow exceeds [bytes/s].
        choices: the best first, then those of other rules.
        remarks: what is to be known about them.
        looked_at: how many sets of nodes were scored.
    """

    nodes: int
    free: int
    of: int
    groups: int
    jobs: int
    pattern: str
    shifts: tuple[int, int]
    fastest: float
    choices: tuple[Choice, ...]
    remarks: tuple[AllocationRemark, ...]
    looked_at: int

    @property
    def best(self) -> Choice:
        """The best choice."""
        return self.choices[0]

    @property
    def is_routed(self) -> bool:
        """Whether all hosts of the best choice reach each other."""
        return not any(isinstance(one, HostsApart) and one.rule == "lacis" for one in self.remarks)


def fit(
    machine: Machine,
    nodes: int,
    free: Sequence[str] | None = None,
    *,
    running: Mapping[str, Sequence[str]] | None = None,
    pattern: str = "shifts",
    seed: int = 1,
    work: int = WORK,
) -> Fit:
    """The best free nodes for a job, and what other rules would take.

    Args:
        machine: from `machine_of`.
        nodes: how many are wanted.
        free: hosts that are free; unless given, all that no job runs on.
        running: jobs that run, by name.
        pattern: what the job sends, and the others: `shifts`, `ring` or `doubling`.
        seed: of the search.
        work: how long to search: links of flows to look at.

    Raises:
        LacisError: when fewer nodes are free.
    """
    jobs = [machine.indices(hosts) for hosts in (running or {}).values()]
    busy = np.unique(np.concatenate(jobs)) if jobs else np.zeros(0, np.int64)
    idle = np.arange(len(machine.hosts)) if free is None else machine.indices(free)
    idle = np.setdiff1d(idle, busy)
    linked = idle[machine.groups.of[idle] >= 0]
    if nodes > len(linked):
        raise LacisError(
            f"`nodes`: {nodes:,} {noun(nodes, 'is', 'are')} asked for, and {len(linked):,} of {count(len(machine.hosts), 'host')} {noun(len(linked), 'is', 'are')} free"
        )
    judge = machine.judge(pattern, jobs)
    found = best(judge, machine.groups, linked, nodes, work=work, seed=seed)
    if found is None:
        raise LacisError(f"`nodes`: no {nodes:,} free hosts are joined by cables")
    remarks = machine.remarks()
    if len(linked) < len(idle):
        remarks.append(HostsUnlinked(len(idle) - len(linked)))
    choices = [_choice(machine, judge, "lacis", found.hosts, remarks)]
    choices += [
        _choice(machine, judge, rule, take(rule, machine.groups, linked, nodes), remarks) for rule in RIVALS
    ]
    looked = len(distances(nodes, judge.most, pattern))
    return Fit(
        nodes=nodes,
        free=len(idle),
        of=len(machine.hosts),
        groups=len(machine.groups),
        jobs=len(jobs),
        pattern=pattern,
        shifts=(looked, max(nodes - 1, 0)),
        fastest=machine.paths.fastest,
        choices=tuple(choices),
        remarks=tuple(remarks),
        looked_at=found.looked_at,
    )


def _choice(
    machine: Machine,
    judge: Judge,
    rule: str,
    hosts: NDArray[np.int64] | None,
    remarks: list[AllocationRemark],
) -> Choice:
    if hosts is None:
        remarks.append(NothingTaken(rule))
        return Choice(rule, (), 0, None)
    lost = _num_lost(machine, hosts)
    if lost:
        remarks.append(HostsApart(rule, lost))
    groups = len(np.unique(machine.groups.of[hosts]))
    return Choice(rule, machine.names(hosts), groups, judge.score(hosts))


def _num_lost(machine: Machine, hosts: NDArray[np.int64]) -> int:
    """Ordered pairs of hosts without a path on some rail."""
    return 0 if machine.apart is None else int(machine.apart[np.ix_(hosts, hosts)].sum())
