"""What ranks send each other in a step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Demands:
    """What ranks send each other in a step, one row for each sender and receiver.

    Attributes:
        ranks: how many ranks there are.
        source: the ranks that send, `uint32`.
        destination: the ranks that receive, `uint32`.
        bytes: what they send, `uint64`.
        unit: bytes that 1 of `bytes` stands for; 1 unless a matrix has fractions.
        grid: the grid whose points the ranks are, the last dimension fastest; empty where there is none.
        assumed: the sizes that were assumed, by name [bytes].
        passed_over: lines of a record that were not understood, or are about ranks that recorded nothing.
    """

    ranks: int
    source: NDArray[np.uint32]
    destination: NDArray[np.uint32]
    bytes: NDArray[np.uint64]
    unit: float = 1.0
    grid: tuple[int, ...] = ()
    assumed: tuple[tuple[str, int], ...] = ()
    passed_over: int = 0
