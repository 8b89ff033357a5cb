"""The flows and jobs behind a link, by the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ..live import Usage


class Behind(Protocol):
    """Says what is behind the traffic of a port."""

    def rows(self, now: Usage, port: int) -> list[tuple[str, ...]]:
        """Lines about a port: what, for this end, for the other end."""
