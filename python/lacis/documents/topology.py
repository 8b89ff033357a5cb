"""The document of `lacis verify --topology`: cables, nodes and managers as planned and as found."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from .base import Count, FabricReading, Positive, Row, one_of
from .explain import CountedErrors

Ends = Annotated[list[str], Meta(min_length=2, max_length=2)]
"""Both ends of a cable, as `NODE[PORT]`."""


class PlanRead(Row, frozen=True):
    """A plan that was read."""

    source: str
    """The file, or the synthetic fabric."""
    format: Annotated[str, one_of("topology XML", "opaxlattopology CSV", "NDT CSV", "fabric")]
    """What it is."""
    cables: Count
    """Cables that it lists."""
    adapters: Count
    """Adapters that it lists."""
    switches: Count
    """Switches that it lists."""
    managers: Count
    """Managers that it lists."""
    directors: list[str]
    """Directors whose inner cables are those of their maker's wiring."""


class CableVerdicts(Row, frozen=True):
    """Cables by verdict; [what they mean](plans.md)."""

    as_planned: Count
    """As planned."""
    missing: Count
    """Planned and not found."""
    unexpected: Count
    """Found and not planned."""
    misconnected: Count
    """At another port than planned."""
    duplicate: Count
    """Planned twice."""
    different: Count
    """Where it is planned, with another attribute."""


class CableKinds(Row, frozen=True):
    """The same by kind of cable, as `opareport -o verifyextlinks`, `verifyfilinks`, `verifyislinks` and `verifyextislinks` count them."""

    external: CableVerdicts
    """Cables outside directors."""
    hosts: CableVerdicts
    """Cables to hosts."""
    between_switches: CableVerdicts
    """Cables between switches."""
    external_between_switches: CableVerdicts
    """Cables between switches outside directors."""


class NodeVerdicts(Row, frozen=True):
    """Nodes or managers of a list by verdict."""

    as_planned: Count
    """As planned."""
    missing: Count
    """Planned and not found."""
    unexpected: Count
    """Found and not planned."""
    duplicate: Count
    """Planned twice."""
    different: Count
    """Found with another attribute."""


class NodeList(Row, frozen=True):
    """A list of the plan against the fabric."""

    listed: Count
    """How many the plans list."""
    compared: bool
    """Whether they were compared: the plan lists some, and the fabric has such facts."""
    counts: NodeVerdicts
    """How many have each verdict."""
    not_judged: Count
    """Found ones of a kind that the plan does not list."""


class NodeLists(Row, frozen=True):
    """The lists of the plan, as `opareport -o verifyfis`, `verifysws` and `verifysms` count them."""

    adapters: NodeList
    """Its adapters."""
    switches: NodeList
    """Its switches."""
    managers: NodeList
    """Its subnet managers."""


class PlannedCable(Row, frozen=True):
    """A cable of a plan."""

    plan: Count
    """Which of the plans, from 0."""
    line: Positive | None
    """Its line, where the plan has lines."""
    ends: Ends
    """Both, as `NODE[PORT]`."""
    rate: str | None
    """Its planned rate."""
    label: str
    """Its label; empty where the plan has none."""


class FoundCable(Row, frozen=True):
    """A cable of the fabric."""

    ends: Ends
    """Both, as `NODE[PORT]`."""
    rate: str | None
    """The rate that it reports."""


class CableReason(Row, frozen=True):
    """Why a cable is not as planned."""

    reason: Annotated[
        str,
        one_of(
            "no_node", "no_port", "no_cable", "leads_to", "repeats", "node_guid", "name", "port", "port_guid",
            "kind", "rate", "mtu", "inactive",
        ),
    ]  # fmt: skip
    """What is not there, where it leads, or the attribute that differs."""
    end: str | None
    """The end of the plan."""
    planned: str | None
    """What was planned."""
    found: str | None
    """What was found."""
    repeats: PlannedCable | None
    """The planned cable that it repeats."""


class CableRow(Row, frozen=True):
    """A cable that is not as planned."""

    verdict: Annotated[str, one_of("missing", "unexpected", "misconnected", "duplicate", "different")]
    """What is not as planned."""
    planned: PlannedCable | None
    """The cable of the plan."""
    found: FoundCable | None
    """The cable of the fabric."""
    why: list[CableReason]
    """Why."""


class PlannedNode(Row, frozen=True):
    """A node or manager of a plan."""

    plan: Count
    """Which of the plans, from 0."""
    line: Positive | None
    """Its line, where the plan has lines."""
    name: str
    """Its name."""


class NodeReason(Row, frozen=True):
    """Why a node or manager is not as planned."""

    reason: Annotated[
        str,
        one_of("no_node", "no_manager", "repeats", "node_guid", "name", "port", "port_guid", "kind"),
    ]
    """What is not there, or the attribute that differs."""
    planned: str | None
    """What was planned."""
    found: str | None
    """What was found."""
    repeats: PlannedNode | None
    """The planned one that it repeats."""


class NodeRow(Row, frozen=True, rename={"list_": "list"}):
    """A node or manager that is not as planned."""

    list_: Annotated[str, one_of("adapters", "switches", "managers")]
    """The list that it is on."""
    verdict: Annotated[str, one_of("missing", "unexpected", "duplicate", "different")]
    """What is not as planned."""
    planned: PlannedNode | None
    """The one of the plan."""
    found: str | None
    """Its name; of a manager `NODE[PORT]`."""
    why: list[NodeReason]
    """Why."""


class PlugMove(Row, frozen=True, rename={"from_": "from"}):
    """A plug to move between two ports."""

    stays: str
    """The other end of its cable, which is not touched."""
    from_: str
    """The port in which it is."""
    to: str
    """The port in which it belongs."""
    label: str
    """The label of the cable."""


class PlannedWork(Row, frozen=True):
    """What to do at the racks, with the fewest plugs moved."""

    kind: Annotated[str, one_of("swap", "rotation", "move", "shift", "connect", "take_out")]
    """What is to be done."""
    moves: list[PlugMove]
    """Plugs to move."""
    connect: Ends | None
    """Two ports to cable."""
    take_out: Ends | None
    """The ends of a cable to remove."""


class UnknownName(Row, frozen=True):
    """A name of the plan that no node has."""

    name: str
    """The name."""
    plan: Count
    """Which of the plans, from 0."""
    line: Positive | None
    """Its line, where the plan has lines."""
    cables: Positive
    """Planned cables that lead there."""
    misnamed: Count
    """Those of them without work: the cable found there leads to a node that the plan likely means by another name."""
    near: list[str]
    """Names of nodes that are alike."""


class UnplannedKinds(Row, frozen=True):
    """Found cables that are not judged, as lists have none of their kind."""

    inside_directors: Count
    """Cables inside directors."""
    aggregation_nodes: Count
    """Cables to aggregation nodes."""
    hosts: Count
    """Cables to hosts."""
    between_switches: Count
    """Cables between switches."""


class TopologyDocument(FabricReading, frozen=True, tag="lacis.verify.topology/1"):
    """`lacis verify FABRIC --topology PLAN --json`: whether cables, nodes and managers are as planned."""

    plans: list[PlanRead]
    """The plans, as given."""
    good: bool
    """Every cable, node and manager is as planned."""
    counts: CableVerdicts
    """Cables by verdict."""
    counts_by_kind: CableKinds
    """The same by kind of cable."""
    lists: NodeLists
    """Adapters, switches and managers of the plan."""
    cables: list[CableRow]
    """Those that are not as planned."""
    nodes: list[NodeRow]
    """Adapters, switches and managers that are not as planned."""
    work: list[PlannedWork]
    """What repairs the fabric, with the fewest plugs moved."""
    unknown_names: list[UnknownName]
    """Names of the plan that no node has."""
    not_planned_kinds: UnplannedKinds
    """Found cables that are not judged."""
    mtu_not_compared: Count
    """Planned cables whose MTU the dump does not have."""
    rate_not_compared: Count
    """Planned cables whose rate the dump does not have."""
    no_guid: bool
    """Node GUIDs of the plan are ignored, as the fabric has none of them."""
    errors: list[CountedErrors] | UnsetType = UNSET
    """With counters of the fabric: errors of its ports beyond what is tolerated; absent without counters."""
