"""Runs that several reports need: given pairs in the packet model and in the fluid model."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..model.simulation import simulate
from ..requests.workload import Workload

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from .._core import Fabric, Participants, Routes, Simulation
    from ..model.simulation import Adaptive, Device
    from ..qos.lanes import Lanes


def end_lids(routes: Routes, hosts: Participants) -> NDArray[np.int64]:
    """The LIDs of the hosts' ports, in their order."""
    lids, guids = routes.lids()
    order = np.argsort(guids)
    indices = order[np.searchsorted(guids, hosts.guids(), sorter=order)]
    return lids[indices].astype(np.int64)


def text_of(hosts: Participants, pairs: NDArray[np.int64]) -> str:
    """Pairs of hosts by index, shape `(n, 2)`, as a file of pairs has them."""
    names = np.array([f'"{name}"' for name in hosts.hosts])
    return "\n".join(map(" ".join, names[pairs].tolist()))


def packets(
    routes: Routes,
    hosts: Participants,
    pairs: NDArray[np.int64],
    *,
    device: Device | str,
    also: Iterable[Workload] = (),
    adaptive: Adaptive | str = "off",
    lanes: Lanes | None = None,
    preempt: bool = False,
    **work: Any,
) -> Simulation:
    """Messages of all pairs at once, packet by packet.

    Args:
        routes: the tables.
        hosts: the senders and receivers.
        pairs: senders and receivers by index, shape `(n, 2)`.
        device: as for `lacis.simulate`.
        also: other workloads that run at the same time.
        adaptive: adaptive routing.
        lanes: of every link.
        preempt: whether lanes of high priority interrupt others.
        work: as for `lacis.Workload`.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pairs"
        path.write_text(text_of(hosts, pairs))
        first = Workload(traffic=f"file:{path}", hosts=hosts, **work)
        return simulate(
            routes, first, also=also, device=device, adaptive=adaptive, lanes=lanes, preempt=preempt
        )


def fluid(routes: Routes, hosts: Participants, pairs: NDArray[np.int64], **settings: Any) -> _core.Prediction:
    """Flows of all pairs at once, which share links max-min fairly."""
    listed = text_of(hosts, pairs)
    return _core.predict(routes, hosts, "file:pairs", listed=listed, model="fluid", patterns=1, **settings)


def mean_rate(prediction: _core.Prediction) -> float:
    """Mean rate of the flows of a fluid prediction [bytes/s]."""
    if prediction.bandwidth is None:
        raise ValueError("no rates: the model is not fluid")
    return prediction.bandwidth[0]


def ping_pong_text(pairs: NDArray[np.int64], messages: int, size: int) -> str:
    """A trace in which each pair sends messages alternately in both directions, independent of other pairs."""
    lines = []
    for number, (a, b) in enumerate(pairs.tolist()):
        for turn in range(messages):
            source, destination = (a, b) if turn % 2 == 0 else (b, a)
            phase = {"phase": f"{number}.{turn}", "source": source, "destination": destination, "bytes": size}
            lines.append(phase | {"after": [f"{number}.{turn - 1}"] if turn else []})
    return "\n".join(map(json.dumps, lines))


def fluid_ping_pong(
    routes: Routes, hosts: Participants, listed: str, *, messages: int, size: int, **settings: Any
) -> NDArray[np.float64]:
    """Bandwidth of each pair of a trace that `ping_pong_text` made [bytes/s]; settings as for `lacis.times`."""
    result = _core.times(routes, hosts, "trace:pairs", 1, listed=listed, **settings)
    spent: NDArray[np.float64] = np.asarray(result.phases()["time"]).reshape(-1, messages).sum(axis=1)
    return messages * size / spent


def busy(simulation: Simulation) -> dict[str, float]:
    """The share of the time that each link was sending, by its egress port."""
    return {egress: share for egress, _, share, _, _ in simulation.busiest(1 << 20)}


def nodes_named(fabric: Fabric, beginnings: Iterable[str]) -> list[int]:
    """The nodes whose descriptions have these beginnings, in the order of the beginnings."""
    descriptions = fabric.descriptions()
    return [n for b in beginnings for n, name in enumerate(descriptions) if name.startswith(b)]
