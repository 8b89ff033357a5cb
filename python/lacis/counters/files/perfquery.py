"""What `perfquery` prints: a port's PortCounters, or with `-x` its PortCountersExtended.

    # Port extended counters: Lid 2052 port 1 (CapMask: 0x5300 CapMask2: 0x0000002)
    PortSelect:......................1
    PortXmitData:....................178791657177235

A file may hold many such blocks, of one port or of many; of several of one port the last one counts. With `-a` the block of "port 255" is the sum of a switch's ports, and passed over; so
are the blocks of details (`-E`, `-D` and others), whose counters are parts of those that are read. The file has LIDs only.

The grammar was read from output of infiniband-diags 44 on ibsim 0.10, and of older releases on machines.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...errors import LacisError
from .names import counter
from .rows import Port, bad, lines, number, port_number

if TYPE_CHECKING:
    from .nodes import Nodes
    from .rows import Rows

_HEAD = re.compile(r"# (.{1,80}?):? Lid (\d{1,10}) port (\d{1,5})(?: .*)?", re.ASCII)
_VALUE = re.compile(r"([A-Za-z0-9_]{1,64}):\.*(.*)", re.ASCII)
_ALL_PORTS = 255


def recognises(text: str) -> bool:
    """Whether a text has a block of perfquery's."""
    return (
        re.search(r"^# (Port|[A-Z]\w+) (extended )?counters: Lid \d+ port ", text[:65536], re.M) is not None
    )


def read(text: str, rows: Rows, nodes: Nodes) -> None:
    """Reads all blocks.

    Raises:
        LacisError: when a block breaks the grammar, or has a LID that the fabric does not have.
    """
    row: int | None = None
    kind = ""
    found: dict[tuple[int, str, bool], int] = {}
    every = lines(text)
    for line, raw in enumerate(every, 1):
        s = raw.strip()
        if line == len(every) and not text.endswith("\n"):
            rows.unknown += 1  # Its number may be cut, and what is left of it looks like one.
        elif s.startswith("#"):
            row, kind = _head(s, line, rows, nodes)
        elif not s or s.startswith(("ibwarn:", "perfquery:", "ibdebug:")):
            continue
        elif match := _VALUE.fullmatch(s):
            known = counter(match[1]) if kind in ("Port counters", "Port extended counters") else None
            if row is not None and known is not None:
                found[row, known[0], kind == "Port extended counters"] = number(match[2], line)
        else:
            raise bad("not a line of perfquery, `NAME:....VALUE`", line, s)
    for (of, name, is_wide), value in found.items():
        rows.count(of, name, value, is_wide=is_wide)
    if not len(rows):
        raise LacisError("has sums over all ports (-a) or details (-E, -D) and no counters of a port")


def _head(s: str, line: int, rows: Rows, nodes: Nodes) -> tuple[int | None, str]:
    """The row and the kind of the block that a line begins."""
    match = _HEAD.fullmatch(s)
    if match is None:
        raise bad("not the head of a block, `# Port counters: Lid N port N`", line, s)
    kind, lid, port = match[1], number(match[2], line, "a LID"), port_number(match[3], line)
    if port == _ALL_PORTS:
        return None, kind
    if not nodes.is_known:
        raise LacisError("perfquery prints LIDs and no GUIDs: the fabric that they are of is needed", line)
    guid = nodes.of_lid(lid)
    if guid is None:
        raise bad(f"the fabric has no LID {lid}", line, s)
    if kind not in ("Port counters", "Port extended counters"):
        return None, kind
    return rows.port(Port(guid, port, lid=lid)), kind
