"""Wrong entries of tables: how many could any method see, and how many does `lacis explain` name?

The bound is that of J. Neyman and E. Pearson (1933): to decide between two known distributions no test is more powerful than
that of their likelihood ratio at the same chance of a false alarm; and to divide a chance among many such tests, none finds more
than to ask for the same ratio in all of them. A method that names one wrong entry in 100 healthy measurements on the mean may
divide that among all entries, of which those that change the same flows alike are one: so its mean recall is at most the mean
power of the tests that ask for the ratio which one of 100 healthy measurements exceeds for any entry. Here each test knows the
rates with and without the entry, the noise and its outliers; only what hosts add is unknown, and counts as noise of the values. An
entry counts as named where its switch and host are, itself or among those that explain the same: to which port it leads shows
only where flows are slowed there.

| here    | meaning                                                                     |
|---------|-----------------------------------------------------------------------------|
| `ratio` | ln of the likelihood ratio of an entry's flows, with the entry and without     |
| `least` | the ratio that is asked for, of all entries                                  |

The tail of healthy values is drawn under the entry and weighed by exp(−ratio), as no simple draw reaches it. Of all entries some are
drawn, and for each of these is counted how many change the same flows alike.
"""

from __future__ import annotations

from functools import cache
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
SOME = 200
"""Entries by which the ratio is found that is asked for."""
ALIKE = 0.1
"""Entries change flows alike whose changes differ by less, ln."""
FEW = 3
"""Entries that change more flows exceed no ratio by chance that matters, so that it need not be counted how many are alike,"""
MANY = 6
"""and such that change more than these, never."""
KINDS = ((1, 1), (2, 3), (4, 10**6))
"""Numbers of flows that an entry changes."""


def entries(rounds: Rounds, seeds: range) -> Iterator[dict[str, Any]]:
    """By the number of flows that an entry changes: the bound's recall, and ours."""
    net = rounds.net
    through, host, number = every(rounds)
    if not number:
        return
    least = asked(rounds, through, host, number)
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
            change = changes(rounds, one)[1]
            all_of += 1
            unseen += not len(change)
            kind = next((kind for kind in KINDS if kind[0] <= len(change) <= kind[1]), None)
            if kind is not None:
                counts[kind][0] += power(change, least, rng)
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


def asked(rounds: Rounds, through: Ints, host: Ints, number: int) -> float:
    """The ratio that healthy measurements exceed for any of so many entries, as often as false alarms are allowed."""
    rng = np.random.default_rng(2)
    tails = []
    for at in rng.permutation(len(through))[:SOME].tolist():
        ports = other_ports(rounds.net, int(through[at]), int(host[at]))
        if not ports:
            continue
        entry = (int(through[at]), int(host[at]), int(rng.choice(ports)))
        flows, change = changes(rounds, entry)
        if 0 < len(flows) <= MANY:
            same = alike(rounds, entry, flows, change) if len(flows) <= FEW else 1
            tails.append((ratios(change, rng), same))
        else:
            tails.append((np.zeros(0), 1))
    low, high = 0.0, 100.0
    for _ in range(40):
        middle = (low + high) / 2
        alarms = sum(tail(own, middle) / same for own, same in tails)
        low, high = (middle, high) if alarms * number / len(tails) > ALARMS else (low, middle)
    return high


def tail(own: Floats, least: float) -> float:
    """The chance that healthy flows exceed a ratio, by draws of it with the entry."""
    return float(np.exp(-own[own >= least]).sum() / DRAWS)


def alike(rounds: Rounds, entry: tuple[int, int, int], flows: Ints, change: Floats) -> int:
    """How many entries change these flows, and no others, as much: itself and those on the ways of these flows."""
    net = rounds.net
    far = np.append(net.ends[:, 2], NONE)[rounds.path[flows]]
    pairs = {
        (int(switch), int(to))
        for row, to in zip(far, rounds.flows[flows, 1].tolist(), strict=True)
        for switch in row[(row >= 0) & (row < net.fabric.num_switches)]
    }
    count = 0
    for switch, to in sorted(pairs):
        for port in other_ports(net, switch, to):
            own, by = changes(rounds, (switch, to, port)) if (switch, to, port) != entry else (flows, change)
            count += bool(np.array_equal(own, flows) and (abs(by - change) < ALIKE).all())
    return max(count, 1)


def changes(rounds: Rounds, entry: tuple[int, int, int]) -> tuple[Ints, Floats]:
    """The flows that an entry changes, and by how much, ln of the rate."""
    net = rounds.net
    led = np.flatnonzero(rounds.flows[:, 1] == entry[1])
    there = net.with_table(net.wrong([entry])).path(rounds.flows[led]).astype(np.int64)
    width = max(there.shape[1], rounds.path.shape[1])
    there, path = wide(there, width), wide(rounds.path, width)
    is_led = (there != path[led]).any(axis=1)
    path[led] = there
    some = np.flatnonzero(np.isin(rounds.number, rounds.number[led[is_led]]))
    if not len(some):
        return np.zeros(0, np.int64), np.zeros(0)
    after = fair(net.rates, path[some], np.unique(rounds.number[some], return_inverse=True)[1].reshape(-1))
    with np.errstate(invalid="ignore"):
        change = np.log(after / rounds.fair[some])
    changed = np.isfinite(change) & (abs(change) > CHANGED)
    return some[changed], np.asarray(change[changed], dtype=float)


def wide(path: Ints, width: int) -> Ints:
    """A copy of the links of flows, padded to so many."""
    out = np.full((len(path), width), NONE, np.int64)
    out[:, : path.shape[1]] = path
    return out


@cache
def density(noise: Noise) -> tuple[Floats, Floats]:
    """By step of ln(value ÷ expected), ln of its density: normal, or an outlier, uniform between 20 and 100 % with the same noise."""
    spread = float(np.hypot(noise.values, np.sqrt(2) * noise.hosts))
    value = np.arange(-4.0, 3.0, spread / 50)

    def normal(at: Floats) -> Floats:
        return np.asarray(np.exp(-((at / spread) ** 2) / 2) / (spread * np.sqrt(2 * np.pi)), dtype=float)

    far = np.mean([normal(value - np.log(share)) for share in np.linspace(0.2, 1.0, 65)], axis=0)
    both = (1 - noise.outliers) * normal(value) + noise.outliers * far
    return value, np.log(np.maximum(both, 1e-300))


def ratios(change: Floats, rng: np.random.Generator) -> Floats:
    """Draws of the ratio of flows that an entry changes so much, with the entry."""
    noise = Noise()
    spread = float(np.hypot(noise.values, np.sqrt(2) * noise.hosts))
    shape = (DRAWS, len(change))
    far = np.where(rng.random(shape) < noise.outliers, rng.uniform(0.2, 1.0, shape), 1.0)
    value = change + spread * rng.standard_normal(shape) + np.log(far)
    at, known = density(noise)
    own = np.interp(value - change, at, known) - np.interp(value, at, known)
    return np.asarray(own.sum(axis=1), dtype=float)


def power(change: Floats, least: float, rng: np.random.Generator) -> float:
    """How often an entry that changes flows so much exceeds a ratio."""
    return float((ratios(change, rng) >= least).mean()) if len(change) else 0.0
