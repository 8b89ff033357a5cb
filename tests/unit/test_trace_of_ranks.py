"""The file of Lacis' tracer: what ranks sent, collective by collective, and where they waited; figures by hand."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
from lacis.errors import LacisError
from lacis.facts import mapping as facts
from lacis.mapping.trace import SCHEMA, Waiting, advice, read_trace

if TYPE_CHECKING:
    from pathlib import Path

    from lacis.mapping.order import Permutation
    from lacis.requests.demands import Demands


def rank(number: int, **more: Any) -> dict[str, Any]:
    return {"rank": number, "host": "a", "calls": [], "sent": [], "collectives": [], **more}


def read(folder: Path, *ranks: dict[str, Any], seconds: float = 10) -> tuple[Demands, Waiting]:
    trace = {"schema": SCHEMA, "ranks": len(ranks), "seconds": seconds, "threaded": False, "of": ranks}
    file = folder / "trace.json"
    file.write_text(json.dumps(trace))
    return read_trace(file)


def sends(found: Demands) -> list[tuple[int, int, int]]:
    rows = zip(found.source.tolist(), found.destination.tolist(), found.bytes.tolist(), strict=True)
    return sorted((a, b, size) for a, b, size in rows if a != b)


RING = [(0, 1), (1, 2), (2, 3), (3, 0)]
# The binomial tree from rank 0: to 1, 2 and, by 2, to 3.
TREE = [(0, 1), (0, 2), (2, 3)]
ALL = [(a, b) for a in range(4) for b in range(4) if a != b]


@pytest.mark.parametrize(
    ("kind", "pairs", "size"),
    [
        ("allreduce", RING, 1200),  # 2 · 3 / 4 of 800
        ("allgather", RING, 2400),  # the own 800 and those of two others
        ("reduce_scatter", RING, 2400),  # three times the part of 800 that each rank keeps
        ("alltoall", ALL, 800),
        ("broadcast", TREE, 800),
        ("reduce", [(b, a) for a, b in TREE], 800),
        ("gather", [(1, 0), (2, 0), (3, 0)], 800),
        ("scatter", [(0, 1), (0, 2), (0, 3)], 800),
        ("barrier", [], 0),
    ],
)
def test_collectives_count_as_messages(
    tmp_path: Path, kind: str, pairs: list[tuple[int, int]], size: int
) -> None:
    group = {"kind": kind, "calls": 1, "bytes": 800, "ranks": [0, 1, 2, 3]}
    found, _ = read(tmp_path, rank(0, collectives=[group]), rank(1), rank(2), rank(3))
    assert sends(found) == sorted((a, b, size) for a, b in pairs)


def test_messages_count_as_they_are_and_two_ranks_are_a_communicator(tmp_path: Path) -> None:
    pair = {"kind": "allreduce", "calls": 1, "bytes": 10, "ranks": [0, 1]}
    alone = {"kind": "allreduce", "calls": 1, "bytes": 10, "ranks": [1]}
    found, _ = read(tmp_path, rank(0, sent=[[1, 7, 1]], collectives=[pair]), rank(1, collectives=[alone]))
    assert sends(found) == [(0, 1, 7), (0, 1, 10), (1, 0, 10)]
    # The most that is taken.
    most, _ = read(tmp_path, rank(0, sent=[[1, 2**60, 1]]), rank(1))
    assert sends(most) == [(0, 1, 2**60)]


@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        ([2, 1, 1], "rank 0 of the trace names a rank that does not exist"),
        ([-1, 1, 1], "rank 0 of the trace names a rank that does not exist"),
        ([1, -1, 1], "rank 0 of the trace has a size that is none"),
        ([1, 2**60 + 1, 1], "rank 0 of the trace has a size that is none"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, sent: list[int], reason: str) -> None:
    with pytest.raises(LacisError, match=reason):
        read(tmp_path, rank(0, sent=[sent]), rank(1))


def test_ranks_wait_as_long_as_their_mean_in_the_calls_that_are_asked_for(tmp_path: Path) -> None:
    calls = [["send", True, 1, 0, 4.0], ["send", False, 1, 0, 2.0], ["barrier", True, 1, 0, 1.0]]
    _, waiting = read(tmp_path, rank(0, calls=calls), rank(1, calls=[["receive", True, 1, 0, 2.0]]))
    assert waiting.run == 10
    assert waiting.seconds("send") == 3.0
    assert waiting.seconds("send", "receive", blocking=True) == 3.0
    assert waiting.seconds("send", blocking=False) == 1.0
    assert waiting.seconds("wait") == 0


def test_advice_says_what_calls_cost_and_how_far_neighbours_are_apart() -> None:
    inside = {("barrier", True): 2.5, ("send", True): 1.0, ("receive", True): 1.0, ("wait", True): 0.5}
    waiting = Waiting(10, inside)
    # Of 10 bytes in the order given 7 go between leaves, and 1 in the one that was found.
    given, chosen = (
        SimpleNamespace(tiers=tiers, seconds=seconds)
        for tiers, seconds in (((1, 2, 3, 4), 8.0), ((5, 4, 1, 0), 2.0))
    )
    found = cast("Permutation", SimpleNamespace(given=given, chosen=chosen))
    assert advice(waiting, found) == (
        facts.TimeInCalls("barrier", 2.5, 0.25),
        facts.TimeInCalls("blocking", 2.0, 0.2),
        facts.TimeInCalls("waiting", 0.5, 0.05),
        facts.BytesBetweenLeaves(0.7, 0.1, 8.0, 2.0),
    )
