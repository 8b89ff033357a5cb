"""What single failures do under the tables that a report compares, failure by failure or by a sample of them."""

from __future__ import annotations

import random
from statistics import median
from typing import TYPE_CHECKING, Any

from .. import _core
from ..change import manage
from ..prediction import participants
from .sections import FailureRow
from .variants import OURS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Protocol

    from .._core import Fabric, Managed, Routes, Survey
    from .variants import Variant

    class Tried(Protocol):
        """An engine with its tables, as `collect.Outcome` has it."""

        variant: Variant
        routes: Routes

        @property
        def label(self) -> str:
            """What the report calls it."""


SECONDS = 0.7
"""Processor time that the failures of one row may take, by `COST`."""
FEWEST = 4
"""Failures that are tried even where they take longer, up to `MOST_SECONDS` each."""
MOST_SECONDS = 0.7
COST = {"file": 12, "lash": 25, "sssp": 65, "dfsssp": 110, "nue": 170, "eventree": 160, "numbered": 15_000}
"""Processor time of a failure by engine [ns for each entry of all tables], measured on 40 to 666 switches."""
OTHER_COST = 22
SEED = 1

BY_OPENSM, BY_LACIS, BY_NOBODY = "OpenSM", "Lacis inside OpenSM", "no manager"


def failures(
    fabric: Fabric, default: Tried, theirs: Tried, ours: Tried | None, progress: Callable[[str], None]
) -> list[FailureRow]:
    """Single failures of cables between switches and of switches, and what they cost pairs of hosts.

    Args:
        fabric: what is whole before each failure.
        default: what runs now.
        theirs: the best that OpenSM itself can do.
        ours: the best of Lacis' engines; repaired inside OpenSM, and as tables that OpenSM loads from a file.
        progress: told what is under way.
    """
    rows: list[FailureRow | None] = []
    named: set[str] = set()
    for tried in (default, theirs, ours):
        if tried is None or tried.label in named:
            continue
        named.add(tried.label)
        progress(f"single failures, {tried.label}")
        by = BY_LACIS if tried.variant.engine in OURS else BY_OPENSM
        by = BY_NOBODY if tried.variant.engine == "file" else by
        options: dict[str, Any] = dict(tried.variant.options)
        rows.append(_row(fabric, tried, tried.variant.engine, options, by))
    if ours is not None:
        progress(f"single failures, {ours.label} from a file")
        rows.append(_row(fabric, ours, "file", {}, BY_NOBODY))
    return [row for row in rows if row is not None]


def _row(fabric: Fabric, tried: Tried, engine: str, options: dict[str, Any], by: str) -> FailureRow | None:
    """The row of one set of tables; none where a single failure takes too long, or there is nothing to fail."""
    entries = tried.routes.table().size
    cost = entries * 1e-9 * COST.get(engine, OTHER_COST)
    if cost > MOST_SECONDS:
        return None
    if engine == "file" and "lfts_file" not in options:
        options["lfts_file"] = _loaded(tried.routes)
    managed = manage(fabric, engine, **options)
    survey = _survey(managed)
    if survey is None or not survey.parts:
        return None
    tried_parts = sample(survey.parts, max(FEWEST, int(SECONDS / cost)))
    damages = survey.run(tried_parts)
    worst, at = max(
        zip(damages, tried_parts, strict=True), key=lambda pair: (pair[0]["pairs_lost"], -pair[1])
    )
    return FailureRow(
        engine=tried.label,
        repaired_by=by,
        tried=len(tried_parts),
        of=len(survey.parts),
        lossy=sum(damage["pairs_lost"] > 0 for damage in damages),
        worst=" ".join(survey.parts[at]) if worst["pairs_lost"] else "",
        most_lost=worst["pairs_lost"],
        entries_changed=float(median(damage["entries"]["changed"] for damage in damages)),
    )


def _survey(managed: Managed) -> Survey | None:
    hosts = participants(managed.routes)
    if len(hosts.hosts) < 2:
        return None
    return _core.survey(managed, hosts, pairs="hosts", step=len(hosts.hosts))


def _loaded(routes: Routes) -> _core.TableFile:
    """Tables as OpenSM reads them from a file."""
    written: list[bytes] = []
    routes.dump(written.append)
    return _core.read_table_file(b"".join(written))


def sample(parts: Sequence[tuple[str, str]], most: int) -> list[int]:
    """Places of the failures that are tried: all of them, or `most` drawn at random, half of them switches."""
    if most >= len(parts):
        return list(range(len(parts)))
    draw = random.Random(SEED)  # noqa: S311 - a sample, no secret
    switches = [place for place, (kind, _) in enumerate(parts) if kind == "switch"]
    cables = [place for place, (kind, _) in enumerate(parts) if kind != "switch"]
    of_switches = max(min(len(switches), most // 2), most - len(cables))
    return sorted(draw.sample(switches, of_switches) + draw.sample(cables, most - of_switches))
