"""Fabrics as graphs of networkx and rustworkx, which are not required: each is asked for where it is used.

A node is the number that `lacis.tables.nodes` gives it, switches first; a cable is the number of its row in
`lacis.tables.cables`. What is not known of one is absent.

Nodes have `name` (the description), `guid`, `kind`, `system_guid` and, if switches of a tree, `level`; cables have `cable` (the
number), `node_a`, `port_a`, `node_b`, `port_b`, `rate` and `speed` [GB/s].
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import tables
from ..errors import needing

if TYPE_CHECKING:
    from collections.abc import Iterator

    import networkx as nx
    import rustworkx as rx

    from .._core import Fabric
    from ..tables import Table


def to_networkx(fabric: Fabric) -> nx.MultiGraph[int]:
    """A fabric as a `networkx.MultiGraph`, whose nodes are numbers, switches first.

    Parallel cables are edges of their own: the key is the number of the cable, its row in `lacis.tables.cables`.

    Raises:
        MissingPackageError: when networkx is not installed; it is an `ImportError` too.
    """
    with needing("to_networkx needs networkx", "networkx"):
        import networkx as nx
    graph: nx.MultiGraph[int] = nx.MultiGraph()
    graph.add_nodes_from(enumerate(_nodes(fabric)))
    graph.add_edges_from(
        (cable["node_a"], cable["node_b"], cable["cable"], cable) for cable in _cables(fabric)
    )
    return graph


def to_rustworkx(fabric: Fabric) -> rx.PyGraph[dict[str, Any], dict[str, Any]]:
    """A fabric as a `rustworkx.PyGraph`; what `to_networkx` has as attributes are the payloads of nodes and edges.

    Indices of nodes and of edges are the numbers of nodes and of cables.

    Raises:
        MissingPackageError: when rustworkx is not installed; it is an `ImportError` too.
    """
    with needing("to_rustworkx needs rustworkx", "rustworkx"):
        import rustworkx as rx
    graph: rx.PyGraph[dict[str, Any], dict[str, Any]] = rx.PyGraph(multigraph=True)
    graph.add_nodes_from(list(_nodes(fabric)))
    graph.add_edges_from([(cable["node_a"], cable["node_b"], cable) for cable in _cables(fabric)])
    return graph


def _nodes(fabric: Fabric) -> Iterator[dict[str, Any]]:
    """The attributes of each node."""
    for row in _rows(tables.nodes(fabric)):
        del row["node"]
        row["name"] = row.pop("description")
        if row["system_guid"] == 0:
            del row["system_guid"]
        yield row


def _cables(fabric: Fabric) -> Iterator[dict[str, Any]]:
    """The attributes of each cable."""
    for number, row in enumerate(_rows(tables.cables(fabric))):
        yield {"cable": number, **row}


def _rows(table: Table) -> Iterator[dict[str, Any]]:
    """The rows of a table, without what is unknown."""
    columns = [column if isinstance(column, list) else column.tolist() for column in table.columns.values()]
    for row in zip(*columns, strict=True):
        yield {name: value for name, value in zip(table.columns, row, strict=True) if value is not None}
