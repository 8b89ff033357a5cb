"""What the ranks of an MPI program sent each other, as the tracer of `mpi/tracer` wrote it, and where they waited.

Messages count as they were sent. Of collectives the file has the communicator and the bytes: an allreduce, an allgather and a
reduce-scatter count as the ring of its ranks, a broadcast and a reduce as the binomial tree from its first rank, a gather and a scatter as
messages with that rank, an all-to-all as messages between all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from ..errors import LacisError
from ..facts.mapping import BytesBetweenLeaves, Calls, MappingRemark, TimeInCalls
from ..io.files import reading
from ..requests.demands import Demands

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from .order import Permutation

SCHEMA = "lacis.mpi-trace/1"
MOST_PAIRS = 50_000_000
_SHOWN = 60


class _Group(msgspec.Struct):
    kind: str
    calls: int
    bytes: int
    ranks: list[int]


class _Rank(msgspec.Struct):
    rank: int
    host: str
    calls: list[tuple[str, bool, int, int, float]]
    sent: list[tuple[int, int, int]]
    collectives: list[_Group]


class _Trace(msgspec.Struct):
    schema: str
    ranks: int
    seconds: float
    threaded: bool
    of: list[_Rank]


@dataclass(frozen=True, slots=True)
class Waiting:
    """Where the ranks of a program spent their time, a mean over its ranks.

    Attributes:
        run: from MPI_Init to MPI_Finalize [s].
        inside: by kind of call and whether it blocks, seconds inside.
    """

    run: float
    inside: Mapping[tuple[str, bool], float]

    def seconds(self, *kinds: str, blocking: bool | None = None) -> float:
        """Seconds inside calls of some kinds."""
        return sum(
            seconds
            for (kind, blocks), seconds in self.inside.items()
            if kind in kinds and blocking in (None, blocks)
        )


def read_trace(path: str | os.PathLike[str]) -> tuple[Demands, Waiting]:
    """Read what the tracer wrote: bytes are those of the whole run.

    Raises:
        LacisError: when the file cannot be read, is no trace, or names ranks that do not exist.
    """
    with reading(path) as data:
        try:
            trace = msgspec.json.decode(data, type=_Trace)
        except msgspec.DecodeError as error:
            raise LacisError("not a file of Lacis' tracer", text=str(error)[:_SHOWN]) from None
        if trace.schema != SCHEMA:
            raise LacisError(f"a trace of another version: {SCHEMA} is read", text=trace.schema[:_SHOWN])
        _check(trace)
        return _demands(trace), _waiting(trace)


def advice(waiting: Waiting, found: Permutation) -> tuple[MappingRemark, ...]:
    """What barriers, all-to-all and blocking calls cost, and neighbours that are far apart; what each could bring at most."""
    remarks: list[MappingRemark] = []
    inside: dict[Calls, float] = {
        "barrier": waiting.seconds("barrier"),
        "alltoall": waiting.seconds("alltoall"),
        "blocking": waiting.seconds("send", "receive", blocking=True),
        "waiting": waiting.seconds("wait"),
    }
    for what, seconds in inside.items():
        if seconds > 0 and waiting.run > 0:
            remarks.append(TimeInCalls(what, seconds, min(1.0, seconds / waiting.run)))
    total = sum(found.given.tiers)
    if total > 0:
        far = [sum(step.tiers[2:]) / total for step in (found.given, found.chosen)]
        remarks.append(BytesBetweenLeaves(far[0], far[1], found.given.seconds, found.chosen.seconds))
    return tuple(remarks)


def _check(trace: _Trace) -> None:
    ranks = trace.ranks
    if ranks < 1 or sorted(one.rank for one in trace.of) != list(range(ranks)):
        raise LacisError(f"a trace of {ranks} ranks has other ranks", text=f"{len(trace.of)} are described")
    for one in trace.of:
        named = [to for to, _, _ in one.sent]
        named += [rank for group in one.collectives for rank in group.ranks]
        if any(not 0 <= rank < ranks for rank in named):
            raise LacisError(f"rank {one.rank} of the trace names a rank that does not exist")
        amounts = [size for _, size, _ in one.sent] + [group.bytes for group in one.collectives]
        if any(not 0 <= size <= 2**60 for size in amounts):
            raise LacisError(f"rank {one.rank} of the trace has a size that is none")
    pairs = sum(
        len(group.ranks) ** 2 for one in trace.of for group in one.collectives if group.kind == "alltoall"
    )
    if pairs > MOST_PAIRS:
        raise LacisError(f"all-to-all among more than {MOST_PAIRS:,} pairs of ranks")


def _demands(trace: _Trace) -> Demands:
    columns: list[NDArray[Any]] = [np.zeros((0, 3), dtype=np.uint64)]
    for one in trace.of:
        rows = [(one.rank, to, size) for to, size, _ in one.sent if size]
        columns.append(np.array(rows, dtype=np.uint64).reshape(-1, 3))
        columns += [_collective(group) for group in one.collectives if len(group.ranks) > 1 and group.bytes]
    rows_ = np.concatenate(columns)
    senders, receivers = (np.ascontiguousarray(rows_[:, at]).astype(np.uint32) for at in (0, 1))
    return Demands(trace.ranks, senders, receivers, np.ascontiguousarray(rows_[:, 2]))


def _collective(group: _Group) -> NDArray[Any]:
    """What the ranks of a communicator send each other in a kind of collective."""
    ranks = np.array(group.ranks, dtype=np.uint64)
    count, size, kind = len(ranks), group.bytes, group.kind
    following = np.roll(ranks, -1)
    if kind == "alltoall":
        source, destination = np.repeat(ranks, count), np.tile(ranks, count)
    elif kind in ("broadcast", "reduce"):
        numbers = np.arange(1, count)
        parents = ranks[numbers & (numbers - 1)]
        source, destination = (parents, ranks[1:]) if kind == "broadcast" else (ranks[1:], parents)
    elif kind in ("gather", "scatter"):
        first = np.full(count - 1, ranks[0])
        source, destination = (ranks[1:], first) if kind == "gather" else (first, ranks[1:])
    elif kind in ("allreduce", "allgather", "reduce_scatter"):
        size = 2 * (count - 1) * size // count if kind == "allreduce" else (count - 1) * size
        source, destination = ranks, following
    else:
        return np.zeros((0, 3), dtype=np.uint64)
    return np.stack([source, destination, np.full(len(source), size, dtype=np.uint64)], axis=1)


def _waiting(trace: _Trace) -> Waiting:
    inside: dict[tuple[str, bool], float] = {}
    for one in trace.of:
        for kind, blocks, _, _, seconds in one.calls:
            inside[kind, blocks] = inside.get((kind, blocks), 0.0) + max(seconds, 0.0) / trace.ranks
    return Waiting(max(trace.seconds, 0.0), inside)
