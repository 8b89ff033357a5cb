"""The document of `lacis rails nccl`: NCCL's collectives on rails."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, UnsetType

from .base import Count, FabricReading, Modelled, Row, one_of
from .common import OpensmConf


class HostAdapters(Row, frozen=True):
    """A host, and the numbers of some of its adapters."""

    host: str
    """The host."""
    numbers: list[Count]
    """From 0."""


class StepMessages(Row, frozen=True):
    """Messages of one step of a collective."""

    step: str
    """The step."""
    messages: Count
    """All of them."""
    inside: Count
    """Those inside hosts."""
    in_leaf: Count
    """Those on one leaf."""
    over_spines: Count
    """Those over the spines."""
    leave_rail: Count
    """Those that leave their rail."""
    cross_host: Count
    """Those that cross a host to stay on their rail (PXN), also counted under the other keys."""
    unrouted: Count
    """Those without a route."""


class StepFlows(Row, frozen=True):
    """Flows of one step."""

    step: str
    """The step."""
    flows: Count
    """Its flows."""


class CollectiveLink(Row, frozen=True):
    """A link between switches, and what shares it."""

    egress: str
    """The port that it leaves."""
    ingress: str
    """The port that it enters."""
    flows: Count
    """Flows over it."""
    steps: list[StepFlows]
    """The same by steps."""
    example: tuple[str, str]
    """Sender and receiver of one."""


class CollectiveOnRails(Row, frozen=True):
    """A collective on the rails."""

    name: Annotated[str, one_of("ring", "tree", "alltoall")]
    """The collective."""
    steps: list[StepMessages]
    """Step by step."""
    most_flows: Count
    """On a link between switches in use."""
    mean_flows: float
    """On links between switches in use."""
    shared: list[CollectiveLink]
    """The links that most share."""


class NcclDocument(FabricReading, frozen=True, tag="lacis.rails-nccl/1", kw_only=True):
    """`lacis rails nccl FABRIC --json`: what NCCL's collectives do on the rails."""

    provenance: Modelled
    """Counted under the tables."""
    engine_requested: str
    """As typed after `-R`."""
    engine_used: str
    """The engine that made the tables; `file` where they were read."""
    hosts: Count
    """Hosts that take part."""
    hosts_of_fabric: Count
    """All hosts of the fabric: those of other groups, or without a cable, take no part unless they are named."""
    gpus: Count
    """GPUs of each."""
    channels: Count
    """Adapters of each."""
    pxn: bool
    """Whether PXN is on."""
    lacking: list[HostAdapters]
    """Adapters that a host lacks."""
    crossed: list[HostAdapters]
    """Adapters on a leaf of another rail than that number has on other hosts."""
    collectives: list[CollectiveOnRails]
    """Collective by collective."""
    opensm_conf: OpensmConf | UnsetType = UNSET
    """With `--opensm-conf`: what of it does not count."""
