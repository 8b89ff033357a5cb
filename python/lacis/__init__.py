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

TYPE_CHECKING = False
# Nothing is loaded here, `typing` included: until the program's first line an interrupt would print a traceback.
if TYPE_CHECKING:
    from typing import Any

    from . import errors, results, tables
    from ._core import (
        Fabric,
        HopFile,
        Managed,
        Note,
        Participants,
        Prediction,
        Routes,
        Simulation,
        Survey,
        TableFile,
        Times,
        Trace,
        Verification,
        families,
        trace,
        verify,
    )
    from .errors import EndlessError, FallbackWarning, LacisError, MissingPackageError, RefusedError
    from .fabric.folder import FolderFabric, read_folder
    from .fabric.reading import Cabling, declare, read, read_cabling, with_counters
    from .facts.found.ends import FindingEnd
    from .facts.found.findings import Finding
    from .failures.manager import manage, survey
    from .failures.survival import survive
    from .graphs import to_networkx, to_rustworkx
    from .health.examination import Health, examine, rename, why_levels
    from .model.prediction import predict, times, worst_permutation
    from .model.simulation import Adaptive, Congestion, Device, simulate
    from .qos.lanes import Lanes
    from .ranks.participants import participants
    from .requests.routing import RouteOptions
    from .requests.traffic import Pairs
    from .requests.workload import Workload
    from .routing.files import (
        read_conf,
        read_guids,
        read_hop_file,
        read_lid_cache,
        read_port_list,
        read_table_file,
        read_torus_config,
    )
    from .routing.making import route
    from .routing.order import routing_order
    from .routing.own import FabricArrays
    from .routing.tables import read_tables, write_snapshot, write_tables
    from .tables import Table

__all__ = [
    "Adaptive",
    "Cabling",
    "Congestion",
    "Device",
    "EndlessError",
    "Fabric",
    "FabricArrays",
    "FallbackWarning",
    "Finding",
    "FindingEnd",
    "FolderFabric",
    "Health",
    "HopFile",
    "LacisError",
    "Lanes",
    "Managed",
    "MissingPackageError",
    "Note",
    "Pairs",
    "Participants",
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
    "read_cabling",
    "read_conf",
    "read_folder",
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
    "to_networkx",
    "to_rustworkx",
    "trace",
    "verify",
    "why_levels",
    "with_counters",
    "worst_permutation",
    "write_snapshot",
    "write_tables",
]

# Name → module, loaded at first use: `lacis --help` imports none of the second.
_ERRORS = ("EndlessError", "FallbackWarning", "LacisError", "MissingPackageError", "RefusedError")
_LAZY = {
    "Adaptive": ".model.simulation",
    "Congestion": ".model.simulation",
    "Device": ".model.simulation",
    "Fabric": "._core",
    "FabricArrays": ".routing.own",
    "Finding": ".facts.found.findings",
    "FindingEnd": ".facts.found.ends",
    "Health": ".health.examination",
    "HopFile": "._core",
    "Lanes": ".qos.lanes",
    "Managed": "._core",
    "Note": "._core",
    "Pairs": ".requests.traffic",
    "Prediction": "._core",
    "RouteOptions": ".requests.routing",
    "Routes": "._core",
    "Simulation": "._core",
    "Survey": "._core",
    "Table": ".tables",
    "TableFile": "._core",
    "Times": "._core",
    "Trace": "._core",
    "Participants": "._core",
    "Verification": "._core",
    "Workload": ".requests.workload",
    "declare": ".fabric.reading",
    "examine": ".health.examination",
    "families": "._core",
    "manage": ".failures.manager",
    "participants": ".ranks.participants",
    "predict": ".model.prediction",
    "Cabling": ".fabric.reading",
    "FolderFabric": ".fabric.folder",
    "read": ".fabric.reading",
    "read_cabling": ".fabric.reading",
    "read_folder": ".fabric.folder",
    "with_counters": ".fabric.reading",
    "read_conf": ".routing.files",
    "read_guids": ".routing.files",
    "read_hop_file": ".routing.files",
    "read_lid_cache": ".routing.files",
    "read_port_list": ".routing.files",
    "read_table_file": ".routing.files",
    "read_tables": ".routing.tables",
    "read_torus_config": ".routing.files",
    "rename": ".health.examination",
    "route": ".routing.making",
    "routing_order": ".routing.order",
    "simulate": ".model.simulation",
    "survey": ".failures.manager",
    "survive": ".failures.survival",
    "times": ".model.prediction",
    "to_networkx": ".graphs",
    "to_rustworkx": ".graphs",
    "trace": "._core",
    "verify": "._core",
    "why_levels": ".health.examination",
    "worst_permutation": ".model.prediction",
    "write_snapshot": ".routing.tables",
    "write_tables": ".routing.tables",
}


def __getattr__(name: str) -> Any:
    import importlib

    if name in _ERRORS:
        return getattr(importlib.import_module(".errors", __name__), name)
    if name in _LAZY:
        importlib.import_module(".notebook.views", __name__).attach()
        return getattr(importlib.import_module(_LAZY[name], __name__), name)
    if name in __all__:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
