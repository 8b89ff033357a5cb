"""What single failures cost under an alternative: cables between switches and switches, each alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import _core
from ..facts.words import count
from ..failures.manager import manage
from ..failures.sample import SEED, sample, seconds
from ..ranks.participants import participants

if TYPE_CHECKING:
    from typing import Unpack

    from .._core import Fabric
    from ..requests.routing import RouteOptions

SECONDS = 2.5
"""Processor time that the failures of one alternative may take, by the table of engines [s]."""
LEAST = 16
"""Failures that are tried even if they take longer."""


@dataclass(frozen=True)
class Failures:
    """What failures do, each alone.

    Attributes:
        tried: failures that were tried.
        of: all failures.
        lossy: failures after which some pair of the remaining hosts has no route.
        apart: those of `lossy` after which no cables join any of the lost pairs: no tables help.
        worst: the failure that loses most pairs; empty where none loses any.
        most_lost: pairs that it loses.
        repaired_by: what mends the tables, in words.
    """

    tried: int
    of: int
    lossy: int
    apart: int
    worst: str
    most_lost: int
    repaired_by: str

    def __str__(self) -> str:
        """In one sentence."""
        some = (
            f"{self.tried:,} of {self.of:,} single failures, drawn with seed {SEED}"
            if self.tried < self.of
            else f"all {self.of:,} single failures"
            if self.of > 1
            else count(self.of, "single failure")
        )
        if not self.lossy:
            return f"Of {some} (cables between switches, switches) none loses a pair of the hosts that are left; {self.repaired_by}."
        whatever = f" ({self.apart:,} whatever the tables, as no cables join these)" if self.apart else ""
        return (
            f"Of {some} (cables between switches, switches) {self.lossy:,} {'loses' if self.lossy == 1 else 'lose'} pairs of hosts that are left{whatever}, "
            f"{self.worst} {self.most_lost:,} of them; {self.repaired_by}."
        )


def single_failures(
    fabric: Fabric, engines: str, repaired_by: str, **options: Unpack[RouteOptions]
) -> Failures:
    """Let cables between switches and switches fail, each alone, and count the pairs of hosts that are lost.

    On large fabrics some of them, drawn with a fixed seed: as many as `SECONDS` allow, at least `LEAST`.

    Args:
        fabric: what is routed.
        engines: a list as `routing.route` takes it.
        repaired_by: what mends the tables, in words.
        options: see `RouteOptions`.
    """
    managed = manage(fabric, engines, **options)
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
    return Failures(
        tried=len(indices),
        of=len(failing),
        lossy=sum(number > 0 for number, _ in lost),
        apart=sum(damage.pairs_lost > 0 and damage.unrouted == 0 for damage in damages),
        worst=failing[index].name if most_lost else "",
        most_lost=most_lost,
        repaired_by=repaired_by,
    )
