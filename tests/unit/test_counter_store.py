"""The store of counters: what is kept is there, what is not is said, and no window of it is wrong."""

from __future__ import annotations

import errno
import io
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import lacis
import numpy as np
import pytest
from lacis.counters import FIELDS, Growth, Lost, Readings, Unread
from lacis.counters.readings import empty
from lacis.counters.store import CounterStore, layout, table

from tests.conftest import one_quick, shared_data
from tests.histories import NAMES, STEP, History, history, row_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pl = pytest.importorskip("polars")
SECOND = 10**9
BEGIN = 1_795_860_000 * SECOND
"""A full hour: 498,850 of them since 1970."""


def sweep(at: int, value: int = 0, *, ports: int = 3, guid: int = 1, unit: int = 4) -> Readings:
    """A sweep, so many seconds after the full hour, in which every counter has one value."""
    readings = empty(ports, ["XmitData", "SymbolErrors"])
    readings.guids[:], readings.ports[:] = guid, np.arange(1, ports + 1)
    readings.times[:] = BEGIN + at * SECOND
    for name in readings.values:
        readings.values[name][:], readings.known[name][:] = value, True
        readings.wide[name][:] = name == "XmitData"
    return replace(readings, started=BEGIN + at * SECOND, ended=BEGIN + at * SECOND, unit=unit)


def kept(path: Path, *sweeps: Readings, **options: float) -> CounterStore:
    """A store in which some sweeps are kept; nothing locks it any more."""
    with CounterStore(path, **options) as store:  # type: ignore[arg-type]
        for one in sweeps:
            store.append(one)
    return CounterStore(path)


def files(path: Path, level: str) -> list[Path]:
    return sorted((path / level).iterdir()) if (path / level).exists() else []


def of(growth: Growth, name: str = "XmitData") -> tuple[list[int], set[Lost]]:
    return growth.values[name].tolist(), {Lost(reason) for reason in growth.lost[name].tolist()}


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


def windows(made: History, rng: np.random.Generator) -> list[tuple[int, int]]:
    count = len(made.readings)
    pairs = [sorted(rng.integers(0, count, 2).tolist()) for _ in range(12)]
    return [(0, count - 1), *((first, last) for first, last in pairs)]


@pytest.mark.parametrize("seed", one_quick(range(3)))
def test_no_window_of_a_rolled_history_is_wrong(tmp_path: Path, seed: int) -> None:
    made = history(seed, ports=40, sweeps=130, calm=0.99)
    store = kept(tmp_path, *made.readings, raw_seconds=400.0)
    assert len(files(tmp_path, "raw")) < 130
    origin = made.readings[0].started
    for first, last in windows(made, np.random.default_rng(seed)):
        found = store.growth(origin + first * STEP, origin + last * STEP)
        if not len(found):
            continue  # The window lies within a roll-up.
        at = row_of(found.guids, found.ports)
        begins, ends = ((times - origin) // STEP for times in (found.begins, found.ends))
        assert begins.min() >= first
        assert ends.max() <= last
        traceless = np.any(made.traceless[first : last + 1], axis=0)[at]
        for name in NAMES:
            counted = made.counted(name)
            truth = counted[ends, at] - counted[begins, at]
            known = (found.lost[name] == Lost.NOTHING) & ~traceless
            assert (found.values[name][known] == truth[known]).all()
            assert (found.at_least[name] <= truth).all()
    whole = store.growth(origin, origin + 130 * STEP)
    assert (whole.lost["XmitData"] == Lost.NOTHING).any()
    assert {Lost.CLEARED, Lost.GONE} <= {Lost(reason) for reason in whole.lost["XmitData"].tolist()}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_whatever_is_damaged_or_missing_no_window_is_wrong(tmp_path: Path, seed: int) -> None:
    made = history(seed, ports=24, sweeps=100, calm=0.995)
    kept(tmp_path, *made.readings, raw_seconds=500.0)
    rng = np.random.default_rng(seed)
    for file in [file for level in layout.LEVELS for file in files(tmp_path, level)]:
        data = bytearray(file.read_bytes())
        byte = int(rng.integers(0, len(data)))
        match rng.integers(0, 20):
            case 0:
                file.unlink()
            case 1:
                file.write_bytes(data[:byte])
            case 2:
                data[byte] ^= 1 << int(rng.integers(0, 8))
                file.write_bytes(data)
    origin = made.readings[0].started
    for first, last in windows(made, rng):
        store = CounterStore(tmp_path)
        found = store.growth(origin + first * STEP, origin + last * STEP)
        if not len(found):
            continue
        at = row_of(found.guids, found.ports)
        begins, ends = ((times - origin) // STEP for times in (found.begins, found.ends))
        traceless = np.any(made.traceless[first : last + 1], axis=0)[at]
        for name in NAMES:
            counted = made.counted(name)
            truth = counted[ends, at] - counted[begins, at]
            known = (found.lost[name] == Lost.NOTHING) & ~traceless
            assert (found.values[name][known] == truth[known]).all()
            assert (found.at_least[name] <= truth).all()
        assert len(list(store.readings(origin, origin + 100 * STEP))) > 10


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


def test_a_damaged_file_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    store = kept(tmp_path, *(sweep(10 * n, n) for n in range(9)))
    bad = files(tmp_path, "raw")[4]
    data = bytearray(bad.read_bytes())
    data[len(data) // 2] ^= 1
    bad.write_bytes(data)
    values, lost = of(store.growth(BEGIN, BEGIN + 100 * SECOND))
    assert (values, lost) == ([0] * 3, {Lost.DAMAGED})
    assert [(one.path, one.reason) for one in store.damaged] == [
        (bad, "is not what was written: its CRC-32 is not that of its name")
    ]
    assert len(list(store.readings(BEGIN, BEGIN + 100 * SECOND))) == 8
    assert of(store.growth(BEGIN + 50 * SECOND, BEGIN + 80 * SECOND)) == ([3] * 3, {Lost.NOTHING})
    # It has surely grown by what is on both of its sides: from 0 to 3 and from 5 to 8.
    assert store.growth(BEGIN, BEGIN + 100 * SECOND).at_least["XmitData"].tolist() == [6] * 3


def test_a_file_that_is_missing_between_others_is_a_hole(tmp_path: Path) -> None:
    store = kept(tmp_path, *(sweep(10 * n, n) for n in range(9)))
    files(tmp_path, "raw")[4].unlink()
    assert of(store.growth(BEGIN, BEGIN + 100 * SECOND)) == ([0] * 3, {Lost.DAMAGED})


def test_a_damaged_roll_up_is_made_up_for_by_its_sweeps_and_is_a_hole_without_them(tmp_path: Path) -> None:
    store = kept(tmp_path, *(sweep(60 * n, n) for n in range(16)))
    files(tmp_path, "5min")[1].write_bytes(b"PAR1 not really PAR1")
    assert of(store.growth(BEGIN, BEGIN + 900 * SECOND)) == ([15] * 3, {Lost.NOTHING})
    for file in files(tmp_path, "raw")[:11]:
        file.unlink()
    again = CounterStore(tmp_path)
    assert of(again.growth(BEGIN, BEGIN + 900 * SECOND)) == ([0] * 3, {Lost.DAMAGED})
    assert [one.path for one in again.damaged] == [files(tmp_path, "5min")[1]]


def test_a_roll_up_over_a_damaged_sweep_says_that_it_has_a_hole(tmp_path: Path) -> None:
    kept(tmp_path, *(sweep(60 * n, n) for n in range(4)))
    files(tmp_path, "raw")[2].write_bytes(b"")
    store = kept(tmp_path, *(sweep(60 * n, n) for n in range(4, 12)), raw_seconds=1)
    assert len(files(tmp_path, "raw")) == 2
    assert of(store.growth(BEGIN, BEGIN + 900 * SECOND)) == ([0] * 3, {Lost.DAMAGED})
    assert of(store.growth(BEGIN + 300 * SECOND, BEGIN + 900 * SECOND)) == ([6] * 3, {Lost.NOTHING})


def test_a_file_of_another_name_is_named_and_one_that_is_being_written_is_not(tmp_path: Path) -> None:
    store = kept(tmp_path, sweep(0), sweep(10))
    (tmp_path / "raw" / "notes.txt").write_text("mine")
    (tmp_path / "raw" / ".0000000002-x.parquet.part").write_text("half")
    store.span()
    assert [one.path.name for one in store.damaged] == ["notes.txt"]
    kept(tmp_path, sweep(20))
    assert [file.name for file in files(tmp_path, "raw") if file.name.startswith(".")] == []


def test_a_second_writer_refuses_and_readers_do_not(tmp_path: Path) -> None:
    with CounterStore(tmp_path) as first:
        first.append(sweep(0))
        second = CounterStore(tmp_path)
        with pytest.raises(lacis.LacisError, match=rf"is written by process {os.getpid()} on .*one writer"):
            second.append(sweep(10))
        assert second.latest() is not None
        first.append(sweep(10))
    second.append(sweep(20))
    assert CounterStore(tmp_path).span() == (BEGIN, BEGIN + 20 * SECOND)


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


def test_a_full_disk_is_said_and_what_is_kept_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with CounterStore(tmp_path) as store:
        store.append(sweep(0, 1))
        before = {file: file.read_bytes() for file in files(tmp_path, "raw")}

        def full(_: int) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        with monkeypatch.context() as patched:
            patched.setattr("lacis.counters.store.layout.os.fsync", full)
            with pytest.raises(
                lacis.LacisError, match="cannot be written: no space left on device; what is kept stays"
            ):
                store.append(sweep(10, 2))
        assert {file: file.read_bytes() for file in files(tmp_path, "raw")} == before
        store.append(sweep(20, 3))
    assert of(CounterStore(tmp_path).growth(BEGIN, BEGIN + 20 * SECOND)) == ([2] * 3, {Lost.NOTHING})


def test_a_file_that_goes_while_it_is_read_is_looked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A writer rolls up and deletes between a reader's list of files and its reading them.
    store = kept(tmp_path, *(sweep(10 * n, n) for n in range(29)))
    listed: Callable[..., object] = layout.listed
    calls: list[int] = []

    def slow(folder: Path) -> object:
        found = listed(folder)
        if not calls:
            calls.append(1)
            kept(tmp_path, sweep(290, 29), sweep(300, 30), sweep(310, 31), raw_seconds=1)
        return found

    monkeypatch.setattr("lacis.counters.store.store.listed", slow)
    # The sweeps of the window are now in a roll-up that ends beyond it: its first reading is all that is left.
    assert of(store.growth(BEGIN, BEGIN + 280 * SECOND)) == ([0] * 3, {Lost.ABSENT})
    assert store.damaged == ()
    assert of(store.growth(BEGIN, BEGIN + 310 * SECOND)) == ([31] * 3, {Lost.NOTHING})


WRITER = """
    import os, sys
    from dataclasses import replace
    from pathlib import Path
    import numpy as np
    from lacis.counters.readings import empty
    from lacis.counters.store import CounterStore

    folder, begin, kills = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    import polars
    def sweep(n):
        readings = empty(50, ["XmitData"])
        readings.guids[:], readings.ports[:] = 1, np.arange(1, 51)
        readings.times[:] = begin + n * 20 * 10**9
        readings.values["XmitData"][:], readings.known["XmitData"][:], readings.wide["XmitData"][:] = n, True, True
        return replace(readings, started=begin + n * 20 * 10**9)
    for kill in range(kills):
        sys.stdin.readline()
        child = os.fork()
        if child == 0:
            os.write(1, b"begins %d\\n" % os.getpid())
            store = CounterStore(folder, raw_seconds=600)
            latest = store.latest()
            n = 0 if latest is None else int(latest.values["XmitData"][0]) + 1
            while True:
                store.append(sweep(n))
                os.write(1, b"kept %d\\n" % n)
                n += 1
        os.waitpid(child, 0)
        os.write(1, b"ended %d\\n" % child)
"""


@pytest.mark.slow
def test_a_writer_that_is_killed_fifty_times_loses_no_sweep_that_it_said_was_kept(tmp_path: Path) -> None:
    kills, chance = 50, random.Random(5)
    command = [sys.executable, "-c", textwrap.dedent(WRITER), str(tmp_path / "store"), str(BEGIN), str(kills)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdin is not None
        assert writer.stdout is not None
        said = -1
        for _ in range(kills):
            # The next writer waits until the store of the last one has been looked at.
            writer.stdin.write("\n")
            writer.stdin.flush()
            word, process = writer.stdout.readline().split()
            assert word == "begins"
            for _ in range(chance.randint(1, 6)):
                word, number = writer.stdout.readline().split()
                assert (word, int(number) > said) == ("kept", True)
                said = int(number)
            # The pause only varies where in the writing of the next sweep the kill comes: it may come anywhere.
            time.sleep(chance.random() * 0.004)
            os.kill(int(process), signal.SIGKILL)
            while (line := writer.stdout.readline().split())[0] == "kept":
                said = int(line[1])
            assert line == ["ended", process]
            store = CounterStore(tmp_path / "store")
            latest = store.latest()
            assert latest is not None
            # At most the sweep that was being written was not said to be kept, and may be there.
            last = int(latest.values["XmitData"][0])
            assert last in (said, said + 1)
            assert of(store.growth(BEGIN, BEGIN + 10**6 * SECOND)) == ([last] * 50, {Lost.NOTHING})
            assert store.damaged == ()
            said = last
        assert writer.wait() == 0


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
