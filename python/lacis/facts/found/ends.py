"""Where in a fabric a fact is: nodes, ports, cables and what these run at."""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

from ..row import Count, Guid, Row


class FindingEnd(Row, frozen=True, omit_defaults=True):
    """A node or a port that a finding concerns."""

    node: str
    """The node's name."""
    guid: Guid = ""
    """Its GUID, where the node is there."""
    port: Count | None = None
    """The port, where one is meant."""
    likely: str = ""
    """The probable name of an unnamed node, where it can be inferred."""

    def __str__(self) -> str:
        """`leaf-03[17]`, or the node alone."""
        return self.node if self.port is None else f"{self.node}[{self.port}]"

    def to_json(self) -> dict[str, Any]:
        """The fields that are known."""
        known: dict[str, Any] = msgspec.to_builtins(self)
        return known


Cable: TypeAlias = tuple[FindingEnd, FindingEnd]


class Rate(Row, frozen=True):
    """What a link runs at."""

    rate: str
    """`4xNDR`."""
    bytes_per_second: float
    """Payload in each direction."""
