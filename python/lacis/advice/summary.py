"""A prediction's numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .._core import Prediction


@dataclass(frozen=True)
class Summary:
    """A prediction's numbers."""

    patterns: int
    flows: int
    unrouted: int
    skipped: int
    """Pairs left out: one of the two hosts lacks the rail."""
    relative_bandwidth: dict[str, float]
    """`mean`, `min`, `max`, `p01`, `p50` and `p99` over flows."""
    max_contention: int
    worst: float
    """Mean relative bandwidth of the worst pattern."""
    mean_max_contention: float
    distribution: list[tuple[float, int]]
    """Relative bandwidths, and how many flows have each."""
    words: str = ""
    """Which of all shifts these are; empty for bisections."""

    @property
    def mean(self) -> float:
        """Mean relative bandwidth."""
        return self.relative_bandwidth["mean"]


def summary(prediction: Prediction) -> Summary:
    """A prediction's numbers."""
    values, flows = prediction.distribution()
    return Summary(
        patterns=prediction.num_phases,
        flows=prediction.flows,
        unrouted=prediction.unrouted,
        skipped=prediction.skipped,
        relative_bandwidth=prediction.relative_bandwidth,
        max_contention=prediction.max_contention,
        worst=float(prediction.phases()["mean"].min()),
        mean_max_contention=prediction.mean_max_contention,
        distribution=list(zip(values.tolist(), flows.tolist(), strict=True)),
    )
