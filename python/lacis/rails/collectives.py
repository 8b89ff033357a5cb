"""NCCL's ring, tree and all-to-all on the rails of a fabric, under given tables."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypedDict

from .. import _core
from ..ranks import nodesets

if TYPE_CHECKING:
    from .._core import Routes


class HostAdapters(TypedDict):
    """A host, and the numbers of some of its adapters."""

    host: str
    numbers: list[int]


class StepMessages(TypedDict):
    """Messages of one step of a collective."""

    step: str
    messages: int
    inside: int
    """Hosts."""
    in_leaf: int
    over_spines: int
    leave_rail: int
    cross_host: int
    """Their own, to stay on a rail (PXN)."""
    unrouted: int


class StepFlows(TypedDict):
    """Flows of one step."""

    step: str
    flows: int


class SharedLink(TypedDict):
    """A link between switches, and what shares it."""

    egress: str
    ingress: str
    flows: int
    steps: list[StepFlows]
    example: list[str]
    """Sender and receiver of a flow."""


class CollectiveTraffic(TypedDict):
    """A collective on the rails."""

    name: str
    """`ring`, `tree` or `alltoall`."""
    steps: list[StepMessages]
    most_flows: int
    mean_flows: float
    """Over the links between switches that are used."""
    shared: list[SharedLink]


class Nccl(TypedDict):
    """NCCL's collectives on the rails of a fabric, as `lacis rails nccl --json` has them."""

    hosts: int
    gpus: int
    """GPUs of each host."""
    channels: int
    pxn: bool
    lacking: list[HostAdapters]
    """Hosts without some adapters."""
    crossed: list[HostAdapters]
    """Hosts with adapters on another rail's leaf."""
    collectives: list[CollectiveTraffic]


def nccl(
    routes: Routes, hosts: str | None = None, *, gpus: int | None = None, pxn: bool = True, shown: int = 10
) -> Nccl:
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
        names = nodesets.find(hosts, _core.nccl_host_names(routes.fabric), "--hosts")
        named = list(enumerate(names, start=1))
    found = json.loads(_core.nccl_json(routes, named=named, gpus=gpus, pxn=pxn, shown=shown))
    for key in ("lacking", "crossed"):
        found[key] = [{"host": host, "numbers": numbers} for host, numbers in found[key]]
    for collective in found["collectives"]:
        for link in collective["shared"]:
            link["steps"] = [{"step": step, "flows": flows} for step, flows in link["steps"]]
    typed: Nccl = found
    return typed
