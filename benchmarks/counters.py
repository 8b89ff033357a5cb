"""Counters of all ports of a real fabric on ibsim, beside ibqueryerrors and perfquery in the same run.

    python -m benchmarks.counters [--repeats N] [--fabric NAME…]

The topology is known to ours: the file is what ibnetdiscover printed. A sweep reads PortCounters and PortCountersExtended of
every cabled port, and checks LIDs; one that looks at links asks for the PortInfo of each port, too. Sweeps are alternated with
runs of ibqueryerrors, which discovers the fabric first, as it always does. perfquery runs twice a port, once an attribute, on some
ports one after another: the time of all is that times their number, and is compared with sweeps one after another. What ibsim
itself takes of a sweep is a row of its own, as no reader can be faster. A last row drops a tenth of the datagrams at five switches.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.conftest import shared_data
from tests.oracle import opensm
from tests.oracle.daemon import daemon

from .measure import ROOT, Figure, Table, number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.oracle.daemon import Daemon

MOST = {"dgx-2025": (0.2, None), "selene-2021": (2.0, 0.5)}
"""Fabric → wall and CPU seconds that a sweep may take."""

IN_A_ROW = 25
"""Sweeps one after another: the first of them find the simulator on the same core, where each waits for the other."""

SWEEPS = """
import json, sys, time
import lacis
from lacis.counters.mad import Reader
with Reader(lacis.read(sys.argv[1]), links_every=float(sys.argv[2])) as reader:
    print(flush=True)
    for _ in sys.stdin:
        wall, cpu = time.perf_counter(), time.process_time()
        found = reader.sweep()
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        print(json.dumps({"wall": wall, "cpu": cpu, "ports": len(found), "unread": len(found.unread)}), flush=True)
"""
"""A reader that sweeps for every line that it is given."""


@dataclass(frozen=True)
class Took:
    """Seconds that a program took."""

    wall: float
    cpu: float


def run(d: Daemon, words: Sequence[str]) -> Took:
    """A program in the subnet, its output thrown away."""
    began = time.perf_counter()
    with subprocess.Popen(
        words, env=d.env, cwd=d.workdir, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return Took(time.perf_counter() - began, usage.ru_utime + usage.ru_stime)


def program(name: str) -> str:
    """The path of a program."""
    found = opensm.program(name)
    if found is None:
        raise SystemExit(f"no {name}: install the Debian packages {opensm.PACKAGES}")
    return found


class Sweeping:
    """A process of ours that sweeps when it is asked."""

    def __init__(self, d: Daemon, fabric: Path, links_every: float) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", SWEEPS, str(fabric), str(links_every)],
            env={**d.env, "PYTHONPATH": str(ROOT / "python")},
            cwd=d.workdir,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        if self._process.stdin is None or self._process.stdout is None:
            raise SystemExit("no pipes to a process")
        self._in, self._out = self._process.stdin, self._process.stdout
        self._out.readline()

    def sweep(self) -> Mapping[str, Any]:
        """One sweep: its wall and CPU seconds, and how many ports were read."""
        self._in.write("\n")
        self._in.flush()
        took: Mapping[str, Any] = json.loads(self._out.readline())
        return took

    def close(self) -> None:
        """Ends the process."""
        self._in.close()
        self._process.wait()


def measure(name: str, text: str, repeats: int, table: Table) -> None:
    """Add the rows of a fabric."""
    most_wall, most_cpu = MOST.get(name, (None, None))
    with daemon(opensm.as_simulated(text), "minhop", life_s=1800) as d:
        d.served(sweep=False)
        fabric = d.workdir / "found.ibnetdiscover"
        with fabric.open("wb") as out:
            subprocess.run([program("ibnetdiscover")], env=d.env, cwd=d.workdir, stdout=out, check=True)
        ours, looking = Sweeping(d, fabric, 1e9), Sweeping(d, fabric, 0)
        first = ours.sweep()
        looking.sweep()
        lids = re.findall(r"^Switch.* port 0 lid (\d+)", fabric.read_text(), re.M)
        sweeps, with_links, theirs, inside = [], [], [], []
        for _ in range(repeats):
            before = simulator_cpu(d)
            sweeps.append(ours.sweep())
            inside.append(simulator_cpu(d) - before)
            with_links.append(looking.sweep())
            theirs.append(run(d, [program("ibqueryerrors")]))
        queried = perfqueried(d, [lids[at % len(lids)] for at in range(4 * repeats)])
        in_a_row = [ours.sweep() for _ in range(IN_A_ROW)]
        d.env["PYTHONPATH"] = str(ROOT / "python")
        words = ["counters", str(fabric), "-o", str(d.workdir / "sweep.jsonl")]
        whole = [
            run(d, [sys.executable, "-c", "from lacis.cli import main; main()", *words])
            for _ in range(repeats)
        ]
        asked, asked_cpu = times(queried)
        ports = int(first["ports"])
        wall, cpu = (Figure([took[key] for took in sweeps], "s") for key in ("wall", "cpu"))
        label = f"{name}, {ports:,} ports"
        table.add(f"{label}: first sweep, wall", Figure([first["wall"]], "s"))
        table.add(f"{label}: sweep, wall", wall, most=most_wall)
        table.add("… CPU", cpu, most=most_cpu)
        table.add("… CPU of ibsim meanwhile, in steps of 10 ms", Figure(inside, "s"))
        for key in ("wall", "cpu"):
            table.add(f"… with all links looked at, {key}", Figure([took[key] for took in with_links], "s"))
        table.add_times("… `lacis counters`, from its start to a file", *times(whole))
        table.add_times("… ibqueryerrors", *times(theirs))
        ratio = Figure([b.wall / a["wall"] for a, b in zip(sweeps, theirs, strict=True)], "times")
        table.add("… ibqueryerrors over a sweep, pair by pair, wall", ratio, least=2)
        cpu_ratio = Figure([b.cpu / a["cpu"] for a, b in zip(sweeps, theirs, strict=True)], "times")
        table.add("… the same, CPU", cpu_ratio, least=2)
        table.add_times("… two perfqueries of a port", asked, asked_cpu)
        row_wall, row_cpu = (Figure([took[key] for took in in_a_row], "s") for key in ("wall", "cpu"))
        table.add_times("… sweeps one after another", row_wall, row_cpu)
        table.add(
            "… perfquery of every port over a sweep",
            Figure([asked.median * ports / row_wall.median], "times"),
            least=500,
        )
        table.add("… the same, CPU", Figure([asked_cpu.median * ports / row_cpu.median], "times"), least=500)
        for ident in re.findall(r'^Switch\s+\d+ "([^"]+)"', text, re.M)[:5]:
            d.lose(ident, 10)
        lossy = [ours.sweep() for _ in range(repeats)]
        table.add(
            "… a tenth lost at five switches: sweep, wall", Figure([took["wall"] for took in lossy], "s")
        )
        unread = [int(took["unread"]) for took in lossy]
        table.say("… … ports without an answer", number(max(unread)), "0", met=not any(unread))
        ours.close()
        looking.close()


def times(took: Sequence[Took]) -> tuple[Figure, Figure]:
    """Wall and CPU seconds."""
    return Figure([one.wall for one in took], "s"), Figure([one.cpu for one in took], "s")


def perfqueried(d: Daemon, lids: Sequence[str]) -> list[Took]:
    """What two perfqueries took, of the first port of each of some switches."""
    words = [program("perfquery")]
    both = [(run(d, [*words, lid, "1"]), run(d, [*words, "-x", lid, "1"])) for lid in lids]
    return [Took(a.wall + b.wall, a.cpu + b.cpu) for a, b in both]


def simulator_cpu(d: Daemon) -> float:
    """CPU seconds that the simulator has taken so far."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            is_it = words[0].endswith(b"ibsim") and any(os.fsencode(d.workdir) in word for word in words)
            stat = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if is_it:
            return (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")
    return float("nan")


def main() -> None:
    """Measure, and print one table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--fabric", nargs="*", default=list(MOST))
    given = parser.parse_args()
    folder = shared_data()
    table = Table("Counters of all ports, on ibsim")
    if absent := opensm.missing():
        table.remark(f"No {', '.join(absent)} here (Debian packages {opensm.PACKAGES}).")
    for name in given.fabric if not absent else ():
        file = folder / f"{name}.ibnetdiscover" if folder else Path(f"{name}.ibnetdiscover")
        if file.is_file():
            measure(name, file.read_text(), given.repeats, table)
        else:
            table.remark(f"No {file} here.")
    print(table)


if __name__ == "__main__":
    main()
