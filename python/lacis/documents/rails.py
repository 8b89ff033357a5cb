"""Documents of `lacis rails`: which adapter is on which rail, and what libraries do with several."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, UnsetType

from ..facts.found.findings import Finding
from .base import Count, Document, FabricReading, Guid, Modelled, Positive, Row, Severity, one_of
from .common import OpensmConf


class PlaneRow(Row, frozen=True):
    """A plane."""

    plane: Count
    """From 1."""
    switches: Count
    """Its switches."""
    adapters: Count
    """Adapters on it."""
    hosts: Count
    """Their hosts."""
    switch: str
    """Its first switch."""
    prefix: Guid | None
    """Its subnet prefix."""
    prefix_from: Literal["option", "dump", None]
    """`option`: as given; `dump`: as ports report it."""


class RailRow(Row, frozen=True):
    """A rail."""

    rail: Count
    """From 1."""
    labels: list[str]
    """What hosts call its adapters, the commonest first."""
    adapters: Count
    """Its adapters."""
    leaves: Count
    """Its leaves."""
    planes: list[Count]
    """The planes that it is on."""


class LeafRow(Row, frozen=True):
    """A leaf, and what it serves; null where that is several."""

    leaf: str
    """The switch."""
    plane: Count | None
    """Its plane."""
    rail: Count | None
    """The rail that two thirds of its adapters are on."""
    labels: list[tuple[str, Positive]]
    """Labels of its adapters, each with the number of adapters."""
    adapters: Count
    """Adapters on it."""


class AdapterRow(Row, frozen=True):
    """A port of an adapter; null where it has no cable, or the value is not known."""

    label: str
    """What its host calls it."""
    guid: Guid
    """Its port GUID."""
    port: Count | None
    """The number of the port."""
    rail: Count | None
    """Its rail."""
    plane: Count | None
    """Its plane."""
    leaf: str | None
    """The leaf that it is on."""
    leaf_port: Count | None
    """The port of the leaf."""
    rate: str | None
    """The rate of its cable."""
    card: Guid
    """Equal for ports of one card."""
    owner: Annotated[str, one_of("named", "inferred", "unknown")]
    """How it is known whose it is: by its description, from cards, cabling and numbering, or not at all."""
    plane_of_adapter: Positive | None
    """Which plane of its adapter it is; null where the adapter is one end node."""


class HostRow(Row, frozen=True):
    """A host, and its adapters."""

    host: str
    """Its name."""
    generic: bool
    """Whether that is a name that installers give, or that of its place."""
    inferred: bool
    """Whether no description names it: numbering or cabling alone implies it."""
    adapters: list[AdapterRow]
    """Port by port."""


class UnknownAdapter(Row, frozen=True):
    """An adapter whose host nothing shows."""

    description: str
    """What it says of itself."""
    ports: list[AdapterRow]
    """Port by port."""


class RailsDocument(FabricReading, frozen=True, tag="lacis.rails-show/1"):
    """`lacis rails show FABRIC… --json`: which adapter of which host is on which plane, rail and leaf."""

    provenance: Literal["measured"]
    """Read from the dumps."""
    planes: list[PlaneRow]
    """Plane by plane."""
    rails: list[RailRow]
    """Rail by rail."""
    leaves: list[LeafRow]
    """Leaf by leaf."""
    rail_optimised: bool
    """Two thirds of the leaves serve one rail each."""
    hosts: list[HostRow]
    """Host by host."""
    unnamed: Count
    """Adapters whose description names no host, whichever host they are of."""
    inferred: Count
    """Adapters whose host is *inferred*."""
    planes_per_adapter: Count
    """Planes of an adapter; 1 where an adapter is one end node."""
    unknown: list[UnknownAdapter]
    """Adapters whose host nothing shows: they count as no host."""
    findings: list[Finding]
    """What is wrong with the rails."""


class RegimeRow(Row, frozen=True):
    """What happens to messages up to a size."""

    up_to_bytes: Count | None
    """That size included; null for all larger ones."""
    rails: Count
    """Rails that one message uses."""
    how: str
    """In words."""
    source: Annotated[str, one_of("documented", "assumed")]
    """How it is known."""


class EnvDocument(FabricReading, frozen=True, tag="lacis.rails-env/1"):
    """`lacis rails env --stack STACK --use RAILS [FABRIC…] --json`: the environment in which a library uses the rails that are wanted."""

    stack: str
    """The library."""
    use: str
    """The rails, as typed."""
    hosts: str
    """The hosts, in words."""
    hosts_counted: Count | None
    """How many hosts the fabrics have; null where hosts are assumed."""
    settings: dict[str, str]
    """Variable → value."""
    rails: list[str]
    """Adapters with their ports."""
    regimes: list[RegimeRow]
    """By message size."""
    troubled: Count
    """Hosts in pairs that would not connect, or on fewer rails."""


class ConnectionFailure(Row, frozen=True):
    """Why two processes do not connect."""

    text: str
    """As the library prints it; empty where it prints nothing."""
    cause: str
    """In words."""
    fix: str
    """What to set or to change."""


class PairOutcome(Row, frozen=True):
    """What two processes get."""

    rails: list[tuple[str, str]]
    """The pairs of adapters that carry their messages."""
    failure: ConnectionFailure | None
    """Why they do not connect."""
    lost: str
    """Why they silently use fewer rails than are set."""


class BetweenHosts(Row, frozen=True):
    """A pair of kinds of hosts."""

    hosts: tuple[list[str], list[str]]
    """The hosts of both; empty for any."""
    verdict: Annotated[str, one_of("connects", "fewer rails", "depends", "fails")]
    """What happens between them."""
    rails_used: Count
    """Rails that they use."""
    rails_in_common: Count
    """Rails that both have."""
    outcomes: list[PairOutcome]
    """Of pairs of processes."""


class VariableRemark(Row, frozen=True):
    """A remark on a variable."""

    severity: Severity
    """`error`: it does not do what it says."""
    name: str
    """The variable."""
    line: Count | None
    """Where it is set; null where that is not known."""
    text: str
    """What is the case."""
    advice: str
    """What to do."""


class CheckedStack(Row, frozen=True):
    """What a library does in an environment."""

    stack: str
    """The library."""
    settings: dict[str, str | None]
    """Variable → value; null where a value is not known."""
    between: list[BetweenHosts]
    """For each pair of kinds of hosts."""
    by_size: list[RegimeRow]
    """By message size."""
    remarks: list[VariableRemark]
    """On its variables."""


class CheckDocument(FabricReading, frozen=True, tag="lacis.rails-check/1"):
    """`lacis rails check ENV [FABRIC…] --json`: what happens between any two hosts under an environment."""

    environment: str
    """The file read."""
    hosts: str
    """The hosts, in words."""
    hosts_counted: Count | None
    """How many hosts the fabrics have; null where hosts are assumed."""
    variables: Count
    """Variables read."""
    notes: list[str]
    """Lines that were left out."""
    stacks: list[CheckedStack]
    """Library by library."""
    variables_unknown: list[VariableRemark]
    """Remarks on variables that no library reads."""


class LogLine(Row, frozen=True):
    """A line of a log."""

    line: Count
    """Its number, from 1."""
    text: str
    """The line."""


class KnownFailure(Row, frozen=True):
    """A known failure in a log."""

    code: str
    """Its stable name."""
    stack: str
    """The library."""
    count: Count
    """Lines that have its text."""
    lines: list[LogLine]
    """The first of them."""
    cause: str
    """Why it happens."""
    fix: str
    """What to do."""
    consequence: bool
    """Whether it follows from something else."""


class UnknownFailure(Row, frozen=True):
    """Lines that look like an error, alike except for numbers, and have no known text."""

    count: Count
    """How many."""
    lines: list[LogLine]
    """The first of them."""


class DoctorDocument(Document, frozen=True, tag="lacis.rails-doctor/1"):
    """`lacis rails doctor LOG --json`: known failures of libraries in a job's log."""

    log: str
    """The file, as typed."""
    lines: Count
    """Its lines."""
    bytes: Count
    """Its size."""
    known: list[KnownFailure]
    """Worst first."""
    unknown: list[UnknownFailure]
    """In the order of the log."""
    more_unknown: Count
    """Lines of further kinds."""
    long_lines: Count
    """Lines of which only the beginning was read."""


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
