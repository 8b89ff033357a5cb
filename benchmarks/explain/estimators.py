"""The estimators, and the settings of the peers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import faults, flock, netbouncer, votes_007
from .answers import explained, named
from .measured import Faults, Noise, ideal, with_noise
from .view import Named, View, judge

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .measured import Rounds

PEERS = (votes_007, netbouncer, flock)
CALIBRATION = 1_000_000
"""The first seed of calibration; those of the experiments are small."""
CASES = tuple((count, factor) for count in (0, 1, 4, 16) for factor in (0.5, 0.8))


@dataclass(frozen=True)
class Estimator:
    """A name, and a function that names suspects, the surest first."""

    name: str
    faulty_links: Callable[[View], Sequence[Named]]
    setting: str = ""


def lacis_explain(view: View) -> list[Named]:
    """The suspects of `lacis explain`, likeliest first: one of each group that explains the same; an adapter as two links."""
    found = explained(view.rounds, view.values).locate()
    suspects = [one.instead[0][0] for one in found.found] + [one.instead[0] for one in found.partly]
    return named(view.rounds, suspects)


LACIS = Estimator("lacis", lacis_explain)


def with_settings(settings: dict[str, str]) -> list[Estimator]:
    """The peers with earlier settings, written as `t 0.9, p 0.02`."""
    found = []
    for peer in PEERS:
        values = [float(word.split()[1]) for word in settings[peer.NAME].split(", ")]
        found.append(_estimator(peer, type(peer.GRID[0])(*values)))
    return found


def calibrated(rounds: Rounds, repeats: int) -> list[Estimator]:
    """The peers, each with the best settings of its grid on separate seeds.

    Cases are clean fabrics and 1, 4 and 16 slow links at 50 and 80 % of their rates, under the default noise. Best is the
    greatest mean F1, the harmonic mean of precision and recall; a clean run counts 1 without an alarm and 0 with one.
    """
    runs = []
    for seed in range(repeats):
        for case, (count, factor) in enumerate(CASES):
            rng = np.random.default_rng([CALIBRATION + seed, case])
            broken = faults.draw(rounds, "link", count, factor, rng)
            runs.append((View(rounds, with_noise(ideal(rounds, broken, rng), rounds, Noise(), rng)), broken))
    return [_best(peer, runs) for peer in PEERS]


def _best(peer: Any, runs: Sequence[tuple[View, Faults]]) -> Estimator:
    def mean(setting: Any) -> float:
        scores = []
        for view, broken in runs:
            score = judge(view.rounds, peer.faulty_links(view, setting), broken)
            whole = 2 * score.hits + score.alarms + score.missed
            scores.append(2 * score.hits / whole if whole else 1.0)
        return float(np.mean(scores))

    best = max(peer.GRID, key=mean)
    return _estimator(peer, best)


def _estimator(peer: Any, setting: Any) -> Estimator:
    words = ", ".join(f"{name} {value:g}" for name, value in setting._asdict().items())
    return Estimator(peer.NAME, lambda view: peer.faulty_links(view, setting), words)
