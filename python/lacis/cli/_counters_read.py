"""Where `lacis counters` reads: a device of this host, or files."""

from __future__ import annotations

import contextlib
import functools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from ..errors import LacisError
from ._fabric import need_cables
from ._numbers import DEVICE_PORT, IN_FLIGHT, RETRIES
from ._units import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .._core import Fabric
    from ..counters import Readings, Unread
    from ..counters.mad import Reader
    from ..counters.names import PortNames
    from ..facts.counters import CountersRemark


def device_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds `--device`, `--port` and how requests are sent; the command receives them as `through`, a `Through`."""
    for option in (
        click.option(
            "--links",
            "links_every",
            type=Span(0, 86_400),
            default="10s",
            show_default=True,
            metavar="TIME",
            help="Until all links are asked what they do again; 0s: in each sweep.",
        ),
        click.option(
            "--per-node",
            "mads_per_node",
            type=IN_FLIGHT,
            default=2,
            show_default=True,
            help="Requests at a time to one node.",
        ),
        click.option(
            "--in-flight",
            "mads_in_flight",
            type=IN_FLIGHT,
            default=128,
            show_default=True,
            help="Requests at a time, to all nodes.",
        ),
        click.option(
            "--retries",
            "mad_retries",
            type=RETRIES,
            default=3,
            show_default=True,
            help="How often a request that is lost is sent again.",
        ),
        click.option(
            "--timeout",
            "mad_timeout",
            type=Span(0.01, 60),
            default="500ms",
            show_default=True,
            metavar="TIME",
            help="Until a request counts as lost.",
        ),
        click.option(
            "--port",
            "adapter_port",
            type=DEVICE_PORT,
            default=0,
            help="The adapter's port; the first that is active unless given.",
        ),
        click.option(
            "--device",
            "adapter",
            metavar="NAME",
            default="",
            help="The adapter to read through, such as mlx5_0; the first unless given.",
        ),
    ):
        function = option(function)

    @functools.wraps(function)
    def with_device(
        *args: Any,
        adapter: str,
        adapter_port: int,
        mad_timeout: float,
        mad_retries: int,
        mads_in_flight: int,
        mads_per_node: int,
        links_every: float,
        **kwargs: Any,
    ) -> Any:
        through = Through(
            adapter, adapter_port, mad_timeout, mad_retries, mads_in_flight, mads_per_node, links_every
        )
        return function(*args, through=through, **kwargs)

    return with_device


@dataclass(frozen=True)
class Through:
    """The device, and how requests are sent."""

    device: str
    port: int
    timeout: float
    retries: int
    in_flight: int
    per_node: int
    links_every: float


@dataclass
class Source:
    """Sweeps, and what belongs to the last of them.

    Attributes:
        sweep: reads once.
        names: of ports.
        remarks: what the last sweep found out about the fabric.
        before: a reading from before the first sweep; none where there is no such.
        clear: sets all counters to zero.
        is_timed: whether a sweep says how long reading took, as files of other tools do not.
    """

    sweep: Callable[[], Readings]
    names: Callable[[], PortNames]
    remarks: Callable[[], Sequence[CountersRemark]] = field(default=lambda: ())
    before: Readings | None = None
    clear: Callable[[], Sequence[Unread]] = field(default=lambda: ())
    is_timed: bool = True


@contextlib.contextmanager
def live(fabric: Fabric | None, through: Through, *, fresh: bool) -> Iterator[Source]:
    """The running fabric, as it is given or, where it is not, as it is discovered."""
    from ..counters.mad import Pace, Reader, discovered, rediscovered

    def found(has_moved: bool) -> Fabric | None:
        return rediscovered(through.device, through.port, has_moved=has_moved)

    is_given = fabric is not None
    fabric = fabric or discovered(through.device, through.port, fresh=fresh)
    need_cables(fabric)
    pace = Pace(through.in_flight, through.per_node, through.timeout, through.retries)
    opened = Reader(
        fabric,
        device=through.device,
        port=through.port,
        pace=pace,
        links_every=through.links_every,
        discover=None if is_given else found,
    )
    with opened as reader:
        naming = _Naming(reader)
        yield Source(reader.sweep, naming.names, lambda: reader.remarks, clear=reader.clear)


class _Naming:
    """Names of a reader's fabric, made again where that is another."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._named: tuple[Fabric, PortNames] | None = None

    def names(self) -> PortNames:
        from ..counters.names import PortNames

        if self._named is None or self._named[0] is not self._reader.fabric:
            self._named = self._reader.fabric, PortNames(self._reader.fabric)
        return self._named[1]


def filed(files: Sequence[str], fabric: Fabric | None) -> Source:
    """Files: the last sweep of recordings and the first before it, or all that files of other tools have, as one sweep."""
    from ..counters import recording
    from ..counters.names import PortNames
    from ..counters.sources import is_folder
    from ..io.files import reading

    sweeps: list[Readings] = []
    untimed: Readings | None = None
    others: list[str] = []
    nodes: dict[int, str] = {}
    peers: dict[tuple[int, int], str] = {}
    for file in files:
        if is_folder(file):
            others.append(file)
            continue
        with reading(file) as data:
            if not recording.is_recording(data):
                others.append(file)
                continue
            found = recording.read(data)
        sweeps += found.sweeps
        nodes |= found.nodes
        peers |= found.peers
    if others:
        from ..counters import files as formats

        untimed = formats.read(others, fabric)
        sweeps.append(untimed)
    if not sweeps:
        raise LacisError("has no sweep of counters", source=files[0])
    sweeps.sort(key=lambda one: one.ended)
    names = PortNames(fabric, nodes, peers)
    return Source(
        lambda: sweeps[-1],
        lambda: names,
        before=sweeps[0] if len(sweeps) > 1 else None,
        is_timed=sweeps[-1] is not untimed,
    )
