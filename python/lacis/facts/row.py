"""Rows: objects with a closed list of keys, as results, facts and documents have them."""

from __future__ import annotations

from msgspec import Struct


class Row(Struct, frozen=True, forbid_unknown_fields=True):
    """An object inside a document; it has no other keys than its fields."""


def kind_of(name: str) -> str:
    """The kind that a class of facts stands for: `pairs_lost` for `PairsLost`."""
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in name).lstrip("_")
