"""What a link carries at a rate."""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING

from .. import _core

if TYPE_CHECKING:
    from collections.abc import Iterable


def speeds_of(rates: Iterable[str | None]) -> list[float | None]:
    """The payload of one direction at each rate [GB/s]; none where the rate is."""
    return [None if rate is None else _speed(rate) for rate in rates]


@functools.cache
def _speed(rate: str) -> float:
    """The payload at a rate such as `4xHDR`, as the engine says of two switches that are joined at it."""
    summary = json.loads(_core.health_json(_core.generate_fabric(f"chain:2:rate={rate}")))["summary"]
    (links,) = summary["links_by_rate"]
    speed: float = links["bytes_per_second"]
    return speed / 1e9
