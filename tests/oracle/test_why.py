"""Why a job was slow, on a simulated fabric: counters that ibsim's console sets, read by management packets."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import lacis as api
import numpy as np
import pytest
from lacis import why
from lacis.counters import recording
from lacis.facts import guilt as of

from . import opensm
from .daemon import daemon

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lacis.counters import Readings

    from .daemon import Daemon

TREE = "fat-tree:4,2"
JOB = ("node0001", "node0003")
# minhop sends there and back over spine-01, whose port 1 leads to leaf-01 and whose port 2 to leaf-02, where node0003 is; 25 GB/s.
SPINE, LEAF = "S-0002c90200400020", "S-0002c90200400008"
MINUTE = 60 * 10**9
FULL = 25_000_000_000 // 4 * 60
"""Words of 4 bytes that a link carries in a minute."""


@contextmanager
def fabric() -> Iterator[tuple[Daemon, Callable[[int], Readings]]]:
    """A simulated fabric with its manager, and what reads it; readings are dated by the minute that they stand for."""
    with daemon(opensm.as_simulated(api.read(TREE).to_net()), "minhop") as running:
        running.first()
        found = running.workdir / "found"
        program = opensm.program("ibnetdiscover")
        assert program, "ibnetdiscover is not installed (Debian package infiniband-diags)"
        with found.open("wb") as out:
            subprocess.run(
                [program], cwd=running.workdir, env=running.env, stdout=out, timeout=60, check=True
            )

        def read(minute: int) -> Readings:
            path = running.workdir / f"minute-{minute}"
            words = [
                sys.executable,
                "-c",
                "from lacis.cli import main; main()",
                "counters",
                str(found),
                "-o",
                str(path),
            ]
            # ibsim's library writes files where its client runs.
            env = {**running.env, "PYTHONPATH": str(Path(api.__file__).parents[1])}
            subprocess.run(words, cwd=running.workdir, env=env, timeout=60, check=False, capture_output=True)
            [sweep] = recording.read(path.read_bytes()).sweeps
            return replace(sweep, times=np.full(len(sweep), minute * MINUTE))

        yield running, read


def asked(before: Readings, later: Readings) -> why.Why:
    routes = api.route(api.read(TREE), "minhop")
    return why.examine(routes, JOB, why.recordings(before, later), why.window(MINUTE, 2 * MINUTE))


@pytest.mark.slow
def test_counters_that_a_simulated_fabric_has_are_judged_as_they_were_set() -> None:
    with fabric() as (running, read):
        before = read(1)
        # Only the packets that read the counters have crossed a link, and each is counted.
        calm = asked(before, read(2))
        assert calm.verdict == "innocent", calm.missing
        assert isinstance(calm.fact, of.FabricInnocent)
        assert 0 < calm.fact.utilisation < 0.001

        running.count([(SPINE, 1, "PortCountersExtended.PortXmitData", FULL * 9 // 10)])
        busy = asked(before, read(2))
        assert (busy.verdict, busy.busy[0].egress) == ("busy", "spine-01[1]")
        assert busy.busy[0].utilisation == pytest.approx(0.9, abs=0.001)

        # A link at HDR that waits fills the 32 bits of XmitWait in 1.4 s: nothing is known of it then.
        running.count(
            [
                (SPINE, 1, "PortCountersExtended.PortXmitData", 0),
                (SPINE, 2, "PortCounters.PortXmitWait", (1 << 32) - 1),
            ]
        )
        blind = asked(before, read(2))
        assert blind.verdict == "cannot_tell"
        assert any(
            isinstance(one, of.CountersLost)
            and (one.counter, one.reason, one.ports) == ("XmitWait", "full", ["spine-01[2]"])
            for one in blind.missing
        )

        running.count([(LEAF, 3, "PortCounters.SymbolErrorCounter", 500)])
        guilty = asked(before, read(2))
        assert (guilty.verdict, set(guilty.guilty[0].ends)) == ("guilty", {"leaf-02[3]", "spine-01[2]"})

        # Requests start at leaf-01. A switch that loses what it is asked is not read, nor is what is behind it.
        running.lose(LEAF, 100)
        silent = asked(before, read(2))
        assert silent.verdict == "cannot_tell"
        unread = [one for one in silent.missing if isinstance(one, of.PortsUnread)]
        assert {port for one in unread for port in one.ports} == {
            *("leaf-02[1]", "leaf-02[3]", "node0003 HCA-1[1]")
        }
        assert {one.reason for one in unread} <= {"timeout", "status"}
