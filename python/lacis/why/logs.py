"""What a job's log says went wrong, and which cables its failures share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..documents.why import LogFailure
from ..rails import doctor
from ..rails.locations import MOST_LINES, Locations, locations

if TYPE_CHECKING:
    import os

    from .._core import Routes
    from ..fabric.ports import Ports


@dataclass(frozen=True)
class Log:
    """Failures of a log.

    Attributes:
        known: with a known cause, the worst first.
        where: the ends that failing lines name, and the cables that these share.
    """

    known: tuple[LogFailure, ...]
    where: Locations

    @property
    def failures(self) -> int:
        """Pairs and hosts that its failing lines name."""
        return len(self.where.pairs) + len(self.where.hosts)

    def by_cable(self, ports: Ports) -> dict[int, int]:
        """How many failures cross each cable, by the lower of its rows."""
        crossed = {frozenset(cable.ends): cable.failures for cable in self.where.cables}
        ends = [
            (ports.names[node], number)
            for node, number in zip(ports.nodes.tolist(), ports.numbers.tolist(), strict=True)
        ]
        cables = (
            (row, frozenset((ends[row], ends[far])))
            for row, far in enumerate(ports.far.tolist())
            if row < far
        )
        return {row: crossed[cable] for row, cable in cables if cable in crossed}


def read_log(path: str | os.PathLike[str], routes: Routes) -> Log:
    """Reads a job's log.

    Raises:
        LacisError: when it cannot be read.
    """
    found = doctor.diagnose(path, MOST_LINES)
    lines = [*(one.lines for one in found.known), *(one.lines for one in found.unknown)]
    known = tuple(LogFailure(one.known.code, one.count, one.cause, one.fix) for one in found.known)
    return Log(known, locations(lines, routes.fabric, routes))
