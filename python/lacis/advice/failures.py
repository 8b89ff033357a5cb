"""What single failures cost under an alternative: cables between switches and switches, each alone."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import _core, change
from ..prediction import participants
from .variants import SLOW

if TYPE_CHECKING:
    from typing import Unpack

    from .._core import Fabric
    from ..routing import RouteOptions

ENTRIES = 120_000_000
"""Table entries, of all failures tried together, that a manager recomputes: some seconds on two cores."""
SLOWER = 200
"""How much longer a slow engine takes for an entry."""
LEAST = 16
SEED = 1


@dataclass(frozen=True)
class Failures:
    """What failures do, each alone."""

    tried: int
    of: int
    lossy: int
    """After which some pair of hosts that are left has no route."""
    apart: int
    """Of them, those that lose no pair but such as no cables join any more: whatever the tables."""
    worst: str
    """The failure that loses most; empty where none loses any."""
    most_lost: int
    repaired_by: str

    def __str__(self) -> str:
        """In one sentence."""
        some = (
            f"{self.tried:,} of {self.of:,} single failures, drawn with seed {SEED}"
            if self.tried < self.of
            else f"all {self.of:,} single failures"
        )
        if not self.lossy:
            return f"Of {some} (cables between switches, switches) none loses a pair of the hosts that are left; {self.repaired_by}."
        whatever = f" ({self.apart:,} whatever the tables, as no cables join these)" if self.apart else ""
        return (
            f"Of {some} (cables between switches, switches) {self.lossy:,} lose pairs of hosts that are left{whatever}, "
            f"{self.worst} {self.most_lost:,} of them; {self.repaired_by}."
        )


def single_failures(
    fabric: Fabric, engines: str, repaired_by: str, **options: Unpack[RouteOptions]
) -> Failures:
    """Lets cables between switches and switches fail, each alone, and counts the pairs of hosts that are lost.

    On large fabrics some of them, drawn with a fixed seed: as many as `ENTRIES` allow, at least `LEAST`.

    Args:
        fabric: what is routed.
        engines: a list as `routing.route` takes it.
        repaired_by: who mends the tables, in words.
        options: see `RouteOptions`.
    """
    managed = change.manage(fabric, engines, **options)
    hosts = participants(managed.routes)
    # One shift only: what counts here are pairs.
    survey = _core.survey(managed, hosts, pairs="hosts", step=max(1, len(hosts.hosts)))
    parts = survey.parts
    places = list(range(len(parts)))
    most = max(LEAST, ENTRIES // (_cost(engines) * max(1, fabric.num_switches * fabric.num_end_nodes)))
    if most < len(parts):
        places = sorted(random.Random(SEED).sample(places, most))  # noqa: S311 - a sample, no secret
    damages = survey.run(places)
    lost = [(damage["pairs_lost"], place) for damage, place in zip(damages, places, strict=True)]
    most_lost, place = max(lost, key=lambda one: (one[0], -one[1]), default=(0, 0))
    return Failures(
        tried=len(places),
        of=len(parts),
        lossy=sum(number > 0 for number, _ in lost),
        apart=sum(damage["pairs_lost"] > 0 and damage["unrouted"] == 0 for damage in damages),
        worst=parts[place][1] if most_lost else "",
        most_lost=most_lost,
        repaired_by=repaired_by,
    )


def _cost(engines: str) -> int:
    return SLOWER if engines.split(",", maxsplit=1)[0] in SLOW else 1
