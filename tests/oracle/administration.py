"""Queries to the subnet administration of a running OpenSM, from a client in the simulation.

(InfiniBand Architecture Specification, volume 1, 13.4 and 15.2.5; ``man 3 umad_send``.)
"""

from __future__ import annotations

import ctypes
import os
import struct
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

CLASS = 3
MAD_BYTES = 256
DATA = 56
"""Where the attribute begins in a packet."""
GET = 1
SET = 2


def client(
    module: str, env: dict[str, str], workdir: Path, manager: int, asked: str, limit_s: float = 120.0
) -> str:
    """Runs a module with the simulation's library loaded, with the manager's LID as argument and `asked` as standard input;
    returns its output."""
    root = Path(__file__).parents[2]
    path = os.pathsep.join(filter(None, (str(root), env.get("PYTHONPATH"))))
    done = subprocess.run(
        [sys.executable, "-m", module, str(manager)],
        input=asked,
        capture_output=True,
        text=True,
        check=True,
        cwd=workdir,
        env={**env, "PYTHONPATH": path},
        timeout=limit_s,
    )
    return done.stdout


def mad(method: int, attribute: int, number: int, mask: int, data: bytes) -> bytes:
    """A packet; `mask` says which fields of the attribute are given."""
    packet = bytearray(MAD_BYTES)
    packet[:4] = 1, CLASS, 2, method  # base version, class, its version
    struct.pack_into(">Q", packet, 8, number)
    struct.pack_into(">H", packet, 16, attribute)
    struct.pack_into(">Q", packet, 48, mask)
    packet[DATA : DATA + len(data)] = data
    return bytes(packet)


def ask(manager: int, mads: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """The status of each answer, and the answer; exits at the first query without one."""
    umad = ctypes.CDLL("libibumad.so.3", use_errno=True)
    umad.umad_size.restype = ctypes.c_size_t
    umad.umad_init()
    port = umad.umad_open_port(None, 0)
    agent = umad.umad_register(port, CLASS, 2, 0, None)
    if port < 0 or agent < 0:
        sys.exit("no access to the simulation")
    head = umad.umad_size()
    packet = ctypes.create_string_buffer(head + MAD_BYTES)
    for question in mads:
        ctypes.memmove(packet, bytes(head) + question, head + MAD_BYTES)
        umad.umad_set_addr(packet, manager, 1, 0, 0x80010000)
        length = ctypes.c_int(MAD_BYTES)
        if umad.umad_send(port, agent, packet, MAD_BYTES, 1000, 3) < 0:
            sys.exit("a question was not sent")
        if umad.umad_recv(port, packet, ctypes.byref(length), 5000) < 0:
            sys.exit("a question was not answered")
        answer = packet.raw[head:]
        yield struct.unpack_from(">H", answer, 4)[0], answer
