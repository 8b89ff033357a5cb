"""The scores of each estimator over noise, severity, rounds and number of faults, and for each kind of fault."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from . import faults
from .measured import Noise, ideal, packet, slower, with_noise
from .view import View, judge

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from .estimators import Estimator
    from .measured import Rounds

AXES = ("noise", "clean", "severity", "rounds", "faults", "kind", "packet")
ROUNDS = 16
FACTOR = 0.8
COUNT = 4


@dataclass(frozen=True)
class Case:
    """One point of a curve.

    Attributes:
        axis: the curve: noise, severity, rounds, faults, clean, kind, packet.
        at: the position on the axis.
        kind: of the faults.
        count: the number of faults.
        factor: the rate of a broken link, relative to its own.
        rounds: how many of the campaign are measured.
        noise: of the values.
        repeats: values of each flow.
        rates: for the packet model: of all cables, and of broken ones.
    """

    axis: str
    at: float | str
    kind: str = "link"
    count: int = COUNT
    factor: float = FACTOR
    rounds: int = ROUNDS
    noise: Noise = field(default_factory=Noise)
    repeats: int = 1
    rates: tuple[str, str] | None = None


def cases(*, quick: bool, has: Container[str]) -> Iterator[Case]:
    """All points of all curves, with the kinds of fault that the fabric has."""
    usual = Noise()
    for value in (0.01, 0.05, 0.1) if quick else (0.01, 0.02, 0.035, 0.05, 0.075, 0.1):
        yield Case("noise", value, noise=replace(usual, values=value))
        yield Case("clean", value, count=0, noise=replace(usual, values=value))
    for value in (0.5, 0.9) if quick else (0.5, 0.6, 0.7, 0.8, 0.85, 0.9):
        yield Case("severity", value, factor=value)
    for rounds in (8, 16) if quick else (4, 8, 12, 16, 24, 32):
        yield Case("rounds", rounds, rounds=rounds)
    for count in (1, 16) if quick else (1, 2, 4, 8, 16, 32):
        yield Case("faults", count, count=count)
    for kind in ("host", "speed", "inner", "flap", "entry"):
        if kind in has:
            yield Case("kind", kind, kind=kind, repeats=8 if kind == "flap" else 1)
    yield Case("packet", "clean", count=0, rates=("4xFDR10", "4xQDR"))
    for rates in (("4xFDR10", "4xQDR"), ("4xHDR", "2xHDR")):
        yield Case("packet", round(slower(*rates), 2), kind="speed", factor=slower(*rates), rates=rates)
    if "entry" in has:
        yield Case("packet", "entry", kind="entry", rates=("4xHDR", "2xHDR"))


def seed_of(case: Case, seed: int) -> np.random.Generator:
    """The random numbers of one run, independent of those of other cases."""
    words = [seed, *f"{case.axis} {case.at}".encode()]
    return np.random.default_rng(words)


def run(case: Case, whole: Rounds, estimators: Sequence[Estimator], seeds: range) -> list[dict[str, Any]]:
    """A record for each estimator: the case, and the counts of each run."""
    rounds = whole.first(case.rounds)
    found: dict[str, list[tuple[int, int, int, int]]] = {one.name: [] for one in estimators}
    clean = None
    for seed in seeds:
        rng = seed_of(case, seed)
        broken = faults.draw(rounds, case.kind, case.count, case.factor, rng)
        if case.rates and clean is not None:
            values = clean  # without faults and noise all runs are equal
        elif case.rates:
            values = packet(rounds, broken, base=case.rates[0], slow=case.rates[1], seed=seed)
            clean = values if case.count == 0 else None
        else:
            values = ideal(rounds, broken, rng, case.repeats)
        view = View(rounds, with_noise(values, rounds, case.noise, rng))
        for one in estimators:
            score = judge(rounds, one.faulty_links(view), broken)
            found[one.name].append((score.hits, score.alarms, score.missed, score.first))
    described = {key: value for key, value in asdict(case).items() if key != "noise"} | asdict(case.noise)
    return [{**described, "estimator": name, "runs": runs} for name, runs in found.items()]


def figures(record: dict[str, Any]) -> dict[str, tuple[float, float, float]]:
    """Precision, recall, false alarms a run and the fraction of runs with a broken link first: mean, and its interval.

    Precision and recall are over all runs; 95 % intervals from 1,000 draws of runs with replacement.
    """
    runs = np.array(record["runs"], dtype=float)
    rng = np.random.default_rng(0)
    drawn = runs[rng.integers(0, len(runs), (1000, len(runs)))].sum(axis=1)
    all_of = np.concatenate([runs.sum(axis=0)[None], drawn])
    hits, alarms, missed, first = all_of.T
    with np.errstate(invalid="ignore", divide="ignore"):
        ratios = {
            "precision": hits / (hits + alarms),
            "recall": hits / (hits + missed),
            "alarms": alarms / len(runs),
            "first": first / len(runs),
        }
    intervals = {}
    for name, of in ratios.items():
        if not np.isnan(of[0]):
            low, high = np.nanpercentile(of[1:], (2.5, 97.5))
            intervals[name] = float(of[0]), float(low), float(high)
    return intervals
