"""What the ranks of a training job sent each other, as NCCL Inspector and RCCL Inspector recorded it.

    {"header": {"id": "0x7f8c", "rank": 2, "n_ranks": 8}, "metadata": {"hostname": "node001", "pid": 7},
     "coll_perf": {"coll": "AllReduce", "coll_msg_size_bytes": 1048576}}

One object an operation and rank, from its sources and manual (format v4.0); every process writes its own file. A process is one rank,
numbered as in the communicator that most processes are in. An allreduce, an allgather, a reduce-scatter and a broadcast are counted as
the rings of their communicator's ranks, sends as they are; what a peer received counts where nothing says that it was sent.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from ..errors import LacisError
from ..facts.words import excerpt
from ..io.files import reading
from ..requests.demands import Demands

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping

MOST_RANKS = 1_000_000


class _Header(msgspec.Struct):
    id: str | int
    rank: int
    n_ranks: int


class _Metadata(msgspec.Struct):
    hostname: str = ""
    pid: int = 0


class _Collective(msgspec.Struct):
    coll: str
    coll_msg_size_bytes: int


class _PointToPoint(msgspec.Struct):
    p2p: str
    p2p_peer: int
    p2p_msg_size_bytes: int


class _Record(msgspec.Struct):
    header: _Header
    metadata: _Metadata
    coll_perf: _Collective | None = None
    p2p_perf: _PointToPoint | None = None


_RINGS = {"allreduce": 2.0, "allgather": 1.0, "reducescatter": 1.0, "broadcast": 1.0, "reduce": 1.0}
"""Collective → how often a ring of many ranks sends the message to the next rank."""

_Process = tuple[str, int]


def read_inspector(paths: Iterable[str | os.PathLike[str]]) -> Demands:
    """Read files, and folders of them, that the processes of a job wrote; bytes are those of the whole record.

    Raises:
        LacisError: when a file cannot be read or has no record, a rank or a size is none, or communicators contradict each other.
    """
    book = _Book()
    for path in paths:
        for file in _files(path):
            with reading(file) as data:
                book.read(data)
    return book.demands()


def _files(path: str | os.PathLike[str]) -> list[str | os.PathLike[str]]:
    folder = Path(path)
    if str(path) == "-" or not folder.is_dir():
        return [path]
    found = sorted(file for file in folder.iterdir() if file.is_file())
    if not found:
        raise LacisError("a folder without files", source=str(path))
    return list(found)


@dataclass
class _Sent:
    """Bytes from one rank of a communicator to another, and the lines that record them."""

    size: int = 0
    lines: int = 0

    def add(self, size: int) -> None:
        self.size += size
        self.lines += 1


class _Book:
    """What was read: the processes of communicators, and bytes between their ranks."""

    def __init__(self) -> None:
        self.decoder = msgspec.json.Decoder(_Record)
        self.size: dict[str, int] = {}
        self.process: dict[tuple[str, int], _Process] = {}
        self.sent: dict[tuple[str, int, int], _Sent] = defaultdict(_Sent)
        self.received: dict[tuple[str, int, int], _Sent] = defaultdict(_Sent)
        self.passed_over = 0

    def read(self, data: bytes) -> None:
        """Adds the records of a file."""
        records = 0
        for line, raw in enumerate(data.splitlines(), 1):
            if not raw.strip():
                continue
            try:
                record = self.decoder.decode(raw)
            except msgspec.DecodeError:
                # A process that was killed leaves half a line, and other kinds of objects are passed over.
                self.passed_over += 1
                continue
            records += 1
            self._add(record, line, raw)
        if not records:
            raise LacisError("no record of NCCL Inspector or RCCL Inspector", text=excerpt(data))

    def _add(self, record: _Record, line: int, raw: bytes) -> None:
        header, group = record.header, str(record.header.id)
        count, rank = header.n_ranks, header.rank
        if not (1 <= count <= MOST_RANKS and 0 <= rank < count):
            raise LacisError(f"rank {rank} of {count} ranks", line=line, text=excerpt(raw))
        if self.size.setdefault(group, count) != count:
            raise LacisError(
                f"a communicator of {count} ranks, which had {self.size[group]} before",
                line=line,
                text=excerpt(raw),
            )
        process = (record.metadata.hostname, record.metadata.pid)
        if self.process.setdefault((group, rank), process) != process:
            raise LacisError(
                f"rank {rank} of one communicator in two processes", line=line, text=excerpt(raw)
            )
        if record.coll_perf is not None:
            size, kind = record.coll_perf.coll_msg_size_bytes, record.coll_perf.coll.lower()
            factor = _RINGS.get(kind)
            if factor is None:
                self.passed_over += 1
            elif count > 1:
                part = factor if kind in ("broadcast", "reduce") else factor * (count - 1) / count
                self.sent[group, rank, (rank + 1) % count].add(int(_whole(size, line, raw) * part))
        elif record.p2p_perf is not None:
            peer, size = record.p2p_perf.p2p_peer, record.p2p_perf.p2p_msg_size_bytes
            if not 0 <= peer < count:
                raise LacisError(f"peer {peer} of {count} ranks", line=line, text=excerpt(raw))
            if record.p2p_perf.p2p.lower() == "recv":
                self.received[group, peer, rank].add(_whole(size, line, raw))
            else:
                self.sent[group, rank, peer].add(_whole(size, line, raw))

    def demands(self) -> Demands:
        """What was recorded, by rank of the job."""
        number = self._numbers()
        total: dict[tuple[int, int], int] = defaultdict(int)
        for (group, source, destination), sent in self._all():
            ends = [self.process.get((group, rank)) for rank in (source, destination)]
            if ends[0] is None or ends[1] is None:
                self.passed_over += sent.lines
                continue
            total[number[ends[0]], number[ends[1]]] += sent.size
        rows = sorted((a, b, size) for (a, b), size in total.items() if a != b and size > 0)
        columns = np.array(rows, dtype=np.uint64).reshape(-1, 3)
        senders, receivers = (np.ascontiguousarray(columns[:, at]).astype(np.uint32) for at in (0, 1))
        return Demands(
            len(number),
            senders,
            receivers,
            np.ascontiguousarray(columns[:, 2]),
            passed_over=self.passed_over,
        )

    def _all(self) -> Iterator[tuple[tuple[str, int, int], _Sent]]:
        yield from self.sent.items()
        yield from (one for one in self.received.items() if one[0] not in self.sent)

    def _numbers(self) -> Mapping[_Process, int]:
        """The rank of each process in the job: as the communicator of most processes has it, then as they are met."""
        members: dict[str, dict[int, _Process]] = defaultdict(dict)
        for (group, rank), process in self.process.items():
            members[group][rank] = process
        largest = max(members.values(), key=len)
        number: dict[_Process, int] = {}
        for process in (*(largest[rank] for rank in sorted(largest)), *self.process.values()):
            number.setdefault(process, len(number))
        return number


def _whole(size: int, line: int, raw: bytes) -> int:
    if not 0 <= size <= 2**53:
        raise LacisError("a size is a whole number from 0 on", line=line, text=excerpt(raw))
    return size
