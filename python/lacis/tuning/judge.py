"""What inputs for OpenSM are worth: figures of the tables that it makes, and what it does on failures."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from .. import _core
from ..documents.advice import ConfirmedMean, TunedFailures
from ..errors import RefusedError
from ..facts.gains import (
    FailuresLosePairs,
    FailuresUndefined,
    InputsLeaveLoops,
    InputsLosePairs,
    InputsUndefined,
)
from ..opensm.plugin import judged

if TYPE_CHECKING:
    from .._core import Fabric, Managed, Participants, Routes, Survey
    from ..facts.gains import InputsObjection
    from ..requests.routing import RouteOptions
    from ..results import Failing, FailureProof, Refusal

FLOWS = 1_000_000
"""Flows of the final bisections and shifts, as in `lacis report`; the search has fewer."""
LOOKED_AT = 60_000
SEED = 1
"""Seed of the bisections in the search; the final ones have other seeds."""
SEEDS = range(101, 109)
T_95 = 2.365
"""Student's t for eight means, two-sided."""


@dataclass(frozen=True)
class Figures:
    """Modelled bandwidths as shares of the link rate: a flow gets 1 / the most flows on any link of its path."""

    bisection: float
    """Mean of random bisections."""
    bisection_worst: float
    shift: float
    """Mean of the shifts."""
    shift_worst: float
    most_flows: int
    """The most flows on a link in any shift."""
    patterns: int
    distances: int


@dataclass(frozen=True)
class Tuned:
    """Inputs for OpenSM, and what they do."""

    label: str
    engine: str
    """The value of `routing_engine`."""
    options: RouteOptions
    figures: Figures
    """Figures of the tables that OpenSM makes, by the bisections and shifts of `lacis report`."""
    confirmed: ConfirmedMean | None
    """Mean of random bisections that the search has not used; None without time for it."""
    lost: int
    """Pairs of end nodes that cables join and tables do not."""
    loops: int
    """Credit loops of all end nodes."""
    undefined: bool
    """Whether OpenSM's ftree reads memory that it does not own."""
    fullest: float
    """The fullest link under all-to-all traffic of hosts, over what some link must carry whatever the tables."""
    failures: TunedFailures | None = None
    """None where none was tried."""
    refusals: list[Refusal] = field(default_factory=list)

    @property
    def objections(self) -> list[InputsObjection]:
        """Why these inputs are not for a machine in production."""
        lost = self.failures.lose if self.failures else 0
        undefined = self.failures.undefined if self.failures else 0
        found = (
            InputsLosePairs(self.lost) if self.lost else None,
            InputsLeaveLoops(self.loops) if self.loops else None,
            InputsUndefined() if self.undefined else None,
            FailuresLosePairs(lost) if lost else None,
            FailuresUndefined(undefined) if undefined else None,
        )
        return [one for one in found if one is not None]

    @property
    def accepted(self) -> bool:
        """Whether nothing is lost, before failures and after each that was tried."""
        return not self.objections


class Judge:
    """Figures of tables on one fabric."""

    def __init__(self, fabric: Fabric, traffic: Participants, seed: int = SEED) -> None:
        self.fabric = fabric
        self.traffic = traffic
        self.seed = seed
        hosts, ports = len(traffic.hosts), traffic.num_ports
        self._full = max(20, min(1000, FLOWS // ports)), max(1, math.ceil((hosts - 1) * ports / FLOWS / 2))
        self._quick = (
            max(20, min(300, LOOKED_AT // ports)),
            max(1, math.ceil((hosts - 1) * ports / LOOKED_AT / 2)),
        )

    def figures(self, routes: Routes, *, quick: bool = False, seed: int = SEED) -> Figures:
        """Bandwidths; quick ones are of fewer bisections and shifts."""
        patterns, step = self._quick if quick else self._full
        distances = range(1, len(self.traffic.hosts), step)
        spec = "shift" if step == 1 else "shift:" + ",".join(map(str, distances))
        bisection, shift = _core.predict_each(
            routes, self.traffic, ["bisection", spec], patterns=patterns, seed=seed
        )
        each, shifts = bisection.phases()["mean"], shift.phases()["mean"]
        return Figures(
            bisection.relative_bandwidth["mean"],
            float(each.min()),
            shift.relative_bandwidth["mean"],
            float(shifts.min()),
            shift.max_contention,
            patterns,
            len(distances),
        )

    def confirm(self, routes: Routes) -> ConfirmedMean:
        """The mean of bisections with seeds that the search has not used."""
        patterns, _ = self._full
        each = max(20, patterns // 4)
        means = []
        for seed in SEEDS:
            (found,) = _core.predict_each(routes, self.traffic, ["bisection"], patterns=each, seed=seed)
            means.append(found.relative_bandwidth["mean"])
        return ConfirmedMean(
            statistics.fmean(means), T_95 * statistics.stdev(means) / math.sqrt(len(means)), len(means)
        )

    @cached_property
    def forced(self) -> int:
        """What the fullest link must carry whatever the tables."""
        return _core.forced(_core.route(self.fabric, "minhop"), "hosts").flows

    def tuned(self, label: str, engine: str, options: RouteOptions, *, fallback: bool = False) -> Tuned:
        """What inputs do without failures.

        Raises:
            RefusedError: when OpenSM would fall back, unless that is asked for.
        """
        strict: RouteOptions = {**options, "fallback": fallback}
        routes = _core.route(self.fabric, engine, **strict)
        lost, loops = proof(routes)
        most = _core.verify(routes, "hosts").balance[0]
        return Tuned(
            label,
            engine,
            options,
            self.figures(routes),
            self.confirm(routes),
            lost,
            loops,
            routes.undefined,
            most / self.forced if self.forced else 0.0,
            refusals=list(routes.refusals),
        )

    def survey(self, engine: str, options: RouteOptions) -> tuple[Managed, Survey]:
        """Every failure of what OpenSM would do with these inputs."""
        managed = _core.manage(self.fabric, engine, **options)
        return managed, _core.survey(managed, self.traffic, pairs="all")


def proof(routes: Routes) -> tuple[int, int]:
    """Pairs of end nodes that cables join and tables do not, and credit loops."""
    found = _core.verify(routes, "all")
    return judged(found)[1], len(found.credit_loops)


def summed(proofs: list[FailureProof], failing: list[Failing], of: int, managed: Managed) -> TunedFailures:
    """TunedFailures, summed up.

    Args:
        proofs: of the tables after each failure that was tried.
        failing: what fails in these.
        of: how many failures there are.
        managed: the fabric while nothing fails.
    """
    counted, apart, blinded = [], 0, 0
    for after_failure, (kind, name) in zip(proofs, failing, strict=True):
        unrouted = after_failure.pairs_lost
        if unrouted:
            after, _ = managed.after([("drop" if kind == "switch" else "cut", name)])
            losses = managed.losses(after, listed=0)
            unrouted = losses.unrouted
            apart += losses.apart > 0
            if unrouted and after.seen().count(False) > (kind == "switch"):
                blinded += 1
                continue
        counted.append(
            (unrouted, after_failure.undefined, after_failure.credit_loops, after_failure.fell_back, name)
        )
    worst = max(counted, key=lambda row: row[:3], default=(0, False, 0, False, ""))
    return TunedFailures(
        len(proofs),
        of,
        sum(lost > 0 for lost, *_ in counted),
        worst[0],
        sum(loops > 0 for _, _, loops, _, _ in counted),
        sum(undefined for _, undefined, *_ in counted),
        sum(fell_back for _, _, _, fell_back, _ in counted),
        apart,
        blinded,
        worst[4] if any(worst[:3]) else "",
    )


__all__ = ["ConfirmedMean", "Figures", "Judge", "RefusedError", "Tuned", "TunedFailures", "proof", "summed"]
