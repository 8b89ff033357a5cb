"""The jobs behind the traffic of ports: what the tables say that each puts there, and what is measured over what that predicts.

Each job is taken to send as much from each of its ports to each other one. How much it sends in all is what fits the measured
rates of all links best (`why.shares`); what a link carries beyond what all jobs together put there is not theirs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..ranks.participants import by_rail, participants_of
from ..why.loads import load_of_job
from ..why.shares import Share, nnls, shares
from .crossing import Senders

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from .._core import Routes
    from ..fabric.ports import Ports
    from .usage import Usage


class JobOnPort(NamedTuple):
    """A job on a link.

    Attributes:
        name: the job.
        flows: ordered pairs of its ports whose packets leave by the port.
        share: its part of what the link carried; none where it cannot be separated, or nothing was measured.
        within: how exact the share is, on either side.
        beside: jobs that it cannot be separated from.
    """

    name: str
    flows: float
    share: float | None
    within: float
    beside: tuple[str, ...]


@dataclass(frozen=True)
class JobsOnPorts:
    """What jobs put on ports by the tables.

    Attributes:
        names: of the jobs.
        loads: flows, ports × jobs.
        trusted: ports of adapters, and of switches to adapters: they carry the packets of one host alone.
        senders: the ports of each job, rail by rail.
        adaptive: whether switches choose among all ports that begin a shortest path, whatever the tables say.
    """

    names: Sequence[str]
    loads: NDArray[np.float64]
    trusted: NDArray[np.bool_]
    senders: Sequence[Senders] = ()
    adaptive: bool = False

    def there(self, now: Usage, port: int) -> list[JobOnPort]:
        """The jobs behind a port, the one with the most of it first."""
        on_it = np.flatnonzero(self.loads[port] > 0).tolist()
        found: list[Share] = list(shares(self.loads, now.sent, port, self.trusted))
        part = {job: one for one in found for job in one.jobs}
        rows = []
        for job in on_it:
            one = part.get(job)
            alone = one is not None and len(one.jobs) == 1
            beside = (
                () if one is None or alone else tuple(self.names[other] for other in one.jobs if other != job)
            )
            rows.append(
                JobOnPort(
                    self.names[job],
                    float(self.loads[port, job]),
                    one.share if one is not None and alone else None,
                    one.within if one is not None else 0.0,
                    beside,
                )
            )
        return sorted(rows, key=lambda one: (-(one.share or 0.0), -one.flows, one.name))

    def rates(self, now: Usage) -> NDArray[np.float64]:
        """Bytes per second that each job sends from each of its ports to each other one, by what fits all measured rates; NaN where nothing is measured."""
        known = np.isfinite(now.sent) & (self.loads > 0).any(axis=1)
        if not known.any():
            return np.full(self.loads.shape[1], np.nan)
        scale = np.sqrt((self.loads[known] ** 2).sum(axis=0))
        scale[scale == 0] = 1.0
        return np.asarray(nnls(self.loads[known] / scale, now.sent[known]) / scale, np.float64)

    def predicted(self, now: Usage) -> NDArray[np.float64]:
        """Bytes per second that the jobs together put on each port, by what fits all measured rates; NaN where nothing is measured."""
        return np.asarray(self.loads @ self.rates(now), np.float64)


def jobs_on_ports(
    routes: Routes, ports: Ports, jobs: Mapping[str, Sequence[str]], *, adaptive: bool = False
) -> JobsOnPorts:
    """What jobs put on ports by the tables.

    Args:
        routes: the tables.
        ports: of their fabric.
        jobs: hosts by job.
        adaptive: whether switches choose among all ports that begin a shortest path, whatever the tables say.

    Raises:
        LacisError: when the fabric has no cables.
    """
    loads = np.zeros((len(ports), len(jobs)))
    senders = []
    for number, (job, hosts) in enumerate(jobs.items()):
        loads[:, number] = load_of_job(routes, ports, hosts, adaptive=adaptive).flows
        senders += [
            Senders(job, participants_of(routes.fabric, names, str(rail)).guids())
            for rail, names in by_rail(routes.fabric, hosts).items()
            if len(names) > 1
        ]
    return JobsOnPorts(list(jobs), loads, ~ports.between_switches, senders, adaptive)
