"""What `ibqueryerrors` prints, in all its forms: counters beyond thresholds, with `--data` the traffic of those ports, with `--counters` that of all.

    Errors for 0x8f10001 "leaf 1"
       GUID 0x8f10001 port ALL: [SymbolErrorCounter == 77] [PortXmitWait == 5000]
       GUID 0x8f10001 port 4: [SymbolErrorCounter == 77] [PortXmitWait == 5000] [PortXmitData == 1008 (3.938KB)]

A port or a counter that is not listed is below its threshold or did not answer: it is not known to be zero. An adapter's GUID is its port's, or
with `--counters` its node's. The grammar was read from output of infiniband-diags 44 on ibsim 0.10; the core reads the same for findings.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .names import counter
from .rows import Port, bad, guid, lines, number, port_number

if TYPE_CHECKING:
    from .nodes import Nodes
    from .rows import Rows

_PORT = re.compile(r"GUID (\S{1,40}) port (\S{1,10}):(.*)")
_ITEM = re.compile(r"\[\s*(\w{1,64}) == (\S{1,40})(?: \([^)\]]*\))?\s*\]", re.ASCII)
_OTHERS = ("Link info:", "#", "ibwarn:", "ibqueryerrors:", "Suppressing:")


def recognises(text: str) -> bool:
    """Whether a text has a line of ibqueryerrors' counters or its summary."""
    head = text[:65536]
    return (
        re.search(r"^\s*GUID 0x[0-9a-fA-F]+ port \w+:|^(Errors|Data Counters) for |^## Summary:", head, re.M)
        is not None
    )


def read(text: str, rows: Rows, nodes: Nodes) -> None:
    """Reads all ports.

    Raises:
        LacisError: when a line of counters breaks the grammar.
    """
    rows.only_faulty = not re.search(r"^Data Counters for ", text, re.M)
    for line, raw in enumerate(lines(text), 1):
        s = raw.strip()
        if s.startswith("GUID "):
            _port(s, line, rows, nodes)
        elif s and not s.startswith(("Errors for ", "Data Counters for ", *_OTHERS)):
            rows.unknown += 1


def _port(s: str, line: int, rows: Rows, nodes: Nodes) -> None:
    match = _PORT.fullmatch(s)
    if match is None:
        raise bad("not `GUID 0x… port N: [NAME == VALUE]`: the line looks cut", line, s)
    own = nodes.of_guid(guid(match[1], line))
    if match[2] == "ALL":
        return
    port = port_number(match[2], line)
    row = rows.port(Port(own, port, lid=nodes.lid(own, port)))
    if _ITEM.sub("", match[3]).strip():
        raise bad("not `[NAME == VALUE]`: the line looks cut", line, s)
    for name, value in _ITEM.findall(match[3]):
        known = counter(name)
        if known is None:
            rows.unknown += 1
            continue
        count = number(value, line)
        # It prints which counters, and not from which attribute: data are of 64 bits wherever an adapter has them.
        is_data = known[0].endswith(("Data", "Pkts")) and count != 0xFFFF_FFFF
        rows.count(row, known[0], count, is_wide=known[1] or is_data)
