"""What single failures do under the tables that a report compares: all failures, or a sample of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .. import _core
from ..advice.orders import minhop
from ..documents.report import CutOffPart, EngineFailures
from ..facts.words import count
from ..failures.sample import sample, seconds
from ..failures.unmended import lost_pairs
from ..ranks.participants import participants
from ..sm.engines import OMNI_PATH, OURS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Protocol

    from .._core import Fabric, Managed, Routes, Survey
    from ..advice.variants import Variant
    from ..results import Damage, Failing

    class Tried(Protocol):
        """An engine with its tables, as `advice.outcome.Outcome` has it."""

        @property
        def variant(self) -> Variant:
            """The engine and its options."""

        @property
        def routes(self) -> Routes:
            """Its tables."""

        @property
        def label(self) -> str:
            """What the report calls it."""


SECONDS = 0.8
"""Processor time that the failures of one row may take, by the table of engines [s]."""
FEWEST = 8
"""With fewer failures than this none is tried: a few of thousands show nothing."""
NAMED = 8
"""Parts that a sentence names."""

BY_OPENSM, BY_LACIS, BY_NONE = "OpenSM", "Lacis inside OpenSM", "no manager"
BY_OPA_FM = "Omni-Path's manager"


def failures(
    fabric: Fabric, default: Tried, theirs: Tried, ours: Tried | None, progress: Callable[[str], None]
) -> list[EngineFailures]:
    """Single failures of cables between switches and of switches, and what they cost pairs of hosts.

    Args:
        fabric: as it is before each failure.
        default: what runs now.
        theirs: the best that OpenSM itself can do.
        ours: the best of Lacis' engines; repaired inside OpenSM, and as tables that OpenSM loads from a file.
        progress: called with the current step, in words.
    """
    rows: list[EngineFailures] = []
    can_fail = what_can_fail(fabric)
    for tried in {tried.label: tried for tried in (default, theirs, ours) if tried is not None}.values():
        progress(f"single failures, {tried.label}")
        if tried.variant.engine == "file":
            rows += from_file(fabric, tried.label, tried.routes, can_fail)
        else:
            engine = tried.variant.engine
            by = BY_LACIS if engine in OURS else BY_OPA_FM if engine in OMNI_PATH else BY_OPENSM
            rows += _repaired(fabric, tried, by, can_fail)
    if ours is not None:
        progress(f"single failures, {ours.label} from a file")
        rows += from_file(fabric, ours.label, ours.routes, can_fail)
    return rows


def cut_off(fabric: Fabric) -> list[CutOffPart]:
    """All switches and cables whose failure alone cuts host adapters off, whatever the tables; exact."""
    return [CutOffPart(*row) for row in _core.cut_off(fabric)]


def cut_off_words(found: Sequence[CutOffPart]) -> str:
    """What cuts host adapters off, in a sentence."""
    if not found:
        return (
            "Whatever the tables, no switch cuts off host adapters of other switches when it fails, and no cable between "
            "switches cuts off any."
        )
    kinds = (("switch", "switch", "switches"), ("cable", "cable between switches", "cables between switches"))
    clauses = []
    for kind, one, many in kinds:
        of_kind = [part for part in found if part.kind == kind]
        if of_kind:
            cuts = "cuts" if len(of_kind) == 1 else "cut"
            shown = ", ".join(f"{part.name} ({part.adapters:,})" for part in of_kind[:NAMED])
            more = f", and {len(of_kind) - NAMED:,} more" if len(of_kind) > NAMED else ""
            when = "it fails" if len(of_kind) == 1 else "they fail"
            clauses.append(
                f"{count(len(of_kind), one, many)} {cuts} host adapters off when {when}: {shown}{more}"
            )
    return f"Whatever the tables, {'; '.join(clauses)}. A switch's own hosts always fall with it, and are not counted."


def what_can_fail(fabric: Fabric) -> list[Failing]:
    """What can fail; nothing where no two hosts are there to lose each other."""
    return _core.failing(fabric) if len(participants(minhop(fabric)).hosts) > 1 else []


def _survey(managed: Managed) -> Survey | None:
    hosts = participants(managed.routes)
    if len(hosts.hosts) < 2:
        return None
    return _core.survey(managed, hosts, pairs="hosts", step=len(hosts.hosts))


def _repaired(fabric: Fabric, tried: Tried, by: str, can_fail: list[Failing]) -> list[EngineFailures]:
    """The row of one set of tables, with nothing tried where failures take too long; empty where nothing can fail."""
    engine = tried.variant.engine
    cost = seconds(engine, tried.routes.table().size, fabric.num_switches)
    if not can_fail:
        return []
    if SECONDS / cost < min(FEWEST, len(can_fail)):
        return [EngineFailures(tried.label, by, 0, len(can_fail), 0, "", 0, 0.0)]
    survey = _survey(_core.manage(fabric, engine, **tried.variant.options))
    if survey is None:
        return []
    indices = sample(can_fail, int(SECONDS / cost))
    damages = survey.run(indices)
    worst, at = max(zip(damages, indices, strict=True), key=lambda pair: (pair[0].pairs_lost, -pair[1]))
    row = EngineFailures(
        engine=tried.label,
        repaired_by=by,
        tried=len(indices),
        of=len(can_fail),
        lossy=sum(damage.pairs_lost > 0 for damage in damages),
        worst=_worst(can_fail[at], worst),
        most_lost=worst.pairs_lost,
        entries_changed=float(np.median([damage.entries.changed for damage in damages])),
    )
    return [row]


def _worst(failing: Failing, damage: Damage) -> str:
    """The failure that loses most, and whether any tables could do better; empty where none loses a pair."""
    if not damage.pairs_lost:
        return ""
    if damage.blinded:
        why = " (the manager's own, so that no tables are repaired)"
    else:
        why = "" if damage.unrouted else " (no cables are left between them)"
    return f"{' '.join(failing)}{why}"


def from_file(fabric: Fabric, label: str, routes: Routes, can_fail: list[Failing]) -> list[EngineFailures]:
    """The row of tables that no manager repairs: all failures."""
    if not can_fail or not fabric.num_switches:
        return []
    lost = lost_pairs(fabric, routes)
    at = int(lost.argmax())
    return [
        EngineFailures(
            engine=label,
            repaired_by=BY_NONE,
            tried=lost.size,
            of=lost.size,
            lossy=int((lost > 0).sum()),
            worst=" ".join(can_fail[at]) if lost[at] else "",
            most_lost=int(lost[at]),
            entries_changed=0.0,
        )
    ]
