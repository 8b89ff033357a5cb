"""What a store of counters says of files that are damaged, gone or not its own, and of writers that fail."""

from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from typing import TYPE_CHECKING

import lacis
import pytest
from lacis.counters import Lost
from lacis.counters.store import CounterStore, layout

from tests.stored import BEGIN, SECOND, files, kept, of, sweep

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


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
