"""Facts about the levels of switches: what is odd about one, as the engine finds and words it."""

from __future__ import annotations

from typing import Literal, TypeAlias

from ..fact import FoundFact


class Declared(FoundFact, frozen=True):
    """The site declares its role."""

    role: str
    """The role."""


class LeafWithoutAdapters(FoundFact, frozen=True):
    """A leaf by its cables, without adapters."""


class AdaptersAboveLeaves(FoundFact, frozen=True):
    """Adapters on a switch that is no leaf by its cables."""


class OddCables(FoundFact, frozen=True):
    """Cables that do not join adjacent levels."""

    odd: int
    """How many do not."""
    cables: int
    """Cables to switches."""


LeftOut: TypeAlias = Literal[
    "like_others_without_adapters", "joining_different", "alone", "cabled_to_each_other", "without_adapters"
]
"""Which switches with as many adapters as leaves were not taken for leaves."""
Oddity: TypeAlias = Declared | LeafWithoutAdapters | AdaptersAboveLeaves | OddCables
