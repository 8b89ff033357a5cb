"""What single failures cost under an alternative: cables between switches and switches, each alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _core
from ..facts.advice import SingleFailures
from ..failures.sample import SEED, sample, seconds
from ..failures.unmended import lost_pairs
from ..ranks.participants import participants

if TYPE_CHECKING:
    from typing import Unpack

    from .._core import Fabric, Routes
    from ..facts.advice import Mender
    from ..requests.routing import RouteOptions
    from ..results import Failing

SECONDS = 2.5
"""Processor time that the failures of one alternative may take, by the table of engines [s]."""
LEAST = 16
"""Failures that are tried even if they take longer."""


def single_failures(
    fabric: Fabric, engines: str, mender: Mender, **options: Unpack[RouteOptions]
) -> SingleFailures:
    """Let cables between switches and switches fail, each alone, and count the pairs of hosts that are lost.

    On large fabrics some of them, drawn with a fixed seed: as many as `SECONDS` allow, at least `LEAST`.

    Args:
        fabric: what is routed.
        engines: a list as `routing.route` takes it.
        mender: what mends the tables.
        options: see `RouteOptions`.
    """
    managed = _core.manage(fabric, engines, **options)
    hosts = participants(managed.routes)
    # One shift only: only pairs are counted here.
    survey = _core.survey(managed, hosts, pairs="hosts", step=max(1, len(hosts.hosts)))
    failing = survey.parts
    engine = engines.split(",", maxsplit=1)[0]
    indices = _tried(failing, engine, managed.routes, fabric)
    damages = survey.run(indices)
    lost = {index: damage.pairs_lost for index, damage in zip(indices, damages, strict=True)}
    apart = sum(damage.pairs_lost > 0 and damage.unrouted == 0 for damage in damages)
    return _found(failing, lost, apart, mender)


def failures_of_tables(fabric: Fabric, routes: Routes, **options: Unpack[RouteOptions]) -> SingleFailures:
    """As `single_failures` with the tables from a file, which nothing mends; counted without a sweep after each failure.

    Sweeps are needed only where a part cuts hosts off, to tell whether cables are left between the pairs that it takes.

    Args:
        fabric: what is routed.
        routes: the tables, which lose no pair of hosts that cables join.
        options: those that the tables were made with.
    """
    failing = _core.failing(fabric)
    indices = _tried(failing, "file", routes, fabric)
    every = lost_pairs(fabric, routes)
    lost = {index: int(every[index]) for index in indices}
    cutting = {(kind, name) for kind, name, _ in _core.cut_off(fabric)}
    doubtful = [index for index in indices if lost[index] and failing[index] in cutting]
    apart = 0
    if doubtful:
        loading: RouteOptions = {**options, "lfts_file": routes.as_file()}
        managed = _core.manage(fabric, "file", **loading)
        hosts = participants(managed.routes)
        survey = _core.survey(managed, hosts, pairs="hosts", step=max(1, len(hosts.hosts)))
        apart = sum(damage.unrouted == 0 for damage in survey.run(doubtful))
    return _found(failing, lost, apart, "none")


def _tried(failing: list[Failing], engine: str, routes: Routes, fabric: Fabric) -> list[int]:
    """Indices of the failures that are tried under an engine."""
    cost = seconds(engine, routes.table().size, fabric.num_switches)
    return sample(failing, max(LEAST, int(SECONDS / cost)))


def _found(failing: list[Failing], lost: dict[int, int], apart: int, mender: Mender) -> SingleFailures:
    """What pairs lost, by the index of the failure that takes them, come to."""
    index = max(lost, key=lambda one: (lost[one], -one), default=0)
    most_lost = lost.get(index, 0)
    return SingleFailures(
        tried=len(lost),
        of=len(failing),
        lossy=sum(number > 0 for number in lost.values()),
        apart=apart,
        worst=failing[index].name if most_lost else "",
        most_lost=most_lost,
        mender=mender,
        seed=SEED,
    )
