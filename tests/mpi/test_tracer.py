"""The tracer between a program and MPI, under Open MPI and MPICH: what was sent is what is written, and `lacis permute` reads it."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from ..conftest import ROOT
from . import launch as mpi

if TYPE_CHECKING:
    from pathlib import Path

    from ..conftest import Lacis

pytestmark = pytest.mark.slow

SOURCE = ROOT / "tests" / "mpi" / "traced.c"


def traced(library: str, folder: Path, **more: str) -> tuple[subprocess.CompletedProcess[str], Path]:
    """Runs the program on four ranks with the tracer."""
    tracer = mpi.build(library, "plain", "liblacis-tracer.so")
    program, out = folder / "traced", folder / "trace.json"
    subprocess.run([f"mpicc.{library}", "-o", program, SOURCE], check=True, capture_output=True)
    words = mpi.line(library, 4, program)
    # Not the launcher: the program alone is to have it.
    at = words.index(str(program))
    words[at:at] = ["env", f"LD_PRELOAD={tracer}"]
    done = subprocess.run(
        words,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=mpi.environment(**({"LACIS_TRACE": str(out)} | more)),
    )
    return done, out


@pytest.mark.parametrize("library", ["openmpi", "mpich"])
def test_what_ranks_send_is_written(library: str, tmp_path: Path, lacis: Lacis) -> None:
    done, out = traced(library, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    trace: dict[str, Any] = json.loads(out.read_text())
    assert (trace["schema"], trace["ranks"], trace["threaded"]) == ("lacis.mpi-trace/1", 4, False)
    of = {one["rank"]: one for one in trace["of"]}
    # The ring's 800 bytes, as many bytes as the receiver's number, and what the program sends beside.
    sent = {rank: {to: (size, messages) for to, size, messages in of[rank]["sent"]} for rank in of}
    assert sent == {
        0: {1: (801, 2), 2: (2 + 7 + 3, 3), 3: (3, 1)},
        1: {2: (802, 2), 3: (3 + 3, 2)},
        2: {1: (1, 1), 3: (803, 2)},
        3: {0: (800, 1), 1: (1, 1), 2: (2, 1)},
    }
    calls = {(kind, blocks): (number, size) for kind, blocks, number, size, _ in of[0]["calls"]}
    # Sends: to rank 2, to no process, and within the half; waits: one for two requests, one for the all-to-all.
    assert calls == {
        ("send", False): (1, 800),
        ("send", True): (3, 7 + 9 + 3),
        ("receive", False): (1, 0),
        ("wait", True): (2, 0),
        ("barrier", True): (1, 0),
        ("allreduce", True): (1, 80),
        ("alltoall", False): (1, 8),
        ("alltoall", True): (1, 0),
    }
    groups = [
        (it["kind"], it["calls"], it["bytes"], it["ranks"])
        for one in of.values()
        for it in one["collectives"]
    ]
    assert sorted(groups) == [
        ("allreduce", 1, 80, [0, 2]),
        ("allreduce", 1, 80, [1, 3]),
        ("alltoall", 1, 8, [0, 2]),
        ("alltoall", 1, 8, [1, 3]),
        ("barrier", 1, 0, [0, 1, 2, 3]),
    ]

    hosts = tmp_path / "hosts"
    hosts.write_text("node[0001-0004]\n")
    found = lacis("permute", "--fabric", "fat-tree:4,2", "--trace", out, hosts, "--json")
    content = json.loads(found.out)
    # Messages as above, rings of two with 80 bytes to the other, 8 bytes to the other.
    total = sum(size for row in sent.values() for size, _ in row.values()) + 4 * (80 + 8)
    assert sum(content["given"]["bytes"].values()) == total
    kinds = {remark["kind"] for remark in content["remarks"]}
    assert {"time_in_calls", "bytes_between_leaves"} <= kinds


def test_a_file_that_cannot_be_written_ends_no_program(tmp_path: Path) -> None:
    done, out = traced("mpich", tmp_path, LACIS_TRACE="/nowhere/trace.json")
    assert done.returncode == 0
    assert "lacis-tracer: /nowhere/trace.json cannot be written" in done.stderr
    assert not out.exists()
