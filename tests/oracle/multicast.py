"""Multicast trees of a running OpenSM: adapters join the broadcast group, and its tables are read from the switches.

Run with the simulation's library loaded, this file joins them: the manager's LID as argument, a port GUID in each line of standard input,
``GUID STATUS`` for each answer. (InfiniBand Architecture Specification, volume 1, 15.2.5.17.)
"""

from __future__ import annotations

import ctypes
import struct
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

SUBNET_ADMINISTRATION = 3
MAD_BYTES = 256
DATA = 56
"""Where the attribute begins in a packet to or from subnet administration."""
BROADCAST = bytes.fromhex("ff12401bffff000000000000ffffffff")
PARTITIONS = "Default=0x7fff,ipoib:ALL=full;\n"
"""Partitions with a broadcast group."""


def join(env: dict[str, str], workdir: Path, manager: int, guids: Iterable[int]) -> None:
    """Lets ports join the broadcast group."""
    asked = "".join(f"{guid:#x}\n" for guid in guids)
    words = [sys.executable, str(Path(__file__).resolve()), str(manager)]
    done = subprocess.run(
        words, input=asked, capture_output=True, text=True, check=True, cwd=workdir, env=env, timeout=60
    )
    answers = done.stdout.split()
    assert answers[::2] == asked.split()
    assert set(answers[1::2]) == {"0"}, done.stdout


def tables(env: dict[str, str], workdir: Path) -> str:
    """The multicast tables of all switches."""
    done = subprocess.run(
        ["dump_mfts"], capture_output=True, text=True, check=True, cwd=workdir, env=env, timeout=60
    )
    return done.stdout


def client(manager: int) -> None:
    """Joins what standard input says; the first question without an answer ends it."""
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
        guid = int(line, 16)
        mad = bytearray(MAD_BYTES)
        mad[:4] = 1, SUBNET_ADMINISTRATION, 2, 2  # base version, class, its version, set
        struct.pack_into(">Q", mad, 8, number)
        struct.pack_into(">H", mad, 16, 0x38)  # MCMemberRecord
        struct.pack_into(">Q", mad, 48, 1 | 1 << 1 | 1 << 16)  # the group, the port and how it joins are given
        mad[DATA : DATA + 16] = BROADCAST
        struct.pack_into(">QQ", mad, DATA + 16, 0xFE80 << 48, guid)
        mad[DATA + 48] = 1  # JoinState: full member
        ctypes.memmove(packet, bytes(head) + bytes(mad), head + MAD_BYTES)
        umad.umad_set_addr(packet, manager, 1, 0, 0x80010000)
        length = ctypes.c_int(MAD_BYTES)
        if umad.umad_send(port, agent, packet, MAD_BYTES, 1000, 3) < 0:
            sys.exit("the question cannot be sent")
        if umad.umad_recv(port, packet, ctypes.byref(length), 3000) < 0:
            sys.exit("no answer")
        (status,) = struct.unpack_from(">H", packet.raw, head + 4)
        print(f"{guid:#x}", status)


if __name__ == "__main__":
    client(int(sys.argv[1]))
