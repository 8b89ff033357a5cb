"""Simulating what messages get, packet by packet."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from .. import _core
from ..errors import LacisError
from ..io.memory import free_memory
from ..qos.lanes import Lanes
from ..ranks.participants import participants
from ..requests.arguments import MOST, MOST_SEED, real, whole
from ..requests.workload import Workload
from .traffic import listed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .._core import Routes, Simulation
    from ..requests.traffic import Traffic


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """Switches and adapters; None means the value of the device.

    Attributes:
        name: see `lacis simulate --devices`.
        mtu: most payload of a packet [bytes].
        buffer: of each input and lane [bytes]; 0 for as much as is needed.
        queues: `fifo` (one queue an input and lane) or `virtual` (one for each output, too).
        switch_latency: from a header's arrival at a switch to its departure [s].
        cable_length: of every cable [m], at 5 ns/m.
        host_efficiency: the share of its link's rate that a host can use.
    """

    name: str = "ideal"
    mtu: int | None = None
    buffer: int | None = None
    queues: str | None = None
    switch_latency: float | None = None
    cable_length: float | None = None
    host_efficiency: float | None = None

    def __post_init__(self) -> None:
        for name, value in (("mtu", self.mtu), ("buffer", self.buffer)):
            if value is not None:
                whole(name, value, 0, 2**32 - 1)
        for name, number in (("switch_latency", self.switch_latency), ("cable_length", self.cable_length)):
            if number is not None:
                real(name, number, 0)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Adaptive:
    """Adaptive routing; all except `how` is for `omni-path`, with the defaults of its manager.

    Attributes:
        how: `off`; packet by packet, `least` (the port of a shortest path with least waiting) or `two` (the better
            of two drawn at random); or `omni-path` (now and then switches move LIDs away from congested ports).
        algorithm: 0 Random, 1 Greedy, 2 GreedyRandom (the default).
        threshold: 0 to 7 (3 is the default): the greater, the sooner a port counts as congested; from which share
            of a buffer on is `lacis.omnipath.opafm.congested_from`.
        frequency: 0 (the default) to 7: switches move LIDs every 2 ** n * 64 ms.
        period: the same time [s], for simulations that are shorter.
        lost_route_only: LIDs are moved only when their link is lost.
    """

    how: str = "off"
    algorithm: int | None = None
    threshold: int | None = None
    frequency: int | None = None
    period: float | None = None
    lost_route_only: bool = False

    def to_core(self) -> dict[str, int | float | bool | None] | None:
        """Return Omni-Path's settings as the core takes them.

        Raises:
            LacisError: when there are some and `how` is not `omni-path`.
        """
        settings = {name: value for name, value in dataclasses.asdict(self).items() if name != "how"}
        if self.how == "omni-path":
            return settings
        if any(value is not None and value is not False for value in settings.values()):
            raise LacisError(f"settings of `adaptive` omni-path with `adaptive` {self.how}")
        return None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Congestion:
    """Congestion control by FECN and BECN; None means the default: `lacis.model.simulation.congestion_defaults()`.

    Attributes:
        threshold: 0: never mark; 1 to 15: the greater, the sooner.
        marking_rate: packets left unmarked between two that are marked.
        packet_size: packets of less payload are not marked [bytes].
        increase: what a BECN adds to a sender's index.
        limit: the greatest index.
        least: the least index.
        timer: how often the index falls by one [s].
        step: by how much the wait after a packet grows with each index, over the packet's time on its link.
    """

    threshold: int | None = None
    marking_rate: int | None = None
    packet_size: int | None = None
    increase: int | None = None
    limit: int | None = None
    least: int | None = None
    timer: float | None = None
    step: float | None = None

    def to_core(self) -> dict[str, float | int]:
        """Return all parameters as the core takes them."""
        chosen = {name: value for name, value in dataclasses.asdict(self).items() if value is not None}
        parameters = {**congestion_defaults(), **chosen}
        return {
            name: value if name in ("timer", "step") else int(value) for name, value in parameters.items()
        }


def congestion_defaults() -> dict[str, float]:
    """The defaults of `Congestion`."""
    return dict(_core.congestion_control())


def simulate(
    routes: Routes,
    traffic: Workload | Traffic = "permutation",
    *,
    also: Iterable[Workload] = (),
    patterns: int = 1,
    seed: int = 1,
    device: Device | str = "ideal",
    adaptive: Adaptive | str = "off",
    lanes: Lanes | None = None,
    preempt: bool = False,
    congestion: Congestion | None = None,
    multipath: str = "none",
    cuts: Iterable[tuple[str, float]] = (),
    hop_limit: int = 64,
    circles: bool = False,
    record: bool = False,
    interval: float | None = None,
) -> Simulation:
    """Simulate the messages of a traffic pattern or a program under given tables, packet by packet.

    Ctrl-C ends it early: the result's `partial` is then true.

    Args:
        routes: the tables.
        traffic: what is sent, or the pattern or program alone.
        also: what runs at the same time. Each phase of a random pattern has its own seed; where there are fewer
            phases than `traffic` has, they repeat.
        patterns: how many, of a random pattern; each is a separate run.
        seed: of random patterns and of random choices.
        device: switches and adapters, or their name alone.
        adaptive: adaptive routing, or `Adaptive.how` alone.
        lanes: lanes of every link; as many as the tables need unless given.
        preempt: whether packets of the lanes in `lanes.vlarb_high` interrupt others on a link, as Omni-Path's
            Traffic Flow Optimization does.
        congestion: congestion control; off unless given.
        multipath: `none`; or among a receiver's LIDs, for each message, `by-message`, `by-peer` or `by-hash`.
        cuts: cables between switches that fail, by selectors as of `whatif`, and when in each run [s]. No
            tables are recomputed: switches discard packets for a cable that is cut, unless `adaptive` finds another.
        hop_limit: a packet that has crossed so many switches is discarded.
        circles: whether flows whose tables lead them in circles are simulated, too.
        record: whether every message is recorded, for the result's `messages` (40 bytes each).
        interval: of the result's `utilisation` [s]; none is kept unless given.

    Raises:
        LacisError: when traffic makes no sense on this fabric, its file cannot be read, the tables lead flows in
            circles, or the machine has too little memory.
    """
    patterns, seed = whole("patterns", patterns, 1, MOST), whole("seed", seed, 0, MOST_SEED)
    hop_limit = whole("hop_limit", hop_limit, 1, MOST)
    kind = Device(name=device) if isinstance(device, str) else device
    moving = Adaptive(how=adaptive) if isinstance(adaptive, str) else adaptive
    first = traffic if isinstance(traffic, Workload) else Workload(traffic=traffic)
    usual = first.hosts or participants(routes, host_order="name")
    workloads = []
    for work in (first, *also):
        hosts = work.hosts or usual
        with listed(work.traffic, hosts, size=work.size, ranks_per_host=work.ranks_per_host) as (spec, text):
            asked = dataclasses.replace(work, traffic=spec, hosts=hosts)
            _core.check_workload(asked, text, patterns=patterns)
            workloads.append((asked, text))
    return _core.simulate(
        routes,
        workloads,
        patterns=patterns,
        seed=seed,
        device=kind.name,
        mtu=kind.mtu,
        buffer=kind.buffer,
        queues=kind.queues,
        adaptive=moving.how,
        moving=moving.to_core(),
        cuts=list(cuts),
        lanes=(lanes or Lanes()).to_core(preempt=preempt),
        slowing=None if congestion is None else congestion.to_core(),
        multipath=multipath,
        switch_latency=kind.switch_latency,
        cable_length=kind.cable_length,
        host_efficiency=kind.host_efficiency,
        hop_limit=hop_limit,
        circles=circles,
        record=record,
        interval=interval,
        memory=free_memory(),
    )
