"""Tables that a function of the caller's makes, from a fabric as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from .. import _core
from ..errors import LacisError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Unpack

    from numpy.typing import ArrayLike, NDArray

    from .._core import Fabric, Routes
    from ..requests.routing import RouteOptions

    Engine: TypeAlias = Callable[["FabricArrays"], ArrayLike]

NO_PORT: Final = 255
"""The entry of a table that leads nowhere."""
LID_OPTIONS: Final = ("sm", "fresh_lids", "lmc", "lmc_esp0", "guid2lid")
"""The options that decide which LIDs there are, and no engine reads."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FabricArrays:
    """A fabric as an engine of your own gets it; nodes are numbers from 0, switches first, as in `lacis.tables.nodes`.

    An engine returns the port by which a switch sends, 255 for none, as whole numbers in one of three shapes:

    * `(switches, LIDs)`, a column for each element of `lids`;
    * `(switches, end nodes)`, a column for each node that is no switch, which all its LIDs share; then a switch's own
      LID is known to itself alone. Each end node must have its LIDs behind one port of a switch;
    * `(switches, highest LID + 1)`, as `Routes.table()` has it.

    Whether packets arrive is for `lacis.verify` to say.

    Attributes:
        num_switches: how many of the nodes are switches.
        kinds: of each node: `switch`, `adapter`, `router` or `aggregation`.
        names: of each node its description.
        guids: of each node, `uint64`.
        cables: node, port, node, port; shape `(cables, 4)`, `uint32`.
        peers: the node at the other end of each switch's ports, -1 for none; shape `(switches, most ports + 1)`,
            `int32`. Column 0 is the switch's own port 0.
        lids: assigned, ascending, `uint32`.
        owners: the node that has each of `lids`, -1 where no switch is its neighbour; `int32`.
        edge_switches: the switch that the owner hangs off, or is; -1 for none; `int32`.
        edge_ports: the port of that switch that leads to the owner, 0 where it is the owner, 255 for none; `uint8`.
    """

    num_switches: int
    kinds: list[str]
    names: list[str]
    guids: NDArray[np.uint64]
    cables: NDArray[np.uint32]
    peers: NDArray[np.int32]
    lids: NDArray[np.uint32]
    owners: NDArray[np.int32]
    edge_switches: NDArray[np.int32]
    edge_ports: NDArray[np.uint8]

    @classmethod
    def of(cls, routes: Routes) -> FabricArrays:
        """The fabric and the LIDs of tables that lead every LID of an edge switch to its port there."""
        fabric = routes.fabric
        lids, _ = routes.lids()
        cables = fabric.cables().reshape(-1, 4)
        peers = _peers(fabric, cables)
        edge = routes.edge_switches()[lids]
        port = np.full(len(lids), NO_PORT, np.uint8)
        port[edge >= 0] = routes.table()[edge[edge >= 0], lids[edge >= 0]]
        owner = np.full(len(lids), -1, np.int32)
        known = port != NO_PORT
        owner[known] = peers[edge[known], port[known]]
        # An engine cannot change by what its tables are judged.
        for array in (cables, peers, lids, owner, edge, port):
            array.flags.writeable = False
        return cls(
            num_switches=fabric.num_switches,
            kinds=fabric.kinds(),
            names=fabric.descriptions(),
            guids=fabric.guids(),
            cables=cables,
            peers=peers,
            lids=lids,
            owners=owner,
            edge_switches=edge,
            edge_ports=port,
        )

    def __repr__(self) -> str:
        return f"<lacis.FabricArrays: switches: {self.num_switches}, LIDs: {len(self.lids)}>"


def route(fabric: Fabric, engine: Engine, **options: Unpack[RouteOptions]) -> Routes:
    """The tables that an engine makes; see `lacis.route`."""
    foreign = [name for name in options if name not in LID_OPTIONS]
    if foreign:
        raise LacisError(
            f"{foreign[0]} is an option of Lacis' engines: a function takes {', '.join(LID_OPTIONS)}"
        )
    # Every engine has the same LIDs; minhop refuses no fabric, and reaches every port at its edge switch.
    base = _core.route(fabric, "minhop", **options)
    arrays = FabricArrays.of(base)
    name = getattr(engine, "__name__", type(engine).__name__)
    try:
        return base.with_table(_whole(arrays, engine(arrays), base.table()))
    except LacisError as error:
        raise error.within(f"engine {name}") from None


def _peers(fabric: Fabric, cables: NDArray[np.uint32]) -> NDArray[np.int32]:
    """The node at the other end of each switch's ports."""
    switches = fabric.num_switches
    most = max((fabric.radix(switch) for switch in range(switches)), default=0)
    peers = np.full((switches, most + 1), -1, np.int32)
    peers[:, 0] = np.arange(switches)
    ends = np.concatenate([cables, cables[:, [2, 3, 0, 1]]]).astype(np.int32)
    of_switches = ends[ends[:, 0] < switches]
    peers[of_switches[:, 0], of_switches[:, 1]] = of_switches[:, 2]
    return peers


def _whole(arrays: FabricArrays, made: ArrayLike, like: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """What an engine returned as a table of every LID.

    Args:
        arrays: what the engine got.
        made: what it returned.
        like: a table of the shape that is wanted.

    Raises:
        LacisError: when it has another shape, or what are no ports.
    """
    ports = _ports(made)
    ends = len(arrays.kinds) - arrays.num_switches
    shapes = {(arrays.num_switches, columns) for columns in (ends, len(arrays.lids), like.shape[1])}
    if ports.shape not in shapes:
        wanted = f"({arrays.num_switches}, {len(arrays.lids)}), a column for each LID"
        by_end = f"({arrays.num_switches}, {ends}), one for each end node"
        raise LacisError(f"returns an array of shape {ports.shape}, where {wanted}, or {by_end}, belong")
    if ports.shape == like.shape:
        return ports
    table = np.full_like(like, NO_PORT)
    if ports.shape[1] == len(arrays.lids):
        table[:, arrays.lids] = ports
        return table
    is_end = arrays.owners >= arrays.num_switches
    _check_single(arrays, is_end)
    table[:, arrays.lids[is_end]] = ports[:, arrays.owners[is_end] - arrays.num_switches]
    own = arrays.edge_ports == 0
    table[arrays.owners[own], arrays.lids[own]] = 0
    return table


def _ports(made: ArrayLike) -> NDArray[np.uint8]:
    """What an engine returned as numbers of ports."""
    try:
        ports: NDArray[Any] = np.asarray(made)
        if np.ma.is_masked(made):
            raise LacisError("returns an array that masks ports: 255 stands for none")
    except ValueError:
        raise LacisError("returns rows of different lengths: an array of ports belongs") from None
    if ports.dtype.kind not in "iu":
        raise LacisError(f"returns an array of {ports.dtype}: ports are whole numbers, 255 for none")
    wrong = (ports < 0) | (ports > NO_PORT)
    if wrong.any():
        where = tuple(np.argwhere(wrong)[0].tolist())
        raise LacisError(f"returns {ports[where]} at {list(where)}: a port is a number from 0, 255 for none")
    return np.ascontiguousarray(ports, np.uint8)


def _check_single(arrays: FabricArrays, is_end: NDArray[np.bool_]) -> None:
    """Refuses columns by end node where an end node has several ports."""
    owners = arrays.owners[is_end]
    behind = arrays.edge_switches[is_end].astype(np.int64) << 8 | arrays.edge_ports[is_end]
    by_owner = np.lexsort((behind, owners))
    same = owners[by_owner][1:] == owners[by_owner][:-1]
    several = same & (behind[by_owner][1:] != behind[by_owner][:-1])
    if several.any():
        name = arrays.names[int(owners[by_owner][:-1][several][0])]
        raise LacisError(
            "returns a column for each end node, and one has LIDs at several ports: "
            "return a column for each LID",
            text=name,
        )
