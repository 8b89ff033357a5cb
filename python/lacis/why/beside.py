"""Jobs whose traffic may cross links on which a measurement met other traffic."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from ..fabric.ports import ports_of
from ..job.slurm import hosts_there
from ..job.windows import Window
from ..ranks import nodesets
from ..ranks.names import Names
from .loads import load_of_job

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._core import Routes
    from ..documents.explain import OthersCounted
    from ..job.slurm import SlurmJob


def jobs_on_links(
    found: OthersCounted, routes: Routes, listed: Sequence[SlurmJob], measured: Sequence[str]
) -> OthersCounted:
    """What counters say of other traffic, with the jobs that may have sent it: any two of a job's hosts may send to each other.

    A job that has all of the measured hosts is the measurement itself.

    Args:
        found: what counters say.
        routes: the tables.
        listed: jobs, perhaps with times.
        measured: the hosts that were measured.
    """
    fabric, own = routes.fabric, set(measured)
    ports, known = ports_of(fabric), Names(nodesets.hosts_of(fabric))
    # Adapters may have one name, so that both ends say which link it is.
    row_of = {ports.ends(row): row for row in np.flatnonzero(ports.is_cabled).tolist()}
    loads = []
    for job in listed:
        hosts = hosts_there(job, known)
        if len(hosts) > 1 and not own <= set(hosts):
            loads.append((job, load_of_job(routes, ports, hosts, adaptive=False).flows > 0))
    rows = []
    for one in found.links:
        when = Window(_time(one.began), _time(one.ended))
        row = row_of.get((one.egress, one.ingress))
        there = [
            job.name for job, crosses in loads if row is not None and crosses[row] and job.overlaps(when)
        ]
        rows.append(replace(one, jobs=there))
    return replace(found, links=rows)


def _time(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp() * 1e9)
