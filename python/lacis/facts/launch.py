"""What to know about launching a job by a file."""

from __future__ import annotations

from typing import TypeAlias

from .fact import Fact


class LauncherFirst(Fact, frozen=True):
    """The launcher gives the host on which it runs the first ranks, wherever the file has it."""

    instead: str
    """The form whose order the launcher keeps."""


class NodesSorted(Fact, frozen=True):
    """A rendezvous of torchrun numbers nodes by their addresses, and by no list."""

    backend: str
    """The rendezvous that does."""


class NamesQuoted(Fact, frozen=True):
    """Names with blanks, which are in quotes and which no launcher reads."""

    names: int
    """How many there are."""
    first: str
    """The first of them."""


LaunchRemark: TypeAlias = LauncherFirst | NodesSorted | NamesQuoted

PORT_FORMS = ("guids", "cn-guids", "ca-order")
"""Forms of files about ports, for OpenSM."""
NAMES = "names"
"""The form that has the names of hosts, each once."""
RANK_FORMS = (
    "openmpi",
    "openmpi-seq",
    "openmpi-rankfile",
    "hydra",
    "slurm",
    "pbs",
    "mpijob",
    "torchrun",
)
"""Forms of files that say where each rank runs."""
FORMS = (*PORT_FORMS, NAMES, *RANK_FORMS)
