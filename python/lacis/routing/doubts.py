"""What is doubtful about tables and about the files that were read for them, as facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import doubts as of
from ..sm.engines import ENGINES
from .tables import undiscovered

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .._core import Routes, TableFile


def of_tables(routes: Routes) -> Iterator[of.Doubt]:
    """Engines that refused, LIDs that two ports have, switches that OpenSM does not find, tables that vary."""
    yield from refusals(routes)
    if routes.doubled:
        lid, port = routes.doubled[0]
        yield of.LidsDoubled(len(routes.doubled), lid, port)
    if unseen := undiscovered(routes):
        yield unseen
    if routes.undefined:
        yield of.TablesVary()


def refusals(routes: Routes) -> Iterator[of.EngineRefused]:
    """Why each engine refused, and what comes then."""
    tried = [one.engine for one in routes.refusals] + [routes.engine_used]
    asked = routes.engine_requested.split(",")
    has_several = "," in routes.engine_used  # Islands have different engines.
    for one, successor in zip(routes.refusals, tried[1:], strict=True):
        after = None if has_several else successor
        author, is_asked = ENGINES[one.engine].author, successor in asked
        yield of.EngineRefused(one.engine, one.reason, after, author, is_asked, one.fact)


def of_table_file(file: str, tables: TableFile, routes: Routes) -> Iterator[of.Doubt]:
    """What OpenSM silently accepts when it loads tables of another fabric."""
    fit = routes.fit(tables)
    if fit.unknown_switches:
        yield of.TablesOfStrangers(file, len(fit.unknown_switches), _guid(fit.unknown_switches[0]))
    if fit.without_table:
        yield of.SwitchesWithoutTable(file, len(fit.without_table), fit.without_table[0])
    for how in ("repeated", "unknown_ports", "moved", "beyond"):
        if entries := getattr(fit, how):
            yield of.EntriesMisfit(file, entries, how)


def strangers(file: str, guids: Sequence[int], known: set[int]) -> of.GuidsUnknown | None:
    """GUIDs of a file that the fabric lacks."""
    strange = [guid for guid in guids if guid not in known]
    return of.GuidsUnknown(file, len(strange), len(guids), _guid(strange[0])) if strange else None


def twins(file: str, guids: Sequence[int]) -> of.GuidsRepeated | None:
    """GUIDs that a file lists twice."""
    repeats = len(guids) - len(set(guids))
    if not repeats:
        return None
    first = next(guid for index, guid in enumerate(guids) if guid in guids[:index])
    return of.GuidsRepeated(file, repeats, _guid(first))


def port_twins(file: str, entries: Sequence[tuple[int, list[int]]]) -> of.PortsRepeated | None:
    """Lines about one port; where they differ the reader refuses them."""
    lines = [(guid, *numbers) for guid, numbers in entries]
    repeats = len(lines) - len(set(lines))
    if not repeats:
        return None
    guid, port, *_ = next(line for index, line in enumerate(lines) if line in lines[:index])
    return of.PortsRepeated(file, repeats, _guid(guid), port)


def _guid(guid: int) -> str:
    return f"0x{guid:016x}"
