"""What is different between two tables of a fabric."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _core

if TYPE_CHECKING:
    from .._core import Routes, TableDifference
    from ..requests.routing import RouteOptions


def tables(expected: Routes, found: Routes) -> TableDifference:
    """Compare two tables of one fabric, entry by entry: by switch, port and which of its LIDs."""
    return _core.table_difference(expected, found)


def lids_of(found: Routes) -> RouteOptions:
    """Options with which a manager assigns the LIDs of some tables."""
    remembered = _core.read_guid2lid(found.to_guid2lid().encode())
    widest = max((last - first for _, first, last in remembered), default=0)
    return {"guid2lid": remembered, "lmc": (widest + 1).bit_length() - 1}
