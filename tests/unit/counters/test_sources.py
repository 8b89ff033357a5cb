"""Recordings replayed sweep by sweep, and files of other tools, which are one sweep."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from lacis.counters import recording
from lacis.counters.names import PortNames
from lacis.counters.readings import empty
from lacis.counters.sources import Recordings, sweeps_of
from lacis.errors import LacisError

from .texts import PLAIN

if TYPE_CHECKING:
    from pathlib import Path

    from lacis import Fabric


def recorded(path: Path, fabric: Fabric, *begins: int) -> str:
    """A recording of sweeps that begin at these times."""
    sweeps = [replace(empty(0), started=begin, ended=begin + 1) for begin in begins]
    lines = [recording.line(recording.document(sweep, PortNames(fabric))) for sweep in sweeps]
    path.write_bytes(b"".join(lines))
    return str(path)


def test_recordings_follow_each_other_and_the_last_sweep_is_given_again(
    tmp_path: Path, fabric: Fabric
) -> None:
    source = Recordings(
        [recorded(tmp_path / "one", fabric, 10, 20), recorded(tmp_path / "two", fabric, 30)], fabric
    )
    found = [(source.sweep().started, source.is_over) for _ in range(5)]
    assert found == [(10, False), (20, False), (30, True), (30, True), (30, True)]


def test_a_recording_is_not_read_before_its_turn(tmp_path: Path, fabric: Fabric) -> None:
    source = Recordings([recorded(tmp_path / "one", fabric, 10), str(tmp_path / "absent")], fabric)
    assert source.sweep().started == 10
    with pytest.raises(LacisError, match="absent"):
        source.sweep()


def test_a_file_of_another_tool_is_one_sweep(tmp_path: Path, fabric: Fabric) -> None:
    file = tmp_path / "counters.txt"
    file.write_text(PLAIN)
    (sweep,) = sweeps_of(file, fabric)
    assert sweep.values["SymbolErrors"].tolist() == [77]
