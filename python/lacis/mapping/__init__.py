"""Ranks in another order on the hosts of a job: less on the most loaded link, then fewer bytes over the higher tiers."""

from __future__ import annotations

from .hostfile import Seats, read_seats, seats_of
from .matrix import matrix, read_matrix
from .order import Permutation, permute
from .patterns import collective, mesh, stencil

__all__ = [
    "Permutation",
    "Seats",
    "collective",
    "matrix",
    "mesh",
    "permute",
    "read_matrix",
    "read_seats",
    "seats_of",
    "stencil",
]
