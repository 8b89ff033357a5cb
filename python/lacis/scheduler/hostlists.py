"""Lists of names as Slurm and Flux read them: `node[001-018],login1`, with one bracket a name, at its last number."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .. import _core
from ..errors import LacisError
from ..ranks import nodesets

if TYPE_CHECKING:
    from collections.abc import Sequence

_FOLDED = re.compile(r"(?:^|\D)\d{1,9}$")
_HEX = re.compile(r"0x[0-9a-fA-F]{16}$")


def fold(names: Sequence[str]) -> str:
    """A short list for names that hold letters, digits, `.`, `_` and `-` alone."""
    from ClusterShell.NodeSet import NodeSet

    # Slurm reads nothing after a bracket (`node[1-2]-ib`), and the digits at the end of a GUID are no number that counts.
    folded: list[str] = []
    whole: list[str] = []
    for name in names:
        (folded if _FOLDED.search(name) and not _HEX.search(name) else whole).append(name)
    nodes = NodeSet.fromlist(folded)
    # Schedulers do not agree on how they read several brackets in a name.
    nodes.fold_axis = (-1,)
    return ",".join([*([str(nodes)] if nodes else []), *whole])


class Lists:
    """The lists of a file, which together stand for no more names than any cluster has."""

    def __init__(self) -> None:
        self._names = 0

    def expand(self, text: str, line: int | None = None) -> list[str]:
        """The names that a list stands for, in its order.

        Raises:
            LacisError: when it is none, or the file names too many; with the line.
        """
        names = expand(text, line)
        self._names += len(names)
        if self._names > nodesets.MOST:
            raise LacisError(f"more than {nodesets.MOST:,} names in the file", line, text[:80])
        return names


def expand(text: str, line: int | None = None) -> list[str]:
    """The names that a list stands for, in its order.

    Raises:
        LacisError: when it is none; with the line.
    """
    if "[" not in text and "]" not in text:
        return [name for part in text.split(",") if (name := part.strip())]
    try:
        return [name for _, name in _core.read_hosts("nodes", "".join(text.split()).encode())]
    except LacisError as error:
        raise LacisError(error.reason, line, text[:80]) from None
