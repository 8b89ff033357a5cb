"""Counters of the time of a measurement: from a store, from recordings, or from a file of another program."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...counters.sources import sweeps_of
from ...counters.store import CounterStore
from ...facts import traffic as of
from .answer import Others, cannot_say, together
from .carried import carried
from .judge import judged
from .sent import sent_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import polars as pl

    from ..._core import Fabric, Participants, Routes
    from ...counters import Readings
    from .sent import Sent

_SLACK = 120 * 10**9
"""Nanoseconds before and after a measurement within which the sweeps that enclose it are looked for, at least."""


def of_source(
    routes: Routes,
    hosts: Participants,
    names: Sequence[str],
    frame: pl.DataFrame,
    explained: pl.DataFrame,
    source: str | os.PathLike[str],
) -> Others:
    """Whether counters show other traffic while values were measured.

    Args:
        routes: the tables.
        hosts: those of the rail that was measured.
        names: of these hosts, as the table has them.
        frame: all values of the run.
        explained: those that are explained.
        source: a store, a recording, or a file of another program.

    Raises:
        LacisError: when the counters cannot be read.
    """
    undated = explained.filter(explained["began"].is_null() | explained["sent"].is_null()).height
    sent = sent_of(routes, hosts, names, frame) if undated < explained.height else None
    if sent is None or not len(sent.rows):
        return cannot_say(of.ValuesUndated(undated or explained.height, explained.height))
    more = [of.ValuesUndated(undated, explained.height)] if undated else []
    parts = sent.parts()
    found = [judged(part, carried(part, _around(source, routes.fabric, part)), *more) for part in parts]
    return together(found)


def _around(source: str | os.PathLike[str], fabric: Fabric, sent: Sent) -> Iterable[Readings]:
    """The sweeps of a source from the time of a measurement, and from some time before and after it."""
    begin, end = int(sent.began.min()), int(sent.ended.max())
    slack = max(_SLACK, (end - begin) // 10)
    begin, end = begin - slack, end + slack
    if Path(source).is_dir():
        yield from CounterStore(source).readings(begin, end)
        return
    for one in sweeps_of(source, fabric):
        times = one.times[one.times > 0]
        when = one.started or (int(np.median(times)) if len(times) else one.ended)
        if not when or begin <= when <= end:
            yield one
