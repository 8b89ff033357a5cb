"""Debian's ``ibdmchk`` (package ``ibutils``), an independent check of tables for credit loops.

It reads OpenSM's dumps of a subnet, ``opensm-subnet.lst`` and ``opensm.fdbs``, follows the routes of all pairs of
adapters, and looks for cycles of channels, lane by lane where it gets the service level of each path.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from . import opensm

PACKAGE = "ibutils"


class IbdmchkError(RuntimeError):
    """``ibdmchk`` gave no verdict; with its output."""


def missing() -> list[str]:
    """The program, where this machine lacks it."""
    return [] if opensm.program("ibdmchk") else ["ibdmchk"]


def has_credit_loop(workdir: Path, service_levels: str | None = None) -> bool:
    """Its verdict on the dumps in a directory.

    ``service_levels`` are lines ``0xSOURCE-NODE-GUID DESTINATION-LID SL``; without them all paths use one lane.
    """
    words: list[str] = []
    if service_levels is not None:
        (workdir / "service-levels").write_text(service_levels)
        words += ["-c", "service-levels"]
    done = _run(workdir, *words)
    verdicts = set(
        re.findall(r"^-(?:I- no credit loops found|E- credit loops in routing)", done.stdout, re.M)
    )
    if len(verdicts) != 1 or "-E- Fail" in done.stdout:
        raise IbdmchkError(done.stdout[-1500:] + done.stderr[-500:])
    return verdicts == {"-E- credit loops in routing"}


def histogram(workdir: Path, title: str) -> dict[int, int]:
    """One of its histograms, by words of its title: how often each number occurs."""
    out = _run(workdir).stdout
    _, _, after = out.partition(title)
    rows = re.findall(r"^ +(\d+) +(\d+)$", after.partition("-" * 70)[0], re.M)
    if not rows:
        raise IbdmchkError(out[-1500:])
    return {int(number): int(times) for number, times in rows}


def _run(workdir: Path, *words: str) -> subprocess.CompletedProcess[str]:
    program = opensm.program("ibdmchk") or "ibdmchk"
    dumps = ("-s", "opensm-subnet.lst", "-f", "opensm.fdbs", "-m", "opensm.mcfdbs")
    # It crashes when it cleans up, after its verdict, so the exit status is ignored.
    return subprocess.run(
        ["timeout", "-s", "KILL", "120", program, *dumps, *words],
        cwd=workdir,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
