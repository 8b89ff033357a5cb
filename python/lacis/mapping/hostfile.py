"""The hosts of a job, each as often as it runs ranks, in the order of ranks.

    node001                  a line a rank, as $PBS_NODEFILE has it
    node001 slots=8          Open MPI
    node001:8                MPICH, Intel MPI

Names are those of the fabric in any case, full (`node001.site.org`) or short; sets such as `node[001-004]:8` stand for each.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import _core
from ..errors import LacisError
from ..facts.words import excerpt
from ..io.files import reading, text_of
from ..ranks import nodesets

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from .._core import Fabric

MOST_SLOTS = 65_536
"""Ranks of a host."""
MOST_SEATS = 4_000_000
"""Ranks of a list."""

_COUNTED = re.compile(r"(.+?):([0-9]+)(?::[A-Za-z][^:]*)?")
_SLOTS = re.compile(r"(max[-_])?slots=(.*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Seats:
    """One seat for each rank.

    Attributes:
        hosts: the hosts of the fabric, each once, in the order in which the list names them.
        host: by seat, the number of its host among these.
        written: by seat, the host as the list has it.
    """

    hosts: tuple[str, ...]
    host: tuple[int, ...]
    written: tuple[str, ...]


def read_seats(fabric: Fabric, path: str | os.PathLike[str]) -> Seats:
    """Read the hosts of a job from a file, or from standard input for `-`.

    Raises:
        LacisError: when the file cannot be read, or as `seats_of`.
    """
    with reading(path) as data:
        return seats_of(fabric, text_of(data))


def seats_of(fabric: Fabric, text: str) -> Seats:
    """The seats of a list of hosts.

    Args:
        fabric: whose hosts they are.
        text: a host, or a set of them, on each line.

    Raises:
        LacisError: when no host is listed, one is unknown or may be several, slots are no number from 1 on, or a host is listed
            again whose slots are counted already; with the line.
    """
    names = _Names(nodesets.hosts_of(fabric))
    numbers: dict[str, int] = {}
    counted: dict[str, int] = {}
    first: dict[str, int] = {}
    host: list[int] = []
    written: list[str] = []
    for line, raw in enumerate(text.splitlines(), 1):
        words = raw.split("#", 1)[0].split()
        if not words:
            continue
        if not all(word.isprintable() for word in words):
            raise LacisError("no name of a host", line=line, text=excerpt(raw.strip()))
        typed, slots = _entry(words, line, names)
        for name in _expanded(typed, line, names):
            known = names.find(name, line)
            if known in counted or (slots is not None and known in first):
                before = counted.get(known, first.get(known, 0))
                raise LacisError(
                    f"a host beyond its slots: it is listed on line {before} already",
                    line=line,
                    text=excerpt(name),
                )
            first.setdefault(known, line)
            if slots is not None:
                counted[known] = line
            number = numbers.setdefault(known, len(numbers))
            host += [number] * (1 if slots is None else slots)
            written += [name] * (1 if slots is None else slots)
            if len(host) > MOST_SEATS:
                raise LacisError(f"more than {MOST_SEATS:,} ranks", line=line, text=excerpt(raw))
    if not host:
        raise LacisError("no host in the list")
    return Seats(tuple(numbers), tuple(host), tuple(written))


def _entry(words: Sequence[str], line: int, names: _Names) -> tuple[str, int | None]:
    """The name on a line, and its slots where these are counted."""
    name, *options = words
    slots: int | None = None
    for option in options:
        found = _SLOTS.fullmatch(option)
        if found is None:
            raise LacisError(
                "expected a host, host:N or host slots=N", line=line, text=excerpt(" ".join(words))
            )
        if not found[1]:
            slots = _count(found[2], line)
    match = _COUNTED.fullmatch(name)
    if match and not names.knows(name):
        if slots is not None:
            raise LacisError("slots are counted twice", line=line, text=excerpt(" ".join(words)))
        return match[1], _count(match[2], line)
    return name, slots


def _count(text: str, line: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 6 and 1 <= int(text) <= MOST_SLOTS):
        raise LacisError(f"slots are a number from 1 to {MOST_SLOTS:,}", line=line, text=excerpt(text))
    return int(text)


def _expanded(name: str, line: int, names: _Names) -> list[str]:
    if names.knows(name) or not nodesets.is_set(name):
        return [name]
    try:
        return nodesets.expand(name)
    except LacisError as error:
        raise LacisError(error.reason, line=line, text=error.text) from None


class _Names:
    """The hosts of a fabric, to be found in any case, by full or short name."""

    def __init__(self, names: Sequence[str]) -> None:
        self.all = list(names)
        self.exact = dict.fromkeys(names)
        self.twice = {name for name, count in Counter(names).items() if count > 1}
        self.short: dict[str, list[str]] = {}
        for name in self.exact:
            self.short.setdefault(name.casefold().split(".", 1)[0], []).append(name)

    def knows(self, name: str) -> bool:
        return bool(self._meant(name))

    def _meant(self, name: str) -> list[str]:
        if name in self.exact:
            return [name]
        short, _, domain = name.casefold().partition(".")
        # Two full names of different domains are two hosts.
        return [
            one
            for one in self.short.get(short, [])
            if not domain or "." not in one or one.casefold().split(".", 1)[1] == domain
        ]

    def find(self, name: str, line: int) -> str:
        meant = self._meant(name)
        if len(meant) == 1 and meant[0] not in self.twice:
            return meant[0]
        if meant:
            several = " or ".join(sorted(set(meant))) if len(meant) > 1 else "several hosts of that name"
            raise LacisError(f"this may be {several}", line=line, text=excerpt(name))
        near = _core.nearest(name.casefold().split(".", 1)[0], self.all, 3)
        hint = f" (did you mean {' or '.join(near)}?)" if near else ""
        raise LacisError(f"no such host{hint}", line=line, text=excerpt(name))
