"""Errors of a store or of a recording as what a fabric's ports have counted: findings, work lists and comparisons then name them.

What counts is the growth over the last day, or over as much of it as there is: what ports counted before may long be mended. Where a
single sweep is all, what it says is counted since the counters were last cleared.
"""

from __future__ import annotations

import os
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..errors import LacisError
from ..io.files import reading
from . import recording
from .readings import empty
from .store import CounterStore
from .stretch import followed, stretch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from .._core import Fabric
    from .stretch import Stretch

DAY = 86_400 * 10**9
"""Nanoseconds of growth that count."""
_PRINTED = {
    "SymbolErrors": "SymbolErrorCounter",
    "LinkErrorRecovery": "LinkErrorRecoveryCounter",
    "LinkDowned": "LinkDownedCounter",
    "LocalLinkIntegrityErrors": "LocalLinkIntegrityErrors",
    "FecUncorrectable": "PortFECUncorrectableBlockCounter",
    "EffectiveErrors": "EffectiveErrors",
    "RcvErrors": "PortRcvErrors",
    "RcvRemotePhysicalErrors": "PortRcvRemotePhysicalErrors",
    "ExcessiveBufferOverruns": "ExcessiveBufferOverrunErrors",
    "XmitDiscards": "PortXmitDiscards",
    "RcvSwitchRelayErrors": "PortRcvSwitchRelayErrors",
    "XmitConstraintErrors": "PortXmitConstraintErrors",
    "RcvConstraintErrors": "PortRcvConstraintErrors",
    "VL15Dropped": "VL15Dropped",
}
"""Counters of errors of InfiniBand, and their names as ibqueryerrors prints them."""


def is_counted(source: str | os.PathLike[str]) -> bool:
    """Whether a name is that of a store, or of a recording of `lacis counters`."""
    path = Path(source)
    if path.is_dir():
        return CounterStore(path).span() is not None
    if not path.is_file():
        return False
    with reading(source) as data:
        return recording.is_recording(data)


def with_errors(fabric: Fabric, source: str | os.PathLike[str]) -> Fabric:
    """A fabric whose ports have counted what a store or a recording says.

    Raises:
        LacisError: when it cannot be read, holds nothing, or is of another fabric.
    """
    name = os.fspath(source)
    over = _kept(source) if Path(source).is_dir() else _recorded(source)
    if not len(over):
        raise LacisError("holds no readings of counters", source=name)
    is_alone = bool((over.samples <= 1).all())
    columns = over.last.values if is_alone else over.grown
    ends = int(over.last.times.max()) or over.last.ended
    try:
        return fabric.counted(_printed(columns, over), ends // 10**9 or None)
    except LacisError as error:
        raise error.within(name) from None


def _kept(source: str | os.PathLike[str]) -> Stretch:
    """The last day of a store."""
    store = CounterStore(source)
    span = store.span()
    whole = stretch(empty(0))
    if span is not None:
        for one in store.readings(max(span[0], span[1] - DAY), span[1]):
            whole = followed(whole, stretch(one)) if len(whole) else stretch(one)
    return whole


def _recorded(source: str | os.PathLike[str]) -> Stretch:
    """The last day of a recording."""
    with reading(source) as data:
        sweeps = recording.read(data).sweeps
    ends = max((one.started for one in sweeps), default=0)
    recent = [stretch(one) for one in sweeps if one.started >= ends - DAY]
    return reduce(followed, recent or [stretch(empty(0))])


def _printed(columns: Mapping[str, NDArray[np.uint64]], over: Stretch) -> bytes:
    """Errors in the form of ibqueryerrors, planes of one port together; zeros too, as they are known."""
    names = [name for name in _PRINTED if name in columns and over.seen[name].any()]
    ports = np.stack([over.first.guids, over.first.ports.astype(np.uint64)], axis=1)
    ends, which = np.unique(ports, axis=0, return_inverse=True)
    sums = {name: np.zeros(len(ends), np.uint64) for name in names}
    for name in names:
        np.add.at(sums[name], which.reshape(-1), columns[name])
    lines = ['Errors for "a store or a recording"']
    for row, (guid, port) in enumerate(ends.tolist()):
        counts = " ".join(f"[{_PRINTED[name]} == {int(sums[name][row])}]" for name in names)
        lines.append(f"   GUID 0x{guid:016x} port {port}: {counts}")
    return ("\n".join(lines) + "\n").encode()
