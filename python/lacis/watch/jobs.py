"""Jobs that run, and which links their flows cross: from lists of hosts, and from what squeue prints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import LacisError
from ..facts.watch import JobFlows
from ..io.files import reading
from ..why.links import links_of, load_of
from ..why.scheduler import hosts_there, jobs_of

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from .._core import Routes
    from ..fabric.ports import Ports


@dataclass(frozen=True)
class Running:
    """A job.

    Attributes:
        name: its number, or as it was given.
        hosts: those of them that the fabric has.
    """

    name: str
    hosts: tuple[str, ...]


def read_squeue(path: str | os.PathLike[str], known: Sequence[str]) -> list[Running]:
    """Jobs of the output of squeue that run, in its order.

    Hosts that the fabric does not have are left out, and so are jobs without a host in it.

    Args:
        path: the file.
        known: hosts of the fabric.

    Raises:
        LacisError: when the file cannot be read, or is no such list.
    """
    found = []
    with reading(path) as data:
        for job in jobs_of(data.decode("utf-8", "replace")):
            try:
                here = tuple(dict.fromkeys(hosts_there(job, known)))
            except LacisError as error:
                raise LacisError(error.reason, job.line, error.text or job.hosts[:80]) from None
            if here and job.end is None:
                found.append(Running(job.name, here))
    return found


class Crossing:
    """Which jobs have flows that cross a link, by the tables.

    Args:
        routes: the tables.
        ports: of their fabric.
    """

    def __init__(self, routes: Routes, ports: Ports) -> None:
        self._routes, self._count = routes, len(ports)
        self._links = links_of(routes.fabric)
        self._rows = ports.rows(self._links.guids, self._links.ports.astype(np.uint16))
        self._pairs: dict[tuple[str, ...], NDArray[np.float64]] = {}

    def on(self, row: int, jobs: Sequence[Running]) -> tuple[JobFlows, ...]:
        """The jobs with flows that leave by a port, most pairs first."""
        found = [
            JobFlows(job.name, len(job.hosts), pairs)
            for job in jobs
            if (pairs := int(self._of(job.hosts)[row]))
        ]
        return tuple(sorted(found, key=lambda one: (-one.pairs, one.name)))

    def keep(self, jobs: Sequence[Running]) -> None:
        """Forgets jobs that no longer run."""
        running = {job.hosts for job in jobs}
        self._pairs = {hosts: pairs for hosts, pairs in self._pairs.items() if hosts in running}

    def _of(self, hosts: tuple[str, ...]) -> NDArray[np.float64]:
        """Ordered pairs of a job's ports by the port that their path leaves, counted once for each set of hosts."""
        if hosts not in self._pairs:
            pairs = np.zeros(self._count)
            pairs[self._rows] = load_of(self._routes, self._links, hosts, adaptive=False).flows
            self._pairs[hosts] = pairs
        return self._pairs[hosts]
