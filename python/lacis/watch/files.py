"""Files that are read again when they have changed: tables against those of the beginning, and the fabric against its plan."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from .. import difference, fabric, routing
from ..difference import planned
from ..errors import LacisError
from ..facts.watch import CablesOffPlan, NodesOffPlan, TablesChanged

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._core import Fabric, Plan
    from .conditions import Key

Content = TypeVar("Content")


class WatchedFile(Generic[Content]):
    """What a file holds, read again once it has changed and is no longer being written; what is no file never changes.

    Args:
        path: the file.
        read: reads it.
    """

    def __init__(self, path: str, read: Callable[[str], Content]) -> None:
        self._path, self._read = path, read
        self._read_at = self._seen = self._stamp()
        # Standard input and the spec of a synthetic fabric are read once.
        self._is_file = self._seen is not None
        self.content = read(path)

    def again(self) -> Content:
        """What it holds now.

        Raises:
            LacisError: when it has changed and cannot be read.
        """
        if not self._is_file:
            return self.content
        stamp = self._stamp()
        # A file that is still being written changes from one look to the next.
        if stamp not in (self._read_at, None) and stamp == self._seen:
            self.content = self._read(self._path)
            self._read_at = stamp
        elif stamp is None:
            self._seen = None
            raise LacisError("is not there any more", source=self._path)
        self._seen = stamp
        return self.content

    def _stamp(self) -> tuple[int, int, int] | None:
        try:
            status = Path(self._path).stat()
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size, status.st_ino


class WatchedTables:
    """Tables of a file, against those that it had first."""

    def __init__(self, path: str, of: Fabric) -> None:
        self._path = path
        self._file = WatchedFile(path, lambda name: routing.read_tables(of, name)[0])
        self._first = self._file.content

    def changed(self) -> dict[Key, TablesChanged]:
        """How they differ; nothing where they are the same.

        Raises:
            LacisError: when they cannot be read.
        """
        now = self._file.again()
        if now is self._first:
            return {}
        found = difference.tables(self._first, now)
        if not found.differing:
            return {}
        switches = found.switches()
        first = max(switches, key=lambda one: one[1], default=("", 0))[0]
        # Tables that change again are another condition, which opens beside the end of this one.
        key = (self._path, hash(now.table().tobytes()))
        return {key: TablesChanged(self._path, found.differing, len(switches), first)}


class WatchedCabling:
    """A fabric's file against its plan."""

    def __init__(self, plan: str, source: str) -> None:
        self._name = plan
        self._plan: Plan = planned.read(plan)
        self._file = WatchedFile(source, fabric.read)

    def off_plan(self) -> dict[Key, CablesOffPlan | NodesOffPlan]:
        """Cables and nodes that are not as planned, a condition for each verdict.

        Raises:
            LacisError: when the fabric cannot be read or compared.
        """
        compared = planned.compare([self._plan], self._file.again())
        found: dict[Key, CablesOffPlan | NodesOffPlan] = {}
        for verdict in ("missing", "unexpected", "misconnected", "duplicate", "different"):
            cables = int(getattr(compared.counts, verdict))
            if cables:
                found[self._name, verdict] = CablesOffPlan(self._name, verdict, cables)
        if compared.nodes:
            found[self._name, "nodes"] = NodesOffPlan(self._name, len(compared.nodes))
        return found
