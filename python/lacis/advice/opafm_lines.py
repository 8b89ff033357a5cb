"""Engines and options of Omni-Path's manager as lines of its opafm.xml."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

TAGS = {"spine_first": "SpineFirstRouting", "tier_count": "TierCount", "lmc": "Lmc"}
"""Option of `RouteOptions` → tag under `Sm`; `TierCount` is inside `FatTreeTopology`."""


def lines(engine: str, options: Mapping[str, object]) -> dict[str, str]:
    """Tag → value, of the engine and of options that differ from the defaults."""
    tags = {TAGS[name]: str(int(bool(value)) if name == "spine_first" else value) for name, value in options.items()
            if name in TAGS}  # fmt: skip
    return {"RoutingAlgorithm": engine} | tags


def opafm(tags: dict[str, str]) -> str:
    """The lines as in opafm.xml, under `Common` / `Sm`."""
    inner = [
        f"    <FatTreeTopology><TierCount>{value}</TierCount></FatTreeTopology>"
        if tag == "TierCount"
        else f"    <{tag}>{value}</{tag}>"
        for tag, value in tags.items()
    ]
    return "\n".join(["<Common>", "  <Sm>", *inner, "  </Sm>", "</Common>", ""])
