"""Where in a fabric a fact is: nodes, ports, cables and what these run at."""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from .fact import Record


class FindingEnd(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A node or a port that a finding concerns.

    Attributes:
        node: its name.
        guid: of the node, as `0x…`; empty where the host is absent.
        port: its number; none where the node is meant, or any free port.
        likely: the probable name of an unnamed node; empty where it cannot be inferred.
    """

    node: str
    guid: str = ""
    port: int | None = None
    likely: str = ""

    def __str__(self) -> str:
        """`leaf-03[17]`, or the node alone."""
        return self.node if self.port is None else f"{self.node}[{self.port}]"

    def to_json(self) -> dict[str, Any]:
        """The fields that are known."""
        known: dict[str, Any] = msgspec.to_builtins(self)
        return known


Cable: TypeAlias = tuple[FindingEnd, FindingEnd]


class Rate(Record, frozen=True):
    """What a link runs at."""

    rate: str
    """`4xNDR`."""
    bytes_per_second: float
    """Payload in each direction."""
