"""Reading what `lacis-mpi` writes, while it runs or afterwards: JSON lines, the last of which may be torn."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from ..documents.measure import FigureRow, TestProgress
from ..errors import LacisError
from ..io.files import read_bytes

SCHEMA = "lacis.mpi/1"
_FIGURES = ("test", "what", "unit")
_KEYS = {
    "run": ("ranks", "nodes", "oversubscribed"),
    "round": ("test", "round", "of"),
    "summary": (*_FIGURES, "class", "bytes", "pairs", "min", "mean", "median", "max"),
    "aggregate": (*_FIGURES, "bytes", "values", "median"),
    "congestion": (*_FIGURES, "beside", "mean", "p99", "count"),
    "remark": ("text",),
    "test_end": ("test", "complete"),
    "end": ("complete", "clock_off_by"),
}
"""Kind of a record → its keys that are read here."""
Record: TypeAlias = dict[str, Any]
"""A line of the file, as JSON has it; `docs/reference/mpi.md` has the keys of each kind."""


@dataclass
class Run:
    """What a file of `lacis-mpi` says.

    Attributes:
        records: all that are whole, in order.
        torn: whether the last line is cut off.
    """

    records: list[Record] = field(default_factory=list)
    torn: bool = False

    def of(self, kind: str, **keys: object) -> list[Record]:
        """The records of a kind whose keys have these values."""
        return [
            r for r in self.records if r["record"] == kind and all(r.get(k) == v for k, v in keys.items())
        ]

    @property
    def complete(self) -> bool:
        """Whether every test finished."""
        return bool(self.of("end", complete=True))

    @property
    def progress(self) -> list[TestProgress]:
        """How far each test came."""
        begun = {r["test"]: r for r in self.of("round")}
        ended = {r["test"]: r["complete"] for r in self.of("test_end")}
        return [
            TestProgress(test, rounds=r["round"], of=r["of"], complete=ended.get(test, False))
            for test, r in begun.items()
        ]

    @property
    def remarks(self) -> list[str]:
        """What was left out, each once."""
        return list(dict.fromkeys(r["text"] for r in self.of("remark")))

    @property
    def rows(self) -> list[FigureRow]:
        """The figures of all tests: pairs by class, collective operations, all pairs together, congestion."""
        return [row for record in self.records for row in _rows(record)]


def _rows(record: Record) -> list[FigureRow]:
    if record["record"] == "summary":
        keys = ("bytes", "unit", "pairs", "min", "mean", "median", "max")
        return [FigureRow(record["test"], record["what"], record["class"], *(record[k] for k in keys))]
    if record["record"] == "aggregate" or (record["record"] == "sample" and "from" not in record):
        values = [value for value in record["values"] if value is not None]
        unit = record["unit"]
        mean = sum(values) / len(values) if values else None
        ends = (min(values, default=None), mean, record["median"], max(values, default=None))
        return [
            FigureRow(
                record["test"], record["what"], "all together", record["bytes"], unit, len(values), *ends
            )
        ]
    if record["record"] == "congestion":
        beside = f"beside {record['beside']}" if record["beside"] else "alone"
        ends = (None, record["mean"], None, record["p99"])
        what = f"{record['what']}, mean and p99"
        return [FigureRow(record["test"], what, beside, None, record["unit"], record["count"], *ends)]
    return []


class Tail:
    """A file that grows."""

    def __init__(self, path: Path) -> None:
        self.run = Run()
        self.test, self.round, self.of = "", 0, 0
        self._path = path
        self._read = 0
        self._line = 0

    def more(self) -> bool:
        """Reads what was added, and returns whether a round began.

        Raises:
            LacisError: when a line is no record.
        """
        if not self._path.is_file():
            return False
        with self._path.open("rb") as file:
            file.seek(self._read)
            return self.add(file.read())

    def add(self, data: bytes) -> bool:
        """Reads what follows, and returns whether a round began.

        Raises:
            LacisError: when a line is no record.
        """
        whole, _, rest = data.rpartition(b"\n")
        if not whole:
            self.run.torn = bool(rest)
            return False
        self._read += len(whole) + 1
        self.run.torn = bool(rest)
        before = (self.test, self.round)
        for line in whole.split(b"\n"):
            self._line += 1
            self._take(line)
        return (self.test, self.round) != before

    def _take(self, line: bytes) -> None:
        if not line.strip():
            return
        try:
            record = json.loads(line)
        except ValueError:
            record = None
        source = str(self._path)
        if not isinstance(record, dict) or not isinstance(record.get("record"), str):
            raise LacisError("no record of lacis-mpi", self._line, line[:60].decode(errors="replace"), source)
        if not self.run.records and record.get("schema") != SCHEMA:
            raise LacisError(
                f"no file of lacis-mpi: its first record has no schema {SCHEMA}", self._line, source=source
            )
        kind = record["record"]
        is_figure = kind == "aggregate" or (kind == "sample" and "from" not in record)
        for key in _KEYS["aggregate"] if is_figure else _KEYS.get(kind, ()):
            if key not in record:
                raise LacisError(
                    f'a record "{kind}" of lacis-mpi has no key "{key}"', self._line, source=source
                )
        self.run.records.append(record)
        if record["record"] == "round":
            self.test, self.round, self.of = record["test"], record["round"], record["of"]


def read(path: str | Path) -> Run:
    """Reads a file of `lacis-mpi`, also one that was cut off.

    Raises:
        LacisError: when it cannot be read, or is no such file; with the line.
    """
    tail = Tail(Path(path))
    tail.add(read_bytes(path))
    if not tail.run.records:
        raise LacisError("no file of lacis-mpi: it has no whole line", source=str(path))
    return tail.run
