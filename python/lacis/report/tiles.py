"""The fabric in a few numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts.words import noun
from ..health import PATTERNS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..documents.fabric import FabricSummary


def tiles(summary: FabricSummary) -> Sequence[tuple[str, str]]:
    """The fabric in a few numbers: what, how much."""
    kinds = summary.kinds
    out = [
        _tile(summary.switches, "switch", "switches"),
        _tile(kinds.adapters, "host adapter"),
        _tile(summary.hosts, "host"),
        _tile(len(summary.rails), "rail"),
        _tile(summary.planes, "plane"),
        _tile(summary.levels or 0, "level"),
        *_groups(summary),
        _tile(summary.trunks, "cable between switches", "cables between switches"),
    ]
    if kinds.aggregation:
        out.append(_tile(kinds.aggregation, "aggregation node"))
    tapered = [level for level in summary.by_level if level.taper is not None]
    out += [(f"down : up at level {level.level}", f"{level.taper:.2f}") for level in tapered]
    if summary.bisection:
        bounded = "" if summary.bisection.exact else ", at most"
        value = f"{summary.bisection.bytes_per_second / 1e12:.4g} TB/s"
        out.append((f"bisection each way{bounded} (modelled)", value))
    return out


def in_short(summary: FabricSummary) -> str:
    """What there is, from switches to levels and groups, in a line."""
    shown = 6 + len(_groups(summary))
    return ", ".join(f"{number} {what}" for what, number in tiles(summary)[:shown])


def _groups(summary: FabricSummary) -> list[tuple[str, str]]:
    """The groups of switches of each pattern that has such: `9`, `groups of a Dragonfly+`."""
    of = [group.pattern for group in summary.switch_groups]
    return [
        (f"{noun(of.count(one), 'group')} of a {PATTERNS[one]}", f"{of.count(one):,}")
        for one in dict.fromkeys(of)
    ]


def _tile(number: int, one: str, many: str | None = None) -> tuple[str, str]:
    return noun(number, one, many), f"{number:,}" if number else "no"
