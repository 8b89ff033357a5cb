"""The real OpenSM 3.3.23 on ibsim 0.10, as an oracle.

Each call of :func:`run` makes a fresh subnet: an ibsim with its own socket name, cache
and dump directory, and one OpenSM sweep. OpenSM's output is parsed here with regular expressions,
not with Lacis' readers.

ibsim reads a net file (``ibnetdiscover`` output) but ignores its port GUIDs and does not know NDR:
an adapter's port N answers with *node GUID + N*. :func:`as_simulated` writes that into a
net file, so that both programs get the same fabric.
"""

from __future__ import annotations

import itertools
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PRELOAD = "/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so"
PACKAGES = "opensm ibsim-utils infiniband-diags"
DUMPS_AND_INFO = "0x43"
"""Log flags: errors, information, and 0x40, which switches the dump files on."""
LANES_TOO = "0x4b"
"""The same and 0x08, with which dfsssp logs the lane of every pair of LIDs (and much else)."""
STARTUP_LIMIT = 30.0
"""Seconds that ibsim may take to read its net file and listen."""

PLUGIN = Path(__file__).parents[2] / "build" / "libosmlacis.so"
"""Lacis' engines inside OpenSM, as `make opensm-plugin` leaves them."""
PLUGIN_PACKAGES = "libopensm-dev libibumad-dev gcc"
PLUGIN_CONF = "event_plugin_name osmlacis\n"

Tables = dict[int, dict[int, int]]
"""Switch GUID to LID to port; LIDs without a port are absent."""

_serial = itertools.count()


class OracleError(RuntimeError):
    """ibsim or OpenSM failed; with its name and output."""


@dataclass(frozen=True)
class Limits:
    """The limits for which ibsim reserves memory (its flags ``-N -S -P -L``)."""

    nodes: int = 2048
    switches: int = 256
    ports: int = 13312
    lids: int = 0xC000

    @classmethod
    def for_net(cls, text: str) -> Limits:
        """Limits for a net file: counts its nodes, rounds up."""
        radixes = [int(m[2]) for m in _NODE.finditer(text)]
        switches = sum(m[1] == "Switch" for m in _NODE.finditer(text))
        return cls(
            nodes=max(2048, len(radixes) + 1),
            switches=max(256, switches + 1),
            ports=max(13312, sum(radixes) + len(radixes) + 1),
            lids=0xC000,
        )

    def flags(self) -> list[str]:
        """As arguments of ibsim."""
        return [
            "-N",
            f"{self.nodes}",
            "-S",
            f"{self.switches}",
            "-P",
            f"{self.ports}",
            "-L",
            f"{self.lids}",
        ]


@dataclass(frozen=True)
class Outcome:
    """The results of one OpenSM sweep."""

    engine: str
    """The engine that made the tables, from the log."""
    failed: tuple[str, ...]
    """The engines that failed before it, in order, from the log."""
    reasons: tuple[str, ...]
    """The log's error lines, each with the line before it."""
    lids: dict[int, range]
    """Port GUID to its LIDs, from the guid2lid file."""
    max_lid: int
    """Highest LID of the tables."""
    tables: Tables
    """From opensm-lfts.dump."""
    dump: str
    """opensm-lfts.dump as written."""
    guid2lid: str
    """The guid2lid file as written."""
    dumps: dict[str, str]
    """The other dump files as written, by name."""
    cpu_s: float
    """User and system CPU seconds of the whole OpenSM process."""
    log: str
    """Its log."""
    lanes: dict[tuple[int, int], int]
    """Source and destination LID to lane, where dfsssp logged them."""


def missing() -> list[str]:
    """The programs and libraries that the oracle needs and this machine lacks."""
    absent = [p for p in ("opensm", "ibsim", "dump_lfts") if program(p) is None]
    return absent + ([] if Path(PRELOAD).exists() else [PRELOAD])


def program(name: str) -> str | None:
    """The path of a program; some are in folders that are only on root's path."""
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


_NODE = re.compile(r'^(Switch|Ca|Rt|Hca)\s+(\d+)\s+"([^"]+)"', re.M)
_CABLE = re.compile(r'^\[(\d+)\](?:\([0-9a-fA-F]+\))?\s*"([^"]+)"\[(\d+)\](?:\([0-9a-fA-F]+\))?(.*)$')
SWITCH_GUID = re.compile(r"^switchguid=0x([0-9a-fA-F]+)", re.M)
_CA_GUID = re.compile(r"^(?:caguid|rtguid)=0x([0-9a-fA-F]+)", re.M)


def as_simulated(text: str) -> str:
    """A net file with the port GUIDs that ibsim will answer with, and NDR and faster written as HDR."""
    guid_of: dict[str, int] = {}
    guid = 0
    for line in text.splitlines():
        if m := _CA_GUID.match(line):
            guid = int(m[1], 16)
        elif (m := _NODE.match(line)) and m[1] != "Switch":
            guid_of[m[3]] = guid
    out: list[str] = []
    own = 0
    for line in text.splitlines():
        if m := _NODE.match(line):
            own = guid_of.get(m[3], 0)
        elif m := _CABLE.match(line):
            number, peer, far, rest = int(m[1]), m[2], int(m[3]), m[4]
            near_guid = f"({own + number:x})" if own else ""
            far_guid = f"({guid_of[peer] + far:x})" if peer in guid_of else ""
            rest = re.sub(r"\b(\d+x)(?:NDR|XDR)\b", r"\1HDR", rest)
            line = f'[{number}]{near_guid}\t"{peer}"[{far}]{far_guid}{rest}'
        out.append(line)
    return "\n".join(out) + "\n"


def _scratch() -> str | None:
    """The folder for the files of runs: in memory where there is room, as OpenSM writes many small files."""
    memory = "/dev/shm"  # noqa: S108
    has_room = os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 2 << 30
    return memory if has_room else None


SCRATCH = _scratch()


@contextmanager
def subnet(
    net: str, workdir: Path, limits: Limits | None = None, life_s: float = 300.0, console: int | None = None
) -> Iterator[dict[str, str]]:
    """A running ibsim on the net file's text; yields the environment that its clients need.

    ``console`` is a file descriptor from which ibsim reads commands.
    """
    name = f"lacis-{os.getpid()}-{next(_serial)}"
    file = workdir / "fabric.net"
    file.write_text(net)
    printed = workdir / "ibsim.out"
    ibsim = program("ibsim")
    if ibsim is None:
        raise OracleError(f"ibsim is not installed (Debian packages {PACKAGES})")
    env = {**os.environ, "IBSIM_SOCKNAME": name, "OSM_TMP_DIR": str(workdir), "OSM_CACHE_DIR": str(workdir)}
    with printed.open("wb") as out:
        # `timeout` ends ibsim even where this process is killed before it can.
        flags = ["-s", *(["-n"] if console is None else []), *(limits or Limits.for_net(net)).flags()]
        process = subprocess.Popen(
            ["timeout", "-s", "KILL", f"{life_s}", ibsim, *flags, str(file)],
            stdin=subprocess.DEVNULL if console is None else console,
            stdout=out,
            stderr=subprocess.STDOUT,
            env=env,
            start_new_session=True,
        )
    try:
        _wait_until_listening(process, name, printed)
        yield {**env, "LD_PRELOAD": PRELOAD}
    finally:
        # `timeout` puts itself and ibsim in the session's process group: one signal ends both.
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _wait_until_listening(process: subprocess.Popen[bytes], name: str, printed: Path) -> None:
    end = time.monotonic() + STARTUP_LIMIT
    while b"Network simulator ready" not in printed.read_bytes() or f"@{name}:out9" not in _sockets():
        if process.poll() is not None or time.monotonic() > end:
            raise OracleError(f"ibsim does not listen: {printed.read_text(errors='replace')[-800:]}")
        time.sleep(0.005)


def _sockets() -> str:
    return Path("/proc/net/unix").read_text(errors="replace")


def write_file(workdir: Path, name: str, text: str) -> None:
    """Writes a file; `` @NAME`` at the end of a line becomes the path of another file."""
    (workdir / name).write_text(re.sub(r" @(\w+)$", rf" {workdir}/\1", text, flags=re.M))


def run(
    net: str,
    engines: str,
    options: Sequence[str] = (),
    *,
    sm: str | None = None,
    files: Mapping[str, str] | None = None,
    guid2lid: str | None = None,
    log_flags: str = DUMPS_AND_INFO,
    limit_s: float = 60.0,
    plugin: Path = PLUGIN,
) -> Outcome:
    """One sweep of OpenSM with ``-R engines`` over a fresh simulated subnet; if empty, a configuration names the engines.

    ``files`` are written to the working directory; in an option, and at the end of a line in a file, ``@NAME`` becomes
    the path of one.
    ``sm`` is the quoted id of the subnet manager's node, by default the first node;
    ``guid2lid`` its LID cache; ``plugin`` the file of Lacis' plugin where ``event_plugin_name`` has it.
    """
    with tempfile.TemporaryDirectory(prefix="lacis-oracle-", dir=SCRATCH) as temp:
        workdir = Path(temp)
        for file, text in (files or {}).items():
            write_file(workdir, file, text)
        if guid2lid is not None:
            (workdir / "guid2lid").write_text(guid2lid)
        with subnet(net, workdir, life_s=limit_s + STARTUP_LIMIT + 10) as env:
            env["LD_LIBRARY_PATH"] = str(plugin.parent)
            if sm is not None:
                env["SIM_HOST"] = sm
            cpu = sweep(workdir, env, engines, options, log_flags, limit_s)
        return outcome(workdir, cpu)


def sweep(
    workdir: Path,
    env: Mapping[str, str],
    engines: str,
    options: Sequence[str] = (),
    log_flags: str = DUMPS_AND_INFO,
    limit_s: float = 60.0,
) -> float:
    """Runs OpenSM once in a subnet's environment; its CPU seconds."""
    opensm = program("opensm")
    if opensm is None:
        raise OracleError(f"opensm is not installed (Debian packages {PACKAGES})")
    words = [str(workdir / o[1:]) if o.startswith("@") else o for o in options]
    named = ["-R", engines] if engines else []
    log = ["-f", str(workdir / "osm.log"), "-e", "--dump_files_dir", str(workdir), "-D", log_flags]
    with (workdir / "opensm.out").open("wb") as out:
        process = subprocess.Popen(
            ["timeout", "-s", "KILL", f"{limit_s}", opensm, "-o", *log, *named, *words],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            # The simulation's library makes a folder where it runs.
            cwd=workdir,
            env=dict(env),
            start_new_session=True,
        )
    # The process group's leader is `timeout`; its resource usage includes its child's.
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        tail = (workdir / "opensm.out").read_text(errors="replace")[-800:]
        raise OracleError(f"opensm {' '.join([*named, *words])}: exit {process.returncode}: {tail}")
    return usage.ru_utime + usage.ru_stime


USED = re.compile(r"osm_ucast_mgr_process: (\S+) tables configured on all switches")
CACHED = "Configuring switch tables using cached routing"
FAILED = re.compile(r"ucast_mgr_route: (\S+): cannot build (?:lid matrices|fwd tables)")
_LANE = re.compile(r"route from src_lid=(\d+) to dest_lid=(\d+) on vl=(\d+)")


def outcome(workdir: Path, cpu: float = 0.0) -> Outcome:
    """The results in the directory of a sweep."""
    log = (workdir / "osm.log").read_text(errors="replace")
    used = USED.findall(log)
    if not used or "SUBNET UP" not in log:
        raise OracleError(f"OpenSM did not bring the subnet up: {log[-1500:]}")
    dump = (workdir / "opensm-lfts.dump").read_text(errors="replace")
    tables, max_lid = parse_tables(dump)
    guid2lid = (workdir / "guid2lid").read_text()
    return Outcome(
        engine=used[-1],
        failed=tuple(FAILED.findall(log)),
        reasons=tuple(_messages_before_failures(log)),
        lids=parse_guid2lid(guid2lid),
        max_lid=max_lid,
        tables=tables,
        dump=dump,
        guid2lid=guid2lid,
        dumps={
            path.name: path.read_text(errors="replace")
            for path in workdir.glob("opensm-*.dump")
            if path.name != "opensm-lfts.dump"
        },
        cpu_s=cpu,
        log=log,
        lanes={(int(m[1]), int(m[2])): int(m[3]) for m in _LANE.finditer(log)},
    )


def _messages_before_failures(log: str) -> Iterator[str]:
    # Between "Entering MASTER state" and the failure there are only messages of the engines.
    after = log.partition("Entering MASTER state")[2]
    for line in after.splitlines():
        _, arrow, message = line.partition(" -> ")
        if USED.search(line):
            return
        if arrow:
            yield message.strip()


_SWITCH = re.compile(r"^Unicast lids \[0-(\d+)\] of switch Lid (\d+) guid 0x([0-9a-f]{16}) \('(.*)'\):$")
_ENTRY = re.compile(r"^0x([0-9a-f]{4}) (\d{3}) # ")
_END = re.compile(r"^(\d+) lids dumped ?$")


def parse_tables(dump: str) -> tuple[Tables, int]:
    """The tables in an ``opensm-lfts.dump`` and their highest LID; an unknown line is an error."""
    tables: Tables = {}
    max_lid = 0
    entries: dict[int, int] = {}
    for number, line in enumerate(dump.splitlines(), start=1):
        if m := _ENTRY.match(line):
            entries[int(m[1], 16)] = int(m[2])
        elif m := _SWITCH.match(line):
            max_lid = int(m[1])
            entries = tables.setdefault(int(m[3], 16), {})
        elif not _END.match(line):
            raise OracleError(f"opensm-lfts.dump:{number}: not understood: {line!r}")
    return tables, max_lid


def parse_guid2lid(text: str) -> dict[int, range]:
    """Port GUID to its LIDs, from a guid2lid file."""
    lids: dict[int, range] = {}
    for line in filter(str.strip, text.splitlines()):
        guid, low, high = (int(word, 16) for word in line.split())
        lids[guid] = range(low, high + 1)
    return lids
