"""The documents of `lacis topology`: a fabric as a scheduler sees it, and what is wrong with the file that a site has."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from ..facts.scheduler import TopologyFault, TopologyRemark, WhyUnplaced
from .base import Amount, Count, FabricReading, Positive, Row, Severity, one_of

FormName = Annotated[
    str, one_of("slurm-tree", "slurm-yaml", "slurm-block", "k8s-labels", "volcano", "flux", "pbs")
]
"""A form of a topology, as `--as` takes it."""


class UplinkRow(Row, frozen=True):
    """What leads to the level above."""

    cables: Count
    """How many cables."""
    bandwidth: Amount | None
    """What they carry each way [bytes/s]; null where a rate is unknown."""


class TopologyLeaf(Row, frozen=True):
    """A scheduler's leaf: a group of leaf switches with the same hosts."""

    name: str
    """Made of what the names of its switches have in common."""
    switches: list[str]
    """The leaf switches, in natural order."""
    hosts: list[str]
    """The hosts, in natural order."""
    cables: Count
    """Cables from the hosts to the switches."""
    up: UplinkRow
    """What leads to the level above."""


class TopologySwitch(Row, frozen=True):
    """What joins leaves, or others of its kind."""

    name: str
    """Made of what the names of its switches have in common; `root` for the only root."""
    tier: Positive
    """How far above the leaves."""
    children: Annotated[list[str], Meta(min_length=1)]
    """The names of what it joins."""
    switches: list[str]
    """Its switches; empty for a root above several tops."""
    up: UplinkRow
    """What leads to the level above."""


class UnplacedRow(Row, frozen=True):
    """A host that stands under no leaf, or an adapter whose host nothing shows."""

    host: str | None
    """The host; null for an adapter whose host nothing shows."""
    text: str
    """Why, in words."""
    why: WhyUnplaced
    """Why."""


class RemarkRow(Row, frozen=True):
    """What is remarkable about the whole."""

    text: str
    """In words."""
    fact: TopologyRemark
    """What is the case."""


class SchedulerTopology(FabricReading, frozen=True, tag="lacis.topology/1", kw_only=True):
    """`lacis topology FABRIC --json`: groups of leaf switches, what joins them, and the hosts that stand under none."""

    form: FormName | None
    """The form that was asked for; null where none was. Names are spelt as it can have them."""
    file: str | None
    """Where the text was written; null where it was not."""
    content: str | None
    """The text, where a form was asked for and no file."""
    by: Annotated[str, one_of("cables", "bandwidth")]
    """What parts of the fabric stand together for."""
    leaves: list[TopologyLeaf]
    """In natural order of their first switch."""
    above: list[TopologySwitch]
    """From the lowest tier up."""
    roots: list[str]
    """What has nothing above it, one for each connected fabric."""
    unplaced: list[UnplacedRow]
    """Hosts that stand under no leaf."""
    remarks: list[RemarkRow]
    """What is remarkable about the whole."""


class FaultRow(Row, frozen=True):
    """One thing that is wrong with a file."""

    severity: Severity
    """`error`: the scheduler does not start with it, or reads another file; `warning`: jobs are placed wrongly; `notice`: nothing is to do."""
    line: Positive | None
    """The line; null where it is about none."""
    text: str
    """What is wrong and what to do, in words."""
    fact: TopologyFault
    """What is wrong."""


class TopologyCheck(FabricReading, frozen=True, tag="lacis.topology.check/1", kw_only=True):
    """`lacis topology FABRIC --check FILE --json`: what is wrong with the topology that a scheduler has."""

    file: str
    """The file, as typed."""
    form: FormName
    """Its form."""
    switches: Count
    """Switches, blocks or values of labels that it has."""
    hosts: Count
    """Hosts that it names."""
    right: bool
    """Whether there is nothing to do."""
    faults: list[FaultRow]
    """The worst first, then in the order of the file."""
