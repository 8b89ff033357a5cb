"""The flows and jobs behind a link, as lines of the view of a port."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..facts.words import count
from ..live import pairs_on_ports
from ..map.shapes import short
from ..why.shares import bounds, is_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .._core import Routes
    from ..fabric.ports import Ports
    from ..live import Pair, PairsOnPorts, PairsThere, Usage
    from ..live.jobs import JobOnPort, JobsOnPorts

_LISTED = 8
"""Jobs that are listed,"""
_BESIDE = 2
"""and of those that one cannot be separated from."""
_LONGEST = 30
"""Characters of a node in a pair, beside which another one has room."""
PAIRS = 40
"""Pairs that are listed."""


@dataclass(frozen=True)
class Behind:
    """What the tables say of the traffic of ports.

    Attributes:
        routes: the tables.
        ports: of their fabric.
        jobs: what jobs put there; none where no jobs are given.
        adaptive: whether switches choose among all ports that begin a shortest path, whatever the tables say.
    """

    routes: Routes
    ports: Ports
    jobs: JobsOnPorts | None = None
    adaptive: bool = False

    @cached_property
    def all(self) -> PairsOnPorts:
        """All hosts that send to all others over each port."""
        return pairs_on_ports(self.routes, self.ports, adaptive=self.adaptive)

    @cached_property
    def pairs(self) -> PairsOnPorts:
        """Which host sends to which over each port: of the jobs, where some are given."""
        return self.all if self.jobs is None else pairs_on_ports(self.routes, self.ports, self.jobs)

    def rows(self, now: Usage, port: int, text: str = "") -> list[tuple[str, ...]]:
        """Lines about a port and the one at the other end of its cable; of the pairs those that have a text."""
        ends = [port, *([int(self.ports.far[port])] if self.ports.far[port] >= 0 else [])]
        lines: list[tuple[str, ...]] = [
            (
                f"by {self.routes.engine_used}" + (", adaptive" if self.adaptive else ""),
                *(_of_all(self.all.there(end, 0).flows) for end in ends),
            )
        ]
        if self.jobs is None:
            return lines + self._pairs(ends, text, {})
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = now.sent / self.jobs.predicted(now)
        lines.append(("over predicted", *(_times(float(ratio[end])) for end in ends)))
        listed = [self.jobs.there(now, end) for end in ends]
        most = min(_LISTED, max(map(len, listed)))
        lines += [
            ("job", *(_job(rows[number]) if number < len(rows) else "" for rows in listed))
            for number in range(most)
        ]
        rates = dict(zip(self.jobs.names, self.jobs.rates(now).tolist(), strict=True))
        return lines + self._pairs(ends, text, rates)

    def _pairs(self, ends: Sequence[int], text: str, rates: Mapping[str, float]) -> list[tuple[str, ...]]:
        there = [self.pairs.there(end, PAIRS if end == ends[0] else 0, text, rates) for end in ends]
        lines: list[tuple[str, ...]] = [("pairs", *map(_counted, there))]
        # Those of this end alone, whose two nodes need both columns; one key shows the other end.
        return lines + [_pair(one) for one in there[0].listed]


def _of_all(flows: float) -> str:
    return f"{count(round(flows), 'flow')} of all to all"


def _times(ratio: float) -> str:
    return f"{ratio:.2f} ×" if np.isfinite(ratio) else "-"


def _counted(there: PairsThere) -> str:
    """How many pairs there are, and how many of them have the text."""
    if there.found == there.total:
        return count(there.total, "pair")
    return f"{there.found:,} of {count(there.total, 'pair')}"


def _pair(one: Pair) -> tuple[str, ...]:
    """A pair, its job, and what it is modelled to send: a rate, or a share of the link where none was measured."""
    part = f", {100 * one.part:.0f} % of it" if one.part < 1 else ""
    sent = f"{100 * one.share:.3g} %" if one.rate is None else f"{one.rate / 1e6:,.3g} MB/s"
    return one.job, short(one.source, _LONGEST), f"→ {short(one.target, _LONGEST)}  {sent}{part}"


def _job(one: JobOnPort) -> str:
    if one.beside:
        more = f" and {len(one.beside) - _BESIDE} more" if len(one.beside) > _BESIDE else ""
        return f"{one.name}: not separable from {', '.join(one.beside[:_BESIDE])}{more}"
    share = ""
    if one.share is not None and is_number(one.within):
        share = f"{100 * one.share:.0f} % ± {100 * one.within:.0f}"
    elif one.share is not None:
        least, most = bounds(one.share, one.within)
        share = f"{100 * least:.0f} to {100 * most:.0f} %"
    return f"{one.name}: {count(round(one.flows), 'flow')} {share}".rstrip()
