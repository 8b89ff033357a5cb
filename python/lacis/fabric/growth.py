"""Error counters since an earlier reading: how much they have grown, how fast, and whether that is too much.

The rules are those by which UFM isolates bad ports (its plugin `pdr_deterministic`): symbol errors beyond a share of the
bits that the link could have carried, judged over 12 minutes or over 125, and links that went down at both of their ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..documents.fabric import ErrorGrowth, GrownCounter

if TYPE_CHECKING:
    from .._core import Fabric

SYMBOL_ERRORS = ((7500, 1e-15), (720, 1e-14))
"""Seconds from which on, and the share of bits up to which symbol errors are tolerated; the longest first."""


def error_growth(now: Fabric, before: Fabric, since: str) -> ErrorGrowth:
    """How error counters of a fabric have changed since an earlier reading of it, which is named."""
    rows, seconds, cleared, unknown = now.error_growth(before)
    down = {port for port, _, counter, _, _ in rows if counter == "LinkDowned"}
    grown = [
        GrownCounter(
            port=port,
            far=far,
            counter=counter,
            by=by,
            per_hour=by * 3600 / seconds if seconds else None,
            beyond=far in down if counter == "LinkDowned" else _beyond(counter, by, seconds, rate),
        )
        for port, far, counter, by, rate in rows
    ]
    return ErrorGrowth(since, seconds, grown, cleared, unknown)


def _beyond(counter: str, by: int, seconds: int | None, rate: float | None) -> bool | None:
    """Whether symbol errors are more than their rule allows; none for other counters and unknown times or rates."""
    if counter != "SymbolErrors" or seconds is None or rate is None:
        return None
    tolerated = next((share for least, share in SYMBOL_ERRORS if seconds >= least), None)
    return None if tolerated is None else by > 8 * rate * seconds * tolerated
