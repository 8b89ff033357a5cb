"""Memory of the machine, looked at before much of it is taken."""

from __future__ import annotations

import os
from pathlib import Path

from ..errors import LacisError


def free_memory() -> int | None:
    """Memory that this process can still take without swapping [bytes]; none where the system does not report it.

    What the process may have, by `ulimit -v` or by its control group, counts as well as what the machine has.
    """
    known = [bound for bound in (_of_machine(), _of_process(), _of_group()) if bound is not None]
    return min(known, default=None)


def need_memory(what: str, needed: int) -> None:
    """Refuses what would take more memory than there is.

    Args:
        what: what takes it, the subject of a sentence.
        needed: how much [bytes].

    Raises:
        LacisError: when less is free, with both amounts.
    """
    free = free_memory()
    if free is not None and needed > free:
        gib = 1 << 30
        raise LacisError(
            f"{what} needs about {needed / gib:,.1f} GiB of memory, and {free / gib:,.1f} GiB are free"
        )


def _of_machine() -> int | None:
    available = _figures(Path("/proc/meminfo"), "MemAvailable:")
    if available is not None:
        return available * 1024
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _of_process() -> int | None:
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    taken = _figures(Path("/proc/self/status"), "VmSize:")
    if limit == resource.RLIM_INFINITY or taken is None:
        return None
    return max(limit - taken * 1024, 0)


def _of_group(root: Path = Path("/sys/fs/cgroup"), of: Path = Path("/proc/self/cgroup")) -> int | None:
    """What the control groups (version 2) of the process leave it."""
    try:
        name = next(line[3:] for line in of.read_text("ascii").splitlines() if line.startswith("0::"))
    except (OSError, ValueError, StopIteration):
        return None
    group = root / name.lstrip("/")
    left = []
    for folder in (group, *group.parents):
        if not folder.is_relative_to(root):
            break
        try:
            most = (folder / "memory.max").read_text("ascii").strip()
            used = int((folder / "memory.current").read_text("ascii"))
            # The cache of files is given back when memory is asked for.
            cached = _figures(folder / "memory.stat", "file") or 0
        except (OSError, ValueError):
            continue
        if most != "max":
            left.append(max(int(most) - max(used - cached, 0), 0))
    return min(left, default=None)


def _figures(path: Path, key: str) -> int | None:
    """The number after a key of a file of the kernel."""
    try:
        with path.open(encoding="utf-8", errors="replace") as lines:
            return next((int(line.split()[1]) for line in lines if line.split()[0] == key), None)
    except (OSError, ValueError, IndexError):
        return None
