"""What ranks send each other by pattern, pair by pair, counted by hand."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from typing import TYPE_CHECKING

import pytest
from lacis.errors import LacisError
from lacis.mapping.patterns import mesh, stencil

if TYPE_CHECKING:
    from lacis.requests.demands import Demands


def sends(found: Demands) -> dict[tuple[int, int], int]:
    """Bytes by sender and receiver."""
    total: Counter[tuple[int, int]] = Counter()
    rows = zip(found.source.tolist(), found.destination.tolist(), found.bytes.tolist(), strict=True)
    for source, destination, size in rows:
        total[source, destination] += size
    return dict(total)


def both(*pairs: tuple[int, int], size: int) -> dict[tuple[int, int], int]:
    return {ends: size for a, b in pairs for ends in ((a, b), (b, a))}


def test_a_grid_exchanges_with_its_neighbours_and_where_it_is_periodic_its_ends_do() -> None:
    # Ranks 0 1 2 above 3 4 5.
    inside = [(0, 1), (1, 2), (3, 4), (4, 5), (0, 3), (1, 4), (2, 5)]
    assert sends(stencil((2, 3), 7)) == both(*inside, size=7)
    # Along the first dimension the ends are neighbours already, and are so on both sides.
    around = both(*inside, (0, 2), (3, 5), size=7) | both((0, 3), (1, 4), (2, 5), size=14)
    assert sends(stencil((2, 3), 7, periodic=True)) == around
    assert (stencil((2, 3), 7).ranks, stencil((2, 3), 7).grid) == (6, (2, 3))


def test_the_groups_of_a_training_job_send_what_their_operations_do() -> None:
    # Pairs of neighbouring ranks reduce 100 bytes as rings of two, 2 · 1 / 2 of them to each other; three stages pass on 10 bytes and back.
    found = mesh({"tp": (2, 100), "pp": (3, 10)})
    assert sends(found) == both((0, 1), (2, 3), (4, 5), size=100) | both(
        (0, 2), (2, 4), (1, 3), (3, 5), size=10
    )
    assert (found.ranks, found.grid, found.assumed) == (6, (3, 2), ())
    # A ring of four sends 2 · 3 / 4 of 100 bytes to the next; an all-to-all of four a quarter to each other one.
    assert sends(mesh({"dp": (4, 100)})) == {(rank, (rank + 1) % 4): 150 for rank in range(4)}
    assert sends(mesh({"ep": (4, 100)})) == dict.fromkeys(permutations(range(4), 2), 25)


def test_sizes_that_are_not_given_are_assumed_and_said() -> None:
    found = mesh({"tp": (1, None), "pp": (2, None)})
    # A group of one sends nothing.
    assert sends(found) == both((0, 1), size=200_000_000)
    assert found.assumed == (("tp", 8_000_000_000), ("pp", 200_000_000))
    with pytest.raises(LacisError, match="a mesh has sizes from 1 on"):
        mesh({"tp": (0, None)})
