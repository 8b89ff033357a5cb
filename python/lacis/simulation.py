"""Simulating what messages get, packet by packet."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import TYPE_CHECKING

from . import _core
from .errors import LacisError
from .lanes import Lanes
from .prediction import listed, participants

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ._core import Routes, Simulation, Traffic


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """Traffic that runs beside other traffic; for what its parts mean see `simulate`.

    An open load (`test="load"`) beside others ends with them, or after its `duration` where that is shorter.
    """

    traffic: str
    test: str = "burst"
    size: int = 1 << 20
    count: int = 1
    window: int = 64
    load: float = 0.5
    duration: float = 1e-3
    sl: int = 0
    ranks_per_host: int = 1
    local_rate: float = 1e10
    hosts: Traffic | None = None


def simulate(
    routes: Routes,
    traffic: str = "permutation",
    *,
    hosts: Traffic | None = None,
    test: str = "burst",
    size: int = 1 << 20,
    count: int = 1,
    window: int = 64,
    load: float = 0.5,
    duration: float = 1e-3,
    sl: int = 0,
    ranks_per_host: int = 1,
    local_rate: float = 1e10,
    also: Iterable[Workload] = (),
    patterns: int = 1,
    seed: int = 1,
    device: str = "ideal",
    mtu: int | None = None,
    buffer: int | None = None,
    queues: str | None = None,
    adaptive: str = "off",
    ar_algorithm: int | None = None,
    ar_threshold: int | None = None,
    ar_frequency: int | None = None,
    ar_period: float | None = None,
    lost_route_only: bool = False,
    cuts: Iterable[tuple[str, float]] = (),
    lanes: int | None = None,
    sl2vl: Sequence[int] | None = None,
    vlarb_high: Sequence[tuple[int, int]] = (),
    vlarb_low: Sequence[tuple[int, int]] = (),
    high_limit: int = 0,
    preempt: bool = False,
    congestion_control: Mapping[str, float] | None = None,
    multipath: str = "none",
    switch_latency: float | None = None,
    cable_length: float | None = None,
    host_efficiency: float | None = None,
    hop_limit: int = 64,
    circles: bool = False,
    record: bool = False,
    interval: float | None = None,
) -> Simulation:
    """Simulate the messages of a traffic pattern or a job under given tables, packet by packet.

    Ctrl-C ends it with what there is: the result's `partial` is then true.

    Args:
        routes: the tables.
        traffic: a pattern as for `predict`, each phase of which is simulated by itself; or a job as for `times`,
            all phases of which are one run.
        hosts: who takes part, from `participants`; all hosts in the order of their names unless given.
        test: what the flows of a pattern do: `burst` (each sends `count` messages at once), `windows` (`count`
            windows of `window` messages, each answered, as osu_mbw_mr does), `ping-pong` (`count` rounds), or
            `load` (messages at random times that fill the part `load` of a link, for `duration` seconds).
        size: payload of a message, or what the job makes of it [bytes].
        count: messages, windows or rounds.
        window: messages of a window.
        load: part of a link, 0 to 1 and beyond.
        duration: of a load [s].
        sl: service level that the messages ask for; tables with lanes of their own decide it themselves.
        ranks_per_host: how many ranks of a job are on each host, side by side.
        local_rate: assumed rate of all messages of a job inside a host together [bytes/s].
        also: what runs at the same time. Each phase of a random pattern has a seed of its own; where there are
            fewer phases than `traffic` has, they go round.
        patterns: how many, of a random pattern; each is a run by itself.
        seed: of random patterns and of random choices.
        device: the name of a device; see `lacis simulate --devices`.
        mtu: most payload of a packet [bytes]; the device's unless given, like all that follow.
        buffer: of each input and lane [bytes]; 0 for as much as is needed.
        queues: `fifo` (one queue an input and lane) or `virtual` (one for each output, too).
        adaptive: `off`; packet by packet, `least` (the port of a shortest path with least waiting) or `two`
            (the better of two drawn at random); or `omni-path` (now and then switches move LIDs away from
            congested ports).
        ar_algorithm: of omni-path: 0 Random, 1 Greedy, 2 GreedyRandom (the default, as all these, is what the
            manager is shipped with).
        ar_threshold: 0 to 7: how full a buffer is when a port counts as congested; 7 is 55 %, 6 60, 5 65, 4 70,
            3 80 (the default), 2 90, 1 100, and 0 like 3.
        ar_frequency: 0 (the default) to 7: switches move LIDs every 2 ** n * 64 ms.
        ar_period: the same time [s], where that is longer than a simulation is to be.
        lost_route_only: LIDs are moved when their link is lost, and only then.
        cuts: cables between switches that fail, by selectors as of `whatif`, and when in each run [s]. Nobody
            makes new tables: switches discard what would leave by a cable that is cut, unless `adaptive` has
            another.
        lanes: of every link, 1 to 15; as many as `sl2vl` or the tables need unless given.
        sl2vl: the lane of each of the 16 service levels, on every link; its own number unless given. Tables
            that have lanes of their own take neither.
        vlarb_high: arbitration table of high priority: lanes and weights in units of 64 bytes. Without tables
            lanes take turns.
        vlarb_low: the table of low priority.
        high_limit: units of 4096 bytes that go by the table of high priority until one packet goes by the
            other; 0 for one packet, 255 for no limit.
        preempt: whether packets of the lanes in `vlarb_high` interrupt others on a link, as Omni-Path's Traffic
            Flow Optimization does.
        congestion_control: parameters that differ from their defaults: `threshold`, `marking_rate`,
            `packet_size` [bytes], `increase`, `limit`, `least`, `timer` [s] and `step`; off unless given.
        multipath: `none`; or among a receiver's LIDs, for each message, `by-message`, `by-peer` or `by-hash`.
        switch_latency: from a header's arrival at a switch to its departure [s].
        cable_length: of every cable [m], at 5 ns/m.
        host_efficiency: the part of its link's rate that a host can use.
        hop_limit: a packet that has crossed so many switches is discarded.
        circles: whether flows whose tables lead them in circles are simulated, too.
        record: whether a note of every message is kept, for the result's `messages` (40 bytes each).
        interval: of the result's `utilisation` [s]; none is kept unless given.

    Raises:
        LacisError: when traffic makes no sense on this fabric, its file cannot be read, the tables lead flows in
            circles, or the machine has too little memory.
    """
    moving = _moving(adaptive, ar_algorithm, ar_threshold, ar_frequency, ar_period, lost_route_only)
    rules = Lanes(lanes=lanes, sl2vl=sl2vl, vlarb_high=vlarb_high, vlarb_low=vlarb_low, high_limit=high_limit)
    first = Workload(
        traffic=traffic,
        test=test,
        size=size,
        count=count,
        window=window,
        load=load,
        duration=duration,
        sl=sl,
        ranks_per_host=ranks_per_host,
        local_rate=local_rate,
        hosts=participants(routes, host_order="name") if hosts is None else hosts,
    )
    others = (work if work.hosts else dataclasses.replace(work, hosts=first.hosts) for work in also)
    workloads = []
    for work in (first, *others):
        with listed(work.traffic) as (_, text):
            _core.check_workload(work, text, patterns=patterns)
            workloads.append((work, text))
    return _core.simulate(
        routes,
        workloads,
        patterns=patterns,
        seed=seed,
        device=device,
        mtu=mtu,
        buffer=buffer,
        queues=queues,
        adaptive=adaptive,
        moving=moving,
        cuts=list(cuts),
        quality=rules.to_core(preempt=preempt),
        slowing=_slowing(congestion_control),
        multipath=multipath,
        switch_latency=switch_latency,
        cable_length=cable_length,
        host_efficiency=host_efficiency,
        hop_limit=hop_limit,
        circles=circles,
        record=record,
        interval=interval,
        memory=_free_memory(),
    )


def _moving(
    adaptive: str,
    algorithm: int | None,
    threshold: int | None,
    frequency: int | None,
    period: float | None,
    lost_route_only: bool,
) -> dict[str, int | float | bool | None] | None:
    """Omni-Path's adaptive routing, as the core takes it."""
    if adaptive != "omni-path":
        if lost_route_only or not (algorithm is threshold is frequency is period is None):
            raise LacisError(f"settings of --adaptive omni-path with --adaptive {adaptive}")
        return None
    return {
        "algorithm": algorithm,
        "threshold": threshold,
        "frequency": frequency,
        "period": period,
        "lost_route_only": lost_route_only,
    }


def _slowing(given: Mapping[str, float] | None) -> dict[str, float | int] | None:
    """All parameters of congestion control."""
    if given is None:
        return None
    known = dict(_core.congestion_control())
    if unknown := sorted(set(given) - set(known)):
        raise LacisError(f'no parameter "{unknown[0]}" of congestion control (there are {", ".join(known)})')
    return {
        key: value if key in ("timer", "step") else int(value) for key, value in {**known, **given}.items()
    }


def _free_memory() -> int | None:
    """Memory that can be had without swapping [bytes]; none where the system does not tell."""
    try:
        with Path("/proc/meminfo").open(encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None
