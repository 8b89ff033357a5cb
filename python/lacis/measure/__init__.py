"""Measuring a fabric with MPI: building `lacis-mpi`, launching it, reading what it writes."""

from __future__ import annotations

from .campaign import Campaign, plan
from .launch import LAUNCHERS, Launch, prepare, run
from .program import TESTS, build, location
from .records import Run, read

__all__ = [
    "LAUNCHERS",
    "TESTS",
    "Campaign",
    "Launch",
    "Run",
    "build",
    "location",
    "plan",
    "prepare",
    "read",
    "run",
]
