"""Path records of a running OpenSM: what it tells a client that asks for the way between two LIDs.

Run with the simulation's library loaded, this file is such a client: the manager's LID as argument, a line
``SOURCE DESTINATION`` for each question on standard input, a line ``SOURCE DESTINATION SL`` for each answer.
(InfiniBand Architecture Specification, volume 1, 13.4 and 15.2.5.16; ``man 3 umad_send``.)
"""

from __future__ import annotations

import ctypes
import struct
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

SUBNET_ADMINISTRATION = 3
MAD_BYTES = 256
DATA = 56
"""Where the attribute begins in a packet to or from subnet administration."""
LIMIT_S = 120.0
"""Seconds that all answers may take."""


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
    done = subprocess.run(
        [sys.executable, str(Path(__file__).resolve()), str(manager)],
        input="".join(f"{a} {b}\n" for a, b in pairs),
        capture_output=True,
        text=True,
        check=True,
        cwd=workdir,
        env=env,
        timeout=LIMIT_S,
    )
    words = [tuple(map(int, line.split())) for line in done.stdout.splitlines()]
    return {(a, b): sl for a, b, sl in words}


def client(manager: int) -> None:
    """Asks what standard input says; the first question without an answer ends it."""
    umad = ctypes.CDLL("libibumad.so.3", use_errno=True)
    umad.umad_size.restype = ctypes.c_size_t
    umad.umad_init()
    port = umad.umad_open_port(None, 0)
    agent = umad.umad_register(port, SUBNET_ADMINISTRATION, 2, 0, None)
    if port < 0 or agent < 0:
        sys.exit("no access to the simulation")
    head = umad.umad_size()
    packet = ctypes.create_string_buffer(head + MAD_BYTES)
    for number, line in enumerate(sys.stdin, start=1):
        source, destination = map(int, line.split())
        mad = bytearray(MAD_BYTES)
        mad[:4] = 1, SUBNET_ADMINISTRATION, 2, 1  # base version, class, its version, get
        struct.pack_into(">Q", mad, 8, number)
        struct.pack_into(">H", mad, 16, 0x35)  # PathRecord
        struct.pack_into(">Q", mad, 48, 1 << 4 | 1 << 5)  # destination and source LID are given
        struct.pack_into(">HH", mad, DATA + 40, destination, source)
        ctypes.memmove(packet, bytes(head) + bytes(mad), head + MAD_BYTES)
        umad.umad_set_addr(packet, manager, 1, 0, 0x80010000)
        length = ctypes.c_int(MAD_BYTES)
        if umad.umad_send(port, agent, packet, MAD_BYTES, 1000, 3) < 0:
            sys.exit(f"question {number} was not sent")
        if umad.umad_recv(port, packet, ctypes.byref(length), 5000) < 0:
            sys.exit(f"question {number} was not answered")
        answer = packet.raw[head:]
        status = struct.unpack_from(">H", answer, 4)[0]
        echoed = struct.unpack_from(">HH", answer, DATA + 40)
        if status or echoed != (destination, source):
            sys.exit(f"question {number} ({source} to {destination}): status {status}, {echoed}")
        sl = struct.unpack_from(">H", answer, DATA + 52)[0] & 15
        print(source, destination, sl)


if __name__ == "__main__":
    client(int(sys.argv[1]))
