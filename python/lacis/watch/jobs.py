"""Jobs that run, and which links their flows cross: from lists of hosts, and from what squeue prints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .. import _core
from ..errors import LacisError
from ..facts.watch import JobFlows
from ..io.files import reading
from ..ranks import nodesets

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from .._core import Routes
    from ..fabric.ports import Ports

_NO_HOSTS = ("(", "n/a", "none", "null")
"""Beginnings of what stands for the hosts of a job that has none yet: `(Priority)`."""
_RUNNING = {"R", "RUNNING", "CG", "COMPLETING"}
_IDS, _HOSTS, _STATES = ("JOBID", "JOBID_"), ("NODELIST", "NODELIST(REASON)", "NODES_LIST"), ("ST", "STATE")


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
    """Jobs of the output of squeue: with its headings, or a job a line, its number first and its hosts last.

    Hosts that the fabric does not have are left out, and so are jobs without a host in it.

    Args:
        path: the file.
        known: hosts of the fabric.

    Raises:
        LacisError: when the file cannot be read, or a line is none of squeue's.
    """
    there = set(known)
    found = []
    with reading(path) as data:
        columns: tuple[int, int, int | None] = (0, -1, None)
        for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
            words = [word.strip() for word in line.split("|")] if "|" in line else line.split()
            if not words:
                continue
            titles = [word.upper() for word in words]
            if titles[0] in _IDS or any(title in _HOSTS for title in titles):
                columns = _columns(titles, number, line)
                continue
            job, hosts, state = columns
            if len(words) < max(2, job + 1, -job, 0 if state is None else max(state + 1, -state)):
                raise LacisError("expected the number of a job and its hosts", number, line.strip()[:80])
            if words[hosts].lower().startswith(_NO_HOSTS) or words[hosts].endswith(")"):
                continue
            if state is not None and words[state].upper() not in _RUNNING:
                continue
            try:
                named = nodesets.expand(words[hosts])
            except LacisError as error:
                raise LacisError(error.reason, number, error.text or words[hosts][:80]) from None
            here = tuple(dict.fromkeys(name for name in named if name in there))
            if here:
                found.append(Running(words[job], here))
    return found


def _columns(titles: list[str], number: int, line: str) -> tuple[int, int, int | None]:
    """Where the headings of squeue say that numbers, hosts and states are.

    Hosts come last, as the reasons in their stead may have blanks. Names of jobs may, too: what follows them is counted from the end.
    """
    job = next((at for at, title in enumerate(titles) if title in _IDS), None)
    if job is None or titles[-1] not in _HOSTS:
        raise LacisError("expected a column JOBID, and NODELIST as the last one", number, line.strip()[:80])
    state = next((at for at, title in enumerate(titles) if title in _STATES), None)
    name = titles.index("NAME") if "NAME" in titles else len(titles)
    job, state = (at - len(titles) if at is not None and at > name else at for at in (job, state))
    return job or 0, -1, state


class Crossing:
    """Which jobs have flows that cross a link, by the tables.

    Args:
        routes: the tables.
        ports: of their fabric.
    """

    def __init__(self, routes: Routes, ports: Ports) -> None:
        self._routes, self._ports = routes, ports
        self._pairs: dict[tuple[str, ...], NDArray[np.uint64]] = {}

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

    def _of(self, hosts: tuple[str, ...]) -> NDArray[np.uint64]:
        """Ordered pairs of hosts by the port that their path leaves, counted once for each set of hosts."""
        if hosts not in self._pairs:
            fabric = self._routes.fabric
            pairs = np.zeros(len(self._ports), np.uint64)
            if len(hosts) > 1:
                sending = _core.listed_hosts(fabric, list(enumerate(hosts, start=1)))
                nodes, numbers, counts = _core.predict(self._routes, sending, "alltoall", hottest=0).loads()
                rows = self._ports.rows(fabric.guids()[nodes], numbers.astype(np.uint16))
                pairs[rows[rows >= 0]] = counts[rows >= 0]
            self._pairs[hosts] = pairs
        return self._pairs[hosts]
