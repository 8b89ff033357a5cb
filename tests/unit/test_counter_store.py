"""The store of counters: what is kept is there, what is not is said."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import TYPE_CHECKING

import lacis
import numpy as np
import pytest
from lacis.counters import FIELDS, Lost, Unread
from lacis.counters.readings import empty
from lacis.counters.store import CounterStore, layout, table

from tests.conftest import shared_data
from tests.stored import BEGIN, SECOND, files, kept, of, sweep

if TYPE_CHECKING:
    from pathlib import Path

pl = pytest.importorskip("polars")


def test_what_was_appended_is_read_again(tmp_path: Path) -> None:
    first = sweep(0, 5)
    first.known["SymbolErrors"][1] = False
    first.values["SymbolErrors"][1] = 0
    first.states[:], first.lids[:], first.planes[:] = 4, 77, 2
    first = replace(first, unread=(Unread(9, 1, "status", "0x000c"),), source="a\x1b[31m", only_faulty=True)
    store = kept(tmp_path / "new" / "store", first)
    found = store.latest()
    assert found is not None
    for column in ("guids", "ports", "planes", "lids", "times", "states"):
        assert (getattr(found, column) == getattr(first, column)).all(), column
    for name in first.values:
        assert (found.values[name] == first.values[name]).all()
        assert (found.known[name] == first.known[name]).all()
        assert (found.wide[name] == (first.wide[name] & first.known[name])).all()
    assert (found.unread, found.source, found.only_faulty) == (first.unread, first.source, True)
    assert (found.started, found.ended, found.unit) == (first.started, first.ended, 4)
    assert store.span() == (BEGIN, BEGIN)


def test_what_links_did_is_kept_and_rolled_up_and_a_store_without_it_is_read(tmp_path: Path) -> None:
    without, first, last = sweep(0), sweep(60), sweep(120)
    for one, lanes in ((first, 4), (last, 1)):
        one.states[:], one.physical[:], one.lanes[:], one.speeds[:] = 4, 5, lanes, 7
    old = kept(tmp_path / "old", without)
    (file,) = files(tmp_path / "old", "raw")
    assert pl.read_parquet(file).select("physical", "lanes", "speed").null_count().row(0) == (3, 3, 3)
    # As files were before links were asked: no column of them.
    before = io.BytesIO()
    about = pl.read_parquet_metadata(file)["lacis"]
    pl.read_parquet(file).drop("physical", "lanes", "speed").write_parquet(before, metadata={"lacis": about})
    assert not table.read(before.getvalue()).last.lanes.any()
    found = old.latest()
    assert found is not None
    assert not any(column.any() for column in (found.physical, found.lanes, found.speeds))
    store = kept(tmp_path / "new", without, first, last, sweep(400))
    (rolled,) = files(tmp_path / "new", "5min")
    frame = pl.read_parquet(rolled)
    assert (frame["lanes"].to_list(), frame["speed"].to_list()) == ([1] * 3, [7] * 3)
    over = table.read(rolled.read_bytes())
    assert (over.first.lanes.tolist(), over.last.lanes.tolist()) == ([0] * 3, [1] * 3)
    between = [one.lanes.tolist() for one in store.readings(BEGIN, BEGIN + 120 * SECOND)]
    assert between == [[0] * 3, [4] * 3, [1] * 3]


def test_an_empty_store_has_no_readings(tmp_path: Path) -> None:
    store = CounterStore(tmp_path / "none")
    assert (store.latest(), store.span(), list(store.readings(0, BEGIN))) == (None, None, [])
    with pytest.raises(lacis.LacisError, match="holds no readings"):
        store.growth(0, BEGIN)
    assert not (tmp_path / "none").exists()


def test_readings_without_a_time_are_refused(tmp_path: Path) -> None:
    timeless = replace(sweep(0), started=0, times=np.zeros(3, np.int64), source="a.txt")
    with pytest.raises(lacis.LacisError, match=r"a\.txt: readings without a time cannot be kept"):
        kept(tmp_path, timeless)


def test_a_file_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(lacis.LacisError, match=r"file: is no folder: a store of counters is one"):
        kept(tmp_path / "file", sweep(0))
    with pytest.raises(lacis.LacisError, match="not a directory"):
        CounterStore(tmp_path / "file").latest()


@pytest.mark.slow
def test_sweeps_become_roll_ups_of_five_minutes_and_of_an_hour(tmp_path: Path) -> None:
    # A sweep a minute for 2 h and 6 min: 126 sweeps in 26 intervals, of which the last one is open; 2 whole hours, of which
    # the second is open until a roll-up of the third begins, at 2:05.
    store = kept(tmp_path, *(sweep(60 * n, n) for n in range(126)))
    assert [len(files(tmp_path, level)) for level in ("raw", "5min", "1h")] == [126, 25, 2]
    assert of(store.growth(BEGIN, BEGIN + 7200 * SECOND)) == ([120] * 3, {Lost.NOTHING})


@pytest.mark.slow
def test_single_sweeps_are_deleted_when_they_are_old_and_roll_ups_stand_for_them(tmp_path: Path) -> None:
    store = kept(tmp_path, *(sweep(60 * n, n) for n in range(126)), raw_seconds=600, minutes_seconds=3600)
    # The last sweep began at 125 min: those of 115 min and before are old. The last roll-up began at 120 min: the 13 from 0 to 60 min are.
    assert [len(files(tmp_path, level)) for level in ("raw", "5min", "1h")] == [10, 12, 2]
    assert of(store.growth(BEGIN, BEGIN + 7500 * SECOND)) == ([125] * 3, {Lost.NOTHING})
    # From 62 to 116.5 min: the first roll-up that is whole begins at 65 min, and of the one from 115 to 119 min, whose first sweep is
    # deleted, the first reading is in the window.
    found = store.growth(BEGIN + 3720 * SECOND, BEGIN + 6990 * SECOND)
    assert of(found) == ([50] * 3, {Lost.NOTHING})
    assert (found.begins.tolist(), found.ends.tolist()) == (
        [BEGIN + 3900 * SECOND] * 3,
        [BEGIN + 6900 * SECOND] * 3,
    )


@pytest.mark.parametrize("missing", [4, 5])
@pytest.mark.parametrize(("asked", "reason"), [(True, Lost.NOTHING), (False, Lost.GONE)])
def test_a_port_that_was_gone_between_two_roll_ups_is_remembered(
    tmp_path: Path, asked: bool, reason: Lost, missing: int
) -> None:
    # Port 3 gives no answer in the last sweep of one roll-up, at 4 min, or in the first of the next, at 5 min.
    sweeps = [sweep(60 * n, n) for n in range(12)]
    unread = (Unread(1, 3, "timeout"),) if asked else ()
    sweeps[missing] = replace(sweep(60 * missing, missing, ports=2), unread=unread)
    store = kept(tmp_path, *sweeps, raw_seconds=1)
    assert [len(files(tmp_path, level)) for level in ("raw", "5min")] == [2, 2]
    found = store.growth(BEGIN, BEGIN + 660 * SECOND)
    assert found.lost["XmitData"].tolist() == [Lost.NOTHING, Lost.NOTHING, reason]


def test_the_sweeps_of_a_window_come_back_in_their_order(tmp_path: Path) -> None:
    store = kept(tmp_path, *(sweep(60 * n, n) for n in range(20)), raw_seconds=300)
    values = [int(one.values["XmitData"][0]) for one in store.readings(BEGIN, BEGIN + 3600 * SECOND)]
    assert values == sorted(values)
    assert values[0] == 0
    assert values[-5:] == [15, 16, 17, 18, 19]
    middle = store.readings(BEGIN + 16 * 60 * SECOND, BEGIN + 18 * 60 * SECOND)
    assert [int(one.values["XmitData"][0]) for one in middle] == [16, 17, 18]


@pytest.mark.slow
def test_a_store_stays_within_its_limit_and_the_finest_and_oldest_go_first(tmp_path: Path) -> None:
    limit = 240_000
    with CounterStore(tmp_path, limit=limit) as store:
        for n in range(150):
            store.append(sweep(60 * n, n))
            assert (
                sum(file.stat().st_size for level in layout.LEVELS for file in files(tmp_path, level))
                <= limit
            )
    assert 0 < len(files(tmp_path, "raw")) < 150
    assert len(files(tmp_path, "5min")) == 29
    assert of(CounterStore(tmp_path).growth(BEGIN, BEGIN + 9000 * SECOND)) == ([149] * 3, {Lost.NOTHING})


def test_a_limit_of_next_to_nothing_keeps_the_last_sweep(tmp_path: Path) -> None:
    store = kept(tmp_path, *(sweep(60 * n, n) for n in range(40)), limit=1)
    latest = store.latest()
    assert latest is not None
    assert latest.started == BEGIN + 39 * 60 * SECOND
    assert sum(len(files(tmp_path, level)) for level in layout.LEVELS) <= 3


def test_readings_of_another_fabric_or_in_another_unit_are_refused(tmp_path: Path) -> None:
    kept(tmp_path, sweep(0, guid=1))
    with pytest.raises(lacis.LacisError, match="another fabric: none of the 1 node GUIDs is in it"):
        kept(tmp_path, sweep(10, guid=2))
    with pytest.raises(lacis.LacisError, match="units of 4 bytes, and these readings are in units of 8"):
        kept(tmp_path, sweep(10, unit=8))
    assert len(files(tmp_path, "raw")) == 1


def test_a_clock_that_was_set_back_makes_the_growth_across_it_unknown(tmp_path: Path) -> None:
    times = [0, 10, 20, 5, 15, 25]
    store = kept(tmp_path, *(sweep(at, n) for n, at in enumerate(times)))
    assert of(store.growth(BEGIN, BEGIN + 100 * SECOND)) == ([0] * 3, {Lost.CLOCK})
    # The sweep at 20 s is not in this window, those on both of its sides are: 10 s and, later, 5 s.
    assert of(store.growth(BEGIN, BEGIN + 15 * SECOND)) == ([0] * 3, {Lost.CLOCK})
    assert store.growth(BEGIN, BEGIN + 100 * SECOND).at_least["XmitData"].tolist() == [4] * 3


def test_a_clock_that_jumps_ahead_makes_nothing_old(tmp_path: Path) -> None:
    sweeps = [*(sweep(10 * n, n) for n in range(20)), sweep(10**8, 20)]
    kept(tmp_path, *sweeps, raw_seconds=7200, minutes_seconds=7200)
    assert len(files(tmp_path, "raw")) == 21


@pytest.mark.slow
def test_a_port_and_sample_of_a_large_machine_takes_at_most_60_bytes(tmp_path: Path) -> None:
    folder = shared_data()
    path = folder / "selene-2021.ibnetdiscover" if folder else None
    if path is None or not path.is_file():
        pytest.skip(
            "no shared/data/selene-2021.ibnetdiscover at or above the checkout (LACIS_SHARED names its parent)"
        )
    fabric = lacis.read(path)
    ends = fabric.cables().reshape(-1, 2)
    keys = np.unique(np.stack([fabric.guids()[ends[:, 0]], ends[:, 1].astype(np.uint64)], axis=1), axis=0)
    count = len(keys)
    assert count == 25_704
    rng = np.random.default_rng(1)
    wide = [name for name, one in FIELDS.items() if one.wide and one.sort.value in ("data", "packets")]
    names = [*wide, *(name for name, one in FIELDS.items() if one.bits and name not in wide)]
    readings = empty(count, names)
    readings.guids[:], readings.ports[:], readings.states[:] = keys[:, 0], keys[:, 1], 4
    readings.lids[:] = np.unique(keys[:, 0], return_inverse=True)[1] + 1
    # A machine that has run for months: 10¹³ words a port, 10¹¹ packets of which one in thousands is of multicast, and a
    # few errors on one port of thirty.
    for side in ("Xmit", "Rcv"):
        readings.values[f"{side}Data"][:] = rng.lognormal(30, 1.5, count)
        readings.values[f"Multicast{side}Pkts"][:] = rng.lognormal(15, 1, count)
        readings.values[f"Unicast{side}Pkts"][:] = readings.values[f"{side}Data"] / rng.uniform(
            60, 1030, count
        )
        readings.values[f"{side}Pkts"][:] = (
            readings.values[f"Unicast{side}Pkts"] + readings.values[f"Multicast{side}Pkts"]
        )
    readings.values["XmitWait"][:] = rng.lognormal(17, 2, count)
    for name in names:
        readings.known[name][:], readings.wide[name][:] = True, name in wide
        if name not in wide and name != "XmitWait":
            readings.values[name][:] = rng.integers(1, 200, count) * (rng.random(count) < 0.03)
    readings.times[:] = BEGIN + rng.integers(0, SECOND, count)
    kept(tmp_path, replace(readings, started=BEGIN, ended=BEGIN + SECOND))
    [file] = files(tmp_path, "raw")
    assert file.stat().st_size / count <= 60
