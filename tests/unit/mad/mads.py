"""A small fabric behind a libibumad of our own, for tests of the reader of counters."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import lacis
import pytest
from lacis.counters.mad import Pace

SOON = Pace(timeout=0.001, retries=3)
"""Requests that count as lost after a tenth of a second, which is how long a reader waits beside."""
SOURCE = Path(__file__).with_name("fake_umad.c")
SWITCH, FIRST = 10, 101
"""The LID of the switch, and of the first of its hosts."""
HDR = (4, 5, 2, 4, 4, 0)
"""A link that is active and up: 4 lanes (a width of 2), QDR, and HDR as its extended speed."""
ALL = 0x1300
"""Capabilities of an agent with counters of 64 bits and PortXmitWait."""


class Agent(ctypes.Structure):
    """What an agent does, and what it was asked."""

    _fields_ = (
        ("guid", ctypes.c_uint64),
        *(
            (name, ctypes.c_uint32)
            for name in (
                "capabilities",
                "capabilities_2",
                "drop",
                "busy",
                "status",
                "other_port",
                "is_silent",
                "is_changed",
                "top",
                "twice",
                "hold",
                "no_extended",
                "asked",
                "in_flight",
                "most_in_flight",
                "sets",
                "no_port_info",
                "ports_asked",
                "set_ports",
            )
        ),
        ("last_narrow", ctypes.c_uint8 * 256),
        ("last_extended", ctypes.c_uint8 * 256),
        ("links", (ctypes.c_uint8 * 6) * 64),
    )


@dataclass(frozen=True)
class Fake:
    """The library, with a switch and its hosts."""

    path: Path
    library: ctypes.CDLL

    def agent(self, lid: int) -> Agent:
        """What answers at a LID."""
        self.library.fake_agent.restype = ctypes.POINTER(Agent)
        found: Agent = self.library.fake_agent(lid)[0]
        return found

    def set(self, name: str, value: int) -> None:
        """Sets a number of the whole fabric."""
        ctypes.c_uint32.in_dll(self.library, name).value = value

    def get(self, name: str) -> int:
        """A number of the whole fabric."""
        return int(ctypes.c_uint32.in_dll(self.library, name).value)

    def star(self, hosts: int) -> str:
        """Makes a switch with so many hosts answer; what ibnetdiscover would print of it."""
        self.library.fake_reset()
        for lid, guid in [(SWITCH, 0xA000), *((FIRST + host, 0xB000 + 16 * host) for host in range(hosts))]:
            agent = self.agent(lid)
            agent.guid, agent.capabilities, agent.top = guid, ALL, 200
            for port in range(64):
                agent.links[port][:] = HDR
        ends = [
            f'[{host + 1}]\t"H-{0xB000 + 16 * host:016x}"[1]({0xB001 + 16 * host:x})\t\t# "node{host:04}" lid {FIRST + host} 4xHDR'
            for host in range(hosts)
        ]
        blocks = [
            f'switchguid=0xa000(a000)\nSwitch\t{hosts} "S-{0xA000:016x}"\t\t# "leaf" enhanced port 0 lid {SWITCH} lmc 0\n'
            + "\n".join(ends)
        ]
        blocks += [
            f'caguid=0x{0xB000 + 16 * host:x}\nCa\t1 "H-{0xB000 + 16 * host:016x}"\t\t# "node{host:04}"\n'
            f'[1]({0xB001 + 16 * host:x})\t"S-{0xA000:016x}"[{host + 1}]\t\t# lid {FIRST + host} lmc 0 "leaf" lid {SWITCH} 4xHDR'
            for host in range(hosts)
        ]
        head = "vendid=0x2c9\ndevid=0xd2f0\nsysimgguid=0x0\n"
        return "\n\n".join(head + block for block in blocks) + "\n"


def compiled(folder: Path) -> Fake:
    """The library, compiled in a folder."""
    compiler = shutil.which("cc")
    if compiler is None:
        reason = "no cc: install the Debian packages gcc libc6-dev"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    path = folder / "libfakeumad.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", str(path), str(SOURCE)], check=True)
    return Fake(path, ctypes.CDLL(str(path)))


def number(lid: int, port: int, byte: int, size: int = 1) -> int:
    """What the agent at a LID counts for a port in some bytes of an answer."""
    return int.from_bytes(((31 * lid + 7 * port + byte + at) % 256 for at in range(size)), "big")


def star(fake: Fake, tmp_path: Path, hosts: int = 4) -> lacis.Fabric:
    """A switch with hosts around it, as a file says it, and read."""
    file = tmp_path / "star.ibnetdiscover"
    file.write_text(fake.star(hosts))
    return lacis.read(file)
