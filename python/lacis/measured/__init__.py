"""Results of measurements, and of models, as tables of one schema: read, kept as runs, compared.

>>> from lacis import measured
>>> store = measured.Store("results")                                # doctest: +SKIP
>>> run = store.add(measured.read(["nxn.out"]), name="before")       # doctest: +SKIP
>>> measured.compare(store.values("before"), store.values("after"))  # doctest: +SKIP

All of it needs polars: `pip install 'lacis[results]'`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..documents.results import Difference
    from .comparison import compare
    from .hosts import Naming, classify, name_hosts, name_ranks
    from .over_time import History, history
    from .reading import read
    from .results import COLUMNS, Note, Results, modelled
    from .store import Run, Store

__all__ = [
    "COLUMNS",
    "Difference",
    "History",
    "Naming",
    "Note",
    "Results",
    "Run",
    "Store",
    "classify",
    "compare",
    "history",
    "modelled",
    "name_hosts",
    "name_ranks",
    "read",
]

_WHERE = {
    "comparison": ("compare",),
    ".documents.results": ("Difference",),
    "over_time": ("history", "History"),
    "hosts": ("Naming", "classify", "name_hosts", "name_ranks"),
    "reading": ("read",),
    "results": ("COLUMNS", "Note", "Results", "modelled"),
    "store": ("Run", "Store"),
}
_FOUND = {name: module for module, names in _WHERE.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _FOUND:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_FOUND[name]}", __name__), name)
