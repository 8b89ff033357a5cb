"""The flows and jobs behind a link, as lines of the view of a port."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from .. import _core
from ..facts.words import count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._core import Routes
    from ..fabric.ports import Ports
    from ..live import Usage
    from ..live.jobs import JobOnPort, JobsOnPorts

_LISTED = 8


@dataclass(frozen=True)
class Behind:
    """What the tables say of the traffic of ports.

    Attributes:
        routes: the tables.
        ports: of their fabric.
        jobs: what jobs put there; none where no jobs are given.
    """

    routes: Routes
    ports: Ports
    jobs: JobsOnPorts | None = None

    @cached_property
    def flows(self) -> NDArray[np.float64]:
        """Flows of all hosts to all others that leave each port between switches; NaN for other ports."""
        nodes, numbers, counts = _core.all_to_all(self.routes, "hosts")
        found = np.full(len(self.ports), np.nan)
        found[self.ports.rows_of_nodes(nodes, numbers)] = counts
        return found

    def rows(self, now: Usage, port: int) -> list[tuple[str, ...]]:
        """Lines about a port and the one at the other end of its cable."""
        ends = [port, *([int(self.ports.far[port])] if self.ports.far[port] >= 0 else [])]
        lines: list[tuple[str, ...]] = [
            (f"by {self.routes.engine_used}", *(_of_all(float(self.flows[end])) for end in ends))
        ]
        if self.jobs is None:
            return lines
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = now.sent / self.jobs.predicted(now)
        lines.append(("over predicted", *(_times(float(ratio[end])) for end in ends)))
        listed = [self.jobs.there(now, end) for end in ends]
        most = min(_LISTED, max(map(len, listed)))
        return lines + [
            ("job", *(_job(rows[number]) if number < len(rows) else "" for rows in listed))
            for number in range(most)
        ]


def _of_all(flows: float) -> str:
    return "" if np.isnan(flows) else f"{count(round(flows), 'flow')} of all to all"


def _times(ratio: float) -> str:
    return f"{ratio:.2f} ×" if np.isfinite(ratio) else "-"


def _job(one: JobOnPort) -> str:
    if one.beside:
        return f"{one.name}: not separable from {', '.join(one.beside[:2])}"
    share = f"{100 * one.share:.0f} % ± {100 * one.within:.0f}" if one.share is not None else ""
    return f"{one.name}: {one.flows:,.0f} flows {share}".rstrip()
