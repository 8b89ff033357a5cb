"""Why engines do not route a fabric; the core's `sm/refusal` has the same kinds with the same fields, and words them."""

from __future__ import annotations

from typing import Literal, TypeAlias

from ..fact import FoundFact
from ..row import Guid

# --- LIDs --------------------------------------------------------------------------------------


class LidDoubled(FoundFact, frozen=True):
    """A LID is given to two ports, of which one can have no path."""

    lid: int
    """The first such LID."""


class LidCircle(FoundFact, frozen=True):
    """A LID is given to two ports, and packets to it would run in a circle, which OpenSM follows for ever."""

    lid: int
    """The LID."""
    switch: str
    """A switch from which they do, by name."""


class SwitchLidShared(FoundFact, frozen=True):
    """A LID is given to two switches, whose hops OpenSM keeps as one."""

    lid: int
    """The first such LID."""
    switches: tuple[str, str]
    """The switches, by name."""


class LmcSet(FoundFact, frozen=True):
    """A port has several LIDs, and the engine routes one a port."""

    port: str
    """The first such port, by name."""
    lmc: int
    """Its LMC."""


class SwitchLidsSeveral(FoundFact, frozen=True):
    """A switch has several LIDs, where OpenSM's engine fails."""

    switch: str
    """The switch, by name."""


class LidsMany(FoundFact, frozen=True):
    """So many LIDs that distances do not fit into 31 bits."""


class DistanceFar(FoundFact, frozen=True):
    """So many hops and LIDs that a distance would be more than it can be."""

    hops: int
    """Hops from the manager's switch to the farthest."""
    switch: str
    """The manager's switch, by name."""
    lids: int
    """LIDs of end ports, whose square is multiplied with the hops."""


# --- roots, levels and leaves ------------------------------------------------------------------


class RootsAbsent(FoundFact, frozen=True):
    """None of the GUIDs that are given as roots is that of a switch in the fabric."""

    given: int
    """How many are given."""


class RootsUnknown(FoundFact, frozen=True):
    """No roots are given, and none are found."""


class RootFar(FoundFact, frozen=True):
    """A switch is too far from the nearest root."""

    hops: int
    """Hops from the farthest switch to the nearest root."""
    most: int
    """The most that there may be."""


class LevelsUnknown(FoundFact, frozen=True):
    """The switches have no levels, as those of a tree have."""


class LevelsFar(FoundFact, frozen=True):
    """Switches are too many levels up and down from each other."""

    most: int
    """The most that there may be."""


class LeavesAbsent(FoundFact, frozen=True):
    """No switch has an end node, so that none is a leaf."""


class TiersAbsent(FoundFact, frozen=True):
    """No switch has a host, so that there is no lowest tier."""


class UnthrottledApart(FoundFact, frozen=True):
    """Links that are not throttled do not connect all switches."""


# --- lanes -------------------------------------------------------------------------------------


class TorusLanesFew(FoundFact, frozen=True):
    """A torus takes more lanes than links have."""

    needed: int
    """Lanes that it takes."""
    lanes: int
    """Lanes that links have."""
    is_around_lost: bool
    """Whether it takes so many because a switch is lost."""


class LanesExhausted(FoundFact, frozen=True):
    """More lanes than there are would be needed to be free of credit loops."""

    lanes: int
    """Lanes that there are."""


class FirstLaneHigh(FoundFact, frozen=True):
    """The first lane that may be used is beyond the lanes that there are."""

    start: int
    """The first that may be used."""
    lanes: int
    """Lanes that there are."""


class LanesFew(FoundFact, frozen=True):
    """More lanes are needed than there are from the first on."""

    needed: int
    """At least so many are needed."""
    lanes: int
    """Lanes that there are from the first on."""
    start: int
    """The first that may be used."""


# --- a tree ------------------------------------------------------------------------------------


class SwitchesFew(FoundFact, frozen=True):
    """Too few switches for a tree."""

    switches: int
    """How many have a cable."""


class NodesFew(FoundFact, frozen=True):
    """Too few end nodes for a tree."""

    nodes: int
    """Nodes, switches and all."""
    switches: int
    """The switches."""


class AdaptersFew(FoundFact, frozen=True):
    """Too few channel adapters for a tree."""

    adapters: int
    """How many there are."""


class AdaptersJoined(FoundFact, frozen=True):
    """A cable joins two channel adapters."""

    adapters: tuple[Guid, Guid]
    """The GUIDs of the two."""


class ComputeNodesAbsent(FoundFact, frozen=True):
    """No channel adapter is a compute node."""


class LeafRangeAbsent(FoundFact, frozen=True):
    """The switches between the first and the last leaf cannot be found."""


class RootsAlone(FoundFact, frozen=True):
    """Several switches would be roots, and none is below another."""


class DepthUnfit(FoundFact, frozen=True):
    """A tree of too few or too many levels."""

    levels: int
    """The levels that it would have."""
    least: int
    """The fewest that there may be."""
    most: int
    """The most that there may be."""


class ComputeNodeMisplaced(FoundFact, frozen=True):
    """A compute node hangs on a switch of another rank than that of leaves."""

    port: Guid
    """The GUID of its port."""
    switch: Guid
    """The GUID of the switch."""
    rank: int
    """The rank of the switch."""
    leaf_rank: int
    """The rank of leaves."""


class SwitchesDiffer(FoundFact, frozen=True):
    """Two switches of one rank differ."""

    count: Literal["upward_groups", "downward_groups", "upward_ports", "downward_ports"]
    """In what: groups of parallel cables up or down, or cables of such a group."""
    switches: tuple[Guid, Guid]
    """The GUID of the first of its rank, and that of the one that differs from it."""
    numbers: tuple[int, int]
    """What each has."""


class GuidsAbsent(FoundFact, frozen=True):
    """A file of nodes has no valid GUID."""

    nodes: Literal["compute_nodes", "io_nodes"]
    """What its nodes are."""


TreeMisfits: TypeAlias = (
    SwitchesFew
    | NodesFew
    | AdaptersFew
    | AdaptersJoined
    | ComputeNodesAbsent
    | LeafRangeAbsent
    | RootsAlone
    | DepthUnfit
    | ComputeNodeMisplaced
    | SwitchesDiffer
    | GuidsAbsent
)


class TreeMisfit(FoundFact, frozen=True):
    """The fabric is not a tree as OpenSM's ftree would have it."""

    misfit: TreeMisfits
    """In what."""


# --- a torus, a mesh, a file -------------------------------------------------------------------


class SeedAbsent(FoundFact, frozen=True):
    """A switch of each seed is not in the fabric."""

    line: int
    """The line of the first such switch, from 1."""
    guid: Guid
    """Its GUID."""
    seeds: int
    """How many seeds there are."""


class TorusSmall(FoundFact, frozen=True):
    """The fabric has more switches than the torus has positions."""

    line: int
    """The line with the sizes."""
    sizes: tuple[int, int, int]
    """The sizes."""
    switches: int
    """Switches of the fabric."""
    positions: int
    """Positions of the torus."""


class StrayCable(FoundFact, frozen=True):
    """A cable joins switches that are no neighbours in the torus, while others are missing."""

    line: int
    """The line with the sizes."""
    sizes: tuple[int, int, int]
    """The sizes."""
    located: int
    """Switches that have a position."""
    switches: int
    """Switches of the fabric."""
    ports: tuple[str, str]
    """The ports of the cable, by name."""


class CablesMany(FoundFact, frozen=True):
    """More cables run in parallel than the configuration allows."""

    line: int
    """The line with the most, or with the sizes."""
    switch: str
    """The switch, by name."""
    cables: int
    """Its parallel cables."""
    most: int
    """The most that there may be."""


class HostsMany(FoundFact, frozen=True):
    """More hosts are on a switch than the configuration allows."""

    line: int
    """The line with the most, or with the sizes."""
    switch: str
    """The switch, by name."""
    hosts: int
    """Its hosts, and its port 0."""
    most: int
    """The most that there may be."""


class PortAbsent(FoundFact, frozen=True):
    """The order of ports names one that a switch lacks."""

    line: int
    """The line with the order."""
    switch: str
    """The switch, by name."""
    ports: int
    """Ports that it has."""
    port: int
    """The port that is named."""


TorusMisfits: TypeAlias = SeedAbsent | TorusSmall | StrayCable | CablesMany | HostsMany | PortAbsent


class TorusUnconfigured(FoundFact, frozen=True):
    """There is no torus configuration with the sizes and a seed."""


class TorusMisfit(FoundFact, frozen=True):
    """The torus configuration is not one of this fabric."""

    misfit: TorusMisfits
    """In what."""


class RingBroken(FoundFact, frozen=True):
    """Failures have broken a ring of the torus into pieces."""

    axis: str
    """Its dimension: `x`, `y` or `z`."""
    across: tuple[str, str]
    """The other two dimensions."""
    at: tuple[int, int]
    """Its coordinates in these."""


class RingSwitchesLost(FoundFact, frozen=True):
    """Switches of a ring are missing: to go around takes two dimensions."""

    switches: int
    """How many are missing."""


class TorusSwitchesLost(FoundFact, frozen=True):
    """Missing switches lie so that detours around them would close a credit loop."""

    switches: int
    """How many are missing."""
    such_as: tuple[tuple[int, int, int], tuple[int, int, int]]
    """The coordinates of two that differ in x or y."""


class MeshEndless(FoundFact, frozen=True):
    """The mesh analysis never ends in OpenSM."""


class FilePortAbsent(FoundFact, frozen=True):
    """A file of tables names a port that the switch lacks."""

    lid: int
    """The LID of the entry."""
    guid: Guid
    """The GUID of the switch."""
    switch: str
    """Its name."""
    port: int
    """The port that the file names."""
    ports: int
    """Ports that the switch has."""


RefusalReason: TypeAlias = (
    LidDoubled
    | LidCircle
    | SwitchLidShared
    | LmcSet
    | SwitchLidsSeveral
    | LidsMany
    | DistanceFar
    | RootsAbsent
    | RootsUnknown
    | RootFar
    | LevelsUnknown
    | LevelsFar
    | LeavesAbsent
    | TiersAbsent
    | UnthrottledApart
    | TorusLanesFew
    | LanesExhausted
    | FirstLaneHigh
    | LanesFew
    | TreeMisfit
    | TorusUnconfigured
    | TorusMisfit
    | RingBroken
    | RingSwitchesLost
    | TorusSwitchesLost
    | MeshEndless
    | FilePortAbsent
)
