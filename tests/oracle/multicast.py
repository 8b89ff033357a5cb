"""Multicast trees of a running OpenSM: adapters join the broadcast group, and its tables are read from the switches.

Run with the simulation's library loaded, this module reads port GUIDs, one a line, joins them, and prints the status of each answer.
"""

from __future__ import annotations

import struct
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from . import administration, opensm

BROADCAST = bytes.fromhex("ff12401bffff000000000000ffffffff")
PARTITIONS = "Default=0x7fff,ipoib:ALL=full;\n"
"""Partitions with a broadcast group."""


class Trees(NamedTuple):
    """OpenSM's tables for the group."""

    engine: str | None
    tables: str
    """The multicast tables of all switches."""
    errors: list[str]
    """Log lines of the multicast manager."""
    members: int


def trees(net: str, engines: str, conf: str = "", *, sm: str) -> Trees:
    """Joins all ports of adapters to the broadcast group, and sweeps.

    Without OpenSM's dumps, for which it keeps more hops than the trees need.
    """
    from . import daemon

    files, options = {"partitions": PARTITIONS}, ("-P", "partitions")
    with daemon.daemon(net, engines, conf, sm=sm, files=files, options=options, log_flags="0x03") as manager:
        manager.served(sweep=False)
        lids = opensm.parse_guid2lid((manager.workdir / "guid2lid").read_text())
        switches = {int(guid, 16) for guid in opensm.SWITCH_GUID.findall(net)}
        # An adapter's port N has the GUID node + N; a switch's port 0 that of the switch.
        guid = int(sm[2:], 16) + (0 if sm.startswith("S-") else 1)
        members = lids.keys() - switches
        _join(manager.env, manager.workdir, lids[guid][0], members)
        served = manager.served()
        words = [opensm.program("dump_mfts") or "dump_mfts"]
        done = subprocess.run(
            words,
            capture_output=True,
            text=True,
            check=True,
            cwd=manager.workdir,
            env=manager.env,
            timeout=60,
        )
        log = (manager.workdir / "osm.log").read_text(errors="replace")
    errors = [line for line in log.splitlines() if "mcast_mgr" in line and "ERR" in line]
    return Trees(served, done.stdout, errors, len(members))


def _join(env: dict[str, str], workdir: Path, manager: int, guids: Iterable[int]) -> None:
    asked = "".join(f"{guid:#x}\n" for guid in sorted(guids))
    printed = administration.client("tests.oracle.multicast", env, workdir, manager, asked)
    assert printed.split() == ["0"] * len(asked.split())


def client(manager: int) -> None:
    """Joins the ports on standard input."""
    whole = 1 | 1 << 1 | 1 << 16  # the group, the port and how it joins are given
    records = (
        BROADCAST + struct.pack(">QQ", 0xFE80 << 48, int(line, 16)) + bytes(16) + b"\x01"
        for line in sys.stdin
    )
    mads = (
        administration.mad(administration.SET, 0x38, n, whole, record) for n, record in enumerate(records, 1)
    )
    for status, _ in administration.ask(manager, mads):
        print(status)


if __name__ == "__main__":
    client(int(sys.argv[1]))
