"""Lacis: a fabric engineer's workbench for HPC and AI interconnects.

>>> import lacis
>>> fabric = lacis.read("fat-tree:8,2")
>>> fabric.num_switches
12
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .errors import LacisError

if TYPE_CHECKING:
    from ._core import (
        Fabric,
        Managed,
        Prediction,
        Routes,
        Simulation,
        Times,
        Trace,
        Verification,
        trace,
        verify,
    )
    from .change import manage
    from .fabric import read
    from .health import Finding, Health, examine
    from .lanes import Lanes
    from .prediction import participants, predict, times, worst_permutation
    from .routing import read_tables, route, write_tables
    from .simulation import Workload, simulate

__all__ = [
    "Fabric",
    "Finding",
    "Health",
    "LacisError",
    "Lanes",
    "Managed",
    "Prediction",
    "Routes",
    "Simulation",
    "Times",
    "Trace",
    "Verification",
    "Workload",
    "examine",
    "manage",
    "participants",
    "predict",
    "read",
    "read_tables",
    "route",
    "simulate",
    "times",
    "trace",
    "verify",
    "worst_permutation",
    "write_tables",
]

# Name → module, loaded at first use: `lacis --help` imports none of them.
_LAZY = {
    "Fabric": "._core",
    "Finding": ".health",
    "Health": ".health",
    "Lanes": ".lanes",
    "Managed": "._core",
    "Prediction": "._core",
    "Routes": "._core",
    "Simulation": "._core",
    "Times": "._core",
    "Trace": "._core",
    "Verification": "._core",
    "Workload": ".simulation",
    "examine": ".health",
    "manage": ".change",
    "participants": ".prediction",
    "predict": ".prediction",
    "read": ".fabric",
    "read_tables": ".routing",
    "route": ".routing",
    "simulate": ".simulation",
    "times": ".prediction",
    "trace": "._core",
    "verify": "._core",
    "worst_permutation": ".prediction",
    "write_tables": ".routing",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name], __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
