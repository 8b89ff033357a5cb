"""Path records of a running OpenSM: its answers to queries for the path between two LIDs.

Run with the simulation's library loaded, this module is a client: a line ``SOURCE DESTINATION`` on standard input is a query,
a line ``SOURCE DESTINATION SL`` on standard output its answer.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from . import administration


def service_levels(
    net: str, engines: str, conf: str = "", *, sm: str, pairs: Sequence[tuple[int, int]] | None = None
) -> tuple[dict[tuple[int, int], int], str]:
    """The service level that OpenSM, running as a daemon on a fresh subnet, answers for pairs of LIDs (all
    ordered pairs unless given), and its log."""
    from . import daemon

    with daemon.daemon(net, engines, conf, sm=sm) as manager:
        lids = manager.first().lids
        every = [lid for own in lids.values() for lid in own]
        asked = pairs if pairs is not None else [(a, b) for a in every for b in every]
        # An adapter's port N has the GUID node + N; a switch's port 0 that of the switch.
        guid = int(sm[2:], 16) + (0 if sm.startswith("S-") else 1)
        levels = _ask(manager.env, manager.workdir, lids[guid][0], asked)
        log = (manager.workdir / "osm.log").read_text(errors="replace")
    assert len(levels) == len(set(asked))
    return levels, log


def _ask(
    env: dict[str, str], workdir: Path, manager: int, pairs: Iterable[tuple[int, int]]
) -> dict[tuple[int, int], int]:
    asked = "".join(f"{a} {b}\n" for a, b in pairs)
    printed = administration.client("tests.oracle.path_records", env, workdir, manager, asked)
    words = [tuple(map(int, line.split())) for line in printed.splitlines()]
    return {(a, b): sl for a, b, sl in words}


def client(manager: int) -> None:
    """Sends the queries on standard input; exits at the first without an answer."""
    pairs = [(int(a), int(b)) for a, b in map(str.split, sys.stdin)]
    both = 1 << 4 | 1 << 5  # destination and source LID are given
    mads = (
        administration.mad(
            administration.GET, 0x35, n, both, bytes(40) + struct.pack(">HH", destination, source)
        )
        for n, (source, destination) in enumerate(pairs, 1)
    )
    for (source, destination), (status, answer) in zip(pairs, administration.ask(manager, mads), strict=True):
        echoed = struct.unpack_from(">HH", answer, administration.DATA + 40)
        if status or echoed != (destination, source):
            sys.exit(f"{source} to {destination}: status {status}, {echoed}")
        sl = struct.unpack_from(">H", answer, administration.DATA + 52)[0] & 15
        print(source, destination, sl)


if __name__ == "__main__":
    client(int(sys.argv[1]))
