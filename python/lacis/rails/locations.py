"""Where the failures of a log are: hosts, LIDs and GIDs of its lines, and the cables that they share.

A line that names two end ports is a failure between them, and every cable of the routes there and back may be its cause;
a line that names one may have its cause at that host's own cable. A cable that many failures share and few others have is
where to look first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .._core import Fabric, Routes

MOST_LINES = 10_000
"""Lines of each failure that are looked at."""
_LID = re.compile(
    r"(?i)\b(?:[dsr]|remote|local|base)?_?lids?\b[\s:=#(]*(0x[0-9a-f]{1,8}|\d{1,6})(?:\s*(?:and|,|->)\s*(0x[0-9a-f]{1,8}))?"
)
# NCCL prints `remoteGidsfe80::…`, without a blank.
_GID = re.compile(r"(?i)(?:(?<=gids)|(?<![0-9a-z:.]))[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){3,7}(?![0-9a-z:.])")
_GUID = re.compile(r"(?i)\b(?:0x)?([0-9a-f]{16})\b")
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*")


@dataclass(frozen=True)
class SharedCable:
    """A cable on the way of failures.

    Attributes:
        ends: node and port of both ends.
        failures: failing pairs and hosts that it is on the way of.
        of: all of them.
    """

    ends: tuple[tuple[str, int], tuple[str, int]]
    failures: int
    of: int


@dataclass(frozen=True)
class Locations:
    """Where the failures of a log are.

    Attributes:
        lines: lines of failures that name an end port of the fabric.
        pairs: pairs of end ports that failed, each once.
        hosts: end ports named alone.
        unknown: LIDs and GIDs that the fabric has not.
        lids_left_out: LIDs of lines that were not looked up, as the fabric's source says none.
        cables: on the way of most failures first.
    """

    lines: int
    pairs: tuple[tuple[str, str], ...]
    hosts: tuple[str, ...]
    unknown: tuple[str, ...]
    lids_left_out: int
    cables: tuple[SharedCable, ...]


class Directory:
    """The end ports of a fabric, by what logs call them."""

    def __init__(self, fabric: Fabric, routes: Routes) -> None:
        from .. import _core

        names = _core.host_names(fabric)
        self.by_name = {name.lower(): name for name in names}
        self.by_short: dict[str, str] = {}
        for name in names:
            self.by_short.setdefault(name.lower().partition(".")[0], name)
        self.lids_left_out: set[str] = set()
        self._has_lids = fabric.has_lids
        self._routes = routes
        self._other = names[:2]
        self._found: dict[str, str | None] = {}

    def named(self, text: str) -> tuple[list[str], list[str]]:
        """The end ports that a line names, in its order, and LIDs and GIDs that the fabric has not.

        LIDs are the site's: a fabric whose source says none has others, and these are counted only.
        """
        found: dict[str, None] = {}
        unknown: dict[str, None] = {}
        spans: list[tuple[int, str, bool]] = []
        for match in _LID.finditer(text):
            lids = [(match.start(k), f"lid:{int(match[k], 0)}", True) for k in (1, 2) if match[k]]
            if self._has_lids:
                spans += lids
            self.lids_left_out.update(() if self._has_lids else (selector for _, selector, _ in lids))
        for match in _GID.finditer(text):
            if (guid := _of_gid(match[0])) is not None:
                spans.append((match.start(), f"0x{guid:016x}", True))
        spans += [(match.start(), f"0x{match[1].lower()}", False) for match in _GUID.finditer(text)]
        spans += [(at, host, False) for at, host in self._hosts(text)]
        for _, selector, must in sorted(spans, key=lambda span: span[0]):
            end = self.end(selector)
            if end is not None:
                _add(found, end)
            elif must:
                unknown[selector] = None
        return list(found), list(unknown)

    def _hosts(self, text: str) -> Iterator[tuple[int, str]]:
        for match in _WORD.finditer(text):
            word = match[0].lower()
            # `node07.12345Text` is PSM's label: host, process and text without a blank.
            for one in (word, word.partition(".")[0], re.sub(r"[:_-]?(?:rank)?\d*$", "", word)):
                host = self.by_name.get(one) or self.by_short.get(one)
                if host is not None:
                    yield match.start(), host
                    break

    def end(self, selector: str) -> str | None:
        """The host of a LID, of a GUID or of a name; none where the fabric has not got it."""
        if selector in self._found:
            return self._found[selector]
        from .. import _core
        from ..errors import LacisError

        answer: str | None = None
        if selector.lower() in self.by_name:
            answer = selector
        else:
            for other in self._other:
                try:
                    trace = _core.trace(self._routes, selector, other)
                except LacisError:
                    continue
                answer = re.sub(r"\[\d+\]$", "", trace.source)  # without the port
                break
        self._found[selector] = answer
        return answer


def _add(found: dict[str, None], end: str) -> None:
    """Adds an end port; of a host and one of its ports the port counts."""
    if any(known == end or known.startswith(f"{end} ") for known in found):
        return
    for host in [known for known in found if end.startswith(f"{known} ")]:
        del found[host]
    found[end] = None


def _of_gid(text: str) -> int | None:
    """The port GUID of a GID: its lower half. None where the text is no GID."""
    import ipaddress

    try:
        number = int(ipaddress.IPv6Address(text))
    except ValueError:
        return None
    return number & (1 << 64) - 1 if number >> 64 else None


def locations(found: Iterable[Sequence[tuple[int, str]]], fabric: Fabric, routes: Routes) -> Locations:
    """Where failures are: the cables on the routes between the hosts that their lines name.

    Args:
        found: lines of each failure, numbers and texts.
        fabric: where the job ran.
        routes: its tables.
    """
    directory = Directory(fabric, routes)
    pairs: dict[tuple[str, str], None] = {}
    alone: dict[str, None] = {}
    unknown: dict[str, None] = {}
    lines: set[int] = set()
    for one in found:
        for number, text in one:
            ends, not_there = directory.named(text)
            unknown.update(dict.fromkeys(not_there))
            if ends:
                lines.add(number)
            if len(ends) == 1:
                alone[ends[0]] = None
            for other in ends[1:]:
                pairs[ends[0], other] = None
    # A host that fails with others is no place of its own.
    in_pairs = {end for pair in pairs for end in pair}
    hosts = [host for host in alone if host not in in_pairs]
    crossed: dict[tuple[tuple[str, int], tuple[str, int]], int] = {}
    for a, b in pairs:
        for cable in dict.fromkeys(_cables(routes, a, b)):
            crossed[cable] = crossed.get(cable, 0) + 1
    for host in hosts:
        partner = next((name for name in directory.by_name.values() if not host.startswith(name)), None)
        own = [] if partner is None else [c for c in _cables(routes, host, partner) if _is_of(c, host)]
        for cable in dict.fromkeys(own):
            crossed[cable] = crossed.get(cable, 0) + 1
    count = len(pairs) + len(hosts)
    shared = [SharedCable(ends, failures, count) for ends, failures in crossed.items()]
    shared.sort(key=lambda cable: (-cable.failures, cable.ends))
    return Locations(
        lines=len(lines),
        pairs=tuple(pairs),
        hosts=tuple(hosts),
        unknown=tuple(unknown),
        lids_left_out=len(directory.lids_left_out),
        cables=tuple(shared),
    )


def _is_of(cable: tuple[tuple[str, int], tuple[str, int]], host: str) -> bool:
    """Whether a cable is a host's own."""
    return any(node == host or node.startswith(f"{host} ") for node, _ in cable)


def _cables(routes: Routes, a: str, b: str) -> Iterator[tuple[tuple[str, int], tuple[str, int]]]:
    """The cables of the routes there and back, on every rail that both have, as far as they go."""
    from .. import _core
    from ..errors import LacisError

    try:
        traces = _core.trace_rails(routes, a, b)
    except LacisError:
        return
    for _, there, back in traces:
        for hops in (there.hops, back.hops):
            for here, after in pairwise(hops):
                ends = sorted([(here.node, here.port_out or 0), (after.node, after.port_in or 0)])
                yield ends[0], ends[1]
