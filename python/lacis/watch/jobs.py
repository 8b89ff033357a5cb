"""Which links the flows of jobs cross."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts.watch import JobFlows
from ..why.loads import load_of_job

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from .._core import Routes
    from ..fabric.ports import Ports


class Crossing:
    """Which jobs have flows that cross a link, by the tables.

    Args:
        routes: the tables.
        ports: of their fabric.
    """

    def __init__(self, routes: Routes, ports: Ports) -> None:
        self._routes, self._ports = routes, ports
        self._pairs: dict[tuple[str, ...], NDArray[np.float64]] = {}

    def on(self, row: int, jobs: Mapping[str, Sequence[str]]) -> tuple[JobFlows, ...]:
        """The jobs with flows that leave by a port, most pairs first."""
        found = [
            JobFlows(name, len(hosts), pairs)
            for name, hosts in jobs.items()
            if (pairs := int(self._of(tuple(hosts))[row]))
        ]
        return tuple(sorted(found, key=lambda one: (-one.pairs, one.name)))

    def keep(self, jobs: Mapping[str, Sequence[str]]) -> None:
        """Forgets jobs that no longer run."""
        running = {tuple(hosts) for hosts in jobs.values()}
        self._pairs = {hosts: pairs for hosts, pairs in self._pairs.items() if hosts in running}

    def _of(self, hosts: tuple[str, ...]) -> NDArray[np.float64]:
        """Ordered pairs of a job's ports by the port that their path leaves, counted once for each set of hosts."""
        if hosts not in self._pairs:
            self._pairs[hosts] = load_of_job(self._routes, self._ports, hosts, adaptive=False).flows
        return self._pairs[hosts]
