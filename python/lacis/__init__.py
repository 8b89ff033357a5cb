"""Lacis: a fabric engineer's workbench for HPC and AI interconnects.

>>> import lacis
>>> fabric = lacis.read("fat-tree:8,2")
>>> fabric
<lacis.Fabric: switches: 12, end nodes: 32, cables: 64>
>>> lacis.verify(lacis.route(fabric, "updn")).good
True

`lacis.tables` has results as tables for polars and Arrow, `lacis.errors` the exceptions, `lacis.results` the rows of
results.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .errors import LacisError, RefusedError

if TYPE_CHECKING:
    from . import results, tables
    from ._core import (
        Fabric,
        HopFile,
        Managed,
        Prediction,
        Routes,
        Simulation,
        Survey,
        TableFile,
        Times,
        Trace,
        Traffic,
        Verification,
        families,
        trace,
        verify,
    )
    from .change import (
        manage,
        survey,
    )
    from .fabric import (
        declare,
        read,
    )
    from .health import (
        Finding,
        FindingEnd,
        Health,
        examine,
        rename,
        why_levels,
    )
    from .lanes import (
        Lanes,
    )
    from .prediction import (
        participants,
        predict,
        times,
        worst_permutation,
    )
    from .routing import (
        RouteOptions,
        read_conf,
        read_guids,
        read_hop_file,
        read_lid_cache,
        read_port_list,
        read_table_file,
        read_tables,
        read_torus_config,
        route,
        routing_order,
        write_snapshot,
        write_tables,
    )
    from .simulation import (
        Adaptive,
        Congestion,
        Device,
        Workload,
        simulate,
    )
    from .survival import (
        survive,
    )
    from .tables import (
        Table,
    )

__all__ = [
    "Adaptive",
    "Congestion",
    "Device",
    "Fabric",
    "Finding",
    "FindingEnd",
    "Health",
    "HopFile",
    "LacisError",
    "Lanes",
    "Managed",
    "Prediction",
    "RefusedError",
    "RouteOptions",
    "Routes",
    "Simulation",
    "Survey",
    "Table",
    "TableFile",
    "Times",
    "Trace",
    "Traffic",
    "Verification",
    "Workload",
    "declare",
    "errors",
    "examine",
    "families",
    "manage",
    "participants",
    "predict",
    "read",
    "read_conf",
    "read_guids",
    "read_hop_file",
    "read_lid_cache",
    "read_port_list",
    "read_table_file",
    "read_tables",
    "read_torus_config",
    "rename",
    "results",
    "route",
    "routing_order",
    "simulate",
    "survey",
    "survive",
    "tables",
    "times",
    "trace",
    "verify",
    "why_levels",
    "worst_permutation",
    "write_snapshot",
    "write_tables",
]

# Name → module, loaded at first use: `lacis --help` imports none of them.
_LAZY = {
    "Adaptive": ".simulation",
    "Congestion": ".simulation",
    "Device": ".simulation",
    "Fabric": "._core",
    "Finding": ".health",
    "FindingEnd": ".health",
    "Health": ".health",
    "HopFile": "._core",
    "Lanes": ".lanes",
    "Managed": "._core",
    "Prediction": "._core",
    "RouteOptions": ".routing",
    "Routes": "._core",
    "Simulation": "._core",
    "Survey": "._core",
    "Table": ".tables",
    "TableFile": "._core",
    "Times": "._core",
    "Trace": "._core",
    "Traffic": "._core",
    "Verification": "._core",
    "Workload": ".simulation",
    "declare": ".fabric",
    "examine": ".health",
    "families": "._core",
    "manage": ".change",
    "participants": ".prediction",
    "predict": ".prediction",
    "read": ".fabric",
    "read_conf": ".routing",
    "read_guids": ".routing",
    "read_hop_file": ".routing",
    "read_lid_cache": ".routing",
    "read_port_list": ".routing",
    "read_table_file": ".routing",
    "read_tables": ".routing",
    "read_torus_config": ".routing",
    "rename": ".health",
    "route": ".routing",
    "routing_order": ".routing",
    "simulate": ".simulation",
    "survey": ".change",
    "survive": ".survival",
    "times": ".prediction",
    "trace": "._core",
    "verify": "._core",
    "why_levels": ".health",
    "worst_permutation": ".prediction",
    "write_snapshot": ".routing",
    "write_tables": ".routing",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name], __name__), name)
    if name in __all__:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
