"""What the tables let measured flows expect, as results that a store keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..errors import LacisError
from ..measured.hosts import names_of
from ..measured.of_models import as_results, with_names

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .._core import Fabric
    from ..measured.results import Results
    from .flows import Explanation


def of_explanation(found: Explanation, facts: Mapping[str, str], fabric: Fabric) -> Results:
    """What the tables let each measured flow expect, under the name of its test.

    Raises:
        LacisError: when times were measured, which tables do not predict, or no flow has a route.
    """
    one, flows = found.series, found.flows()
    if one.unit == "s":
        raise LacisError("tables predict bandwidths, no times: nothing to keep")
    there = np.isfinite(flows["expected"]) & (flows["expected"] > 0)
    if not there.any():
        raise LacisError("there is no value to keep: no flow has a route")
    some = {name: flows[name][there] for name in ("source", "destination", "round", "expected")}
    rounds = some["round"].astype(np.int64)
    alone = rounds == np.iinfo(np.uint32).max
    columns = {
        "test": one.test,
        "what": one.what,
        "unit": one.unit,
        "statistic": one.statistic,
        "bytes": one.bytes,
        "round": np.where(alone, -1, rounds),
        "value": some["expected"],
    }
    return as_results(with_names(some, names_of(found.hosts.hosts, fabric)), columns, facts, fabric)
