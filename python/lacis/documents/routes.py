"""Documents about tables and the packets that follow them: `lacis route`, `lacis order`, `lacis trace`."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from ..facts.launch import FORMS
from .base import Count, FabricReading, Guid, NodeKind, Positive, Row, Verdict, one_of
from .common import OpensmConf, Refusal

ServiceLevel = Annotated[str, Meta(pattern="^1?[0-9]$")]


class RouteDocument(FabricReading, frozen=True, tag="lacis.route/1", kw_only=True):
    """`lacis route FABRIC -R ENGINE --json`: forwarding tables, and the files to which they were written."""

    engine_requested: str
    """As typed after `-R`."""
    engine_used: str
    """The engine that made the tables; `file` where they were read."""
    refusals: list[Refusal]
    """The engines that refused before, in order."""
    switches: Count
    """Switches: rows of the tables."""
    lids: Count
    """LIDs: columns of the tables."""
    entries: Count
    """Switches × LIDs."""
    unrouted: Count
    """Entries without a port."""
    unrouted_to_end_nodes: Count
    """Of them, those to end nodes. The others lead to switches, and carry management traffic only."""
    lanes: Positive
    """Virtual lanes that a port must have; 1 where the engine assigns none."""
    entries_by_service_level: dict[ServiceLevel, Count]
    """(source switch, LID) entries by their service level; empty where the engine assigns none."""
    file: str | None
    """The file of the tables, where asked for, as are the following files."""
    guid2lid: str | None
    """The file of LIDs."""
    lid_matrix: str | None
    """The file of hop matrices."""
    ca_order: str | None
    """The file of the order of ftree's hosts."""
    updn_roots: str | None
    """The file of the roots of updn."""
    sl2vl: str | None
    """The file of lanes by service level."""
    service_levels: str | None
    """The file of service levels by pair."""
    snapshot: str | None
    """The snapshot for `opareport`."""
    opensm_conf: OpensmConf | UnsetType = UNSET
    """With `--opensm-conf`: what of it does not count."""


class OrderDocument(FabricReading, frozen=True, tag="lacis.order/1"):
    """`lacis order FABRIC --by ORDER --json`: an order of hosts, for OpenSM or for the ranks of a job."""

    by: Annotated[
        str, one_of("name", "lid", "topology", "eventree", "eventree-exchanges", "ftree", "host", "slurm")
    ]
    """The order asked for."""
    hosts: list[str]
    """Hosts in this order; with `ftree`, node descriptions."""
    guids: list[Guid]
    """GUIDs of their ports in this order, rail after rail: what is written unless `--as` asks for another form."""
    form: Annotated[str, one_of(*FORMS)] | None
    """The form of the file; none with `--script`."""
    ranks: list[str]
    """The host of each rank, by the names that the launcher gets; empty where the form is about ports or hosts."""
    launch: str | None
    """What to type to launch with the file; of a script what submits it."""
    file: str | None
    """The file written."""


class TraceHop(Row, frozen=True, rename={"port_in": "in", "port_out": "out"}):
    """A node on a route."""

    node: str
    """Its name."""
    kind: NodeKind
    """Switch, adapter, router or aggregation node."""
    guid: Guid
    """Its node GUID."""
    port_in: Count | None
    """The port by which the packet enters; null at the sender."""
    port_out: Count | None
    """The port by which it leaves; null at its end."""
    rate: str | None
    """Of the link out."""


class TracedRoute(Row, frozen=True, rename={"source": "from", "target": "to"}):
    """A packet's path from one end port to another."""

    source: str
    """The sending port."""
    target: str
    """The receiving port."""
    lid: Count
    """The destination LID."""
    verdict: Verdict
    """What becomes of it."""
    switches: Count
    """Switches traversed."""
    links: Count
    """Links crossed."""
    hops: Annotated[list[TraceHop], Meta(min_length=1)]
    """Node by node."""
    rail: Positive | None
    """From 1; null where A or B is a single port."""


class TraceDocument(FabricReading, frozen=True, tag="lacis.trace/1", kw_only=True):
    """`lacis trace FABRIC A B --json`: the nodes that a packet passes, there and back."""

    engine_requested: str
    """As typed after `-R`."""
    engine_used: str
    """The engine that made the tables; `file` where they were read."""
    file: str | None
    """Where the tables were read from."""
    routes: Annotated[list[TracedRoute], Meta(min_length=2)]
    """From A to B, and from B to A. For two hosts, both for each rail that they share."""
    opensm_conf: OpensmConf | UnsetType = UNSET
    """With `--opensm-conf`: what of it does not count."""
