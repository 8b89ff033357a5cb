"""What measurements tell about a fabric: which flows fall short of what the tables make expected, and why.

>>> from lacis import explain, measured, read, route
>>> fabric = read("my.fabric")                                  # doctest: +SKIP
>>> run = measured.Store("results").values("latest")            # doctest: +SKIP
>>> found = explain.explain(route(fabric, "ftree"), run)        # doctest: +SKIP

All of it needs polars: `pip install 'lacis[results]'`.
"""

from __future__ import annotations

from .flows import Explanation, Level, explain
from .series import Series, choose, series

__all__ = ["Explanation", "Level", "Series", "choose", "explain", "series"]
