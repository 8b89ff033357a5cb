"""Ranks in another order on the hosts of a job: less on the most loaded link, then fewer bytes over the higher tiers."""

from __future__ import annotations

from .algorithms import bine_allreduce
from .hostfile import Seats, read_seats, seats_of
from .inspector import read_inspector
from .matrix import matrix, read_matrix
from .order import Permutation, permute
from .patterns import collective, mesh, stencil
from .trace import Waiting, advice, read_trace

__all__ = [
    "Permutation",
    "Seats",
    "Waiting",
    "advice",
    "bine_allreduce",
    "collective",
    "matrix",
    "mesh",
    "permute",
    "read_inspector",
    "read_matrix",
    "read_seats",
    "read_trace",
    "seats_of",
    "stencil",
]
