"""Building and launching lacis-mpi with the MPI libraries that are installed."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ..conftest import ROOT

LIBRARIES = {"openmpi": "openmpi-bin libopenmpi-dev", "mpich": "mpich libmpich-dev"}
"""Names of the compiler wrappers and launchers on Debian, and their packages."""

_KINDS = {
    "plain": [],
    "sanitised": [
        "CPPFLAGS=-DLACIS_TEST",
        "CFLAGS=-g -O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined",
    ],
}


def need(library: str) -> None:
    """Skips where the library is absent; in CI that is a failure."""
    absent = [tool for tool in (f"mpicc.{library}", f"mpiexec.{library}") if shutil.which(tool) is None]
    if absent:
        reason = f"no {', '.join(absent)}: install the Debian packages {LIBRARIES[library]}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)


def build(library: str, kind: str = "sanitised", target: str = "lacis-mpi") -> Path:
    """The program, built once, even if several workers ask for it at once."""
    need(library)
    out = ROOT / "build" / "mpi" / f"{library}-{kind}"
    out.mkdir(parents=True, exist_ok=True)
    command = ["make", "-s", "-j2", "-C", str(ROOT / "mpi"), f"MPICC=mpicc.{library}", f"OUT={out}"]
    with (out / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        built = subprocess.run(
            [*command, *_KINDS[kind], str(out / target)], capture_output=True, text=True, check=False
        )
    assert built.returncode == 0, built.stderr
    assert built.stderr == ""  # no warning
    return out / target


def environment(**more: str) -> dict[str, str]:
    # MPI libraries leak on purpose; a container's root may start jobs.
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return os.environ | allowed | {"ASAN_OPTIONS": "detect_leaks=0"} | more


def line(library: str, ranks: int, program: Path, *args: str | Path) -> list[str]:
    """The launch line: more ranks than cores, over shared memory."""
    crowded = ["--oversubscribe", "--bind-to", "none", "--mca", "btl", "self,vader", "--mca", "pml", "ob1"]
    yields = ["--mca", "mpi_yield_when_idle", "1"]
    own = crowded + yields if library == "openmpi" else []
    return [f"mpiexec.{library}", *own, "-n", str(ranks), str(program), *map(str, args)]


def launch(library: str, ranks: int, *args: str | Path, **more: str) -> subprocess.CompletedProcess[str]:
    program = build(library)
    return subprocess.run(
        line(library, ranks, program, *args),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=environment(**more),
    )


def records(path: Path) -> list[dict[str, Any]]:
    """All whole lines."""
    lines = path.read_text().splitlines(keepends=True)
    return [json.loads(line) for line in lines if line.endswith("\n")]


def of_kind(found: list[dict[str, Any]], kind: str, **keys: Any) -> list[dict[str, Any]]:
    return [r for r in found if r["record"] == kind and all(r.get(k) == v for k, v in keys.items())]
