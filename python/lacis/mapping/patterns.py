"""What ranks send each other, by pattern: grids, the groups of a training job, collectives."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..errors import LacisError
from ..ranks.participants import participants_of
from ..requests.demands import Demands

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from .._core import Fabric
    from .hostfile import Seats

MOST_RANKS = 4_000_000
MOST_ROWS = 50_000_000
"""Pairs of ranks that a pattern may have."""

GROUPS = {
    "tp": ("ring", 8_000_000_000),
    "cp": ("ring", 2_000_000_000),
    "ep": ("alltoall", 2_000_000_000),
    "pp": ("chain", 200_000_000),
    "dp": ("ring", 1_000_000_000),
}
"""Group of a training job → what its ranks do, and the bytes of a step that are assumed: an allreduce as a ring, an all-to-all, or
sending to the next stage and back."""


def stencil(sizes: Sequence[int], size: int = 1_000_000, *, periodic: bool = False) -> Demands:
    """Neighbours on a grid exchange halos.

    Args:
        sizes: points along each dimension, the last fastest.
        size: of a halo [bytes].
        periodic: whether the first and the last along a dimension are neighbours.

    Raises:
        LacisError: when the grid is none.
    """
    grid = _checked(tuple(sizes), "a grid")
    ranks = np.arange(math.prod(grid), dtype=np.int64).reshape(grid)
    rows = []
    for axis, length in enumerate(grid):
        if length < 2:
            continue
        low, high = np.split(ranks, [length - 1], axis=axis)[0], np.split(ranks, [1], axis=axis)[1]
        rows.append((low.ravel(), high.ravel()))
        if periodic:
            ends = np.take(ranks, [length - 1], axis=axis), np.take(ranks, [0], axis=axis)
            rows.append((ends[0].ravel(), ends[1].ravel()))
    pairs = [(a, b, size) for low, high in rows for a, b in ((low, high), (high, low))]
    return _demands(ranks.size, pairs, grid=grid)


def mesh(groups: Mapping[str, tuple[int, int | None]]) -> Demands:
    """The groups of a training job, the first of which has neighbouring ranks.

    Args:
        groups: by name (`tp`, `cp`, `ep`, `pp`, `dp`) how many ranks a group has, and the bytes that each rank gives to the group's
            operation in a step; assumed where there are none.

    Raises:
        LacisError: when a name is unknown or a size is none.
    """
    for name in groups:
        if name not in GROUPS:
            raise LacisError(f"no group of a training job: there are {', '.join(GROUPS)}", text=name)
    sizes = _checked(tuple(size for size, _ in groups.values()), "a mesh")
    # The first group is the fastest, as frameworks number ranks.
    grid = tuple(reversed(sizes))
    ranks = np.arange(math.prod(grid), dtype=np.int64).reshape(grid)
    pairs: list[tuple[NDArray[Any], NDArray[Any], int]] = []
    assumed = []
    for axis, (name, (length, given)) in zip(range(len(grid) - 1, -1, -1), groups.items(), strict=True):
        kind, usual = GROUPS[name]
        if given is None:
            assumed.append((name, usual))
        if length > 1:
            pairs += _group(ranks, axis, kind, usual if given is None else given)
    return _demands(ranks.size, pairs, grid=grid, assumed=tuple(assumed))


def _group(
    ranks: NDArray[Any], axis: int, kind: str, size: int
) -> list[tuple[NDArray[Any], NDArray[Any], int]]:
    """What each group along an axis sends."""
    length = ranks.shape[axis]
    shifted = [np.roll(ranks, -distance, axis=axis).ravel() for distance in range(length)]
    own = shifted[0]
    if kind == "ring":
        return [(own, shifted[1], 2 * (length - 1) * size // length)]
    if kind == "alltoall":
        if ranks.size * length > MOST_ROWS:
            raise LacisError(f"a mesh with more than {MOST_ROWS:,} pairs of ranks")
        return [(own, other, size // length) for other in shifted[1:]]
    low, high = np.split(ranks, [length - 1], axis=axis)[0], np.split(ranks, [1], axis=axis)[1]
    return [(low.ravel(), high.ravel(), size), (high.ravel(), low.ravel(), size)]


def collective(
    fabric: Fabric, seats: Seats, program: str, size: int = 1_000_000, listed: str = ""
) -> Demands:
    """What ranks send each other in all phases of a message program together.

    Args:
        fabric: the fabric.
        seats: where the ranks run that take part, all of them.
        program: as `--traffic` names it: `allreduce:ring`, `alltoall:bruck`, `trace:PATH`.
        size: what the program makes of it [bytes].
        listed: the text of the file that a trace names.

    Raises:
        LacisError: when there is no such program, it does not fit the ranks, or its messages depend on where ranks run.
    """
    if _core.traffic_kind(program)[0] != "program":
        raise LacisError("a pattern of hosts, not of ranks: a collective is expected", text=program)
    if program.startswith("nccl-"):
        raise LacisError(
            "NCCL orders the ranks of its rings and trees by their hosts: another order changes nothing",
            text=program,
        )
    hosts = participants_of(fabric, seats.hosts)
    given = np.asarray(seats.host, dtype=np.uint32)
    return Demands(len(given), *_core.program_demands(hosts, given, program, size, listed))


def _checked(sizes: tuple[int, ...], what: str) -> tuple[int, ...]:
    if not sizes or min(sizes) < 1:
        raise LacisError(f"{what} has sizes from 1 on", text="x".join(map(str, sizes)))
    if math.prod(sizes) > MOST_RANKS:
        raise LacisError(f"{what} of more than {MOST_RANKS:,} ranks", text="x".join(map(str, sizes)))
    return sizes


def _demands(
    ranks: int,
    pairs: Sequence[tuple[NDArray[Any], NDArray[Any], int]],
    *,
    grid: tuple[int, ...],
    assumed: tuple[tuple[str, int], ...] = (),
) -> Demands:
    empty = np.zeros(0, dtype=np.int64)
    source = np.concatenate([empty, *(a for a, _, _ in pairs)]).astype(np.uint32)
    destination = np.concatenate([empty, *(b for _, b, _ in pairs)]).astype(np.uint32)
    sizes = np.concatenate([empty, *(np.full(len(a), size) for a, _, size in pairs)]).astype(np.uint64)
    return Demands(ranks, source, destination, sizes, grid=grid, assumed=assumed)
