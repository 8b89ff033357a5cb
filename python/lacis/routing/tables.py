"""Reading and writing tables."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from .. import _core
from ..errors import LacisError
from ..facts.verdicts import SwitchesUndiscovered
from ..io.files import reading, writing

if TYPE_CHECKING:
    from .._core import Fabric, Note, Routes


def read_tables(fabric: Fabric, path: str | os.PathLike[str]) -> tuple[Routes, list[Note]]:
    """Tables that were dumped from this fabric, and what their reader noticed.

    Understood are `opensm-lfts.dump`, what `dump_lfts` and `ibroute` print, and snapshots of `opareport`.

    Raises:
        LacisError: when the file cannot be read, or is of another fabric.
    """
    with reading(path) as data:
        return _core.read_lfts(fabric, data)


def write_tables(routes: Routes, path: str | os.PathLike[str]) -> None:
    """Writes tables as `opensm-lfts.dump`, which `opensm -R file -U FILE` loads.

    Raises:
        LacisError: when the file cannot be written, or a LID is beyond InfiniBand's.
    """
    try:
        with writing(path) as out:
            routes.dump(out.write)
    except LacisError as error:
        raise error.within(os.fspath(path)) from None


def write_snapshot(routes: Routes, path: str | os.PathLike[str]) -> int:
    """Writes a fabric with its tables and port groups as a snapshot, which `opareport -X FILE` reads.

    Returns:
        The number of cables that are not Omni-Path's and are written as 100g.

    Raises:
        LacisError: when the file cannot be written, or opareport would refuse it.
    """
    import time

    try:
        with writing(path) as out:
            return routes.dump_snapshot(out.write, int(time.time()))
    except LacisError as error:
        raise error.within(os.fspath(path)) from None


def undiscovered(routes: Routes) -> SwitchesUndiscovered | None:
    """Switches that are too far from OpenSM's manager to be found; none where it finds all."""
    switches = routes.undiscovered()
    return SwitchesUndiscovered(switches, _core.MOST_HOPS) if switches else None
