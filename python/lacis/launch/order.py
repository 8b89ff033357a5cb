"""Ranks and the host of each, as launchers are to start them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from ..errors import LacisError
from ..facts.words import count

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

MOST = 1 << 22
"""Most ranks of a job: more than any machine has cores."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""What a launcher, a shell and a scheduler take for the name of a host, none of them reading anything else into it."""


@dataclass(frozen=True)
class RankOrder:
    """Which host each rank runs on.

    Attributes:
        hosts: the host of rank 0, of rank 1 and so on, by the names that launchers know.
    """

    hosts: tuple[str, ...]

    @property
    def slots(self) -> dict[str, int]:
        """How many ranks each host has; hosts in the order of their lowest ranks."""
        return dict(Counter(self.hosts))

    @property
    def runs(self) -> list[tuple[str, int]]:
        """Hosts, each with how many consecutive ranks it has before those of the next."""
        return [(host, len(list(ranks))) for host, ranks in groupby(self.hosts)]

    @property
    def per_host(self) -> int | None:
        """How many ranks each host has; none where hosts differ."""
        numbers = set(self.slots.values())
        return numbers.pop() if len(numbers) == 1 else None

    def host_by_host(self, form: str, instead: str) -> list[tuple[str, int]]:
        """Hosts, each once, with its ranks.

        Args:
            form: what is to hold them.
            instead: what can hold any order.

        Raises:
            LacisError: when ranks of a host are apart.
        """
        runs, seen = self.runs, set()
        for host, _ in runs:
            if host in seen:
                raise LacisError(
                    f"{form} has each host once, and ranks of a host are apart: {instead}", text=host
                )
            seen.add(host)
        return runs


def in_a_row(hosts: Sequence[str], slots: Mapping[str, int] | int = 1, ranks: int | None = None) -> RankOrder:
    """Consecutive ranks on each host, host after host.

    Args:
        hosts: in the order of the ranks, each once.
        slots: how many ranks a host has at most.
        ranks: how many there are; as many as hosts have slots unless given.

    Raises:
        LacisError: when there is no host or no slot, when a host is named twice, or when ranks are more than slots.
    """
    if not hosts:
        raise LacisError("no host, so that no rank can run")
    twice = [host for host, number in Counter(hosts).items() if number > 1]
    if twice:
        raise LacisError("two hosts have this name, so that no launcher can distinguish them", text=twice[0])
    of = {host: slots if isinstance(slots, int) else slots.get(host, 1) for host in hosts}
    if sum(of.values()) > MOST:
        raise LacisError(f"{sum(of.values()):,} ranks are more than {MOST:,}")
    return first(RankOrder(tuple(host for host in hosts for _ in range(of[host]))), ranks)


def first(order: RankOrder, ranks: int | None) -> RankOrder:
    """The first ranks of an order, or all of them.

    Raises:
        LacisError: when it has none, or fewer than are asked for.
    """
    there = len(order.hosts)
    if not there:
        raise LacisError("no host has a slot, so that no rank can run")
    if ranks is not None and ranks > there:
        hosts = count(len(set(order.hosts)), "host")
        raise LacisError(f"{ranks:,} ranks are more than the {count(there, 'slot')} of {hosts}")
    return order if ranks is None else RankOrder(order.hosts[:ranks])


def check_names(hosts: Collection[str], form: str, also: str = "", reserved: Collection[str] = ()) -> None:
    """Refuses names that a form cannot hold.

    Args:
        hosts: the names.
        form: what is to hold them.
        also: characters that it does not take, though other launchers do.
        reserved: words that it takes for something else.

    Raises:
        LacisError: when there is one; with the first of them.
    """
    wrong = [
        host
        for host in dict.fromkeys(hosts)
        if not _NAME.fullmatch(host) or host in reserved or any(char in host for char in also)
    ]
    if wrong:
        more = f" (and {count(len(wrong) - 1, 'other')})" if len(wrong) > 1 else ""
        shown = wrong[0].encode("unicode_escape").decode("ascii")[:80]
        raise LacisError(f"a name that {form} cannot hold{more}", text=shown)
