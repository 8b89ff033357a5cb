"""Documents that describe a fabric: what `lacis fabric` says of it, and the file that holds it."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from ..facts.bounds import ShiftsBounded
from ..facts.found.cabling import CablePart
from ..facts.found.findings import Finding
from ..facts.found.levels import LeftOut, Oddity
from .base import (
    Count,
    Document,
    DoubtRow,
    Fraction,
    Guid,
    Modelled,
    NodeKind,
    Positive,
    ReaderNote,
    Row,
    one_of,
)


class EndNodeKinds(Row, frozen=True):
    """End nodes by kind."""

    adapters: Count
    """Adapters of hosts, each with all its planes."""
    routers: Count
    """InfiniBand routers."""
    aggregation: Count
    """SHARP aggregation nodes."""


class HostsOfGroup(Row, frozen=True):
    """Hosts for one purpose."""

    group: Annotated[str, one_of("compute", "management", "storage", "gateway")]
    """What they are for."""
    hosts: Count
    """Its hosts."""
    adapters: Count
    """Their adapters."""
    assumed: Count
    """Of these hosts those that nothing shows to be for this purpose: names as installers give them, in a place unlike their peers'."""


class LinksOfRate(Row, frozen=True):
    """Cables of one rate."""

    rate: str
    """As `4xNDR`; `unknown` where neither end reports one."""
    bytes_per_second: float | None
    """In one direction; null where it is not known."""
    links: Count
    """The cables."""


class SwitchLevel(Row, frozen=True):
    """Switches of one level of a tree."""

    level: Count
    """0: leaves."""
    role: str
    """`leaf`, `spine` or `core`."""
    switches: Count
    """How many there are."""
    down_links: Count
    """Cables to the level below, and to hosts."""
    up_links: Count
    """Cables to the level above."""
    down_bytes_per_second: float
    """What all `down_links` carry in one direction."""
    up_bytes_per_second: float
    """What all `up_links` carry in one direction."""
    taper: float | None
    """Down divided by up; null at the top."""


class AdapterRail(Row, frozen=True):
    """Adapters of one rail."""

    rail: Positive
    """From 1."""
    labels: list[str]
    """What hosts call its adapters, the commonest first."""
    adapters: Count
    """How many there are."""
    leaves: Count
    """The leaves that they are on."""


class SwitchPorts(Row, frozen=True):
    """Ports of switches."""

    total: Count
    """All of them."""
    used: Count
    """Those with a cable."""


class FabricBisection(Row, frozen=True):
    """The least capacity between two halves of the hosts."""

    bytes_per_second: float
    """In one direction: the least that was found."""
    at_least_bytes_per_second: float | None
    """No halves have less; null where nothing is proved."""
    exact: bool
    """Whether the two are equal."""
    fraction: float
    """Of what half of the adapters can send."""
    provenance: Modelled
    """How it is known."""


class FabricBisectionShare(Row, frozen=True):
    """The least capacity between two halves of the hosts, in links: the source has no rates."""

    fraction: float
    """Of what half of the adapters can send, where all links are alike: the least that was found."""
    at_least_fraction: float
    """No halves have less."""
    exact: bool
    """Whether the two are equal."""
    provenance: Modelled
    """How it is known."""


class CablingPattern(Row, frozen=True):
    """What the cables between switches were compared with."""

    pattern: Annotated[str, one_of("tree", "dragonfly+", "dragonfly", "several")] | None
    """`several` where planes differ; null where no pattern is known."""
    checked: Annotated[str, one_of("all", "part", "none", "no_cables")]
    """How many of them were compared: where `none`, nothing is known of missing or misplaced cables."""
    cables: Count
    """Cables between switches."""
    compared: Count
    """Those of them that were compared with cables of like switches."""


class SwitchGroup(Row, frozen=True):
    """A group of switches, of a Dragonfly+ or a dragonfly."""

    group: Positive
    """From 1, over all planes."""
    pattern: Annotated[str, one_of("dragonfly+", "dragonfly")]
    """How its switches stand to each other."""
    first: str
    """Name of its first switch."""
    leaves: Count
    """Its leaves; of a dragonfly all of its switches."""
    spines: Count
    """Its spines; of a dragonfly none."""
    adapters: Count
    """Adapters on its switches."""
    local_links: Count
    """Cables between its switches."""
    global_links: Count
    """Cables to switches of other groups."""


class FabricSummary(Row, frozen=True, kw_only=True):
    """A fabric in numbers."""

    switches: Count
    """Switches."""
    end_nodes: Count
    """All other nodes."""
    kinds: EndNodeKinds
    """End nodes by kind."""
    hosts: Count
    """Hosts: those that descriptions name, and those that cards, cabling and numbering imply."""
    unnamed: Count
    """Adapters whose description names no host, whichever host they are of."""
    inferred: Count
    """Adapters whose host is *inferred*: their descriptions name none, or give a name of installers (`localhost`)."""
    unknown: Count
    """Adapters whose host nothing shows: they count as no host."""
    planes_per_adapter: Count
    """Planes of an adapter; 1 where an adapter is one end node."""
    groups: list[HostsOfGroup]
    """The groups that hosts have."""
    planes: Count
    """Connected components that share hosts."""
    levels: Count | None
    """Levels of switches; null where the fabric has none (a torus, a random graph)."""
    links: Count
    """Cables of any kind."""
    trunks: Count
    """Cables between switches."""
    links_by_rate: list[LinksOfRate]
    """Cables by rate, the fastest first."""
    by_level: list[SwitchLevel]
    """Switches by level."""
    cabling: CablingPattern
    """The pattern of cables between switches."""
    switch_groups: list[SwitchGroup]
    """Groups of switches, of a Dragonfly+ or a dragonfly."""
    rails: list[AdapterRail]
    """Adapters by rail."""
    ports: SwitchPorts
    """Ports of switches."""
    bisection: FabricBisection | None
    """The bisection; null where there are no two hosts, or a rate is unknown."""
    bisection_share: FabricBisectionShare | None
    """The bisection as a share; null where the source has rates."""


class FabricState(FabricSummary, frozen=True, kw_only=True):
    """A fabric in numbers, and its findings."""

    findings: list[Finding]
    """What is wrong with it, the worst first."""


class LevelTrial(Row, frozen=True, rename={"except_": "except"}):
    """The tree that results if all switches with so many adapters are leaves, except some."""

    least_adapters: Count
    """Switches with so many or more, on average over those that are cabled alike, are taken as leaves, …"""
    except_: str
    """… except these, in words."""
    left_out: LeftOut | None
    """… except these; null where all are."""
    leaves: Count
    """How many leaves that makes."""
    levels: Count | None
    """Levels that are found; null where there are none."""
    odd_cables: Count
    """Cables that do not join adjacent levels, or join trees, or of a switch at another level than those cabled alike."""
    high_adapters: Count
    """Adapters above level 0."""
    appended: Count
    """Leaves below other leaves."""
    meeting: Fraction | None
    """The fraction of the pairs of other leaves with a common switch above; null where cables or adapters show that it is no tree."""
    tree_like: bool
    """Whether it is a tree."""
    taken: bool
    """Whether levels are counted from these leaves; true of one trial at most."""


class ExplainedSwitch(Row, frozen=True):
    """A switch whose level is not obvious, and why it has it."""

    switch: str
    """Its name."""
    guid: Guid
    """Its node GUID."""
    level: Count | None
    """Its level; null where it has none."""
    role: str
    """Its role."""
    adapters: Count
    """Adapters on it."""
    why: str
    """Why it has that level, in words."""
    reasons: list[Oddity]
    """What the words are made of: the `kind` of each says which keys it has."""


class TreeStage(Row, frozen=True):
    """The cables from a level of a tree to the next.

    A block is the switches with the same switches above; it is whole where each has equally many cables to each of these, and none elsewhere.
    """

    level: Count
    """The lower level."""
    blocks: Count
    """Blocks."""
    whole: Count
    """Whole ones."""
    cables: Count
    """Cables."""
    missing: Count
    """Cables that are missing in blocks."""
    stray: Count
    """Cables that lead from a block elsewhere, or are more than others have."""


class PlaneLevels(Row, frozen=True):
    """How leaves, spines and cores of a plane with adapters were recognised."""

    switches: Count
    """Its switches."""
    from_roots: bool
    """Whether levels are counted from declared roots."""
    is_grid: bool
    """Whether they are a mesh, torus, hypercube, ring or chain, which has no levels."""
    groups: Count
    """Groups of leaves and spines that show the levels, so that nothing is tried; 0 in a tree."""
    trials: list[LevelTrial]
    """The leaves that were tried."""
    stages: list[TreeStage]
    """How far the cables are those of a whole tree, from the leaves up; empty without levels, and where groups show them."""
    standing_out: list[ExplainedSwitch]
    """Switches whose level is not obvious."""


class GrownCounter(Row, frozen=True):
    """An error counter that has grown."""

    port: str
    """The port that counts: `leaf-01[3]`."""
    far: str | None
    """The port at the other end of its cable; null without one."""
    counter: str
    """`LinkDowned`."""
    by: Count
    """By how much; what it shows now, where it was cleared in between."""
    per_hour: float | None
    """The same an hour; null where a reading has no time."""
    beyond: bool | None
    """Whether it is more than UFM's rules for bad ports allow; null where they have none for it, or a time or a rate is unknown."""


class ErrorGrowth(Row, frozen=True):
    """How error counters have changed since an earlier reading."""

    since: str
    """The file of the earlier reading."""
    seconds: Count | None
    """Between the readings; null where one of them has no time."""
    grown: list[GrownCounter]
    """Those that have grown, by port."""
    cleared: Count
    """Counters that are lower now."""
    unknown: Count
    """Ports that the earlier reading does not have: of these nothing is known."""


class FabricDocument(FabricSummary, Document, frozen=True, tag="lacis.fabric/1", kw_only=True):
    """`lacis fabric FABRIC --json`: a fabric in numbers, and what is wrong with it."""

    why_levels: list[PlaneLevels] | UnsetType = UNSET
    """With `--why-levels`: how leaves, spines and cores were recognised, plane by plane."""
    shifts_at_most: ShiftsBounded | UnsetType = UNSET
    """With `--why-levels`: what the shifts of all hosts, leaf by leaf, can have at most, whatever the tables; left out where there are no two hosts."""
    findings: list[Finding]
    """What is wrong with it, the worst first."""
    error_growth: ErrorGrowth | UnsetType = UNSET
    """With `--since`: how error counters have changed."""
    reader_notes: list[ReaderNote] | UnsetType = UNSET
    """What readers noticed in the files; absent where they noticed nothing."""
    doubts: list[DoubtRow] | UnsetType = UNSET
    """What is doubtful about tables that were made, and about the files that were read for them; absent where nothing is."""


class Chassis(Row, frozen=True):
    """The chassis of a switch."""

    number: Count
    """Its number."""
    position: str
    """Where in it the switch is."""


class PortDetailOfFile(Row, frozen=True, kw_only=True):
    """What only some sources say of a port; keys that may be absent are there where their value is known."""

    state: str | UnsetType = UNSET
    """`Down`, `Initialize`, `Armed` or `Active`."""
    physical: str | UnsetType = UNSET
    """`LinkUp`, `Polling`, `Disabled` and the like."""
    supported_widths: list[int] | UnsetType = UNSET
    """The numbers of lanes that it supports."""
    supported_speeds: list[str] | UnsetType = UNSET
    """The speeds that it supports: `HDR`."""
    enabled_widths: list[int] | UnsetType = UNSET
    """The numbers of lanes that are enabled."""
    enabled_speeds: list[str] | UnsetType = UNSET
    """The speeds that are enabled."""
    could_be_width: int | UnsetType = UNSET
    """The lanes that the link could have by what both ends can, where it has fewer."""
    could_be_speed: str | UnsetType = UNSET
    """The speed that the link could have by what both ends can, where it is slower."""
    lanes: Annotated[list[int], Meta(min_length=3, max_length=3)] | UnsetType = UNSET
    """Omni-Path: lanes that the link was brought up with, that this end sends on, and that it receives on."""


class Coverage(Row, frozen=True, kw_only=True):
    """What a source can show of a fabric: what is `false` here is not missing."""

    switches: bool
    """Every switch."""
    end_nodes: bool
    """Every end node that has a cable."""
    cables: bool
    """Every cable between nodes that it shows."""
    both_ends_of_trunks: bool
    """Each cable between switches from both of its ends."""
    both_ends_of_end_nodes: bool
    """Each cable to an end node from both of its ends."""
    end_node_guids: bool
    """The node GUIDs of end nodes, and not only their ports'."""
    radix: bool
    """How many ports a switch has, and not only the highest in use."""


class PortOfFile(Row, frozen=True, kw_only=True):
    """A port, as a fabric file has it."""

    number: Annotated[int, Meta(ge=0, le=254)]
    """From 1; 0 is a switch's own."""
    guid: Guid | UnsetType = UNSET
    """Its GUID, where known."""
    lid: Count | UnsetType = UNSET
    """Its LID, where known."""
    lmc: Annotated[int, Meta(ge=0, le=7)] | UnsetType = UNSET
    """Its LMC, where known."""
    rate: str | UnsetType = UNSET
    """The rate that it reports: `4xNDR`."""
    listed: bool | UnsetType = UNSET
    """Whether the source had a line for it."""
    subnet_prefix: Guid | UnsetType = UNSET
    """The subnet prefix that it reports."""
    mtu: Annotated[int, Meta(ge=0, le=65535)] | UnsetType = UNSET
    """What it is capable of [bytes]."""
    inactive: bool | UnsetType = UNSET
    """Not active, for all that it has a link."""
    manager: bool | UnsetType = UNSET
    """A subnet manager runs here."""
    detail: PortDetailOfFile | UnsetType = UNSET
    """Its states, what it can do, and its lanes in use, where the source says so."""
    cable: CablePart | UnsetType = UNSET
    """The cable in it, as read at this end, where the source says."""
    counters: dict[str, Count] | UnsetType = UNSET
    """Its counters by name, `LinkDowned`, where the source has them."""


class NodeOfFile(Row, frozen=True, kw_only=True):
    """A node, as a fabric file has it; keys that may be absent are there where their value is known."""

    kind: NodeKind
    """Switch, adapter, router or aggregation node."""
    id: str
    """What cables call it, as `ibnetdiscover` does: `S-` or `H-` and its GUID."""
    guid: Guid
    """Its node GUID."""
    description: str
    """Its node description."""
    radix: Annotated[int, Meta(ge=0, le=254)]
    """How many ports it has."""
    system_guid: Guid | UnsetType = UNSET
    """The GUID of its system image."""
    vendor: Count | UnsetType = UNSET
    """The number of its vendor."""
    device: Count | UnsetType = UNSET
    """The number of its device."""
    enhanced_port0: bool | UnsetType = UNSET
    """Whether a switch's port 0 is an end port."""
    chassis: Chassis | UnsetType = UNSET
    """The chassis of a switch."""
    declared: str | UnsetType = UNSET
    """The declared role of a switch, or group of an adapter."""
    ports: list[PortOfFile] | UnsetType = UNSET
    """Ports about which something is known."""


class FabricFile(Document, frozen=True, tag="lacis.fabric-file/1"):
    """`lacis fabric FABRIC -o FILE.json`: the whole fabric. Every command takes such a file as FABRIC."""

    nodes: list[NodeOfFile]
    """The switches first."""
    cables: list[tuple[str, int, str, int]]
    """`[id, port, id, port]`."""
    coverage: Coverage | UnsetType = UNSET
    """What the source could show, where that is not all of a fabric."""
    counters_read_at: Count | UnsetType = UNSET
    """When the counters were read, in seconds since 1970."""
