"""`opafm.xml`, the configuration of the Omni-Path fabric manager: what it says, in words, and what a change does."""

from __future__ import annotations

import dataclasses
import os
from typing import TYPE_CHECKING

import msgspec

from .. import _core
from ..facts.found.settings import SettingFinding
from ..io.files import reading

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._core import Opafm, Routes
    from ..model.simulation import Adaptive, Device
    from ..requests.workload import Workload

ALGORITHMS = ("Random", "Greedy", "GreedyRandom")
PERIOD = _core.adaptive_settings(0, 0)[1]
"""Least time between two adjustments at ARFrequency 0 [s]."""
SCALED = 1e-4
"""Least time between two adjustments in simulations, which are shorter than `PERIOD` [s]."""
OPA100 = "opa100"
"""The device whose switches know no FineGrained."""
_CHOOSES = ("any port", "the port of least load", "one at random among the ports of least load")
_STUDENT = (12.71, 4.31, 3.19, 2.78, 2.58, 2.45, 2.37, 2.31, 2.27)
"""Student's t for 95 %, by degrees of freedom from 1; the last holds for more, which is on the safe side."""


def congested_from(threshold: int) -> int:
    """Return how full a lane's buffer is when its port counts as congested [%]; 0, the firmware's default, means 3."""
    return _core.adaptive_settings(threshold, 0)[0]


@dataclasses.dataclass(frozen=True)
class Settings:
    """Adaptive routing as it holds for an instance of the manager.

    Attributes:
        enable: whether switches move routes.
        lost_route_only: whether only for lost links.
        algorithm: 0 Random, 1 Greedy, 2 GreedyRandom.
        frequency: 0 to 7: at most once in 64 ms × 2^n.
        threshold: 0 to 7: the greater, the sooner a port counts as congested.
        fine_grained: whether newer switches than OPA100's choose a port for each packet.
    """

    enable: bool = False
    lost_route_only: bool = False
    algorithm: int = 2
    frequency: int = 0
    threshold: int = 3
    fine_grained: bool = False

    def words(self) -> list[str]:
        """What it means, in sentences."""
        if not self.enable:
            return ["Adaptive routing is off: routes stay as the manager programs them."]
        chooses = f"Algorithm {self.algorithm} ({ALGORITHMS[self.algorithm]}): a LID moves to {_CHOOSES[self.algorithm]}, of those on a shortest path."
        often = f"ARFrequency {self.frequency}: a switch adjusts routes at most every {PERIOD * 2**self.frequency * 1e3:g} ms."
        newer = []
        if self.fine_grained:
            newer = ["FineGrained: newer switches choose a port for each packet; OPA100's know no such tag."]
        if self.lost_route_only:
            return [
                "Adaptive routing is on, for lost links alone: congestion moves no route.",
                chooses,
                often,
                *newer,
            ]
        default = ", the firmware's default, taken for 3" if self.threshold == 0 else ""
        sooner = f"Threshold {self.threshold}{default} = above {congested_from(self.threshold)} %: a lane of a port counts as congested when its buffer is filled so far."
        return ["Adaptive routing is on, for lost links and for congestion.", chooses, often, sooner, *newer]

    def block(self) -> str:
        """The block `<AdaptiveRouting>`, to paste into `<Sm>`."""
        return _core.opafm_block(**dataclasses.asdict(self))

    def simulated(self, period: float = PERIOD, device: str = OPA100) -> Adaptive:
        """Return adaptive routing of the packet model, with `period` [s] between adjustments at ARFrequency 0."""
        from ..model.simulation import Adaptive

        if not self.enable:
            return Adaptive()
        if self.fine_grained and device != OPA100:
            return Adaptive(how="least")
        return Adaptive(
            how="omni-path",
            algorithm=self.algorithm,
            threshold=self.threshold,
            period=period * 2**self.frequency,
            lost_route_only=self.lost_route_only,
        )


@dataclasses.dataclass(frozen=True)
class Change:
    """A value that two files have differently.

    Attributes:
        path: the element, as `Common/Sm/Lmc`.
        old: the value in the first file; none where it is not there.
        new: the value in the second.
    """

    path: str
    old: str | None
    new: str | None


def read(path: str | os.PathLike[str]) -> Opafm:
    """Read an `opafm.xml`.

    Raises:
        LacisError: when it cannot be read, is not well-formed, or is something else.
    """
    with reading(path) as data:
        return _core.read_opafm(data)


def settings(file: Opafm, instance: int = 0) -> Settings:
    """Return adaptive routing as it holds for an instance, from 0."""
    return Settings(**file.adaptive(instance)._asdict())


def findings(file: Opafm) -> list[SettingFinding]:
    """Return what is wrong with a file, in its order."""
    return msgspec.json.decode(file.findings_json(), type=list[SettingFinding])


def changes(old: Opafm, new: Opafm) -> list[Change]:
    """Return the values that mean something else, in the order of the first file, then of the second.

    Of a value that is given twice the last counts, as for the manager.
    """
    before, after = (
        {path: (value, meaning) for path, value, meaning in file.values() if value} for file in (old, new)
    )
    none = (None, None)
    found = [
        (path, before.get(path, none), after.get(path, none)) for path in dict.fromkeys([*before, *after])
    ]
    return [Change(path, was[0], now[0]) for path, was, now in found if was[1] != now[1]]


def engine(file: Opafm, instance: int = 0) -> str:
    """Return the routing algorithm that holds for an instance, from 0; `shortestpath` where the file has none."""
    return dict(file.settings(instance)).get("Sm/RoutingAlgorithm") or "shortestpath"


@dataclasses.dataclass(frozen=True)
class Estimate:
    """A figure over several seeds.

    Attributes:
        mean: over the seeds.
        margin: half of the interval that holds the mean with 95 %; none of one seed.
    """

    mean: float
    margin: float | None

    @classmethod
    def of(cls, values: Sequence[float]) -> Estimate:
        """Return the mean and its margin."""
        n = len(values)
        mean = sum(values) / n
        if n < 2:
            return cls(mean, None)
        spread = (sum((value - mean) ** 2 for value in values) / (n - 1)) ** 0.5
        return cls(mean, _STUDENT[min(n - 2, len(_STUDENT) - 1)] * spread / n**0.5)


@dataclasses.dataclass(frozen=True)
class WhatIf:
    """What a change of settings does to traffic in the packet model.

    Attributes:
        seeds: how many runs of each; run by run both have the same seed.
        period: between adjustments at ARFrequency 0 [s].
        before: by figure of `FIGURES`: `total`, what all flows get together, `mean` and `least`, what one gets [bytes/s],
            `time` of a run [s], `moved` LIDs.
        after: the same with the new settings.
        change: after less before, seed by seed.
        discarded: packets that were discarded, before and after.
        deadlocks: runs that ended in one, before and after.
    """

    seeds: int
    period: float
    before: dict[str, Estimate]
    after: dict[str, Estimate]
    change: dict[str, Estimate]
    discarded: tuple[int, int]
    deadlocks: tuple[int, int]


FIGURES = ("total", "mean", "least", "time", "moved")


def whatif(
    routes: Routes,
    old: Settings,
    new: Settings,
    traffic: Workload,
    *,
    device: Device | str = "opa100",
    seeds: int = 5,
    period: float = SCALED,
    progress: Callable[[int, int], object] = lambda _done, _all: None,
) -> WhatIf:
    """Simulate traffic under old settings and new ones, with several seeds.

    Args:
        routes: the tables.
        old: the settings before.
        new: the settings after.
        traffic: what is sent.
        device: switches and adapters.
        seeds: how many, from 1.
        period: between adjustments at ARFrequency 0 [s]; 64 ms in switches, which is longer than most simulations.
        progress: called with the number of runs that are done, and their total.
    """
    from ..model.simulation import simulate

    name = device if isinstance(device, str) else device.name
    got: list[dict[str, list[float]]] = [{name: [] for name in FIGURES} for _ in range(2)]
    discarded, deadlocks = [0, 0], [0, 0]
    for seed in range(1, seeds + 1):
        for side, chosen in enumerate((old, new)):
            progress(2 * (seed - 1) + side, 2 * seeds)
            run = simulate(routes, traffic, seed=seed, device=device, adaptive=chosen.simulated(period, name))
            flows = run.bandwidths()
            took = float(run.times().sum())
            values = {
                "total": run.payload / took if took else 0.0,
                "mean": float(flows.mean()) if len(flows) else 0.0,
                "least": float(flows.min()) if len(flows) else 0.0,
                "time": took,
                "moved": float(run.moved.lids),
            }
            for name, value in values.items():
                got[side][name].append(value)
            discarded[side] += run.packets.discarded
            deadlocks[side] += run.deadlock is not None
    before, after = ({name: Estimate.of(values) for name, values in side.items()} for side in got)
    change = {
        name: Estimate.of([b - a for a, b in zip(got[0][name], got[1][name], strict=True)])
        for name in FIGURES
    }
    return WhatIf(
        seeds, period, before, after, change, (discarded[0], discarded[1]), (deadlocks[0], deadlocks[1])
    )
