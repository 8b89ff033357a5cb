"""Wrong entries of tables: how many could any method see, and how many does `lacis explain` name?

The bound is that of J. Neyman and E. Pearson (1933): to decide between two known distributions no test is more powerful than
that of their likelihood ratio at the same chance of a false alarm. A method that names a wrong entry in at most one of 100
healthy measurements names each of `N` possible ones in 0.01 ÷ `N` of them on the mean, and the power at that chance is concave, so
no method's mean recall exceeds the mean power of these tests. Here each test knows the rates with and without the entry, the
noise and its outliers; only what hosts add is unknown, and counts as noise of the values. An entry counts as named where its
switch and host are, itself or among those that explain the same: to which port it leads shows only where flows are slowed there.

| here    | meaning                                                                     |
|---------|-----------------------------------------------------------------------------|
| `ratio` | ln of the likelihood ratio of an entry's flows, with the entry and without     |
| `least` | the ratio that healthy values exceed with a chance of 0.01 ÷ `N`              |

The tail of healthy values is drawn under the entry and weighed by exp(−ratio), as no simple draw reaches it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .answers import culprits, named
from .fair import Noise, fair, noisy
from .faults import other_ports
from .net import NONE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lacis.documents.explain import Suspect

    from .measured import Rounds
    from .net import Floats, Ints

COUNT = 4
"""Wrong entries at once."""
CHANGED = 0.05
"""An entry changes a flow whose rate it changes by more, ln."""
ALARMS = 0.01
"""False alarms a healthy measurement."""
DRAWS = 4000
"""Draws of a test's ratio."""
KINDS = ((1, 1), (2, 3), (4, 10**6))
"""Numbers of flows that an entry changes."""


def entries(rounds: Rounds, seeds: range) -> Iterator[dict[str, Any]]:
    """By the number of flows that an entry changes: the bound's recall, and ours."""
    net = rounds.net
    through, host, number = every(rounds)
    if not number:
        return
    counts = {kind: [0.0, 0, 0] for kind in KINDS}
    alarms = hits = unseen = all_of = 0
    for seed in seeds:
        rng = np.random.default_rng([seed, 8])
        wrong = draw(rounds, through, host, rng)
        path = net.with_table(net.wrong(wrong)).path(rounds.flows).astype(np.int64)
        values = noisy(fair(net.rates, path, rounds.number), rounds, Noise(), 1, rng)
        found = culprits(rounds, values)
        ours = [at(rounds, list(one.suspects)) for one in found.partly]
        right = {one[:2] for one in wrong}
        hits += sum(bool(named_here & right) for named_here in ours)
        alarms += len(found.found) + sum(not named_here & right for named_here in ours)
        for one in wrong:
            change = changes(rounds, one)
            all_of += 1
            unseen += not len(change)
            kind = next((kind for kind in KINDS if kind[0] <= len(change) <= kind[1]), None)
            if kind is not None:
                counts[kind][0] += power(change, ALARMS / number, rng)
                counts[kind][1] += any(one[:2] in named_here for named_here in ours)
                counts[kind][2] += 1
    yield {"cell": "entries", "runs": len(seeds), "drawn": all_of, "change no flow": unseen / max(all_of, 1)}
    for (least, most), (bound, mine, drawn) in counts.items():
        if drawn:
            yield {
                "cell": f"entries that change {least if least == most else f'{least} to {most}' if most < 10**6 else f'{least} and more'} flows",
                "runs": len(seeds),
                "drawn": drawn,
                "bound": bound / drawn,
                "recall": mine / drawn,
            }
    bound, mine, drawn = (sum(of[at] for of in counts.values()) for at in range(3))
    yield {
        "cell": "entries that change any flow",
        "runs": len(seeds),
        "drawn": drawn,
        "bound": bound / max(drawn, 1),
        "recall": mine / max(drawn, 1),
        "precision": hits / max(hits + alarms, 1),
    }


def every(rounds: Rounds) -> tuple[Ints, Ints, int]:
    """Pairs of a switch and a host whose entry a flow uses, and how many wrong entries there can be."""
    net = rounds.net
    far = np.append(net.ends[:, 2], NONE)[rounds.path]
    own = net.ends[net.up, 2][rounds.flows[:, 1]]
    on = (far >= 0) & (far < net.fabric.num_switches) & (far != own[:, None])
    flow, _ = np.nonzero(on)
    through, host = np.divmod(np.unique(far[on] * len(net.hosts) + rounds.flows[flow, 1]), len(net.hosts))
    some = np.random.default_rng(1).permutation(len(through))[:500]
    ports = [len(other_ports(net, int(through[at]), int(host[at]))) for at in some]
    return through, host, round(float(np.mean(ports)) * len(through)) if len(through) else 0


def at(rounds: Rounds, suspects: list[Suspect]) -> set[tuple[int, int]]:
    """Switch and host of the entries among suspects that explain the same."""
    return {one[:2] for one in named(rounds, suspects) if isinstance(one, tuple)}


def draw(
    rounds: Rounds, through: Ints, host: Ints, rng: np.random.Generator
) -> tuple[tuple[int, int, int], ...]:
    """Wrong entries among all that a flow uses, each at a switch and for a host of its own."""
    found: list[tuple[int, int, int]] = []
    for at in rng.permutation(len(through)).tolist():
        ports = other_ports(rounds.net, int(through[at]), int(host[at]))
        is_own = all(int(host[at]) != known[1] for known in found)
        if ports and is_own:
            found.append((int(through[at]), int(host[at]), int(rng.choice(ports))))
        if len(found) == COUNT:
            break
    return tuple(found)


def changes(rounds: Rounds, entry: tuple[int, int, int]) -> Floats:
    """By how much an entry changes the rates of flows, ln, of those that it changes."""
    net = rounds.net
    path = net.with_table(net.wrong([entry])).path(rounds.flows).astype(np.int64)
    at = np.unique(
        rounds.number[(path != rounds.path).any(axis=1)] if path.shape == rounds.path.shape else rounds.number
    )
    some = np.isin(rounds.number, at)
    if not some.any():
        return np.zeros(0)
    own = replace(rounds, flows=rounds.flows[some], number=np.searchsorted(at, rounds.number[some]))
    before = fair(net.rates, own.path, own.number)
    after = fair(net.rates, path[some], own.number)
    with np.errstate(invalid="ignore"):
        change = np.log(after / before)
    known = np.isfinite(change)
    return np.asarray(change[known & (abs(change) > CHANGED)], dtype=float)


def density(value: Floats, noise: Noise) -> Floats:
    """Of ln(value ÷ expected): normal, or one of the outliers, uniform between 20 and 100 % with the same noise."""
    spread = float(np.hypot(noise.values, np.sqrt(2) * noise.hosts))

    def normal(at: Floats) -> Floats:
        return np.asarray(np.exp(-((at / spread) ** 2) / 2) / (spread * np.sqrt(2 * np.pi)), dtype=float)

    grid = np.linspace(0.2, 1.0, 65)
    far = np.mean([normal(value - np.log(share)) for share in grid], axis=0)
    return np.asarray((1 - noise.outliers) * normal(value) + noise.outliers * far, dtype=float)


def power(change: Floats, chance: float, rng: np.random.Generator) -> float:
    """The power of the likelihood-ratio test of these changes at a chance of a false alarm."""
    if not len(change):
        return chance
    noise = Noise()
    spread = float(np.hypot(noise.values, np.sqrt(2) * noise.hosts))
    shape = (DRAWS, len(change))
    far = np.where(rng.random(shape) < noise.outliers, rng.uniform(0.2, 1.0, shape), 1.0)
    value = change + spread * rng.standard_normal(shape) + np.log(far)
    ratio = np.sort((np.log(density(value - change, noise)) - np.log(density(value, noise))).sum(axis=1))[
        ::-1
    ]
    tail = np.cumsum(np.exp(-ratio)) / DRAWS  # the chance that healthy values exceed each ratio
    return float((tail <= chance).mean())
