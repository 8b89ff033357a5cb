"""The document of `lacis simulate`: what was asked for, and what messages got."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import UNSET, UnsetType, convert

from ..documents.packets import (
    CutCable,
    DeadlockFound,
    LinkOverTime,
    MeanBandwidth,
    MessageLatency,
    MovedLids,
    PacketCounts,
    PacketWaiting,
    SimulatedLink,
    SimulatedPhases,
    SimulatedWorkload,
    UtilisationOverTime,
    WaitingLink,
    WorkloadBandwidth,
)
from ..documents.simulate import SimulateDocument, WorkloadBeside
from ._output import finite

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from .._core import Routes, Simulation
    from ..results import WorkloadResult
    from ._traffic import Senders

_MOST_FLOWS = 100_000
"""Bandwidths that are listed."""
_MOST_PHASES = 4096
"""Phases of a program that are listed."""
_MOST_SHARES = 1_000_000
"""Numbers of utilisation that are listed."""


def simulation_document(
    routes: Routes,
    result: Simulation,
    asked: Mapping[str, Any],
    also: Sequence[Mapping[str, object]],
    *,
    senders: Senders,
    file: str | None,
    busiest: int,
) -> SimulateDocument:
    """What was asked for, by the names of the options, and what messages got; times in seconds, rates in bytes/s."""
    sent, arrived, discarded = result.packets
    events, hops = result.events
    moved, last = result.moved
    bandwidths = result.bandwidths()
    return SimulateDocument(
        model="packet",
        **asked,
        also=[convert(work, WorkloadBeside) for work in also],
        engine_requested=routes.engine_requested,
        engine_used=routes.engine_used,
        **senders,
        file=file,
        partial=result.partial,
        phases=result.phases,
        flows=result.flows,
        unrouted=result.unrouted,
        times=result.times().tolist(),
        simulated=result.simulated,
        payload=result.payload,
        packets=PacketCounts(sent, arrived, discarded),
        latency=MessageLatency(**result.latency),
        waited=PacketWaiting(**result.waited),
        events=events,
        hops=hops,
        marked=result.marked,
        cables_cut=[CutCable(after, (one, other)) for after, one, other in result.cuts],
        moved=MovedLids(moved, last if moved else None),
        deadlock=_deadlock(result),
        bandwidth=MeanBandwidth(unit="bytes/s", **_spread(bandwidths)) if len(bandwidths) else UNSET,
        workloads=[_workload(result.workload(number)) for number in range(result.num_workloads)],
        busiest=[
            SimulatedLink(f"{egress} → {ingress}", busy, starved, count)
            for egress, ingress, busy, starved, count in result.busiest(busiest)
        ],
        utilisation=_over_time(result),
    )


def finite_bandwidths(bandwidths: NDArray[Any]) -> NDArray[Any]:
    """Bandwidths of flows; 0 of those without a byte, which take no time on an ideal device, where the quotient is no number."""
    import numpy as np

    found: NDArray[Any] = np.nan_to_num(bandwidths)
    return found


def _spread(bandwidths: NDArray[Any]) -> dict[str, Any]:
    """Mean, least and greatest bandwidth, and each where they are not too many."""
    bandwidths = finite_bandwidths(bandwidths)
    return {
        "mean": float(bandwidths.mean()),
        "min": float(bandwidths.min()),
        "max": float(bandwidths.max()),
        "flows": bandwidths.tolist() if len(bandwidths) <= _MOST_FLOWS else UNSET,
    }


def _workload(got: WorkloadResult) -> SimulatedWorkload:
    is_program = got.ranks is not None and got.phases is not None
    return SimulatedWorkload(
        flows=got.flows,
        unrouted=got.unrouted,
        inside_hosts=got.inside_hosts,
        through=got.through,
        payload=got.payload,
        latency=MessageLatency(**got.latency),
        times=got.times.tolist(),
        bandwidth=_bandwidth(got, is_program=is_program),
        ranks=got.ranks if got.ranks is not None and is_program else UNSET,
        each_phase=_each_phase(got),
    )


def _bandwidth(got: WorkloadResult, *, is_program: bool) -> WorkloadBandwidth | UnsetType:
    """Of a collective as nccl-tests define it, else of its flows."""
    if is_program and got.bandwidth:
        return WorkloadBandwidth(algorithm=got.bandwidth.algorithm, bus=got.bandwidth.bus, unit="bytes/s")
    return WorkloadBandwidth(unit="bytes/s", **_spread(got.bandwidths)) if len(got.bandwidths) else UNSET


def _each_phase(got: WorkloadResult) -> SimulatedPhases | UnsetType:
    if got.phases is None or len(got.phases.name) > _MOST_PHASES:
        return UNSET
    begins, ends = ([finite(time) for time in each.tolist()] for each in (got.phases.begins, got.phases.ends))
    return SimulatedPhases(got.phases.name, begins, ends)


def _deadlock(result: Simulation) -> DeadlockFound | None:
    if result.deadlock is None:
        return None
    phase, cycle = result.deadlock
    return DeadlockFound(
        phase, [WaitingLink(f"{egress} → {ingress}", lane) for egress, ingress, lane in cycle]
    )


def _over_time(result: Simulation) -> UtilisationOverTime | UnsetType:
    utilisation = result.utilisation()
    if utilisation is None:
        return UNSET
    interval, ends, is_cut, links, shares = utilisation
    each = zip(links, shares.T.round(6).tolist(), strict=True) if shares.size <= _MOST_SHARES else None
    return UtilisationOverTime(
        interval=interval,
        intervals=ends,
        cut=is_cut,
        links=UNSET if each is None else [LinkOverTime(f"{a} → {b}", busy) for (a, b), busy in each],
    )
