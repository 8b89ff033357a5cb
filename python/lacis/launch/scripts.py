"""Whole job scripts for PBS, Slurm and Flux: the hosts in their order, and what a large launch needs.

The script asks for exactly these hosts, writes the launcher's file from itself and launches. Directives: qsub(1B) of PBS Professional,
sbatch(1) of Slurm 22.05, RFC 36 of Flux; `--taskmap=hostfile:FILE` as the tests of flux-core have it.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import LacisError
from ..ranks import nodesets
from . import hydra, openmpi
from .large import needs
from .order import check_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .order import RankOrder

LAUNCHERS = {
    "pbs": ("openmpi", "mpich", "intel", "platform"),
    "slurm": ("srun", "openmpi", "mpich", "intel", "platform"),
    "flux": ("flux",),
}
"""Schedulers, and what may launch in their scripts; the first unless another is asked for."""

_FILE = '"$hosts"'
"""The launcher's file, as the script has it."""
_UNITS = {"K": "kb", "M": "mb", "G": "gb", "T": "tb"}
_MEMORY = re.compile(r"([1-9][0-9]{0,8})([KMGT])i?B?", re.IGNORECASE)
_TIME = re.compile(r"(?:(\d{1,3})-)?(\d{1,4}):([0-5]\d):([0-5]\d)")


@dataclass(frozen=True)
class Request:
    """What a job asks of its scheduler.

    Attributes:
        memory: a host, as `64G`; the scheduler's own where empty.
        walltime: as `[DAYS-]HOURS:MINUTES:SECONDS`; the scheduler's own where empty.
        program: what every rank runs, as a shell has it.
        name: the job's.
    """

    memory: str = ""
    walltime: str = ""
    program: str = "./program"
    name: str = "ordered"


def script(scheduler: str, order: RankOrder, request: Request, launcher: str = "") -> str:
    """A script that runs ranks in an order.

    Args:
        scheduler: `pbs`, `slurm` or `flux`.
        order: the host of each rank.
        request: what else it asks for.
        launcher: one of `LAUNCHERS`; the first unless given.

    Raises:
        LacisError: when scheduler and launcher do not go together, or one of them cannot hold what is asked for.
    """
    known = LAUNCHERS.get(scheduler)
    if known is None:
        raise LacisError(f"no scheduler {scheduler!r}: {', '.join(LAUNCHERS)}")
    launcher = launcher or known[0]
    if launcher not in known:
        raise LacisError(f"a script for {scheduler} launches by {', '.join(known)}, not by {launcher}")
    check_names(order.hosts, "a job script")
    if re.search(r"[\x00-\x08\x0a-\x1f\x7f]", request.program) or not request.program.strip():
        raise LacisError("the program is empty, or has control characters", text=ascii(request.program)[1:81])
    head = {"pbs": _pbs, "slurm": _slurm, "flux": _flux}[scheduler](order, request)
    text, launch = _launch(launcher, order, request.program)
    prepared = [f"{need.line}  # {need.why}" for need in needs(launcher, len(order.hosts), len(order.slots))]
    return "\n".join(
        [
            "#!/bin/bash",
            *head,
            f'hosts="$PWD/{request.name}.$$.hosts"',
            "cat > \"$hosts\" <<'HOSTS'",
            *text.splitlines(),
            "HOSTS",
            *prepared,
            launch,
            "",
        ]
    )


def _pbs(order: RankOrder, request: Request) -> list[str]:
    memory = f":mem={_pbs_memory(request.memory)}" if request.memory else ""
    chunks = [f"1:host={host}:ncpus={n}:mpiprocs={n}{memory}" for host, n in order.slots.items()]
    lines = [f"#PBS -N {request.name}", f"#PBS -l select={'+'.join(chunks)}", "#PBS -l place=scatter:excl"]
    if request.walltime:
        days, hours, minutes, seconds = _time(request.walltime)
        lines.append(f"#PBS -l walltime={24 * days + hours:02}:{minutes:02}:{seconds:02}")
    return [*lines, 'cd "$PBS_O_WORKDIR" || exit 1']


def _slurm(order: RankOrder, request: Request) -> list[str]:
    slots = order.slots
    lines = [
        f"#SBATCH --job-name={request.name}",
        f"#SBATCH --nodes={len(slots)}",
        f"#SBATCH --ntasks={len(order.hosts)}",
        f"#SBATCH --ntasks-per-node={max(slots.values())}",
        f"#SBATCH --nodelist={nodesets.fold(slots)}",
        "#SBATCH --exclusive",
    ]
    if request.memory:
        number, unit = _memory(request.memory)
        lines.append(f"#SBATCH --mem={number}{unit}")
    if request.walltime:
        days, hours, minutes, seconds = _time(request.walltime)
        lines.append(f"#SBATCH --time={days + hours // 24}-{hours % 24:02}:{minutes:02}:{seconds:02}")
    return lines


def _flux(order: RankOrder, request: Request) -> list[str]:
    if request.memory:
        raise LacisError("Flux has no option for the memory of a host", text=request.memory)
    if order.per_host is None:
        raise LacisError("Flux starts as many ranks on each host, and these have different numbers")
    slots = order.slots
    lines = [
        f"#flux: --job-name={request.name}",
        f"#flux: --nodes={len(slots)}",
        "#flux: --exclusive",
        f"#flux: --requires=hosts:{nodesets.fold(slots)}",
    ]
    if request.walltime:
        days, hours, minutes, seconds = _time(request.walltime)
        lines.append(f"#flux: --time-limit={((24 * days + hours) * 60 + minutes) * 60 + seconds}s")
    return lines


def _launch(launcher: str, order: RankOrder, program: str) -> tuple[str, str]:
    """The launcher's file, and the line that launches with it."""
    ranks, nodes = len(order.hosts), len(order.slots)
    if launcher == "openmpi":
        return openmpi.seq(order), f"{_typed(openmpi.seq_line(order, _FILE))} {program}"
    if launcher in ("mpich", "intel"):
        return hydra.machinefile(order), f"{_typed(hydra.line(order, _FILE))} {program}"
    if launcher == "platform":
        # Its file has a line for each run of ranks, with the program.
        return "".join(f"-h {host} -np {n} {program}\n" for host, n in order.runs), f"mpirun -f {_FILE}"
    lines = "".join(f"{host}\n" for host in order.hosts)
    if launcher == "srun":
        return lines, f"SLURM_HOSTFILE={_FILE} srun --distribution=arbitrary -N {nodes} -n {ranks} {program}"
    return lines, f"flux run -N {nodes} -n {ranks} --taskmap=hostfile:{_FILE} {program}"


def _typed(words: Sequence[str]) -> str:
    """A line for a shell, the file of hosts as it is."""
    return " ".join(word if word == _FILE else shlex.quote(word) for word in words)


def _memory(text: str) -> tuple[int, str]:
    found = _MEMORY.fullmatch(text)
    if found is None:
        raise LacisError("memory is a number with K, M, G or T", text=ascii(text)[1:-1][:80])
    return int(found[1]), found[2].upper()


def _pbs_memory(text: str) -> str:
    number, unit = _memory(text)
    return f"{number}{_UNITS[unit]}"


def _time(text: str) -> tuple[int, int, int, int]:
    found = _TIME.fullmatch(text)
    if found is None or not any(int(part or 0) for part in found.groups()):
        raise LacisError("a time is [DAYS-]HOURS:MINUTES:SECONDS above zero", text=ascii(text)[1:-1][:80])
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return days, hours, minutes, seconds
