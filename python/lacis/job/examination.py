"""A job on its fabric: where it sits, which of its flows share a link, what it gets alone and beside other jobs."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import _core
from ..documents.job import JobBandwidth, JobLeaf, JobLink, JobRail
from ..errors import LacisError
from ..facts.job import CollectivesOnRails, MessagesUnrouted, NotComputed, OneHost, RateAssumed
from ..facts.words import count
from ..model.prediction import times
from ..ranks.participants import by_rail, named_hosts, participants_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .._core import Fabric, Participants, Routes, Times
    from ..facts.job import JobRemark, Multipath

SHIFTS = 32
"""Distances of a shift that are tried, evenly spread."""
ADAPTIVE: Multipath = "spray"
"""How switches are assumed to choose among shortest paths: evenly, packet by packet; see `prediction.times`."""
_SIZE = 1 << 20


@dataclass(frozen=True)
class Meeting:
    """Another job, and how the two slow each other; modelled, by the static tables.

    Attributes:
        name: as the other job was given.
        hosts: how many it has.
        common: hosts that are in both.
        links: directed links between switches that both use.
        worst: the links that both use most: rail, the link's ends, pairs of this job and of the other.
        alone: mean rate of a flow over shifts of this job [bytes/s].
        together: the same while the other shifts too.
        worst_alone: of the shift that loses most, alone.
        worst_together: the same beside the other.
        slower: the share of flows that get less beside the other.
    """

    name: str
    hosts: int
    common: tuple[str, ...]
    links: int
    worst: tuple[tuple[int, str, str, int, int], ...]
    alone: float
    together: float
    worst_alone: float
    worst_together: float
    slower: float

    @property
    def slowdown(self) -> float:
        """How many times as long shifts take beside the other job, on average."""
        return self.alone / self.together if self.together else float("inf")


@dataclass(frozen=True)
class Job:
    """What `examine` finds.

    Attributes:
        hosts: in the order given, which is that of ranks.
        rails: by rail.
        shared: links that flows share, worst first.
        bandwidths: what it gets alone.
        shifts: how many distances were looked at, of how many.
        meetings: one for each other job, and one for all where there are several.
        remarks: what was assumed or left out, and what the job cannot do.
    """

    hosts: tuple[str, ...]
    rails: tuple[JobRail, ...]
    shared: tuple[JobLink, ...]
    bandwidths: tuple[JobBandwidth, ...]
    shifts: tuple[int, int]
    meetings: tuple[Meeting, ...]
    remarks: tuple[JobRemark, ...]

    @property
    def is_routed(self) -> bool:
        """Whether all its messages have a route."""
        return not any(isinstance(remark, MessagesUnrouted) for remark in self.remarks)

    def __repr__(self) -> str:
        return f"<job of {count(len(self.hosts), 'host')} on {count(len(self.rails), 'rail')}>"


def examine(
    routes: Routes,
    hosts: Sequence[str],
    *,
    others: Mapping[str, Sequence[str]] | None = None,
    shared: int = 10,
    seed: int = 1,
    progress: Callable[[str], object] = lambda _: None,
) -> Job:
    """Examine a job on its fabric.

    Args:
        routes: the tables.
        hosts: the job's hosts, in the order of ranks; see `nodesets.find`.
        others: other jobs that run at the same time, by name.
        shared: how many of the links that flows share to list.
        seed: of the distances by which other jobs shift.
        progress: called with the next step, in words.

    Raises:
        LacisError: when a host is not in the fabric, or two hosts have no rail in common.
    """
    fabric = routes.fabric
    on_rail = by_rail(fabric, hosts)
    _check_rails(hosts, on_rail)
    progress("links that flows share")
    rails, links = [], []
    for number, names in on_rail.items():
        sending = participants_of(fabric, names, str(number))
        found = _core.job_rail(routes, sending, shared)
        leaves = [JobLeaf(name, list(there)) for name, there in found.leaves]
        here = set(names)
        without = [name for name in hosts if name not in here]
        rails.append(JobRail(number, len(names), without, leaves, found.spines, found.links))
        links += [
            JobLink(number, row.egress, row.ingress or "", row.pairs, row.flows)
            for row in found.shared
            if len(row.flows) > 1
        ]
    links.sort(key=lambda link: (-len(link.flows), -link.pairs, link.rail))
    own = participants_of(fabric, hosts)
    every = [rail for rail, names in on_rail.items() if len(names) == len(hosts)]
    bandwidths, looked, remarks = _bandwidths(routes, own, every, progress)
    meetings = _meetings(routes, hosts, own, on_rail, dict(others or {}), seed, progress)
    return Job(
        tuple(hosts), tuple(rails), tuple(links[:shared]), bandwidths, looked, meetings, tuple(remarks)
    )


def _check_rails(hosts: Sequence[str], on_rail: Mapping[int, Sequence[str]]) -> None:
    """Refuses hosts that cannot send to each other, as rails send to the same rail."""
    rails: dict[str, set[int]] = {name: set() for name in hosts}
    for rail, names in on_rail.items():
        for name in names:
            rails[name].add(rail)
    kinds: dict[frozenset[int], str] = {}
    for name, its in rails.items():
        kinds.setdefault(frozenset(its), name)
    for (some, a), (more, b) in itertools.combinations(kinds.items(), 2):
        if not some & more:
            raise LacisError(
                f"{a} ({_rails(some)}) and {b} ({_rails(more)}) have no rail in common: they cannot be of one job"
            )


def _rails(numbers: frozenset[int]) -> str:
    text = ", ".join(str(number) for number in sorted(numbers)) or "none"
    return f"rail{'s' * (len(numbers) != 1)} {text}"


def _bandwidths(
    routes: Routes, own: Participants, every: list[int], progress: Callable[[str], object]
) -> tuple[tuple[JobBandwidth, ...], tuple[int, int], list[JobRemark]]:
    """What the job gets alone, NCCL's collectives on the rails that every host has; distances; what was assumed."""
    most = len(own.hosts) - 1
    if most < 1:
        return (), (0, 0), [OneHost()]
    count = min(SHIFTS, most)
    distances = sorted({1 + i * most // count for i in range(count)})
    remarks: list[JobRemark] = []

    def run(traffic: str, multipath: Multipath, hosts: Participants = own) -> Times | None:
        kind = traffic.partition(":")[0]
        progress(f"{kind}, {'static' if multipath == 'none' else 'adaptive'}")
        try:
            taken = times(routes, traffic, _SIZE, hosts=hosts, multipath=multipath, hottest=0)
        except LacisError as error:
            remarks.append(NotComputed(kind, multipath, error.reason))
            return None
        if taken.counts["unrouted"]:
            remarks.append(MessagesUnrouted(kind, taken.counts["unrouted"]))
            return None
        if taken.assumed_rates:
            links, rate = taken.assumed_rates
            remarks.append(RateAssumed(rate, links))
        return taken

    shift = f"shift:{','.join(map(str, distances))}"
    by_shift = [_rates(run(shift, multipath)) for multipath in ("none", ADAPTIVE)]
    found = [
        JobBandwidth(
            "shifts", "a port's slowest flow, mean of the shifts", *(_mean(rates) for rates in by_shift)
        ),
        JobBandwidth(
            "worst shift", "a port's slowest flow in the worst shift", *(_least(rates) for rates in by_shift)
        ),
        JobBandwidth(
            "all-to-all",
            "a port, all shifts one after the other (pairwise)",
            *(_chain(rates) for rates in by_shift),
        ),
        JobBandwidth(
            "ring", "a port's slowest flow, each host to the next", *(_first(rates) for rates in by_shift)
        ),
    ]
    shared = own
    if 0 < len(every) < own.rails:
        named = list(enumerate(own.hosts, start=1))
        shared = _core.listed_hosts(routes.fabric, named, rails=[rail - 1 for rail in every])
        remarks.append(CollectivesOnRails(tuple(every)))
    elif not every:
        remarks.append(CollectivesOnRails(()))
    for collective in ("nccl-ring", "nccl-tree") if every else ():
        bus = [_bus(run(collective, multipath, shared)) for multipath in ("none", ADAPTIVE)]
        found.append(JobBandwidth(collective, "bus bandwidth of an allreduce, a host", *bus))
    return tuple(found), (len(distances), most), list(dict.fromkeys(remarks))


def _rates(taken: Times | None) -> list[float] | None:
    """Bandwidth of the slowest flow of each shift [bytes/s]."""
    if taken is None:
        return None
    rates = [_SIZE / seconds for seconds in taken.phases()["time"].tolist() if seconds > 0]
    return rates or None


def _mean(rates: list[float] | None) -> float | None:
    return sum(rates) / len(rates) if rates else None


def _least(rates: list[float] | None) -> float | None:
    return min(rates) if rates else None


def _first(rates: list[float] | None) -> float | None:
    return rates[0] if rates else None


def _chain(rates: list[float] | None) -> float | None:
    """The rate over all phases one after the other: bytes by time."""
    return len(rates) / sum(1 / rate for rate in rates) if rates else None


def _bus(taken: Times | None) -> float | None:
    return taken.bandwidth[1] if taken is not None and taken.bandwidth is not None else None


def _meetings(
    routes: Routes,
    hosts: Sequence[str],
    own: Participants,
    on_rail: Mapping[int, Sequence[str]],
    others: dict[str, Sequence[str]],
    seed: int,
    progress: Callable[[str], object],
) -> tuple[Meeting, ...]:
    fabric = routes.fabric
    traffic = {name: participants_of(fabric, names) for name, names in others.items()}
    rails = {name: by_rail(fabric, names) for name, names in others.items()}
    here = set(hosts)
    groups = [[name] for name in others] + ([list(others)] if len(others) > 1 else [])
    meetings = []
    for group in groups:
        progress(f"beside {' and '.join(group)}")
        worst, links = [], set()
        for name in group:
            for rail, names in on_rail.items():
                if rail not in rails[name]:
                    continue
                pair = [participants_of(fabric, some, str(rail)) for some in (names, rails[name][rail])]
                rows = _core.job_links_shared(routes, *pair)
                links |= {row[0] for row in rows}
                worst += [(rail, row[0], row[1] or "", row[2], row[3]) for row in rows[:10]]
        worst.sort(key=lambda row: -min(row[3], row[4]))
        beside = _core.jobs_beside(routes, [own, *(traffic[name] for name in group)], seed=seed)
        members = [name for other in group for name in others[other]]
        meetings.append(
            Meeting(
                name=" and ".join(group),
                hosts=len(set(members)),
                common=tuple(name for name in dict.fromkeys(members) if name in here),
                links=len(links),
                worst=tuple(worst[:10]),
                alone=beside.alone,
                together=beside.together,
                worst_alone=beside.worst_alone,
                worst_together=beside.worst_together,
                slower=beside.slower / beside.flows if beside.flows else 0.0,
            )
        )
    return tuple(meetings)


def hosts_of(fabric: Fabric, text: str, source: str) -> list[str]:
    """A job's hosts: a name, a set of hosts, or `file:PATH`; each once, in the order given; GUIDs as names.

    Raises:
        LacisError: when the set names a host that the fabric lacks.
    """
    return participants_of(fabric, named_hosts(fabric, text, source)).hosts
