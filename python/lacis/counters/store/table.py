"""A stretch as a Parquet file: a row for each port, a column for each counter.

A raw file has `sweep`, `guid`, `port`, `plane`, `lid`, `state`, `time`, `narrow` and a column for each counter that any port has; no value is
"not known". A roll-up has the same of the last reading of each port, and of the first one in `first_time`, `first_lid`, `first_state`,
`first_narrow` and `first_COUNTER`; what links do is in `physical`, `lanes` and `speed`, none where a port does not say it, and not there in files of older versions; `COUNTER_grown` is how much has surely grown where that is not the difference, `COUNTER_lost` is `Lost`.
"""

from __future__ import annotations

import io
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from ...errors import needing
from ..fields import FIELDS
from ..lost import Lost
from ..readings import Readings, Unread
from ..stretch import Stretch, stretch

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

SCHEMA = "lacis.counters-store/1"
_KEY = "lacis"


class About(msgspec.Struct, frozen=True):
    """What a file of a store says of itself, as JSON in the metadata of Parquet."""

    schema: str
    rolled: bool
    unit: int
    started: tuple[int, int]
    ended: tuple[int, int]
    only_faulty: bool
    source: str
    unread: list[tuple[int, int, str, str]]


def polars() -> Any:
    """The module polars.

    Raises:
        MissingPackageError: when it is not installed.
    """
    with needing("a store of counters needs polars", "'lacis[results]'"):
        import polars as pl
    return pl


def written(over: Stretch, *, rolled: bool) -> bytes:
    """The content of a file: a roll-up of several sweeps, or a single one."""
    pl = polars()
    last = over.last
    columns = _ports(last)
    columns |= _values(last, over)
    if rolled:
        columns |= _rolled(over)
    about = About(
        SCHEMA,
        rolled,
        last.unit,
        (over.first.started, last.started),
        (over.first.ended, last.ended),
        over.first.only_faulty or last.only_faulty,
        last.source,
        [(one.guid, one.port, one.reason, one.detail) for one in last.unread]
        if not rolled
        else [(guid, port, "unread", "") for guid, port in sorted(over.unread)],
    )
    frame = pl.DataFrame(columns)
    out = io.BytesIO()
    frame.write_parquet(
        out,
        compression="zstd",
        compression_level=3,
        statistics=False,
        metadata={_KEY: msgspec.json.encode(about).decode()},
    )
    return out.getvalue()


def read(data: bytes) -> Stretch:
    """The stretch that a file holds.

    Raises:
        ValueError: when it is none, or damaged.
    """
    pl = polars()
    try:
        metadata = pl.read_parquet_metadata(io.BytesIO(data))
        about = msgspec.json.decode(metadata[_KEY], type=About)
        frame = pl.read_parquet(io.BytesIO(data))
        if about.schema != SCHEMA:
            raise ValueError(f"is of schema {about.schema!r}, not {SCHEMA}")
        return _stretch(frame, about)
    except pl.exceptions.PolarsError as error:
        raise ValueError(f"is no Parquet file: {str(error).splitlines()[0]}") from None
    except (KeyError, msgspec.MsgspecError) as error:
        raise ValueError(f"is no file of a store: {error}") from None


def _ports(last: Readings) -> dict[str, Any]:
    pl = polars()
    when = pl.Datetime("ns", "UTC")
    return {
        "sweep": pl.Series(np.full(len(last), last.started, np.int64)).cast(when),
        "guid": last.guids,
        "port": last.ports,
        "plane": last.planes,
        "lid": last.lids,
        **_links(last),
        "time": pl.Series(last.times).cast(when),
    }


def _links(of: Readings) -> dict[str, Any]:
    """States of links, and what else is known of them."""
    columns = {"physical": of.physical, "lanes": of.lanes, "speed": of.speeds}
    pl = polars()
    known = {
        name: _nullable(column.astype(np.uint64), column > 0).cast(pl.UInt8)
        for name, column in columns.items()
    }
    return {"state": of.states, **known}


def _link(frame: pl.DataFrame, name: str) -> NDArray[np.uint8]:
    """A column of what links do; what a file does not have is not known."""
    return _column(frame, name, np.uint8) if name in frame.columns else np.zeros(len(frame), np.uint8)


def _values(last: Readings, over: Stretch) -> dict[str, Any]:
    """The last values by counter; none where no reading of the stretch knows one."""
    columns: dict[str, Any] = {"narrow": _mask(last.wide, over, inverted=True)}
    for name in _names(over):
        columns[name] = _nullable(last.values[name], over.seen[name])
    return columns


def _rolled(over: Stretch) -> dict[str, Any]:
    pl = polars()
    first = over.first
    columns: dict[str, Any] = {
        "first_time": pl.Series(first.times).cast(pl.Datetime("ns", "UTC")),
        "first_lid": first.lids,
        **{f"first_{name}": column for name, column in _links(first).items()},
        "first_narrow": _mask(first.wide, over, inverted=True),
        "first_known": _mask(first.known, over),
        "last_known": _mask(over.last.known, over),
        "samples": over.samples,
        "gaps": over.gap_before.astype(np.uint8) + 2 * over.gap_after.astype(np.uint8),
    }
    for name in _names(over):
        columns[f"first_{name}"] = _nullable(first.values[name], over.seen[name])
        lost = over.lost[name]
        if lost.any():
            columns[f"{name}_grown"] = _nullable(over.grown[name], lost != Lost.NOTHING)
            columns[f"{name}_lost"] = lost
    return columns


def _names(over: Stretch) -> list[str]:
    return [name for name in FIELDS if name in over.seen and over.seen[name].any()]


def _mask(flags: Any, over: Stretch, *, inverted: bool = False) -> NDArray[np.uint64]:
    """Flags of all counters as the bits of a number, in the order of `FIELDS`."""
    bits = np.zeros(len(over), np.uint64)
    for at, name in enumerate(FIELDS):
        if name in over.seen:
            mine = over.seen[name] & (~flags[name] if inverted else flags[name])
            bits |= mine.astype(np.uint64) << np.uint64(at)
    return bits


def _nullable(values: NDArray[np.uint64], known: NDArray[np.bool_]) -> pl.Series:
    pl = polars()
    series = pl.Series(values, dtype=pl.UInt64)
    if known.all():
        return series  # type: ignore[no-any-return]
    return pl.select(pl.when(pl.Series(known)).then(series)).to_series()  # type: ignore[no-any-return]


def _stretch(frame: pl.DataFrame, about: About) -> Stretch:
    last, seen = _readings(frame, about)
    if not about.rolled:
        return stretch(last)
    first = replace(
        last,
        lids=_column(frame, "first_lid", np.uint32),
        times=_column(frame, "first_time", np.int64),
        states=_link(frame, "first_state"),
        physical=_link(frame, "first_physical"),
        lanes=_link(frame, "first_lanes"),
        speeds=_link(frame, "first_speed"),
        values={name: _column(frame, f"first_{name}", np.uint64) for name in seen},
        known=_flags(frame, "first_known", seen),
        wide=_flags(frame, "first_narrow", seen, inverted=True),
        started=about.started[0],
        ended=about.ended[0],
    )
    last = replace(last, known=_flags(frame, "last_known", seen))
    gaps = _column(frame, "gaps", np.uint8)
    grown, lost = {}, {}
    for name in seen:
        if f"{name}_lost" in frame.columns:
            lost[name] = _column(frame, f"{name}_lost", np.uint8)
            kept = _column(frame, f"{name}_grown", np.uint64)
        else:
            lost[name] = np.zeros(len(frame), np.uint8)
            kept = np.zeros(len(frame), np.uint64)
        difference = last.values[name] - first.values[name]
        grown[name] = np.where(lost[name] == Lost.NOTHING, difference, kept)
    unread = frozenset((guid, port) for guid, port, _, _ in about.unread)
    samples = _column(frame, "samples", np.uint32)
    return Stretch(first, last, seen, grown, lost, samples, (gaps & 1) != 0, (gaps & 2) != 0, unread)


def _readings(frame: pl.DataFrame, about: About) -> tuple[Readings, dict[str, NDArray[np.bool_]]]:
    """The last reading of each port, and which counters any reading knows."""
    names = [name for name in FIELDS if name in frame.columns]
    seen = {name: ~frame[name].is_null().to_numpy() for name in names}
    unread = () if about.rolled else tuple(Unread(*one) for one in about.unread)
    readings = Readings(
        guids=_column(frame, "guid", np.uint64),
        ports=_column(frame, "port", np.uint16),
        planes=_column(frame, "plane", np.uint8),
        lids=_column(frame, "lid", np.uint32),
        times=_column(frame, "time", np.int64),
        states=_link(frame, "state"),
        physical=_link(frame, "physical"),
        lanes=_link(frame, "lanes"),
        speeds=_link(frame, "speed"),
        values={name: _column(frame, name, np.uint64) for name in names},
        known=seen,
        wide=_flags(frame, "narrow", seen, inverted=True),
        unit=about.unit,
        started=about.started[1],
        ended=about.ended[1],
        unread=unread,
        only_faulty=about.only_faulty,
        source=about.source,
    )
    return readings, seen


def _column(frame: pl.DataFrame, name: str, kind: type[np.generic]) -> NDArray[Any]:
    return frame[name].to_physical().fill_null(0).to_numpy().astype(kind, copy=False)


def _flags(
    frame: pl.DataFrame, name: str, seen: dict[str, NDArray[np.bool_]], *, inverted: bool = False
) -> dict[str, NDArray[np.bool_]]:
    bits = _column(frame, name, np.uint64)
    flags = {}
    for at, counter in enumerate(FIELDS):
        if counter in seen:
            mine = (bits >> np.uint64(at)) & np.uint64(1) != 0
            flags[counter] = seen[counter] & (~mine if inverted else mine)
    return flags
