"""What a user should know about tables that were made, and about the files that were read for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import LacisError
from ..facts.wording import text
from ..facts.words import count
from ..routing.tables import undiscovered
from ..sm.engines import OURS
from ._fabric import changed, warn

if TYPE_CHECKING:
    from .._core import Fabric, Routes, TableFile
    from ._routing_options import Choice


def warn_of_doubts(fabric: Fabric, routes: Routes, choice: Choice) -> None:
    """Says on standard error what a user should know about tables that were made."""
    if choice.tables is not None and routes.engine_used == "file":
        _warn_of_misfits(*choice.tables, routes)
    if routes.engine_used == "file" and not {"lfts_file", "lid_matrix_file"} & choice.options.keys():
        warn("file: neither -U nor -M names a file, so it is minhop; OpenSM does the same")
    switches = set(fabric.guids()[: fabric.num_switches].tolist())
    ports = set(routes.lids()[1].tolist())
    for name, path in choice.paths.items():
        guids, known = choice.guids[name], ports if name in ("cn", "io", "order") else switches
        # A fabric that was changed on purpose has files of the whole one.
        doubt(path, _strangers(guids, known), lenient=choice.lenient or changed())
        if not guids:
            warn(f"{path}: no GUID in the file")
    for line in _refusals(routes):
        warn(line)
    for lid, port in routes.doubled[:1]:
        more = f" (and {len(routes.doubled) - 1} more)" if len(routes.doubled) > 1 else ""
        warn(
            f"LID {lid}{more} of {port} goes to another port too, as OpenSM would have it: the fabric's LIDs "
            "and the LID cache disagree"
        )
    if unseen := undiscovered(routes):
        warn(text(unseen))
    if routes.undefined:
        warn(
            "ftree: a leaf with hosts has a cable to another leaf; there OpenSM's own tables vary from run to run"
        )


def _warn_of_misfits(path: str, tables: TableFile, routes: Routes) -> None:
    """Warns of what OpenSM silently accepts when it loads tables of another fabric."""
    fit = routes.fit(tables)
    unknown, without = fit.unknown_switches, fit.without_table
    if unknown:
        warn(
            f"{path}: {count(len(unknown), 'table')} of switches not in the fabric, such as 0x{unknown[0]:016x}"
        )
    if without:
        has = "has" if len(without) == 1 else "have"
        warn(
            f'{path}: {count(len(without), "switch", "switches")} {has} no table and will drop all packets: "{without[0]}"'
            + (", …" if len(without) > 1 else "")
        )
    for number, what in (
        (fit.repeated, "second heading for a switch; the last counts"),
        (fit.unknown_ports, "entries for ports not in the fabric; their LIDs are taken as they are"),
        (fit.moved, "entries moved to the LIDs that their ports have now"),
        (
            fit.beyond,
            "entries of LIDs beyond the highest; OpenSM writes them beyond its tables and may crash",
        ),
    ):
        if number:
            warn(f"{path}: {number} {what}")


def _refusals(routes: Routes) -> list[str]:
    """Why each engine refused, and what OpenSM would do then, where it has the engine."""
    tried = [engine for engine, _ in routes.refusals] + [routes.engine_used]
    asked = routes.engine_requested.split(",")
    lines = []
    for (engine, reason), successor in zip(routes.refusals, tried[1:], strict=True):
        if engine in OURS:
            lines.append(
                f"{engine} refused: {reason}; {'the next engine' if ',' in routes.engine_used else successor} instead"
            )
            continue
        if "," in routes.engine_used:  # Islands have different engines.
            then = "OpenSM would go on to the next engine there and say so only in its log"
            lines.append(f"{engine} refused: {reason}; {then}")
            continue
        step = f"go on to {successor}" if successor in asked else f"fall back to {successor}"
        lines.append(f"{engine} refused: {reason}; OpenSM would {step} and say so only in its log")
    return lines


def _strangers(guids: list[int], known: set[int]) -> str | None:
    """A remark on GUIDs that the fabric lacks, such as typing mistakes, which OpenSM ignores."""
    strange = [f"0x{g:016x}" for g in guids if g not in known]
    if not strange:
        return None
    of, such = f"{len(strange)} of {len(guids)} GUIDs", f"such as {strange[0]}"
    if len(guids) == 1:
        of, such = "its only GUID", strange[0]
    verb, them = ("are", "them") if len(strange) > 1 else ("is", "it")
    return f"{of} {verb} not in the fabric, {such}; OpenSM ignores {them}"


def twins(guids: list[int]) -> str | None:
    """A remark on GUIDs that are listed twice."""
    repeated = len(guids) - len(set(guids))
    if not repeated:
        return None
    first = next(g for i, g in enumerate(guids) if g in guids[:i])
    more = f" (and {repeated - 1} more)" if repeated > 1 else ""
    return f"GUID 0x{first:016x} is listed twice{more}; OpenSM counts it once"


def port_twins(entries: list[tuple[int, list[int]]]) -> str | None:
    """A doubt about lines that name one port twice; where they differ the reader refuses them."""
    lines = [(guid, *numbers) for guid, numbers in entries]
    repeated = len(lines) - len(set(lines))
    if not repeated:
        return None
    guid, port, *_ = next(line for i, line in enumerate(lines) if line in lines[:i])
    more = f" (and {repeated - 1} more)" if repeated > 1 else ""
    return f"port {port} of switch 0x{guid:016x} is listed twice{more}; OpenSM counts it once"


def doubt(path: str, said: str | None, *, lenient: bool) -> None:
    """Refuses a file of GUIDs, or remarks on it."""
    if said is None:
        return
    if not lenient:
        raise LacisError(f"{said} (--lenient does, too)", source=path)
    warn(f"{path}: {said}")
