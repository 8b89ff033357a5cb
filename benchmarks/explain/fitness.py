"""Is a measurement fit to blame anyone? Clean runs, tables that do not run, another job, and what more rounds decide.

    python -m benchmarks.explain.fitness [--seeds N] [--fabrics NAME …] [--cells NAME …]

Cells are in `many`, `spells` and `entries` beside this file, and here.

Values are made by `fair`, which shares no code with the engine; `packet` values by `lacis simulate`.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from ..measure import ROOT, markdown
from .answers import answer, culprits, row, site
from .entries import entries
from .estimators import lacis_explain
from .fair import Noise, another_job, fair, noisy, running
from .faults import ENOUGH
from .many import many
from .measured import Faults, campaign_rounds, packet, share
from .spells import spells
from .view import View, judge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .measured import Rounds
    from .net import Floats

FABRICS = ("fat-tree:36,2", "damaged", "itasca:67", "dgx-2025", "selene-2021")
ROUNDS = 16
REPEATS = (1, 8, 30)
PROMISES = 8
"""Measurements whose promises are compared: what each says of more rounds hangs on its own noise."""
KEPT = ROOT / "build" / "bench" / "fitness"
CELLS = ("clean", "rounded", "tables", "traffic", "many", "spells", "entries", "decided")


def clean(rounds: Rounds, seeds: range) -> Iterator[dict[str, Any]]:
    """No fault: alarms under each model of sharing, at 1, 8 and 30 repeats."""
    rates, path, number = rounds.net.rates, rounds.path, rounds.number
    models: dict[str, Callable[[], Floats]] = {
        "least share": lambda: share(rates, path, number).min(axis=1),
        "max-min": lambda: fair(rates, path, number),
        "packet": lambda: packet(rounds, Faults(), base="4xHDR", slow="4xHDR")[:, 0],
    }
    for model, make in models.items():
        values = make()
        for repeats in REPEATS:
            said = [
                answer(
                    rounds, noisy(values, rounds, Noise(), repeats, np.random.default_rng([seed, repeats, 1]))
                )
                for seed in seeds
            ]
            yield row(f"clean, {model}, {repeats} repeats", said)


def rounded(rounds: Rounds, seeds: range) -> Iterator[dict[str, Any]]:
    """No fault, and values of few digits: whole Gb/s, GB/s with one digit after the point, and whole GB/s."""
    values = fair(rounds.net.rates, rounds.path, rounds.number)
    for name, step in (("1 Gb/s", 1e9 / 8), ("0.1 GB/s", 1e8), ("1 GB/s", 1e9)):
        said = []
        for seed in seeds:
            each = noisy(values, rounds, Noise(), 1, np.random.default_rng([seed, 5]))
            said.append(answer(rounds, np.maximum(np.round(each / step), 1) * step))
        yield row(f"clean, rounded to {name}", said)


def tables(rounds: Rounds, seeds: range) -> Iterator[dict[str, Any]]:
    """Other tables run than those assumed: of other engines, and with LIDs in other orders."""
    net = rounds.net
    kinds = [("minhop", 0), ("updn", 0), ("sssp", 0), ("minhop", 1), ("updn", 1)]
    for engine, order in kinds:
        said = []
        for seed in seeds:
            other = running(net, engine, (100 + seed) if order else 0)
            path = other.path(rounds.flows).astype(np.int64)
            values = fair(other.rates, path, rounds.number)
            predicted = fair(net.rates, rounds.path, rounds.number)
            routed = np.isfinite(values) & np.isfinite(predicted)
            if (abs(np.log(values[routed] / predicted[routed])) > 0.05).mean() < 0.01:
                continue  # they let the same be expected of these rounds
            rng = np.random.default_rng([seed, 2])
            said.append(answer(rounds, noisy(values, rounds, Noise(), 1, rng)))
        if said:
            yield row(f"{engine} runs{', in another order of LIDs' if order else ''}", said)


def traffic(rounds: Rounds, seeds: range) -> Iterator[dict[str, Any]]:
    """Another job on 30 % of the hosts."""
    net = rounds.net
    for changes in (False, True):
        said = []
        for seed in seeds:
            rng = np.random.default_rng([seed, 3])
            others = another_job(net, 0.3, int(rounds.number.max()) + 1, rng, changes=changes)
            values = fair(net.rates, rounds.path, rounds.number, others)
            said.append(answer(rounds, noisy(values, rounds, Noise(), 1, rng)))
        yield row(f"another job, {'other hosts each round' if changes else 'the same hosts'}", said)


def decided(rounds: Rounds, seeds: range) -> Iterator[dict[str, Any]]:
    """Four links at 90 and at 80 %, in 16 rounds, and in as many as are said to show them, by the boldest of some promises."""
    net = rounds.net
    for factor in (0.9, 0.8):
        now = rounds
        for step in range(2):
            more = 0
            if step:
                asked = least_promised(rounds, round(1 - factor, 1))
                if not asked or asked > 400:
                    yield {"cell": f"4 links at {factor:.0%}, enough rounds", "rounds": asked}
                    continue
                more = asked
                now = campaign_rounds(net, ROUNDS + more)
            drawn = np.flatnonzero(now.binding(factor) >= ENOUGH)
            hits = alarms = missed = 0
            for seed in seeds:
                rng = np.random.default_rng([seed, 4])
                links = rng.choice(drawn, 4, replace=False)
                scale = np.ones(net.num_links)
                scale[links] = factor
                values = fair(net.rates, now.path, now.number, factor=scale)
                view = View(now, noisy(values, now, Noise(), 1, rng))
                score = judge(now, lacis_explain(view), Faults(dict.fromkeys(map(int, links), factor)))
                hits, alarms, missed = hits + score.hits, alarms + score.alarms, missed + score.missed
            yield {
                "cell": f"4 links at {factor:.0%}",
                "rounds": ROUNDS + more,
                "precision": hits / max(hits + alarms, 1),
                "recall": hits / max(hits + missed, 1),
                "runs": len(seeds),
            }


def least_promised(rounds: Rounds, loss: float) -> int | None:
    """The fewest more rounds that any of some healthy measurements promises to show a loss; none where none promises any."""
    values = fair(rounds.net.rates, rounds.path, rounds.number)
    each = (
        culprits(rounds, noisy(values, rounds, Noise(), 1, np.random.default_rng([seed, 9])))
        for seed in range(PROMISES)
    )
    known = [more for one in each if (more := one.more_rounds(loss, ROUNDS)) is not None]
    return min(known, default=None)


def main() -> None:
    """Run, keep, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--fabrics", nargs="+", default=FABRICS)
    parser.add_argument("--cells", nargs="+", choices=CELLS, default=CELLS)
    asked = parser.parse_args()
    KEPT.mkdir(parents=True, exist_ok=True)
    every = {"clean": clean, "rounded": rounded, "tables": tables, "traffic": traffic}
    every |= {"many": many, "spells": spells, "entries": entries, "decided": decided}
    for name in asked.fabrics:
        found = site(name)
        if found is None:
            print(f"{name}: its file is not there", file=sys.stderr)
            continue
        rounds = campaign_rounds(found, ROUNDS)
        for cell in asked.cells:
            begin, rows = time.perf_counter(), []
            for one in every[cell](rounds, range(1, asked.seeds + 1)):
                rows.append({"fabric": name, **one})
                print(json.dumps(rows[-1], ensure_ascii=False), flush=True)
            file = KEPT / f"{re.sub('[^a-z0-9]+', '-', name)}-{cell}.json"
            file.write_text(json.dumps(rows))
            print(f"{name} {cell}: {time.perf_counter() - begin:.0f} s", file=sys.stderr, flush=True)
    kept = [one for path in sorted(KEPT.glob("*.json")) for one in json.loads(path.read_text())]
    head = ("fabric", "cell", "runs", "runs with an alarm", "verdicts", "tables named")
    print(markdown(head, [_cells(one) for one in kept if "verdicts" in one]))
    scores = [one for one in kept if "recall" in one]
    keys = list(dict.fromkeys(key for one in scores for key in one))
    print(markdown(keys, [[_score(one.get(key)) for key in keys] for one in scores]))


def _score(value: object) -> str:
    """A cell of a table of scores."""
    return f"{value:.3f}" if isinstance(value, float) else "–" if value is None else str(value)


def _cells(one: dict[str, Any]) -> list[str]:
    verdicts = ", ".join(f"{name} {number}" for name, number in sorted(one["verdicts"].items()))
    named = ", ".join(f"{name} ({number})" for name, number in one["running"].items())
    return [one["fabric"], one["cell"], str(one["runs"]), str(one["alarms"]), verdicts, named]


if __name__ == "__main__":
    main()
