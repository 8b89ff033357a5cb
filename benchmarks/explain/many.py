"""Many true faults at once, which no rule about numbers of suspects may take for other tables or other traffic."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from .answers import culprits, named, one_of
from .fair import Noise, fair, noisy
from .faults import ENOUGH, other_ports
from .measured import Faults
from .net import NONE
from .view import judge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .measured import Rounds


def many(rounds: Rounds, seeds: range) -> Iterator[dict[str, Any]]:
    """4, 8 and 16 slow links, half of a switch's cables, and 24 entries of one switch."""
    drawn: dict[str, Callable[[np.random.Generator], Faults]] = {
        f"{number} links at {factor:.0%}": partial(links, rounds, number, factor)
        for number, factor in ((4, 0.5), (8, 0.5), (8, 0.8), (16, 0.7))
    }
    drawn["half of a switch's cables at 50%"] = partial(half_a_switch, rounds)
    drawn["24 entries of a switch"] = partial(of_a_switch, rounds, 24)
    for name, draw in drawn.items():
        verdicts: Counter[str] = Counter()
        hits = alarms = missed = 0
        for seed in seeds:
            rng = np.random.default_rng([seed, 6])
            faults = draw(rng)
            scale = np.ones(rounds.net.num_links)
            for link, factor in faults.factor.items():
                scale[link] = factor
            net = rounds.net.with_table(rounds.net.wrong(faults.entries)) if faults.entries else rounds.net
            path = net.path(rounds.flows).astype(np.int64) if faults.entries else rounds.path
            values = fair(net.rates, path, rounds.number, factor=scale)
            found = culprits(rounds, noisy(values, rounds, Noise(), 1, rng))
            verdicts[found.verdict] += 1
            suspects = [one.suspect for one in found.found]
            at_times = [one_of(rounds, one.suspects, faults) for one in found.partly]
            score = judge(rounds, named(rounds, suspects + at_times), faults)
            hits, alarms, missed = hits + score.hits, alarms + score.alarms, missed + score.missed
        yield {
            "cell": name,
            "runs": len(seeds),
            "verdict": ", ".join(f"{word} {number}" for word, number in sorted(verdicts.items())),
            "precision": hits / max(hits + alarms, 1),
            "recall": hits / max(hits + missed, 1),
        }


def links(rounds: Rounds, number: int, factor: float, rng: np.random.Generator) -> Faults:
    """Links that slow at least four flows."""
    drawn = np.flatnonzero(rounds.binding(factor) >= ENOUGH)
    return Faults(dict.fromkeys(map(int, rng.choice(drawn, number, replace=False)), factor))


def half_a_switch(rounds: Rounds, rng: np.random.Generator) -> Faults:
    """Half of a switch's cables that flows cross, in both directions."""
    net = rounds.net
    switch = int(rng.integers(net.fabric.num_switches))
    own = np.flatnonzero((net.ends[:, 0] == switch) & (rounds.binding(0.5) >= ENOUGH))
    chosen = rng.choice(own, len(own) // 2, replace=False) if len(own) > 1 else own
    return Faults({int(link) ^ way: 0.5 for link in chosen for way in (0, 1)})


def of_a_switch(rounds: Rounds, number: int, rng: np.random.Generator) -> Faults:
    """Entries of one switch, as of a block of its table that was not written."""
    net = rounds.net
    far = np.append(net.ends[:, 2], NONE)[rounds.path]
    switches = [one for one in np.unique(far) if 0 <= one < net.fabric.num_switches]
    for switch in rng.permutation(switches).tolist():
        found = []
        for host in rng.permutation(len(net.hosts)).tolist():
            if ports := other_ports(net, switch, host):
                found.append((switch, host, int(rng.choice(ports))))
            if len(found) == number:
                return Faults(entries=tuple(found))
    return Faults()
