"""What a set of tables does with a fabric: pairs, credit loops, balance, bandwidth."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from .. import _core
from ..engines import OURS
from ..opensm import judged
from ..prediction import participants

if TYPE_CHECKING:
    from .._core import Fabric, Prediction, Routes
    from .variants import Variant

# Work per engine is bounded by flows, so that a report on 10,000 nodes still takes seconds.
FLOWS = 2_000_000
"""Of shifts; random bisections are fewer, as hundreds of them already give a mean to three digits."""
MOST_PATTERNS = 1000
MOST_SHIFTS = 4096
SEED = 1
POPULATIONS = ("hosts", "all")

Proofs: TypeAlias = "dict[str, dict[str, Any]]"
Predictions: TypeAlias = "tuple[dict[str, Any] | None, dict[str, Any] | None]"


@dataclass
class Outcome:
    """What a variant does with this fabric."""

    variant: Variant
    routes: Routes
    verify: dict[str, dict[str, Any]]
    bisection: dict[str, Any] | None
    shift: dict[str, Any] | None

    @property
    def label(self) -> str:
        """The variant's name, and the engine that runs where another was asked for."""
        return f"{self.variant.label} → {self.used}" if self.routes.refusals else self.variant.label

    @property
    def used(self) -> str:
        """The engine that made the tables."""
        return self.routes.engine_used

    @property
    def words(self) -> list[str]:
        """Refusals and fall-back in words."""
        said = [f"{engine} refuses: {reason}" for engine, reason in self.routes.refusals]
        if said and self.variant.engine not in OURS:
            said.append(f"OpenSM would run {self.used} instead and say so only in its log")
        return said

    @property
    def mean(self) -> float:
        """Mean relative bandwidth of random bisections, 0 where there are no flows."""
        return float(self.bisection["relative_bandwidth"]["mean"]) if self.bisection else 0.0

    @property
    def bandwidths(self) -> list[float]:
        """Random bisections, their mean and the worst of them, and shifts in the same manner."""
        found = [self.bisection, self.shift]
        return [value for it in found if it for value in (it["relative_bandwidth"]["mean"], it["worst"])]

    def rank(self) -> tuple[float, ...]:
        """Smaller is better: nothing lost, no credit loop, then bandwidth to a hundredth of the link rate, then the fullest link."""
        hosts, every = (self.verify[population] for population in POPULATIONS)
        lost = (hosts["lost"], len(hosts["credit_loops"]), len(every["credit_loops"]), every["lost"])
        return (*lost, -round(self.mean, 2), over_forced(hosts["balance"]), -self.mean)


def outcome(fabric: Fabric, variant: Variant, routes: Routes, groups: str) -> Outcome:
    """What a variant's tables do: proves them and predicts bandwidth."""
    return Outcome(variant, routes, proofs(fabric, routes), *predictions(routes, groups))


def proofs(fabric: Fabric, routes: Routes) -> Proofs:
    """By population, what the tables do for its pairs."""
    return {population: _proof(fabric, routes, population) for population in POPULATIONS}


def predictions(routes: Routes, groups: str) -> Predictions:
    """Bisections and shifts; none where there are no two hosts."""
    hosts = participants(routes, groups=groups)
    count, ports = len(hosts.hosts), hosts.num_ports
    if count < 2:
        return None, None
    patterns = max(20, min(MOST_PATTERNS, FLOWS // 2 // ports))
    step = max(1, math.ceil((count - 1) / max(16, min(MOST_SHIFTS, FLOWS // ports))))
    distances = range(1, count, step)
    spec = "shift" if step == 1 else "shift:" + ",".join(map(str, distances))
    both = _core.predict_each(routes, hosts, ["bisection", spec], patterns=patterns, seed=SEED)
    bisection, shift = map(summary, both)
    shift["words"] = (
        f"all {count - 1:,} shifts" if step == 1 else f"{len(distances):,} of {count - 1:,} shifts"
    )
    return bisection, shift


@lru_cache(maxsize=4)
def _forced(fabric: Fabric, population: str) -> dict[str, Any]:
    """What some link must carry, which is the same whatever the tables."""
    return _core.forced(_core.route(fabric, "minhop"), population)


def _proof(fabric: Fabric, routes: Routes, population: str) -> dict[str, Any]:
    result = _core.verify(routes, population)
    most, mean, links, used = result.balance
    return {
        "pairs": result.pairs,
        "lost": result.pairs - result.verdicts["delivered"],
        "avoidable": judged(result)[1],
        "verdicts": result.verdicts,
        "credit_loops": [cycle for cycle, _ in result.credit_loops],
        "balance": {
            "max": most,
            "mean": mean,
            "links": links,
            "used": used,
            "forced": _forced(fabric, population),
        },
    }


def summary(prediction: Prediction) -> dict[str, Any]:
    """A prediction's numbers."""
    values, flows = prediction.distribution()
    return {
        "patterns": prediction.num_phases,
        "flows": prediction.flows,
        "unrouted": prediction.unrouted,
        "relative_bandwidth": prediction.relative_bandwidth,
        "max_contention": prediction.max_contention,
        "worst": float(prediction.phases()["mean"].min()),
        "mean_max_contention": prediction.mean_max_contention,
        "distribution": list(zip(values.tolist(), flows.tolist(), strict=True)),
    }


def over_mean(balance: dict[str, Any]) -> float:
    """The fullest link over the mean; 0 where no link carries anything."""
    return float(balance["max"] / balance["mean"]) if balance["mean"] else 0.0


def over_forced(balance: dict[str, Any]) -> float:
    """The fullest link over what some link must carry whatever the tables; 0 where none must carry anything."""
    least = balance["forced"]["flows"]
    return float(balance["max"] / least) if least else 0.0
