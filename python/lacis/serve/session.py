"""What one server shows: a fabric, where it is drawn, and what its ports did; asked for by requests, one at a time."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import _core, health
from ..errors import LacisError
from ..fabric.ports import ports_of
from ..live import CATEGORIES, PairsOnPorts, Stored, Usage, pairs_on_ports, usage
from ..map import layout
from ..map.absent import absent_switches
from ..map.points import points
from ..map.topology import topology
from ..why.loads import load_of_job

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from .._core import Fabric, Routes
    from ..counters import Growth
    from ..fabric.ports import Ports
    from ..live import JobsOnPorts, PairsThere, Timeline
    from ..map.shapes import Drawing

MEASURES = ("used", "waited", "errors", "modelled", "ratio")
"""What links are coloured by: share of the cable's rate, share of time waited, errors of integrity and congestion, modelled flows
over the mean, and measured over predicted."""


_KEPT = 64
"""Of so many intervals what ports did is kept."""


class Moment(NamedTuple):
    """What ports did in an interval, for a drawing.

    Attributes:
        begin: of the interval, nanoseconds since 1970.
        end: of the interval.
        values: by measure: a number for each port, NaN where it is not known.
    """

    begin: int
    end: int
    values: Mapping[str, NDArray[np.float32]]


@dataclass
class Session:
    """A fabric that is shown.

    Attributes:
        fabric: the fabric.
        ports: its ports.
        name: what the user calls it.
        timeline: what its ports did; none where only the fabric is shown.
        routes: tables, for routes and modelled loads; none where they could not be made.
        jobs: what jobs put on ports by the tables; none where no jobs are given.
        adaptive: whether switches choose among all ports that begin a shortest path, whatever the tables say.
    """

    fabric: Fabric
    ports: Ports
    name: str
    timeline: Timeline | None
    routes: Routes | None
    jobs: JobsOnPorts | None = None
    adaptive: bool = False

    def __post_init__(self) -> None:
        self.health = health.examine(self.fabric)
        self.drawing: Drawing | None = layout.draw(
            topology(self.fabric, self.health),
            absent_switches(self.health.findings),
            self.fabric.systems().tolist(),
        )
        self.trouble = ""
        self._foreign = ""
        self._lock = threading.Lock()
        self._shown: dict[int, Usage] = {}
        self._modelled: NDArray[np.float32] | None = None
        self._pairs: PairsOnPorts | None = None

    @cached_property
    def points(self) -> dict[str, Any]:
        """Where nodes are, as the page reads it: the same for all readers."""
        return points(self.fabric, self.drawing)

    def advance(self) -> bool:
        """Looks for more readings; whether there were some. Trouble is kept, and shown to those who ask."""
        if self.timeline is None:
            return False
        try:
            is_new = self.timeline.advance()
        except LacisError as error:
            self.trouble = str(error)
            return False
        self.trouble = ""
        return is_new

    def state(self) -> str:
        """What is wrong with the source, in a line: it cannot be read, is of another fabric, or lost something; empty where nothing is."""
        try:
            self.used(None)
        except LacisError as error:
            return self.trouble or str(error)
        damage = self.timeline.damage() if isinstance(self.timeline, Stored) else ""
        return self.trouble or self._foreign or damage

    def _strangers(self, grown: Growth | None) -> str:
        """How many of the ports that were read are not of this fabric, where that is most of them."""
        if self.timeline is None or grown is None or not len(grown):
            return ""
        rows = self.ports.rows(grown.guids, grown.ports)
        strange, every = int((rows < 0).sum()), len(rows)
        if 2 * strange < every:
            return ""
        return f"{self.timeline.name}: {strange:,} of {every:,} ports are not in this fabric: is it of another one?"

    def instants(self) -> list[int]:
        """When intervals ended, nanoseconds since 1970, the earliest first."""
        return list(self.timeline.instants()) if self.timeline is not None else []

    def used(self, at: int | None) -> Usage:
        """What ports did in the interval that ended last at an instant; the last one without."""
        instants = self.instants()
        if self.timeline is None or not instants:
            return usage(self.ports, None)
        number = len(instants) - 1
        if at is not None:
            number = max((n for n, end in enumerate(instants) if end <= at), default=0)
        with self._lock:
            end = instants[number]
            if end not in self._shown:
                if len(self._shown) >= _KEPT:
                    self._shown.pop(next(iter(self._shown)))
                grown = self.timeline.growth(number)
                self._shown[end] = usage(self.ports, grown)
                self._foreign = self._strangers(grown)
            return self._shown[end]

    def moment(self, at: int | None, minus: int | None = None) -> Moment:
        """What ports did up to an instant, or how that differs from an earlier one."""
        now = self.used(at)
        values = self._values(now)
        if minus is not None:
            before = self._values(self.used(minus))
            values = {name: column - before[name] for name, column in values.items()}
        return Moment(now.begin, now.end, values)

    def _values(self, now: Usage) -> dict[str, NDArray[np.float32]]:
        errors = np.stack([now.errors(category) for category in CATEGORIES])
        known = ~np.isnan(errors).all(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = now.sent / self.jobs.predicted(now) if self.jobs is not None else now.sent * np.nan
        columns = {
            "used": now.share,
            "waited": now.waited,
            "errors": np.where(known, np.nansum(errors, axis=0), np.nan),
            "modelled": self.modelled(),
            "ratio": np.where(np.isfinite(ratio), ratio, np.nan),
        }
        return {name: np.asarray(column, np.float32) for name, column in columns.items()}

    def pairs(self, port: int, most: int, text: str, at: int | None) -> PairsThere | None:
        """The pairs behind a port by the tables: of the jobs, or of all hosts to all others where no jobs are given; none without tables."""
        if self.routes is None:
            return None
        rates = {}
        if self.jobs is not None:
            rates = dict(zip(self.jobs.names, self.jobs.rates(self.used(at)).tolist(), strict=True))
        with self._lock:
            if self._pairs is None:
                self._pairs = pairs_on_ports(self.routes, self.ports, self.jobs, adaptive=self.adaptive)
            return self._pairs.there(port, most, text, rates)

    def modelled(self) -> NDArray[np.float32]:
        """Flows of all hosts to all others that leave each port, over their mean between switches; NaN without tables."""
        if self._modelled is None:
            self._modelled = modelled(self.ports, self.routes, adaptive=self.adaptive)
        return self._modelled


def flows_of(
    routes: Routes, *, adaptive: bool
) -> tuple[NDArray[np.uint64], NDArray[np.uint16], NDArray[np.float64]]:
    """Flows of all hosts to all others between switches: GUID and number of the port by which they leave, and how many.

    Where switches choose, they are those of each rail for itself, spread evenly over all shortest paths.
    """
    fabric = routes.fabric
    if not adaptive:
        nodes, numbers, flows = _core.all_to_all(routes, "hosts")
        return fabric.guids()[nodes], numbers.astype(np.uint16), flows.astype(np.float64)
    ports = ports_of(fabric)
    load = load_of_job(routes, ports, sorted(set(_core.host_names(fabric))), adaptive=True)
    between = ports.between_switches
    return ports.guids[between], ports.numbers[between], load.flows[between]


def modelled(ports: Ports, routes: Routes | None, *, adaptive: bool = False) -> NDArray[np.float32]:
    """Flows of all hosts to all others that leave each port under tables, over their mean between switches.

    The tables may be of the same fabric with changes: ports are found by their GUIDs.

    Args:
        ports: of the fabric that is drawn.
        routes: the tables.
        adaptive: whether switches choose among all ports that begin a shortest path.
    """
    relative = np.full(len(ports), np.nan, np.float32)
    if routes is None:
        return relative
    guids, numbers, flows = flows_of(routes, adaptive=adaptive)
    mean = float(flows.mean()) if len(flows) else 0.0
    rows = ports.rows(guids, numbers)
    there = rows >= 0
    if mean:
        relative[rows[there]] = (flows[there] / mean).astype(np.float32)
    return relative
