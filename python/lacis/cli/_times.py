"""What `lacis predict` prints of sizes and times."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..facts.words import count, noun
from ._lanes import lanes_words
from ._output import print_line
from ._units import shown, size_shown

if TYPE_CHECKING:
    from rich.console import Console

    from .._core import Times
    from ..qos.lanes import Lanes

_MULTIPATH = {
    "by-message": "senders take the receiver's LIDs in turn, message by message",
    "by-peer": "every two ports have one of the receiver's LIDs, by the sum of their numbers",
    "by-hash": "every two ports have one of the receiver's LIDs, by a hash",
    "ideal": "every message is split over all minimal paths as is best for the slowest, then the next",
    "spray": "switches spread packets evenly over all minimal ports, whatever the tables say",
}
_STRIPING = {
    "psm2": "PSM2 spreads messages over the rails that two hosts have in common: up to 64,000 B whole, by turns; larger ones in "
    "windows on all; each piece counts as a message",
    "ucx": "UCX spreads messages over the rails that two hosts have in common: from 16 KiB (assumed) on over two; each piece counts "
    "as a message",
}


class Assumptions(NamedTuple):
    """What is assumed of senders and links when messages have sizes."""

    multipath: str
    striping: str | None
    host_efficiency: float
    link_efficiency: float
    lanes: Lanes | None
    ranks_per_host: int
    """Ranks of a program on each host."""
    local_rate: float
    """Rate of all messages of a program inside a host together [bytes/s]."""

    def words(self, *, has_inside: bool) -> list[str]:
        """What the times count with, in sentences; `has_inside`: whether messages stay inside hosts."""
        parts = [] if self.multipath == "none" else [_MULTIPATH[self.multipath]]
        parts += [] if self.striping is None else [_STRIPING[self.striping]]
        parts += efficiencies(self.host_efficiency, self.link_efficiency) + lanes_words(self.lanes)
        return parts + (
            [f"messages inside a host share {self.local_rate / 1e9:.4g} GB/s"] if has_inside else []
        )


class Sized(NamedTuple):
    """A question about messages with sizes."""

    traffic: str
    size: int
    """Message size, or the size from which the program derives its messages [bytes]."""
    seed: int
    is_program: bool
    assumed: Assumptions


def efficiencies(host: float, link: float) -> list[str]:
    """What is assumed of links, in words."""
    hosts = [f"hosts use {host:.2%} of their links"] if host < 1 else []
    return hosts + ([f"{link:.2%} of a link's rate carries payload"] if link < 1 else [])


def print_times(out: Console, result: Times, *, independent: bool, assumed: list[str]) -> None:
    """Print how long it takes; `independent` phases do not follow one another."""

    def say(line: str = "") -> None:
        print_line(out, line)

    counts = result.counts
    say("modelled: max-min fair shares over time; no latency, no queues")
    for line in assumed:
        say(f"assumed: {line}")
    if result.gap is not None:
        say(
            f"the slowest message of a phase is within {max(result.gap, 1e-4):.2%} of the best that any split gives it"
        )
    inside = f", {counts['inside_hosts']:,} inside hosts" if counts["inside_hosts"] else ""
    say(
        f"{count(counts['messages'], 'message')}, {size_shown(counts['bytes'])} in all{inside}; {count(counts['events'], 'event')}"
    )
    if counts["unrouted"]:
        say(
            f"NO ROUTE for {count(counts['unrouted'], 'message')}: {noun(counts['unrouted'], 'it is', 'they are')} left out below"
        )
    if counts["skipped"]:
        say(f"left out: {count(counts['skipped'], 'pair')} on a rail that one of the two lacks")
    say()
    if not counts["messages"]:
        return
    if independent and result.num_phases > 1:
        times = result.phases()["time"]
        spread = f"mean {shown(times.mean())}, min {shown(times.min())}, max {shown(times.max())}"
        say(f"{'a phase':<30} {spread}")
    else:
        say(f"{'all in all':<30} {shown(result.total)}")
    taken = result.completion
    spread = ", ".join(f"{key} {shown(taken[key])}" for key in ("mean", "min", "p01", "p50", "p99", "max"))
    say(f"{'a message, from its phase on':<30} {spread}")
    if result.bandwidth is not None:
        algorithm, bus = (value / 1e9 for value in result.bandwidth)
        say(f"{'bandwidth [GB/s]':<30} algorithm {algorithm:.4g}, bus {bus:.4g}")
    if result.busiest:
        say()
        say("busiest links (all they carry; share of the time that it needs at their full rate)")
    for egress, ingress, size, used in result.busiest:
        say(f"  {size_shown(size)} ({used:.0%})  {egress} → {ingress}")
