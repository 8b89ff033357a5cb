"""What follows from what counters say of other traffic, as facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...facts.traffic import LinksToDrain, SuspectsSpared

if TYPE_CHECKING:
    from ...documents.explain import OthersCounted
    from ...facts.traffic import FromOthers


def remarks(found: OthersCounted, withheld: int) -> list[FromOthers]:
    """Suspects that are not named for it, and what to do; empty where counters show none.

    Args:
        found: what counters say.
        withheld: suspects that are not named for it.
    """
    if not found.links:
        return []
    spared: list[FromOthers] = [SuspectsSpared(withheld)] if withheld else []
    return [*spared, LinksToDrain()]
