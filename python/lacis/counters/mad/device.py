"""A device that management datagrams are sent from, and the requests and answers of a sweep as arrays."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import sys
import threading
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...errors import LacisError
from . import building

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from numpy.typing import NDArray

REQUEST = np.dtype(
    [
        ("node", "<u4"),
        ("modifier", "<u4"),
        ("lid", "<u2"),
        ("attribute", "<u2"),
        ("class", "u1"),
        ("method", "u1"),
        ("service_level", "u1"),
        ("hops", "u1"),
        ("body", "u1", (24,)),
    ]
)
"""A request, as the shim has it; `node` is a number from 0, to which few requests are in flight at a time.

`body` is the beginning of its data; of a request that is routed by its path, the path: the port that each node on it is left by, from byte 1.
"""
ANSWER = np.dtype(
    [
        ("time", "<i8"),
        ("status", "<u2"),
        ("state", "u1"),
        ("tries", "u1"),
        ("error", "<i4"),
        ("data", "u1", (192,)),
    ]
)
"""What became of a request, as the shim has it."""
_NAME = re.compile(r"[\w.-]{0,63}", re.ASCII)
_STEP = 100
"""Milliseconds after which the shim returns, so that interrupts are heard."""


class State(IntEnum):
    """What became of a request."""

    WAITING = 0
    ANSWERED = 1
    LOST = 2
    """Sent as often as allowed, without an answer."""
    SILENT = 3
    """Not sent: the node had answered nothing so far, and another request to it was lost."""
    REFUSED = 4
    """The device would not send it."""


class _Opening(IntEnum):
    OPENED = 0
    NO_MEMORY = 1
    NO_LIBRARY = 2
    OLD_LIBRARY = 3
    NO_DEVICE = 4
    NO_AGENT = 5


@dataclass(frozen=True)
class Pace:
    """How requests are sent.

    Attributes:
        in_flight: at a time, over all nodes; the kernel's queue holds 128.
        a_node: at a time to one node, whose performance agent is a small processor.
        timeout: seconds until a request counts as lost.
        retries: how often it is sent again then.
    """

    in_flight: int = 128
    a_node: int = 2
    timeout: float = 0.5
    retries: int = 3


class Device:
    """An open port of an adapter, for management datagrams; a context manager.

    Threads may share it: one asks after the other, and closing it ends what another asks.

    Args:
        name: such as `mlx5_0`; empty for the first.
        port: its number; 0 for the first that is active.
        library: libibumad, as the loader finds it.

    Attributes:
        is_managing: whether it sends datagrams of the subnet's manager: of a planarised adapter another device does.

    Raises:
        LacisError: in one line that says what to do: without the library, an adapter, or permission.
    """

    def __init__(self, name: str = "", port: int = 0, library: str | None = None) -> None:
        library = library or building.LIBRARY
        if not _NAME.fullmatch(name):
            raise LacisError("no name of an adapter, such as mlx5_0", text=repr(name)[:80])
        self._shim = building.load()
        self._pointer = ctypes.c_void_p()
        self.name = name
        error = ctypes.c_int()
        with _silenced():
            opening = self._shim.lacis_mad_open(
                ctypes.byref(self._pointer), library.encode(), name.encode(), port, ctypes.byref(error)
            )
        if opening != _Opening.OPENED:
            raise LacisError(_why_not(_Opening(opening), error.value, name, port, library))
        self.is_managing = bool(self._shim.lacis_mad_manages(self._pointer))
        self._asking = threading.Lock()
        self._is_closing = False

    def ask(self, requests: NDArray[np.void], pace: Pace) -> NDArray[np.void]:
        """Sends requests, and returns what became of each, in their order.

        Raises:
            LacisError: when the device goes away, or is closed meanwhile.
        """
        answers = np.zeros(len(requests), ANSWER)
        requests = np.ascontiguousarray(requests)
        nodes = int(requests["node"].max()) + 1 if len(requests) else 1
        timeout = max(1, round(pace.timeout * 1e3))
        called = f"the adapter {self.name or 'of this host'}"
        with self._asking:
            if self._is_closing:
                raise LacisError(f"{called} is closed")
            begun = self._shim.lacis_mad_begin(
                self._pointer,
                requests.ctypes.data,
                answers.ctypes.data,
                len(requests),
                nodes,
                pace.in_flight,
                pace.a_node,
                pace.retries + 1,
                timeout,
            )
            if begun != 0:
                raise LacisError(f"a sweep cannot begin: {os.strerror(-begun).lower()}")
            try:
                while (left := self._shim.lacis_mad_step(self._pointer, _STEP)) > 0 and not self._is_closing:
                    pass
            finally:
                self._shim.lacis_mad_end(self._pointer)
        if left > 0:
            raise LacisError(f"{called} was closed while it was asked")
        if left < 0:
            raise LacisError(f"{called} no longer sends: {os.strerror(-left).lower()}")
        return answers

    def close(self) -> None:
        """Closes the port; what another thread asks ends first, without an answer."""
        self._is_closing = True
        with self._asking:
            if self._pointer:
                self._shim.lacis_mad_close(self._pointer)
                self._pointer = ctypes.c_void_p()

    def __enter__(self) -> Device:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@contextlib.contextmanager
def _silenced() -> Iterator[None]:
    """Without what libibumad itself writes to standard error where a device does not open: what there is to say is said in one line."""
    if sys.stderr is not None:
        sys.stderr.flush()
    try:
        kept = os.dup(2)
    except OSError:  # Standard error is closed.
        yield
        return
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 2)
        os.close(nowhere)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


_DEVICES = Path("/sys/class/infiniband")


def managing(device: Device, library: str | None = None) -> Device:
    """A device that sends datagrams of the subnet's manager for the same adapter; the same one where it does, or none other is found.

    A planarised adapter has two: `mlx5_0` takes those for counters, and `smi1` those of the subnet, by a port for each plane.
    Both say the same GUID of their node.
    """
    if device.is_managing:
        return device
    guids = {path.parent.name: _line(path) for path in sorted(_DEVICES.glob("*/node_guid"))}
    own = guids.get(device.name) if device.name else next(iter(guids.values()), None)
    for name, guid in guids.items():
        if guid and guid == own and name != device.name and _NAME.fullmatch(name):
            try:
                other = Device(name, 0, library)
            except LacisError:
                continue
            if other.is_managing:
                return other
            other.close()
    return device


def _line(path: Path) -> str:
    try:
        return path.read_text("ascii", "replace").strip()
    except OSError:
        return ""


_NODES = Path("/dev/infiniband")


def _why_not(opening: _Opening, error: int, name: str, port: int, library: str) -> str:
    """Why a device does not open, and what to do about it."""
    match opening:
        case _Opening.NO_MEMORY:
            return "not enough memory to read counters"
        case _Opening.NO_LIBRARY:
            return (
                f"counters are read through {library}, which is not installed: apt-get install libibumad3 "
                "(dnf install libibumad on Red Hat)"
            )
        case _Opening.OLD_LIBRARY:
            return f"{library} lacks functions of libibumad 3: install the libibumad of rdma-core"
    files = sorted(_NODES.glob("umad*")) if _NODES.is_dir() else []
    forbidden = [str(path) for path in files if not os.access(path, os.R_OK | os.W_OK)]
    named = f"{name or 'the first adapter'}{f', port {port}' if port else ''}"
    if forbidden:
        return (
            f"no permission to send management datagrams: {forbidden[0]} is for root; run as root, or let a group "
            'read and write it (a udev rule: KERNEL=="umad*", GROUP="…", MODE="0660")'
        )
    if opening == _Opening.NO_AGENT:
        return f"{named} does not let this program send requests for counters: {os.strerror(error).lower()}"
    if not files:
        return (
            "no adapter of InfiniBand here: there is no /dev/infiniband/umad0 (modprobe ib_umad on a host that has "
            "one); counters are read from files, too"
        )
    return f"{named} cannot be opened: {os.strerror(error).lower()}; `ibstat -l` lists adapters"
