"""What single failures cost under an alternative: cables between switches and switches, each alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _core
from ..facts.advice import SingleFailures
from ..failures.sample import SEED, sample, seconds
from ..ranks.participants import participants

if TYPE_CHECKING:
    from typing import Unpack

    from .._core import Fabric
    from ..facts.advice import Mender
    from ..requests.routing import RouteOptions

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
    cost = seconds(engine, managed.routes.table().size, fabric.num_switches)
    indices = sample(failing, max(LEAST, int(SECONDS / cost)))
    damages = survey.run(indices)
    lost = [(damage.pairs_lost, index) for damage, index in zip(damages, indices, strict=True)]
    most_lost, index = max(lost, key=lambda one: (one[0], -one[1]), default=(0, 0))
    return SingleFailures(
        tried=len(indices),
        of=len(failing),
        lossy=sum(number > 0 for number, _ in lost),
        apart=sum(damage.pairs_lost > 0 and damage.unrouted == 0 for damage in damages),
        worst=failing[index].name if most_lost else "",
        most_lost=most_lost,
        mender=mender,
        seed=SEED,
    )
