"""NCCL's ring, tree and all-to-all on the rails of a fabric, under given tables."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import msgspec

from .. import _core
from ..documents.nccl import NcclDocument
from ..ranks import nodesets
from ..ranks.participants import by_names

if TYPE_CHECKING:
    from .._core import Routes


def nccl(
    routes: Routes, hosts: str | None = None, *, gpus: int | None = None, pxn: bool = True, shown: int = 10
) -> NcclDocument:
    """Which step of which collective leaves its rail, crosses the spines or the host, and shares which link.

    GPU k of a host is assumed to be near its adapter of number k, whatever leaf that is cabled to.

    Args:
        routes: the tables.
        hosts: a set of hosts in the order of ranks, as `nodesets.find` takes it; all compute
            hosts, leaf by leaf, unless given.
        gpus: of each host; as many as it has adapters unless given.
        pxn: data may cross its host to the adapter of its receiver's rail, as NCCL has it unless
            NCCL_PXN_DISABLE=1.
        shown: links of each collective to list.

    Raises:
        LacisError: when a host is not there, or there are fewer than two.
    """
    named = []
    if hosts is not None:
        known = _core.nccl_host_names(routes.fabric)
        names = by_names(routes.fabric, nodesets.find(hosts, known, "`hosts`"), known, "`hosts`")
        named = list(enumerate(names, start=1))
    found = json.loads(_core.nccl_json(routes, named=named, gpus=gpus, pxn=pxn, shown=shown))
    for key in ("lacking", "crossed"):
        found[key] = [{"host": host, "numbers": numbers} for host, numbers in found[key]]
    for collective in found["collectives"]:
        for link in collective["shared"]:
            link["steps"] = [{"step": step, "flows": flows} for step, flows in link["steps"]]
    head: dict[str, object] = {"schema": "lacis.rails-nccl/1", "provenance": "modelled"}
    head["hosts_of_fabric"] = len(_core.hosts(routes.fabric).names)
    engines = {"engine_requested": routes.engine_requested, "engine_used": routes.engine_used}
    return msgspec.convert(head | engines | found, NcclDocument)
