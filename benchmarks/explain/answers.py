"""What `lacis explain` answers to values of rounds."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from lacis import _core
from lacis.explain.culprits import locate
from lacis.explain.faster import entries_by_fast_flows
from lacis.explain.tables import ASSUMED, compared

from .fair import damaged
from .net import ENGINE, net
from .view import judge

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lacis.documents.explain import Suspect
    from lacis.explain.culprits import Culprits
    from lacis.explain.tables import WhichTables

    from .measured import Faults, Rounds
    from .net import Floats, Net
    from .view import Named


@dataclass(frozen=True)
class Answer:
    """What `lacis explain` says of a run."""

    verdict: str
    named: int
    running: list[str]


def site(name: str) -> Net | None:
    """A fabric by name."""
    if name != "damaged":
        return net(name)
    whole = net("fat-tree:36,2")
    return None if whole is None else damaged(whole, 20, 5, ENGINE)


def explained(rounds: Rounds, values: Floats) -> _core.Explained:
    """Values under the tables that are assumed."""
    repeats = values.shape[1]
    return _core.observe(
        rounds.net.routes,
        rounds.net.traffic,
        quantity="rate",
        source=np.repeat(rounds.flows[:, 0], repeats).astype(np.uint32),
        destination=np.repeat(rounds.flows[:, 1], repeats).astype(np.uint32),
        rounds=np.repeat(rounds.number, repeats).astype(np.uint32),
        values=values.ravel(),
    )


def culprits(rounds: Rounds, values: Floats) -> Culprits:
    """The answer, with the comparison of tables where it is in doubt."""
    core = explained(rounds, values)

    def ask() -> WhichTables:
        return compared(core, rounds.net.routes, given=ASSUMED)

    net = rounds.net
    return locate(
        core,
        1 << 20,
        is_time=False,
        level=1.0,
        ask=ask,
        led_elsewhere=lambda known: entries_by_fast_flows(core, net.routes, net.traffic, known),
    )


def answer(rounds: Rounds, values: Floats) -> Answer:
    """The verdict, how many are named, and the tables that are."""
    found = culprits(rounds, values)
    return Answer(found.verdict, len(found.found) + len(found.partly), list(found.running))


def named(rounds: Rounds, suspects: list[Suspect]) -> list[Named]:
    """Suspects as benchmarks have them: links by number, entries by switch, host and port (-1: not known), switches by name."""
    out: list[Named] = []
    for one in suspects:
        if one.kind == "switch":
            out.append(one.node)
        elif one.destination is not None:
            out.append(rounds.net.entry(one.node, one.egress, one.destination))
        else:
            out += [int(rounds.net.by_number[link]) for link in one.links]
    return out


def one_of(rounds: Rounds, suspects: Sequence[Suspect], broken: Faults) -> Suspect:
    """Of suspects that explain the same, and are said as one, a broken one; the likeliest where none is."""
    hits = (one for one in suspects if judge(rounds, named(rounds, [one]), broken).hits)
    return next(hits, suspects[0])


def row(cell: str, said: list[Answer]) -> dict[str, Any]:
    """The counts of a cell."""
    return {
        "cell": cell,
        "runs": len(said),
        "verdicts": dict(Counter(one.verdict for one in said)),
        "named": sum(one.named for one in said),
        "alarms": sum(one.named > 0 for one in said),
        "running": dict(Counter(name for one in said for name in one.running).most_common(3)),
    }
