"""The hosts that a job has, with how many ranks each may run: a host file, `$PBS_NODEFILE`, a list by rank, a rank file.

```text
node001 slots=48 max_slots=48      Open MPI
node001:48                         MPICH, Intel MPI
node001 48 all.q@node001 UNDEFINED $PE_HOSTFILE of Grid Engine
node001                            $PBS_NODEFILE, --map-by seq, SLURM_HOSTFILE: a line a rank
rank 0=node001 slot=0              a rank file
```

The grammar is that of `docs/reference/nodesets.md`; here slots count too. A host that is listed again has the sum of its slots, as
Open MPI's host files have it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import _core
from ..errors import LacisError
from ..facts.words import excerpt
from ..io.files import text_of
from ..ranks import nodesets
from ..ranks.names import Names
from .order import MOST, RankOrder

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_SLOTS = re.compile(
    r"^\s*\S+\s+(\d+)\s+\S+@\S+\s+\S+\s*$|^\s*\S+?(?::(\d+)(?::\S+)?)?(?:\s|$)|\bslots\s*=\s*(\d+)"
)
_MOST_SLOTS = re.compile(r"\bmax[_-]slots\s*=\s*(\d+)")
_RANK = re.compile(r"\s*rank\s+\d+\s*=")


@dataclass(frozen=True)
class SlotList:
    """Hosts by the names of the fabric, where it has them.

    Attributes:
        slots: how many ranks each host may run; hosts in the order in which they are listed first.
        spelled: each host's name as the list first has it.
        by_rank: the host of each slot, in the order of the list.
    """

    slots: Mapping[str, int]
    spelled: Mapping[str, str]
    by_rank: tuple[str, ...]

    @property
    def is_host_by_host(self) -> bool:
        """Whether all slots of a host stand together."""
        return len(RankOrder(self.by_rank).runs) == len(set(self.by_rank))


def _is_text(name: str) -> bool:
    """Whether a name is text, and not a piece of a file of another kind."""
    return name.isprintable() and "\N{REPLACEMENT CHARACTER}" not in name


def read_slots(data: bytes, known: Collection[str] = ()) -> SlotList:
    """Reads a list of hosts with their slots.

    Args:
        data: the list, in any of the forms above.
        known: the hosts of the fabric, whose names are taken where a name means one of them.

    Raises:
        LacisError: when the list is none, when a host is listed more often than its `max_slots`, or when there are too many slots;
            with the line.
    """
    text = text_of(data)
    lines = text.splitlines()
    is_by_rank = any(_RANK.match(line) for line in lines)
    listed = _core.read_hosts("ranks", text.encode()) if is_by_rank else nodesets.listed(data)
    names = Names(known)
    slots: dict[str, int] = {}
    spelled: dict[str, str] = {}
    by_rank: list[str] = []
    for at, name in listed:
        if name not in known and not _is_text(name):
            raise LacisError("no name of a host", at, excerpt(name))
        line = lines[at - 1].partition("#")[0] if 0 < at <= len(lines) else ""
        try:
            host = names.meant(name) or name
        except LacisError as error:
            raise LacisError(error.reason, at, name) from None
        number = 1 if is_by_rank else _slots_of(line, at)
        slots[host] = slots.get(host, 0) + number
        spelled.setdefault(host, name)
        most = _MOST_SLOTS.search(line)
        if most and slots[host] > int(most[1]):
            raise LacisError(f"{slots[host]:,} slots are beyond max_slots={most[1]}", at, name)
        if len(by_rank) + number > MOST:
            raise LacisError(f"more than {MOST:,} slots", at, name)
        by_rank += [host] * number
    if not listed:
        raise LacisError("no host in the list")
    return SlotList(slots, spelled, tuple(by_rank))


def _slots_of(line: str, at: int) -> int:
    """The slots that a line gives each of its hosts; one where it says nothing."""
    found = [slots for match in _SLOTS.finditer(line) for slots in match.groups() if slots]
    if not found:
        return 1
    if len(found[0]) > len(str(MOST)):
        raise LacisError(f"more than {MOST:,} slots", at, line.strip()[:80])
    return int(found[0])
