"""What measurements show of a fabric: which flows fall short of what the tables let expect, and why.

>>> from lacis import explain, measured, read, route
>>> fabric = read("my.fabric")                                  # doctest: +SKIP
>>> run = measured.Store("results").values("latest")            # doctest: +SKIP
>>> found = explain.explain(route(fabric, "ftree"), run)        # doctest: +SKIP

`structure` takes measured pairs apart without tables or fabric: groups of hosts, kinds of pairs, hosts that stand out.

All of it needs polars: `pip install 'lacis[results]'`.
"""

from __future__ import annotations

from ..documents.explain import Partly, Suspect
from ..documents.series import Series
from .counters import counted
from .culprits import Culprits, Found
from .figures import write_figures
from .flows import Explanation, explain
from .series import Chosen, choose, series
from .structure import Leaves, Structure, leaves_of_most, structure, structure_of_most
from .tables import WhichTables, which_tables

__all__ = [
    "Chosen",
    "Culprits",
    "Explanation",
    "Found",
    "Leaves",
    "Partly",
    "Series",
    "Structure",
    "Suspect",
    "WhichTables",
    "choose",
    "counted",
    "explain",
    "leaves_of_most",
    "series",
    "structure",
    "structure_of_most",
    "which_tables",
    "write_figures",
]
