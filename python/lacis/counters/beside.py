"""The rows of two sweeps side by side: which ports both have, and their columns in one order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from .readings import Readings

_T = TypeVar("_T", bound=np.generic)


@dataclass(frozen=True)
class Side:
    """Where the rows of one side are among the rows of both."""

    at: NDArray[np.intp] | None
    has: NDArray[np.bool_]

    def put(self, column: NDArray[_T]) -> NDArray[_T]:
        """A column of this side among the rows of both, with zeros where it has none."""
        if self.at is None:
            return column
        whole = np.zeros(len(self.has), column.dtype)
        whole[self.at] = column
        return whole

    def of(self, columns: Mapping[str, NDArray[_T]], name: str, kind: type[_T]) -> NDArray[_T]:
        """A counter's column; zeros where this side does not have it."""
        return self.put(columns[name]) if name in columns else np.zeros(len(self.has), kind)


@dataclass(frozen=True)
class Rows:
    """The ports that either of two stretches has, and their rows in each."""

    keys: NDArray[np.void]
    before: Side
    after: Side
    both: NDArray[np.bool_]

    @classmethod
    def of(cls, before: Readings, after: Readings) -> Rows:
        """The rows of two sweeps, each by GUID, port and plane."""
        one, two = before.keys, after.keys
        if len(one) == len(two) and (one == two).all():
            all_rows = np.ones(len(one), np.bool_)
            side = Side(None, all_rows)
            return cls(one, side, side, all_rows)
        keys = np.union1d(one, two)
        sides = _side(keys, one), _side(keys, two)
        return cls(keys, *sides, sides[0].has & sides[1].has)


def _side(keys: NDArray[np.void], own: NDArray[np.void]) -> Side:
    at = np.searchsorted(keys, own)
    has = np.zeros(len(keys), np.bool_)
    has[at] = True
    return Side(at, has)
