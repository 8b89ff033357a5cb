"""Counters in tables of comma-separated values: PM_INFO of ibdiagnet's db_csv, and what UFM's telemetry writes.

    START_PM_INFO
    NodeGUID,PortGUID,PortNumber,LinkDownedCounter,LinkDownedCounterExt,PortXmitData,PortXmitDataExtended
    0x0000000008f10001,0x0000000008f10001,4,255,300,123456,123456789
    END_PM_INFO

    timestamp,node_guid,port_guid,port_num,lid,PortXmitDataExtended,SymbolErrorCounterExtended
    1795694400000000,0x8f10001,0x8f10001,4,1,123456789,0

Columns are found by their names, in any order and spelling. A time is in s, ms, µs or ns since 1970, as its size says. `N/A` and empty cells
are no value. Of several rows of one port the latest counts. When a db_csv was made is in it (`RUN_INFO`, `# Timestamp`), which the core reads.
"""

from __future__ import annotations

import contextlib
import csv
from typing import TYPE_CHECKING

from ... import _core
from ...errors import LacisError
from ...facts.words import count
from .names import counter
from .rows import ABSENT, Port, bad, guid, lines, number, port_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .nodes import Nodes
    from .rows import Rows

_NODE = ("nodeguid", "guid")
_PORT = ("portnumber", "portnum", "port")
_TIME = ("timestamp", "time", "sampletime")


def recognises_db_csv(text: str) -> bool:
    """Whether a text has ibdiagnet's tables."""
    return any(line.startswith("START_") for line in text[:65536].splitlines())


def recognises_ufm(text: str) -> bool:
    """Whether a text is one table with a node's GUID, a port and a counter."""
    head = _names(next((line for line in lines(text[:65536]) if line.strip(" #\r")), "").lstrip("# "))
    return (
        _at(head, _NODE) is not None and _at(head, _PORT) is not None and any(counter(name) for name in head)
    )


def read_db_csv(data: bytes, text: str, rows: Rows, nodes: Nodes) -> None:
    """Reads PM_INFO.

    Raises:
        LacisError: when there is no such table, or it breaks the grammar.
    """
    with contextlib.suppress(LacisError):
        if made := _core.read_fabric(data).counters[1]:
            rows.time = made * 10**9
    every = lines(text)
    begins = [at for at, line in enumerate(every) if line.strip() == "START_PM_INFO"]
    if not begins:
        raise LacisError("has no table PM_INFO: ibdiagnet was not asked for counters")
    for begin in begins:
        end = next((at for at in range(begin, len(every)) if every[at].strip() == "END_PM_INFO"), None)
        if end is None:
            raise LacisError("PM_INFO has no end: the file looks cut", begin + 1)
        _table(every[begin + 1 : end], begin + 2, rows, nodes)


def read_ufm(text: str, rows: Rows, nodes: Nodes) -> None:
    """Reads a table of UFM's telemetry.

    Raises:
        LacisError: when it breaks the grammar.
    """
    every = lines(text)
    if not text.endswith("\n") and len(every) > 1:
        every.pop()  # Its last number may be cut, and what is left of it looks like one.
        rows.unknown += 1
    first = next(at for at, line in enumerate(every) if line.strip(" #\r"))
    every[first] = every[first].lstrip("# ")
    _table(every[first:], first + 1, rows, nodes)


def _names(line: str) -> list[str]:
    return [name.strip() for name in line.split(",")]


def _at(head: Sequence[str], names: Iterable[str]) -> int | None:
    """The column of one of some names."""
    plain = [name.lower().replace("_", "").replace(" ", "") for name in head]
    return next((plain.index(name) for name in names if name in plain), None)


def _table(rows_of: Sequence[str], begin: int, rows: Rows, nodes: Nodes) -> None:
    """A table whose first line names the columns; `begin` is that line's number."""
    if not rows_of:
        raise LacisError("a table without a line of names", begin)
    head = _names(rows_of[0])
    node, port = _at(head, _NODE), _at(head, _PORT)
    if node is None or port is None:
        raise bad("a table of counters needs the columns NodeGUID and PortNumber", begin, rows_of[0])
    columns = [(at, known) for at, name in enumerate(head) if (known := counter(name)) is not None]
    lid, time, plane = _at(head, ("lid", "portlid")), _at(head, _TIME), _at(head, ("plane", "planenum"))
    latest: dict[tuple[int, int, int], tuple[Port, list[tuple[str, int, bool]]]] = {}
    reader = csv.reader(rows_of[1:])
    try:
        for cells in reader:
            line = begin + reader.line_num
            if not cells:
                continue
            if len(cells) != len(head):
                reason = f"{count(len(cells), 'value')} in a table of {count(len(head), 'column')}: the line looks cut"
                raise bad(reason, line, ",".join(cells))
            own = nodes.of_guid(guid(cells[node], line))
            number_of_port = port_number(cells[port], line)
            about = Port(
                own,
                number_of_port,
                plane=_optional(cells, plane, line, "a plane", 255),
                lid=_optional(cells, lid, line, "a LID", 0xFFFF_FFFF) or nodes.lid(own, number_of_port),
                time=_moment(cells, time, line),
            )
            counts = [
                (name, number(cells[at], line), is_wide)
                for at, (name, is_wide) in columns
                if cells[at].strip().lower() not in ABSENT
            ]
            key = (own, number_of_port, about.plane)
            if key not in latest or latest[key][0].time <= about.time:
                latest[key] = about, counts
    except csv.Error as error:
        raise bad(f"not a line of a table: {error}", begin + reader.line_num, "") from None
    for about, counts in latest.values():
        row = rows.port(about)
        for name, value, is_wide in counts:
            rows.count(row, name, value, is_wide=is_wide)


def _optional(cells: Sequence[str], at: int | None, line: int, what: str, most: int) -> int:
    """A number that a file need not have; 0 where it has none."""
    if at is None or cells[at].strip().lower() in ABSENT:
        return 0
    value = number(cells[at], line, what)
    if value > most:
        raise bad(f"{what} is at most {most}", line, cells[at])
    return value


def _moment(cells: Sequence[str], at: int | None, line: int) -> int:
    """A time in nanoseconds, however fine the file has it."""
    if at is None or cells[at].strip().lower() in ABSENT:
        return 0
    whole, point, rest = cells[at].strip().partition(".")
    value = number(whole, line, "a time")
    if point:
        number(rest or "0", line, "a time")
    # Seconds have 10 digits until the year 2286, and each finer unit three more.
    for scale in (10**9, 10**6, 10**3, 1):
        if value < 10**11 * (10**9 // scale):
            part = int((rest + "0" * 9)[:9]) if point and scale == 10**9 else 0
            return value * scale + part
    raise bad("a time is in s, ms, µs or ns since 1970", line, cells[at])
