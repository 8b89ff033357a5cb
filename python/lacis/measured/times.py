"""When values were measured and what was sent for them, from the files that say it: lacis-mpi's records, and iperf3's.

A table gets three columns, which are null where a file does not say: `began` and `ended`, by the clock of rank 0, enclose all repeats
of a value with their warm-ups, and `sent` is what the source sent the destination in that time.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import msgspec

from .results import polars, schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import polars as pl

TIMES = ("began", "ended", "sent")
"""The columns."""
APART = "host clocks differ by [s]"
"""The fact that says how far the clocks of the day of a run's hosts are apart."""
_ENDS = ("file", "test", "what", "bytes", "source_rank", "destination_rank")
_LATEST = 1 << 53


class _Record(msgspec.Struct):
    """The fields of lacis-mpi's records that count here."""

    record: str = ""
    test: str = ""
    what: str = ""
    beside: str | None = None
    bytes: int | None = None
    source: int | None = msgspec.field(default=None, name="from")
    destination: int | None = msgspec.field(default=None, name="to")
    began_us: int | None = None
    ended_us: int | None = None
    sent: int | None = None
    day_off: float | None = None
    values: Any = None


class _Sum(msgspec.Struct):
    """A sum over the streams of an interval of iperf3."""

    start: float = 0.0
    end: float = 0.0
    bytes: float = 0.0
    bits_per_second: float = 0.0
    omitted: bool = False


class _Interval(msgspec.Struct):
    """An interval of iperf3."""

    sum: _Sum | None = None
    back: _Sum | None = msgspec.field(default=None, name="sum_bidir_reverse")


class _Stamp(msgspec.Struct):
    """When a run of iperf3 began."""

    timesecs: int = 0


class _Start(msgspec.Struct):
    """What a run of iperf3 says at its start."""

    version: str = ""
    timestamp: _Stamp | None = None


class _Iperf(msgspec.Struct):
    """A run of iperf3, as `--json` prints it."""

    start: _Start
    intervals: list[_Interval] = []


class Times:
    """What files say of when their values were measured, file by file."""

    def __init__(self) -> None:
        self._rows: list[tuple[Any, ...]] = []
        self._samples: list[tuple[Any, ...]] = []
        self._apart = 0.0

    def feed(self, name: str, data: bytes) -> None:
        """Takes what a file says.

        Args:
            name: as the column `file` has it.
            data: what it holds.
        """
        if b'"began_us"' in data:
            self._apart = max(self._apart, _of_lacis_mpi(name, data, self._rows))
        elif data[:1] == b"{" and b'"timesecs"' in data:
            self._samples += _of_iperf(name, data)

    @property
    def facts(self) -> dict[str, str]:
        """What the files say of clocks."""
        return {APART: f"{self._apart:.6f}"} if self._apart else {}

    def joined(self, frame: pl.DataFrame) -> pl.DataFrame:
        """A table as the engine reads it, with the columns of `TIMES`."""
        pl = polars()
        kinds = {name: schema()[name] for name in TIMES}
        whole = frame.with_row_index("row").with_columns(pl.col("file").cast(pl.String))
        found = [
            part
            for part in (_of_rows(whole, self._rows), _of_samples(whole, self._samples))
            if part is not None
        ]
        if not found:
            return frame.with_columns(pl.lit(None, dtype=kind).alias(name) for name, kind in kinds.items())
        joined = whole.select("row").join(pl.concat(found), on="row", how="left", maintain_order="left")
        return frame.with_columns(joined[name] for name in kinds)


def _of_lacis_mpi(name: str, data: bytes, rows: list[tuple[Any, ...]]) -> float:
    """Adds what the records of a run say, and returns how far the clocks of its hosts are apart at most [s]."""
    decoder = msgspec.json.Decoder(_Record)
    offsets = [0.0]
    for line in data.split(b"\n"):
        if b'"began_us"' not in line and b'"day_off"' not in line:
            continue
        try:
            one = decoder.decode(line)
        except msgspec.DecodeError:
            continue  # a damaged record is remarked on where values are read
        if one.day_off is not None and math.isfinite(one.day_off):
            offsets.append(one.day_off)
        elif _is_whole(one):
            what = one.what if one.beside is None else f"{one.what} beside {one.beside}"
            row = (name, one.test, what, one.bytes, one.source, one.destination)
            rows.append((*row, one.began_us, one.ended_us, one.sent))
    return max(offsets) - min(offsets)


def _is_whole(one: _Record) -> bool:
    """Whether a record has values and a time."""
    if one.began_us is None or one.ended_us is None or not 0 < one.began_us <= one.ended_us < _LATEST:
        return False
    if any(number is not None and not 0 <= number < _LATEST for number in (one.sent, one.bytes)):
        return False
    if any(rank is not None and not 0 <= rank < 1 << 32 for rank in (one.source, one.destination)):
        return False
    if one.record == "congestion" or not isinstance(one.values, list):
        return one.record == "congestion"
    return any(isinstance(value, (int, float)) and 0 < value < math.inf for value in one.values)


def _of_rows(frame: pl.DataFrame, rows: Iterable[tuple[Any, ...]]) -> pl.DataFrame | None:
    """Times by the number of a row: those of pairs by which of a pair's records it is from, others by all records of their kind."""
    pl = polars()
    kinds = dict.fromkeys(_ENDS[:3], pl.String) | {"bytes": pl.UInt64} | dict.fromkeys(_ENDS[4:], pl.UInt32)
    numbers = dict.fromkeys(TIMES, pl.Int64)
    said = pl.DataFrame(list(rows), schema=kinds | numbers, orient="row")
    if not said.height:
        return None
    keys = frame.select("row", "round", *(pl.col(name).cast(kind) for name, kind in kinds.items()))
    pairs = said.filter(pl.col("source_rank").is_not_null())
    pairs = pairs.with_columns(number=pl.int_range(pl.len()).over(_ENDS), of=pl.len().over(_ENDS))
    theirs = keys.filter(pl.col("round").is_not_null(), pl.col("source_rank").is_not_null())
    rounds = (
        theirs.select(*_ENDS, "round")
        .unique()
        .with_columns(
            number=pl.col("round").rank("dense").over(_ENDS).cast(pl.Int64) - 1, of=pl.len().over(_ENDS)
        )
    )
    # Where a record gave no row, which of the others gave which is not known.
    dated = rounds.join(pairs, on=[*_ENDS, "number", "of"], nulls_equal=True)
    of_pairs = theirs.join(dated, on=[*_ENDS, "round"], nulls_equal=True).select("row", *TIMES)
    kind = ("file", "test", "what", "bytes")
    hull = (
        said.filter(pl.col("source_rank").is_null())
        .group_by(kind)
        .agg(pl.col("began").min(), pl.col("ended").max(), pl.lit(None, dtype=pl.Int64).alias("sent"))
    )
    others = keys.filter(pl.col("source_rank").is_null()).join(hull, on=kind, nulls_equal=True)
    return _dated(pl.concat([of_pairs, others.select("row", *TIMES)]))


def _of_iperf(name: str, data: bytes) -> list[tuple[Any, ...]]:
    """The intervals of a run of iperf3: it says in whole seconds when it began, so that each may be as much later."""
    try:
        one = msgspec.json.decode(data, type=_Iperf)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return []  # another form of it, or another program's
    stamp = one.start.timestamp
    if stamp is None or not 0 < stamp.timesecs < 1 << 33 or not one.start.version.startswith("iperf 3"):
        return []
    sums = [each for two in one.intervals for each in (two.sum, two.back) if each is not None]
    found = []
    for at in (each for each in sums if not each.omitted and each.bits_per_second > 0):
        if not 0 <= at.start <= at.end < 1 << 32 or not 0 <= at.bytes < _LATEST:
            return []
        began, ended = (stamp.timesecs + at.start) * 1e6, (stamp.timesecs + 1 + at.end) * 1e6
        found.append((name, math.floor(began), math.ceil(ended), round(at.bytes)))
    return found


def _of_samples(frame: pl.DataFrame, samples: Sequence[tuple[Any, ...]]) -> pl.DataFrame | None:
    """Times by the number of a row, for the samples of a file in their order; none of a file that has another number of them."""
    pl = polars()
    if not samples:
        return None
    said = pl.DataFrame(
        list(samples), schema={"file": pl.String} | dict.fromkeys(TIMES, pl.Int64), orient="row"
    )
    said = said.with_columns(number=pl.int_range(pl.len()).over("file"), of=pl.len().over("file"))
    there = frame.filter(pl.col("statistic").cast(pl.String) == "sample").select(
        "row", "file", number=pl.int_range(pl.len()).over("file"), of=pl.len().over("file")
    )
    return _dated(there.join(said, on=["file", "number", "of"]).select("row", *TIMES))


def _dated(times: pl.DataFrame) -> pl.DataFrame:
    """Microseconds since 1970 as times of the schema."""
    pl = polars()
    kinds = schema()
    return times.with_columns(pl.col(name).cast(kinds[name]) for name in TIMES).with_columns(
        pl.col("row").cast(pl.UInt32)
    )
