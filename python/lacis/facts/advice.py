"""What an alternative asks of those who use the fabric."""

from __future__ import annotations

from .fact import Fact


class LanesNeeded(Fact, frozen=True):
    """Paths are kept apart on lanes: QoS must be on, and applications must ask for the service level of each path."""

    engine: str
    """The engine that keeps them apart."""
    bare_engine: str
    """The engine whose tables these are where all is sent on one lane: the same, or another without lanes."""
    bare_credit_loops: int
    """Credit loops among the pairs of hosts on one lane (proved)."""
