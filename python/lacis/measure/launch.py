"""Launching `lacis-mpi` over hosts: the launch line, the file of leaves, watching it run."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from .. import _core
from ..errors import LacisError
from ..io import files
from ..io.files import reason_of
from ..ranks import nodesets
from ..ranks.names import Names
from .records import Run, Tail

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._core import Fabric

LAUNCHERS = ("mpiexec", "srun", "flux")
_EVERY = 0.05
"""Seconds between looks at the output."""


@dataclass
class Launch:
    """What is about to run.

    Attributes:
        line: the command and its arguments.
        output: the file of JSON lines that rank 0 writes.
        written: other files that it reads, by name, with their content.
        counters: a command that prints port counters, run before and after each round.
        unknown: hosts that the fabric lacks, whose leaf is not known.
    """

    line: list[str]
    output: Path
    written: dict[Path, str] = field(default_factory=dict)
    counters: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    @property
    def handshake(self) -> Path:
        """The folder in which rank 0 asks for counters before and after a round."""
        return self.output.with_name(self.output.name + ".handshake")

    @property
    def kept(self) -> Path:
        """The folder of counters that were read."""
        return self.output.with_name(self.output.name + ".counters")


def prepare(
    tests: str,
    hosts: Sequence[str],
    output: Path,
    *,
    program: Path,
    launcher: str = "mpiexec",
    ranks_per_host: int = 1,
    fabric: Fabric | None = None,
    counters: str | None = None,
    launcher_args: Sequence[str] = (),
    args: Sequence[str] = (),
    mpicc: str = "mpicc",
) -> Launch:
    """The launch line of a test and the files that it needs; nothing is written yet.

    Args:
        tests: a test, or several with commas between them.
        hosts: in the order of the ranks.
        output: where the results go; all hosts must see its folder.
        program: `lacis-mpi`.
        launcher: one of `LAUNCHERS`.
        ranks_per_host: how many ranks each host runs.
        fabric: says which leaf each host is on.
        counters: `sysfs`, or a command.
        launcher_args: for the launcher.
        args: for the program.
        mpicc: the compiler that built it, which says for `srun` how its ranks find each other.

    Raises:
        LacisError: when the launcher is unknown or absent.
    """
    launch = Launch([], output)
    ranks = len(hosts) * ranks_per_host
    front, hostfile = _front(launcher, hosts, ranks, ranks_per_host, output)
    if launcher == "srun" and not any(arg.startswith("--mpi") for arg in launcher_args):
        front += _interface(mpicc)
    launch.written |= hostfile
    own = ["-o", str(output)]
    if fabric is not None:
        leaves = output.with_name(output.name + ".leaves")
        text, launch.unknown = leaf_file(fabric, hosts)
        launch.written[leaves] = text
        own += ["--leaves", str(leaves)]
    if counters == "sysfs":
        own += ["--counters", "/sys/class/infiniband"]
    elif counters:
        launch.counters = shlex.split(counters)
        own += ["--handshake", str(launch.handshake)]
    launch.line = [*front, *launcher_args, str(program), tests, *own, *args]
    return launch


def _front(
    launcher: str, hosts: Sequence[str], ranks: int, each: int, output: Path
) -> tuple[list[str], dict[Path, str]]:
    nodes, folded = str(len(hosts)), nodesets.fold(hosts)
    if launcher == "srun":
        line = ["srun", "-N", nodes, "-n", str(ranks), f"--ntasks-per-node={each}", "-w", folded]
        return line, {}
    if launcher == "flux":
        return ["flux", "run", "-N", nodes, "-n", str(ranks), f"--requires=hosts:{folded}"], {}
    if Path(launcher).name.partition(".")[0] not in ("mpiexec", "mpirun"):
        raise LacisError(f"no launcher {launcher!r}: {', '.join(LAUNCHERS)}")
    path = output.with_name(output.name + ".hosts")
    if _is_open_mpi(launcher):
        text = "".join(f"{host} slots={each}\n" for host in hosts)
        return [launcher, "--hostfile", str(path), "-n", str(ranks)], {path: text}
    text = "".join(f"{host}:{each}\n" for host in hosts)
    # Intel MPI reads numbers of ranks in a machine file only, MPICH in either.
    return [launcher, "-machinefile", str(path), "-n", str(ranks)], {path: text}


def _interface(mpicc: str) -> list[str]:
    """`srun`'s option for the interface by which ranks find each other: one that the site has and the MPI library speaks.

    None where the site's own choice is set (`SLURM_MPI_TYPE`), or `srun` does not say what there is.
    """
    if os.environ.get("SLURM_MPI_TYPE") or shutil.which("srun") is None:
        return []
    answer = subprocess.run(["srun", "--mpi=list"], capture_output=True, text=True, check=False)  # noqa: S607
    there = set(re.findall(r"\b(?:pmi2|pmix(?:_v\d+)?|cray_shasta|openmpi)\b", answer.stdout + answer.stderr))
    versions = sorted((one for one in there if "_v" in one), key=lambda one: -int(one.partition("_v")[2]))
    pmix = ["pmix", *versions]
    wanted = [*pmix, "pmi2", "openmpi"] if _compiles_open_mpi(mpicc) else ["cray_shasta", "pmi2", *pmix]
    return next(([f"--mpi={one}"] for one in wanted if one in there), [])


def _compiles_open_mpi(mpicc: str) -> bool:
    """Whether a compiler is Open MPI's: alone it knows this option."""
    if shutil.which(mpicc) is None:
        return False
    answer = subprocess.run([mpicc, "--showme:version"], capture_output=True, text=True, check=False)  # noqa: S603
    return answer.returncode == 0 and "Open MPI" in answer.stdout + answer.stderr


def _is_open_mpi(launcher: str) -> bool:
    """Open MPI's launcher and hydra (MPICH, Intel MPI, MVAPICH2) read different files of hosts."""
    if shutil.which(launcher) is None:
        raise LacisError(
            f"no {launcher}: load the site's MPI module, or choose another launcher (`launcher`)"
        )
    answer = subprocess.run([launcher, "--version"], capture_output=True, text=True, check=False)  # noqa: S603
    return any(word in answer.stdout + answer.stderr for word in ("Open MPI", "OpenRTE", "PRRTE", "prte"))


def leaf_file(fabric: Fabric, hosts: Sequence[str]) -> tuple[str, list[str]]:
    """Lines `HOST LEAF` for hosts, by their first rail, and the hosts that the fabric lacks.

    Raises:
        LacisError: when a name means several hosts of the fabric.
    """
    known = Names(nodesets.hosts_of(fabric))
    named = {host: known.meant(host) for host in hosts}
    there = [(host, name) for host, name in named.items() if name is not None]
    lines = ["# The leaf of each host, for lacis-mpi --leaves.\n"]
    if there:
        listed = _core.listed_hosts(fabric, [(i, name) for i, (_, name) in enumerate(there, start=1)])
        leaf = dict(zip(listed.hosts, listed.leaf_of_hosts(), strict=True))
        lines += [f"{host}\t{found.replace('#', ' ')}\n" for host, name in there if (found := leaf.get(name))]
    return "".join(lines), [host for host, name in named.items() if name is None]


def run(launch: Launch, progress: Callable[[str, int, int], None]) -> tuple[Run, int]:
    """Writes the files, runs the line to its end and answers its requests for counters; returns records and status.

    Raises:
        LacisError: when a file cannot be written, or the launcher not started.
    """
    for path, text in launch.written.items():
        files.write(path, text)
    launch.output.unlink(missing_ok=True)
    if launch.counters:
        for folder in (launch.handshake, launch.kept):
            folder.mkdir(exist_ok=True)
            for path in folder.iterdir():
                path.unlink()
    tail = Tail(launch.output)
    try:
        child = subprocess.Popen(launch.line, stdin=subprocess.DEVNULL)  # noqa: S603
    except OSError as error:
        raise LacisError(f"cannot be started: {reason_of(error)}", source=launch.line[0]) from None
    try:
        while child.poll() is None:
            _answer(launch)
            if tail.more():
                progress(f"{tail.test} round", tail.round, tail.of)
            time.sleep(_EVERY)
    finally:
        if child.poll() is None:
            child.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(10)
        if child.poll() is None:
            child.kill()
            child.wait()
    if launch.counters:
        shutil.rmtree(launch.handshake, ignore_errors=True)
    tail.more()
    return tail.run, child.returncode


def _answer(launch: Launch) -> None:
    """Runs the counters' command for a round that asks, and keeps what it prints."""
    if not launch.counters:
        return
    for asked in launch.handshake.iterdir():
        done = asked.with_name(asked.name + ".done")
        if asked.suffix == ".done" or done.exists():
            continue
        test, number, when = asked.name.rsplit("-", 2)
        variables = {"LACIS_TEST": test, "LACIS_ROUND": number, "LACIS_WHEN": when}
        try:
            answer = subprocess.run(  # noqa: S603
                launch.counters, env=os.environ | variables, stdout=subprocess.PIPE, timeout=50, check=True
            ).stdout
        except OSError as error:
            raise LacisError(f"cannot be started: {reason_of(error)}", source=launch.counters[0]) from None
        except subprocess.SubprocessError as error:
            raise LacisError(f"no counters of round {number}: {error}") from None
        files.write(launch.kept / f"{asked.name}.txt", answer)
        done.touch()
