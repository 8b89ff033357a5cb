"""What launches of more than 1,024 ranks need, by MPI library and launcher.

Platform MPI's `mpirun` opened a remote shell for each host and waited for all daemons at once: at the site of report E of `lacis
reproduce`, users set `MPI_MAX_REMSH` (a tree of so many shells each instead; HP-MPI 2.2 release note: 20 unless set),
`MPI_MAX_MPID_WAITING` and `MPI_BUNDLE_MPIDS`. What has their part today:

* Open MPI: `plm_rsh_num_concurrent` shells at a time (`ompi_info` of 4.1.4: 128), in a tree of `routed_radix` (64); in 5.0 `plm_ssh_num_concurrent`.
* Hydra of MPICH opens a shell for each host from one process, with three open files each (counted with 4.0.2: 40 hosts need
  more than 120, and 140 are enough).
* Intel MPI's Hydra: a tree with `I_MPI_HYDRA_BRANCH_COUNT`.
* srun: `PMI_TIME`, microseconds a task over which ranks spread what they send to it (srun(1) of 22.05: 500), and `PMI_FANOUT` (32), with
  MPICH and MVAPICH2; with PMIx `SLURM_PMIX_TIMEOUT`, seconds.
"""

from __future__ import annotations

from typing import NamedTuple

LARGE = 1024
"""Ranks above which a launch is large."""
HYDRA_FILES = 3
"""Files that Hydra has open for each host."""


class Need(NamedTuple):
    """A line of a shell that a large launch needs, and why."""

    line: str
    why: str


def needs(launcher: str, ranks: int, hosts: int) -> list[Need]:
    """What a launch needs; nothing where it is small.

    Args:
        launcher: `openmpi`, `mpich`, `intel`, `platform`, `srun` or `flux`.
        ranks: how many there are.
        hosts: on how many hosts.
    """
    if ranks <= LARGE:
        return []
    files = f"open files: Hydra needs {HYDRA_FILES * hosts + 20:,} and more"
    shells = max(1, min(hosts, 64))
    of: dict[str, list[Need]] = {
        "openmpi": [
            Need(f"export OMPI_MCA_plm_rsh_num_concurrent={shells}", "remote shells at a time (4.1)"),
            Need("export OMPI_MCA_routed_radix=64", "daemons that each daemon starts (4.1)"),
            Need(f"export PRTE_MCA_plm_ssh_num_concurrent={shells}", "remote shells at a time (5.0)"),
        ],
        "mpich": [Need('ulimit -n "$(ulimit -Hn)"', files)],
        "intel": [Need("export I_MPI_HYDRA_BRANCH_COUNT=16", "daemons that each daemon starts")],
        "platform": [
            Need("export MPI_MAX_REMSH=16", "remote shells that mpirun and each daemon open"),
            Need("export MPI_MAX_MPID_WAITING=64", "daemons that wait for mpirun at a time"),
            Need("export MPI_BUNDLE_MPIDS=N", "daemons report one by one"),
        ],
        "srun": [
            Need(
                "export PMI_TIME=1000",
                "µs a rank over which ranks spread what they send to srun (PMI-1, PMI-2)",
            ),
            Need("export PMI_FANOUT=64", "ranks to which a rank forwards what srun sends (PMI-1, PMI-2)"),
            Need("export SLURM_PMIX_TIMEOUT=600", "seconds that ranks wait for each other (PMIx)"),
        ],
        "flux": [],
    }
    return of[launcher]
