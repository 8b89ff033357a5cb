"""The fabric that an adapter is on, as ibnetdiscover finds it; what it found is kept."""

from __future__ import annotations

import platform
import shutil
import subprocess
import time
from typing import TYPE_CHECKING

from ...errors import LacisError
from ...fabric.reading import read
from ...io.files import write
from . import building

if TYPE_CHECKING:
    from pathlib import Path

    from ..._core import Fabric

_FOLDERS = "/usr/sbin:/sbin"
"""Where programs are that are only on the path of root."""
_LASTS = 86_400.0
"""Seconds after which what was kept is discovered again, whatever is known of changes."""
_APART = 600.0
"""Seconds between discoveries for which there is only a sign of change."""


def kept_at(device: str = "", port: int = 0) -> Path:
    """The file of what was discovered from a port of this host, as folders of users are often shared by hosts."""
    name = "-".join([platform.node() or "host", device or "first", str(port)])
    safe = "".join(char if char.isalnum() or char in "-_." else "_" for char in name)
    return building.cache() / "counters" / f"{safe}.ibnetdiscover"


def discovered(device: str = "", port: int = 0, *, fresh: bool = False) -> Fabric:
    """The fabric that a port of this host is on.

    It is discovered once, and kept for a day in the folder of `kept_at`.

    Args:
        device: the adapter, such as `mlx5_0`; empty for the first.
        port: its port; 0 for the first that is active.
        fresh: whether it is discovered whatever is kept.

    Raises:
        LacisError: without ibnetdiscover, or with the reason that it gives.
    """
    kept = kept_at(device, port)
    if not fresh and _is_recent(kept):
        try:
            return read(kept)
        except LacisError:
            pass  # It was damaged, and is discovered again.
    program = shutil.which("ibnetdiscover") or shutil.which("ibnetdiscover", path=_FOLDERS)
    if program is None:
        raise LacisError(
            "no ibnetdiscover, which finds the fabric: apt-get install infiniband-diags (the same with dnf), or give a "
            "file that it printed elsewhere as FABRIC"
        )
    named = [*(["-C", device] if device else []), *(["-P", str(port)] if port else [])]
    done = subprocess.run([program, *named], capture_output=True, check=False)  # noqa: S603
    if done.returncode != 0 or not done.stdout.strip():
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise LacisError("ibnetdiscover fails", text=said[-1].strip()[:200] if said else "", source=device)
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LacisError((error.strerror or str(error)).lower(), source=str(kept.parent)) from None
    write(kept, done.stdout)
    return read(kept)


def rediscovered(device: str = "", port: int = 0, *, has_moved: bool) -> Fabric | None:
    """The fabric, discovered again; none where that was done minutes ago and nothing calls for it.

    A node that is down would have every command discover the fabric again.

    Args:
        device: as for `discovered`.
        port: as for `discovered`.
        has_moved: whether LIDs are known to belong to other nodes.

    Raises:
        LacisError: as `discovered`.
    """
    if not has_moved and _is_recent(kept_at(device, port), _APART):
        return None
    return discovered(device, port, fresh=True)


def _is_recent(file: Path, lasts: float = _LASTS) -> bool:
    try:
        return 0 <= time.time() - file.stat().st_mtime < lasts
    except OSError:
        return False
