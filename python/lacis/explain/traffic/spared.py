"""Suspects that counters speak for: where their links carried other traffic, that may be why flows over them are slow."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...documents.explain import Suspect
    from .answer import Others


class Spared:
    """Which suspects are not to be accused.

    Args:
        others: what counters say; none where there are none.
    """

    def __init__(self, others: Others | None) -> None:
        self._links = {
            part.sent.ends(at)
            for part in (others.parts if others else ())
            for at in part.links.seen.nonzero()[0].tolist()
        }
        self._nodes = {end.rpartition("[")[0] for ends in self._links for end in ends}

    def spares(self, suspects: Iterable[Suspect]) -> bool:
        """Whether a link of one of these, which explain the same, carried other traffic."""
        return any(self._carries(one) for one in suspects)

    def _carries(self, one: Suspect) -> bool:
        if one.egress is not None and one.ingress is not None:
            ends = (one.egress, one.ingress)
            is_both = one.kind in ("host", "cable")
            return ends in self._links or (is_both and ends[::-1] in self._links)
        return one.node in self._nodes
