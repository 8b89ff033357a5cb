"""What libraries do with rails, in words: by message size, and between two kinds of hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...documents.stacks import RegimeRow
    from ...rails.check import Between
    from ...rails.outcome import Regime

STACKS = ("psm2", "ucx", "opx", "nccl", "mvapich2", "intelmpi")


def regimes_words(regimes: tuple[Regime, ...]) -> list[str]:
    """What happens by message size, one line each."""
    lines, least = [], 0
    for regime in regimes:
        upto = (
            f"above {least - 1:,} B"
            if regime.most is None and least
            else "any size"
            if regime.most is None
            else f"up to {regime.most:,} B"
        )
        rails = "1 rail" if regime.rails == 1 else f"{regime.rails} rails"
        lines.append(f"messages {upto}: {rails} a message, {regime.how} ({regime.source})")
        least = (regime.most or 0) + 1
    return lines


def regime_row(regime: Regime) -> RegimeRow:
    """What happens to messages up to a size, as documents have it."""
    from ...documents.stacks import RegimeRow

    return RegimeRow(regime.most, regime.rails, regime.how, regime.source)


def pair_words(one: Between, most: int = 60) -> str:
    """Two kinds of hosts in words, each in so many characters where it can."""
    from ...ranks.nodesets import fold

    def named(hosts: tuple[str, ...]) -> str:
        text = fold(hosts)
        return text if len(text) <= most else f"{len(hosts):,} hosts such as {hosts[0]}"

    if not one.a:
        return "any two hosts"
    if one.a == one.b:
        return f"any two of {named(one.a)}"
    return f"{named(one.a)} and {named(one.b)}"


def why(one: Between) -> str:
    """The first cause, in words."""
    for outcome in one.outcomes:
        if outcome.failure is not None:
            text = f'"{outcome.failure.text}": ' if outcome.failure.text else ""
            return f"{text}{outcome.failure.cause}"
    return next((outcome.lost for outcome in one.outcomes if outcome.lost), "")
