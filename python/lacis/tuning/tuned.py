"""What a search among OpenSM's own inputs finds, as one more alternative."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import tuning
from ..advice.outcome import Outcome, outcome
from ..advice.variants import Variant
from ..routing.making import made

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._core import Fabric
    from ..advice.baseline import Baseline
    from ..requests.routing import RouteOptions


def tuned(
    fabric: Fabric, baseline: Baseline, groups: str, seconds: float, progress: Callable[[str], None]
) -> list[Outcome]:
    """What the best inputs do that keep every pair, before failures and after all that were tried; empty where there are none.

    Args:
        fabric: what is routed.
        baseline: what runs now, whose LIDs and lanes stay.
        groups: whose bisections and shifts, as for `ranks.participants`.
        seconds: how long to search.
        progress: called with the current step, in words.

    Raises:
        LacisError: when there are not two hosts, or no switch.
    """
    limits = tuning.Limits(seconds=seconds, groups=groups)
    found = tuning.tune(fabric, limits=limits, progress=progress)
    best = next((one for one in found if one.accepted), None)
    if best is None:
        return []
    options: RouteOptions = {**baseline.kept, **best.options}
    routes = made(fabric, best.engine, **options)
    return [outcome(fabric, Variant(f"{best.label}, tuned", best.engine, options), routes, groups)]
