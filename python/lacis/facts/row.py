"""Rows: objects with a closed list of keys, as results, facts and documents have them."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct


class Row(Struct, frozen=True, forbid_unknown_fields=True):
    """An object inside a document; it has no other keys than its fields."""


def kind_of(name: str) -> str:
    """The kind that a class of facts stands for: `pairs_lost` for `PairsLost`."""
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in name).lstrip("_")


def one_of(*values: str) -> Meta:
    """The values that a text can have, where the library passes it on as a text."""
    return Meta(extra_json_schema={"enum": list(values)})


Count = Annotated[int, Meta(ge=0)]
Positive = Annotated[int, Meta(ge=1)]
Guid = Annotated[str, Meta(pattern="^0x[0-9a-f]{16}$")]
FindingCode = Annotated[str, Meta(pattern="^[A-Z_]+$")]
