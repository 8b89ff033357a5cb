"""Rows that documents of several commands have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._output import finite

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..documents.common import AssumedRates, RelativeBandwidth


def assumed_rates(found: tuple[int, str] | None) -> AssumedRates | None:
    """Links of unknown rate, and the rate assumed; none where every rate is known."""
    from ..documents.common import AssumedRates

    return AssumedRates(*found) if found else None


def relative_bandwidth(found: Mapping[str, float]) -> RelativeBandwidth:
    """The spread of bandwidths over flows."""
    from ..documents.common import RelativeBandwidth

    return RelativeBandwidth(**{key: finite(value) for key, value in found.items()})
