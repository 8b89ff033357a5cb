"""Jobs whose traffic may cross links on which a measurement met other traffic."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ..ranks import nodesets
from .links import links_of, load_of
from .scheduler import hosts_there
from .windows import Window

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._core import Routes
    from ..documents.explain import OthersCounted
    from .scheduler import ListedJob


def jobs_on_links(
    found: OthersCounted, routes: Routes, listed: Sequence[ListedJob], measured: Sequence[str]
) -> OthersCounted:
    """What counters say of other traffic, with the jobs that may have sent it: any two of a job's hosts may send to each other.

    A job that has all of the measured hosts is the measurement itself.

    Args:
        found: what counters say.
        routes: the tables.
        listed: jobs, perhaps with times.
        measured: the hosts that were measured.
    """
    links, known, own = links_of(routes.fabric), nodesets.hosts_of(routes.fabric), set(measured)
    row_of = {
        f"{links.names[node]}[{port}]": row
        for row, (node, port) in enumerate(zip(links.nodes.tolist(), links.ports.tolist(), strict=True))
    }
    loads = []
    for job in listed:
        hosts = hosts_there(job, known)
        if len(hosts) > 1 and not own <= set(hosts):
            loads.append((job, load_of(routes, links, hosts, adaptive=False).flows > 0))
    rows = []
    for one in found.links:
        when = Window(_time(one.began), _time(one.ended))
        row = row_of.get(one.egress)
        there = [
            job.name for job, crosses in loads if row is not None and crosses[row] and job.overlaps(when)
        ]
        rows.append(replace(one, jobs=there))
    return replace(found, links=rows)


def _time(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp() * 1e9)
