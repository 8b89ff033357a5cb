"""What a link carries at a rate."""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING

import numpy as np

from .. import _core

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from .._core import Fabric


def speeds_of(rates: Iterable[str | None]) -> list[float | None]:
    """The payload of one direction at each rate [GB/s]; none where the rate is."""
    return [None if rate is None else _speed(rate) for rate in rates]


def bytes_per_second(fabric: Fabric) -> NDArray[np.float64]:
    """The payload of one direction of each cable, in the order of `cables` [bytes/s]; NaN where the rate is not known."""
    names, of_cables = fabric.cable_rates()
    speeds = speeds_of(None if name == "unknown" else name for name in names)
    values = np.array([np.nan if speed is None else speed * 1e9 for speed in speeds], np.float64)
    return values[of_cables] if len(of_cables) else np.zeros(0)


@functools.cache
def _speed(rate: str) -> float:
    """The payload at a rate such as `4xHDR`, as the engine says of two switches that are joined at it."""
    summary = json.loads(_core.health_json(_core.generate_fabric(f"chain:2:rate={rate}")))["summary"]
    (links,) = summary["links_by_rate"]
    speed: float = links["bytes_per_second"]
    return speed / 1e9
