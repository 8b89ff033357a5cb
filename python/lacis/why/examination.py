"""Whether the fabric slowed a job down: its links by the tables, what each did, and one of four verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from ..counters import LinkState, Lost
from ..documents.why import JobsShare, JobThere, LogFailure, WhyBusyLink, WhyLink
from ..errors import LacisError
from ..fabric.ports import ports_of, with_owners
from ..facts import guilt as of
from ..facts.words import count
from . import judge
from .loads import JobLoad, load_of_job
from .measured import Measured, Thresholds, measure
from .shares import shares

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from .._core import Routes
    from ..fabric.ports import Ports
    from ..job.windows import Window
    from .logs import Log
    from .sweeps import Sweeps

Verdict: TypeAlias = Literal["guilty", "busy", "innocent", "cannot_tell"]


@dataclass(frozen=True)
class Why:
    """What `examine` finds.

    Attributes:
        fact: the verdict.
        job: the job, as it was called, with its hosts and links.
        hosts: its hosts.
        window: when.
        adaptive: whether switches choose among all shortest paths.
        thresholds: what counts as busy.
        guilty: what is broken, the worst first.
        busy: busy links that the job needs, the busiest first.
        missing: why it cannot be said that the fabric is innocent; also where something else is said.
        others: other jobs.
        log: known failures in the job's log.
        links: every link of the job.
    """

    fact: of.Guilt
    job: JobThere
    hosts: tuple[str, ...]
    window: Window
    adaptive: bool
    thresholds: Thresholds
    guilty: tuple[of.GuiltyPart, ...]
    busy: tuple[WhyBusyLink, ...]
    missing: tuple[of.Missing, ...]
    others: tuple[JobThere, ...]
    log: tuple[LogFailure, ...]
    links: tuple[WhyLink, ...]

    @property
    def verdict(self) -> Verdict:
        """The answer."""
        match self.fact:
            case of.FabricGuilty():
                return "guilty"
            case of.FabricBusy():
                return "busy"
            case of.FabricInnocent():
                return "innocent"
            case _:
                return "cannot_tell"

    def __repr__(self) -> str:
        return (
            f"<{self.verdict}: job of {count(len(self.hosts), 'host')} on {count(len(self.links), 'link')}>"
        )


def examine(
    routes: Routes,
    hosts: Sequence[str],
    sweeps: Sweeps,
    window: Window,
    *,
    name: str = "the job",
    others: Mapping[str, Sequence[str]] | None = None,
    adaptive: bool = False,
    thresholds: Thresholds | None = None,
    log: Log | None = None,
    progress: Callable[[str], object] = lambda _: None,
) -> Why:
    """Say whether the fabric slowed a job down.

    Args:
        routes: the tables.
        hosts: the job's hosts.
        sweeps: counters: a `CounterStore`, or `recordings` of before and after.
        window: when.
        name: what to call the job.
        others: hosts of other jobs that ran at the time, by name.
        adaptive: whether switches choose among all ports that begin a shortest path, whatever the tables say.
        thresholds: what counts as busy.
        log: failures in the job's log.
        progress: called with the next step, in words.

    Raises:
        LacisError: when the job sends nothing over the fabric, or the counters are of another one.
    """
    limits = thresholds or Thresholds()
    ports = ports_of(routes.fabric)
    if not ports.is_cabled.any():
        raise LacisError("the fabric has no cables")
    links = with_owners(ports, routes.fabric)
    progress("the links of jobs")
    own = load_of_job(routes, links, hosts, adaptive=adaptive)
    crossed = own.flows > 0
    if not crossed.any():
        reason = (
            "no two of its hosts have a route in these tables"
            if own.unrouted
            else "it has one host on each rail"
        )
        raise LacisError(f"the job sends nothing over the fabric: {reason}")
    loads = {name: own} | {
        other: load_of_job(routes, links, there, adaptive=adaptive) for other, there in (others or {}).items()
    }
    progress("counters")
    found = measure(links, sweeps, window, _looked_at(links, loads), limits)
    at_ends = crossed | links.of_far(crossed, 0)
    roots, waiting = judge.roots_of(links, found, crossed)
    in_log, of_log = (log.by_cable(ports), log.failures) if log else ({}, 0)
    guilty = judge.guilty_parts(links, found, at_ends, roots, in_log, of_log)
    missing = judge.missing_readings(links, found, at_ends, window, routes.fabric.technology, own.unrouted)
    if not roots.any():
        missing += judge.wait_unexplained(links, found, waiting)
    progress("shares")
    busy = _busy(links, found, crossed, roots & (found.hot > 0), loads)
    fact = _verdict(found, crossed, at_ends, guilty, busy, missing, limits, adaptive=adaptive)
    return Why(
        fact=fact,
        job=JobThere(name, len(hosts), int(crossed.sum())),
        hosts=tuple(hosts),
        window=window,
        adaptive=adaptive,
        thresholds=limits,
        guilty=tuple(guilty),
        busy=tuple(busy),
        missing=tuple(missing),
        others=tuple(
            JobThere(other, len((others or {})[other]), int((load.flows > 0).sum()))
            for other, load in loads.items()
            if load is not own
        ),
        log=log.known if log else (),
        links=_rows(
            links,
            found,
            judge.lost_of(found, routes.fabric.technology),
            loads,
            np.flatnonzero(crossed),
        ),
    )


def _looked_at(links: Ports, loads: Mapping[str, JobLoad]) -> NDArray[np.bool_]:
    """Ports of all jobs' links, and of all switches that they cross: what leaves these may hold a job up."""
    crossed = np.stack([load.flows for load in loads.values()]).max(axis=0) > 0
    nodes = np.zeros(len(links.names), np.bool_)
    nodes[links.nodes[crossed]] = nodes[links.far_nodes[crossed]] = True
    near = links.is_cabled & ((nodes[links.nodes] & links.of_switch) | crossed)
    either: NDArray[np.bool_] = near | links.of_far(near, 0)
    return either


def _verdict(
    found: Measured,
    crossed: NDArray[np.bool_],
    ports: NDArray[np.bool_],
    guilty: Sequence[of.GuiltyPart],
    busy: Sequence[WhyBusyLink],
    missing: Sequence[of.Missing],
    limits: Thresholds,
    *,
    adaptive: bool,
) -> of.Guilt:
    if guilty:
        return of.FabricGuilty(len(guilty), guilty[0].part, guilty[0].ends, judge.common_node(guilty))
    if busy:
        first = busy[0]
        return of.FabricBusy(len(busy), (first.egress, first.ingress), first.utilisation, adaptive)
    if missing:
        return of.CannotTell(len(missing))
    return of.FabricInnocent(
        ports=int(ports.sum()),
        links=int(crossed.sum()),
        utilisation=float(found.peak[crossed].max()),
        waiting=float(found.waiting[crossed].max()),
        below=limits.utilisation,
        adaptive=adaptive,
    )


def _busy(
    links: Ports,
    found: Measured,
    crossed: NDArray[np.bool_],
    hot: NDArray[np.bool_],
    loads: Mapping[str, JobLoad],
) -> list[WhyBusyLink]:
    """Busy links, with the shares of jobs in what they carried while links were busy."""
    names, matrix = list(loads), np.stack([load.flows for load in loads.values()], axis=1)
    to_hosts = ~links.between_switches & ((matrix > 0).sum(axis=1) == 1)
    own = next(iter(loads.values()))
    rows = np.flatnonzero(hot)
    rows = rows[np.lexsort((rows, -found.peak[rows], ~crossed[rows]))]
    return [
        _busy_link(links, found, bool(crossed[row]), own, names, matrix, to_hosts, row)
        for row in rows.tolist()
    ]


def _busy_link(
    links: Ports,
    found: Measured,
    of_job: bool,
    own: JobLoad,
    names: Sequence[str],
    matrix: NDArray[np.float64],
    trusted: NDArray[np.bool_],
    row: int,
) -> WhyBusyLink:
    parts = shares(matrix, found.sent_hot, row, trusted)
    rest = max(0.0, 1 - sum(part.share for part in parts)) if parts else None
    label = own.sets[row]
    choice = own.sets == label if label else np.arange(len(links)) == row
    egress, ingress = links.ends(row)
    return WhyBusyLink(
        egress=egress,
        ingress=ingress,
        of_job=of_job,
        utilisation=float(found.peak[row]),
        busy=min(1.0, float(found.hot[row] / max(found.seconds[row], 1e-9))),
        waiting=_finite(found.waiting[row]),
        carried=_finite(found.sent_hot[row]),
        choice=int(choice.sum()),
        choice_busy=int((choice & (found.hot > 0)).sum()),
        jobs=[names[at] for at in np.flatnonzero(matrix[row] > 0).tolist()],
        shares=[
            JobsShare([names[at] for at in part.jobs], part.share, _finite(part.within)) for part in parts
        ],
        rest=rest,
    )


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _rows(
    links: Ports,
    found: Measured,
    because_of: Mapping[str, NDArray[np.uint8]],
    loads: Mapping[str, JobLoad],
    rows: NDArray[np.intp],
) -> tuple[WhyLink, ...]:
    """What each of some links did."""
    own, *others = loads.items()
    grown = {name: column[rows] for name, column in found.grown.items() if column[rows].any()}
    lost = {name: column[rows] for name, column in because_of.items() if column[rows].any()}
    beside = [(name, load.flows[rows] > 0) for name, load in others]
    because = {int(code): code.name.lower() for code in Lost}
    states = {int(state): state.name.lower() for state in LinkState}
    listed = []
    for at, row in enumerate(rows.tolist()):
        egress, ingress = links.ends(row)
        listed.append(
            WhyLink(
                egress=egress,
                ingress=ingress,
                flows=float(own[1].flows[row]),
                choice=int(own[1].sets[row]),
                state=states[int(found.states[row])],
                rate=_finite(links.rates[row]),
                carried=_finite(found.sent[row]),
                utilisation=_finite(found.peak[row]),
                waiting=_finite(found.waiting[row]),
                errors={name: int(column[at]) for name, column in grown.items() if column[at]},
                lost={name: because[int(column[at])] for name, column in lost.items() if column[at]},
                jobs=[name for name, there in beside if there[at]],
            )
        )
    return tuple(listed)
