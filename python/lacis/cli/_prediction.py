"""The documents of `lacis predict`: what flows get, and how long messages take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import UNSET

from ..documents.common import CollectiveBandwidth
from ..documents.predict import (
    BandwidthDistribution,
    BandwidthMatrix,
    BusyLink,
    CompletionTimes,
    FlowBandwidth,
    FlowEnds,
    HottestLink,
    PhaseLists,
    PredictDocument,
    TimeDistribution,
    TimedPhases,
    TimesDocument,
)
from ._lanes import lanes_row
from ._output import finite
from ._rows import relative_bandwidth

if TYPE_CHECKING:
    import numpy as np
    from msgspec import UnsetType
    from numpy.typing import NDArray

    from .. import results
    from .._core import Prediction, Routes, Times
    from ..facts.bounds import ShiftsBounded
    from ..qos.lanes import Lanes
    from ._times import Sized
    from ._traffic import Senders

_MOST_PHASES = 4096
"""Phases that are listed."""
_MOST_TIMES = 100_000
"""Completion times that are listed."""


def prediction_document(
    routes: Routes,
    result: Prediction,
    *,
    traffic: str,
    seed: int | None,
    senders: Senders,
    host_efficiency: float,
    link_efficiency: float,
    lanes: Lanes | None,
    shifts: ShiftsBounded | None,
) -> PredictDocument:
    """What flows of a pattern get; efficiencies and lanes are of the model `fluid`."""
    has_rates = result.model == "fluid"
    bandwidth = result.bandwidth
    values, flows = result.distribution()
    return PredictDocument(
        model=result.model,
        traffic=traffic,
        patterns=result.num_phases,
        seed=seed,
        engine_requested=routes.engine_requested,
        engine_used=routes.engine_used,
        **senders,
        host_efficiency=host_efficiency if has_rates else UNSET,
        link_efficiency=link_efficiency if has_rates else UNSET,
        lanes=lanes_row(lanes) if has_rates else UNSET,
        flows=result.flows,
        unrouted=result.unrouted,
        skipped=result.skipped,
        relative_bandwidth=relative_bandwidth(result.relative_bandwidth),
        max_contention=result.max_contention,
        mean_max_contention=result.mean_max_contention,
        bandwidth=UNSET if bandwidth is None else FlowBandwidth(*bandwidth, unit="bytes/s"),
        distribution=BandwidthDistribution(relative_bandwidth=values.tolist(), flows=flows.tolist()),
        hottest=[_hottest(link) for link in result.hottest],
        shifts_at_most=UNSET if shifts is None else shifts,
        phases=_phases(result) if result.num_phases <= _MOST_PHASES else UNSET,
        matrix=_matrix(result),
    )


def _hottest(link: results.HottestLink) -> HottestLink:
    return HottestLink(
        link=f"{link.egress} → {link.ingress}",
        contention=link.contention,
        phase=link.phase,
        total=link.total,
        utilisation=link.utilisation,
        flows=[FlowEnds(source, target) for source, target in link.flows],
    )


def _phases(result: Prediction) -> PhaseLists:
    found = result.phases()

    def finite_values(values: NDArray[np.float64 | np.uint32]) -> list[float | None]:
        return [finite(value) for value in values.tolist()]

    return PhaseLists(
        label=finite_values(found["label"]),
        mean=finite_values(found["mean"]),
        min=finite_values(found["min"]),
        max_contention=finite_values(found["max_contention"]),
        throughput=finite_values(found["throughput"]),
    )


def _matrix(result: Prediction) -> BandwidthMatrix | UnsetType:
    if result.matrix_labels is None:
        return UNSET
    of, labels = result.matrix_labels
    whole = {
        kind: [[finite(value) for value in row] for row in rows.tolist()]
        for kind in ("mean", "min", "max")
        if (rows := result.matrix(kind)) is not None
    }
    return BandwidthMatrix(of=of, labels=labels, **whole)


def times_document(
    routes: Routes, result: Times, sized: Sized, *, seed: int | None, senders: Senders
) -> TimesDocument:
    """How long messages of a pattern or a program take."""
    assumed, counts = sized.assumed, result.counts
    values, messages = result.distribution()
    bandwidth = result.bandwidth
    return TimesDocument(
        model="fluid",
        provenance="modelled",
        traffic=sized.traffic,
        bytes_each=None if sized.traffic.startswith("trace:") else sized.size,
        seed=seed,
        engine_requested=routes.engine_requested,
        engine_used=routes.engine_used,
        **senders,
        ranks=result.ranks if sized.is_program and result.ranks is not None else UNSET,
        ranks_per_host=assumed.ranks_per_host if sized.is_program else UNSET,
        multipath=assumed.multipath,
        striping=assumed.striping,
        host_efficiency=assumed.host_efficiency,
        link_efficiency=assumed.link_efficiency,
        lanes=lanes_row(assumed.lanes),
        local_rate=assumed.local_rate if sized.is_program else UNSET,
        seconds=finite(result.total),
        phases=result.num_phases,
        messages=counts["messages"],
        bytes=counts["bytes"],
        inside_hosts=counts["inside_hosts"],
        unrouted=counts["unrouted"],
        skipped=counts["skipped"],
        events=counts["events"],
        completion=CompletionTimes(**{key: finite(value) for key, value in result.completion.items()}),
        distribution=TimeDistribution(seconds=values.tolist(), messages=messages.tolist())
        if len(values) <= _MOST_TIMES
        else UNSET,
        gap=UNSET if result.gap is None else result.gap,
        bandwidth=UNSET if bandwidth is None else CollectiveBandwidth(*bandwidth, unit="bytes/s"),
        each_phase=_timed(result) if result.num_phases <= _MOST_PHASES else UNSET,
        busiest=[
            BusyLink(link=f"{egress} → {ingress}", bytes=size, utilisation=used)
            for egress, ingress, size, used in result.busiest
        ],
    )


def _timed(result: Times) -> TimedPhases:
    found = result.phases()
    return TimedPhases(
        name=found["name"],
        begins=found["begins"].tolist(),
        time=found["time"].tolist(),
        messages=found["messages"].tolist(),
        bytes=found["bytes"].tolist(),
    )
