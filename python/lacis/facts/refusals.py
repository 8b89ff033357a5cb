"""Why an engine is not used, where that is not for the engine to say: what it makes does not hold, or it was not tried."""

from __future__ import annotations

from typing import TypeAlias

from .fact import Fact
from .found.refusals import RefusalReason
from .row import Row


class LostPair(Row, frozen=True):
    """A pair that tables do not deliver."""

    source: str
    """The port that sends."""
    target: str
    """The port that is to receive."""
    lid: int
    """The LID that it sends to."""
    verdict: str
    """What happens to its packets: `no_entry`, `loop`."""


class ProofLosesPairs(Fact, frozen=True):
    """The plugin proves that tables lose pairs, and does not take them."""

    lost: int
    """Pairs that are lost."""
    of: int
    """Pairs that cables join."""
    example: LostPair | None
    """One of them; none where no cables may join the first."""


class ProofFindsLoops(Fact, frozen=True):
    """The plugin proves that tables leave credit loops, and does not take them."""

    loops: int
    """How many there are."""
    ports: tuple[str, ...]
    """The ports of the shortest circle of the first."""


class EngineLong(Fact, frozen=True):
    """The engine was not tried, as it takes long on a fabric of this size and was not asked for."""

    end_nodes: int
    """End nodes of the fabric."""


BY_LACIS = (ProofLosesPairs, ProofFindsLoops, EngineLong)
"""Kinds that no engine says."""
WhyNot: TypeAlias = RefusalReason | ProofLosesPairs | ProofFindsLoops | EngineLong
