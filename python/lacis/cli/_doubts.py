"""Doubts on standard error: about tables that were made, and about the files that were read for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import LacisError
from ..facts.doubts import FileUnnamed, GuidsNone
from ..facts.wording import text
from ..routing import doubts
from ._fabric import changed, load_arrays, warn_of

if TYPE_CHECKING:
    from .._core import Fabric, Routes
    from ..facts.doubts import OfFile
    from ._routing_options import Choice


def warn_of_doubts(fabric: Fabric, routes: Routes, choice: Choice) -> None:
    """Says what a user should know about tables that were made."""
    if choice.tables is not None and routes.engine_used == "file":
        for one in doubts.of_table_file(*choice.tables, routes):
            warn_of(one)
    if routes.engine_used == "file" and not {"lfts_file", "lid_matrix_file"} & choice.options.keys():
        warn_of(FileUnnamed())
    if choice.paths:
        load_arrays()
    for name, path in choice.paths.items():
        is_of_ports = name in ("cn", "io", "order")
        known = set((routes.lids()[1] if is_of_ports else fabric.guids()[: fabric.num_switches]).tolist())
        guids = choice.guids[name]
        # A fabric that was changed on purpose has files of the whole one.
        doubt(doubts.strangers(path, guids, known), lenient=choice.lenient or changed())
        if not guids:
            warn_of(GuidsNone(path))
    for one in doubts.of_tables(routes):
        warn_of(one)


def doubt(fact: OfFile | None, *, lenient: bool) -> None:
    """Refuses a file of GUIDs, or remarks on it."""
    if fact is None:
        return
    if not lenient:
        raise LacisError(f"{text(fact)} (--lenient does, too)")
    warn_of(fact)
