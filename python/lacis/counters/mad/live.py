"""The running fabric as a source of readings: a device, the ports of a fabric, and whether that is still the fabric."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ...facts.counters import LidsMoved, LidsUnchecked, LinkStatesUnread, SwitchesChanged
from .device import Device, Pace, managing
from .links import EVERY, LinkReader
from .reader import PortReader
from .targets import targets_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from ..._core import Fabric
    from ...facts.counters import CountersRemark
    from ..readings import Readings, Unread
    from .targets import Targets

_APART = 60.0
"""Seconds between two requests to discover for which there is only a sign of change."""


class Reader:
    """Reads the counters of all cabled ports of a fabric, whenever it is asked; a context manager.

    Args:
        fabric: with the LIDs that its manager has given.
        device: the adapter, such as `mlx5_0`; empty for the first.
        port: its port; 0 for the first that is active.
        pace: how requests are sent.
        links_every: seconds after which all links are asked what they do; those with a sign of change are asked in every sweep.
        discover: finds the fabric again where something has changed, given whether LIDs have moved, or finds that it need
            not be; without it changes are reported only.
        library: libibumad, as the loader finds it.

    Attributes:
        fabric: the fabric, as it was last given or found.
        remarks: what the last sweep found out about the fabric.

    Raises:
        LacisError: without an adapter, its library or permission, or where the fabric says no LIDs.
    """

    def __init__(
        self,
        fabric: Fabric,
        *,
        device: str = "",
        port: int = 0,
        pace: Pace | None = None,
        links_every: float = EVERY,
        discover: Callable[[bool], Fabric | None] | None = None,
        library: str | None = None,
    ) -> None:
        self.fabric = fabric
        self.remarks: tuple[CountersRemark, ...] = ()
        self._pace, self._links_every = pace or Pace(), links_every
        self._discover = discover
        self._discovered = float("-inf")
        self._targets = targets_of(fabric)
        self._device = Device(device, port, library)
        self._managing = managing(self._device, library)
        self._source = device or "umad"
        self._reader = self._of(self._targets)

    def sweep(self) -> Readings:
        """Reads every port once; where the fabric has changed and can be discovered, it is, and is read again.

        Raises:
            LacisError: when the device goes away, or the fabric is not found again.
        """
        readings = self._reader.read()
        checked, now = self._reader.checked, time.monotonic()
        hint = bool(len(checked.moved) or checked.changed or checked.grown or checked.silent)
        is_due = len(checked.moved) > 0 or now - self._discovered > _APART
        if self._discover is not None and hint and is_due:
            self._discovered = now
            found = self._discover(len(checked.moved) > 0)
            if found is not None:
                self.fabric = found
                self._targets = targets_of(found, self._targets)
                self._reader = self._of(self._targets)
                readings = self._reader.read()
        self.remarks = self._remarked()
        return readings

    def _of(self, targets: Targets) -> PortReader:
        """A reader of these ports."""
        links = LinkReader(self._managing, targets, self.fabric, self._pace, self._links_every)
        return PortReader(self._device, targets, self._pace, self._source, links)

    def clear(self) -> tuple[Unread, ...]:
        """Sets all counters of all ports to zero; returns the ports of which some were not."""
        return self._reader.clear()

    def close(self) -> None:
        """Closes the device."""
        self._managing.close()
        self._device.close()

    def __enter__(self) -> Reader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _remarked(self) -> tuple[CountersRemark, ...]:
        checked = self._reader.checked
        found: list[CountersRemark] = []
        if len(checked.moved):
            found.append(LidsMoved(tuple(f"0x{guid:016x}" for guid in self._reader.moved())))
        if checked.changed:
            found.append(SwitchesChanged(tuple(f"0x{guid:016x}" for guid in checked.changed)))
        if checked.asked and not checked.answered:
            found.append(LidsUnchecked())
        if checked.linkless:
            found.append(LinkStatesUnread())
        return tuple(found)
