"""The document of `lacis fragmentation`: running jobs on their nodes."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import UNSET, UnsetType

from ..facts.allocation import AllocationRemark
from .base import Amount, Count, FabricReading, Fraction, Modelled, Positive, Row
from .common import OpensmConf
from .fit import AllocationRates, Pattern


class FragmentRow(Row, frozen=True):
    """A job on its nodes."""

    job: str
    """Its number."""
    hosts: Sequence[str]
    """In natural order."""
    groups: Count
    """Leaf groups that they are in."""
    fewest: Positive
    """Leaf groups that would hold as many on the empty machine."""
    rates: AllocationRates | None
    """What they get; null for one node, which sends nothing over the fabric."""
    best: AllocationRates | None
    """What the best nodes of the empty machine get, alone; null for one node."""
    of_port: Fraction | None
    """The worst shift alone, as part of a port's rate; null for one node."""
    of_best: Fraction | None
    """The same as part of the best; null for one node."""


class SharedLinks(Row, frozen=True):
    """Two jobs that use the same links."""

    jobs: tuple[str, str]
    """Their numbers."""
    links: Positive
    """Directed links between switches that both use."""
    egress: str
    """The port that the link leaves that both use most."""
    ingress: str
    """The port that it enters."""
    flows: tuple[Amount, Amount]
    """Flows of either on that link, on average over its shifts."""


class SwapRow(Row, frozen=True):
    """The exchange of two nodes that helps most."""

    job: str
    """Whose node leaves."""
    leaves: str
    """That node."""
    takes: str
    """The node that the job gets."""
    other: str | None
    """The job that has that node and gets the first; null where it is free."""
    before: Amount
    """What all nodes get together, mean of the shifts beside each other [bytes/s]."""
    after: Amount
    """The same after the swap."""
    worst_before: Amount
    """The worst shift of the job alone [bytes/s]."""
    worst_after: Amount
    """The same after the swap."""


class FragmentationDocument(FabricReading, frozen=True, tag="lacis.fragmentation/1", kw_only=True):
    """`lacis fragmentation FABRIC --json`: running jobs on their nodes. Bandwidths are bytes per second, modelled."""

    provenance: Modelled
    """How bandwidths are known."""
    engine_requested: str
    """As typed after `-R`."""
    engine_used: str
    """The engine that made the tables; `file` where they were read."""
    file: str | None
    """Where the tables were read from."""
    pattern: Pattern
    """What each job is taken to send."""
    free: Count
    """Hosts on which no job runs."""
    of: Positive
    """Hosts of the machine."""
    groups: Count
    """Leaf groups of the machine."""
    fastest: Amount
    """The rate of the slowest host's port, which no flow exceeds."""
    jobs: list[FragmentRow]
    """In the order of the list."""
    shared: list[SharedLinks]
    """Pairs of jobs that use the same links, those that load one most first."""
    swap: SwapRow | None
    """The exchange that helps most; null where none that was tried helps."""
    notes: list[str]
    """What is to be known about it, in words."""
    remarks: Sequence[AllocationRemark]
    """The notes, as facts."""
    opensm_conf: OpensmConf | UnsetType = UNSET
    """With `--opensm-conf`: what of it does not count."""
