"""The lanes of lash, against the service levels that the real OpenSM answers, and the counts that it logs."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable

import pytest
from lacis import _core

from .fabrics import FABRICS, Subject, spec
from .path_records import service_levels

pytestmark = pytest.mark.oracle

MOST_PAIRS = 6000
"""Pairs of LIDs that are queried on one fabric; on larger ones a random choice."""

SUBJECTS: dict[str, Callable[[], Subject]] = {
    **{name: FABRICS[name] for name in ("ring-8", "torus-3x3x3", "mesh-4x4", "random-4", "random-6")},
    **{name: FABRICS[name] for name in ("three-tier-18", "dragonfly:2,4,2", "two-directors")},
    # Balancing runs out of pairs to try on these.
    "fat-tree:4,4": lambda: spec("fat-tree:4,4", 24),
    "ring:16": lambda: spec("ring:16", 3),
}


def compare(
    subject: Subject, start: int = 0, scatter: int = 0, conf: str = "", *, mesh: bool = False
) -> Counter[str]:
    """Compares service levels and the counts of each lane; returns the counts."""
    fabric = _core.read_fabric(subject.text.encode())
    routes = _core.route(
        fabric,
        "lash",
        sm=subject.idents[0],
        lash_start_vl=start,
        scatter=scatter,
        mesh_analysis=mesh,
        fallback=False,
    )
    levels = routes.service_levels()
    assert levels is not None
    lids = sorted(routes.lids()[0].tolist())
    edge_switch = routes.edge_switches()
    pairs = [(a, b) for a in lids for b in lids]
    if len(pairs) > MOST_PAIRS:
        pairs = random.Random(1).sample(pairs, MOST_PAIRS)
    answers, log = service_levels(subject.text, "lash", conf, sm=subject.idents[0], pairs=pairs)
    differ = [(pair, sl) for pair, sl in answers.items() if levels[edge_switch[pair[0]], pair[1]] != sl]
    assert not differ, differ[:5]
    # OpenSM logs ordered pairs of switches by lane, before and after balancing.
    logged = [int(n) for n in re.findall(r"Lanes in layer \d+: (\d+)", log)]
    owners = {lid: switch for lid, switch in enumerate(edge_switch) if switch >= 0}
    switch_lids = {s: lid for lid, s in sorted(owners.items(), reverse=True)}
    ours = Counter(int(levels[a, switch_lids[b]]) - start for a in switch_lids for b in switch_lids if a != b)
    assert [ours[lane] for lane in range(len(ours))] == logged[len(logged) // 2 :]
    return Counter(pairs=len(answers), lanes=len(ours))


@pytest.mark.parametrize("name", SUBJECTS)
def test_service_levels_are_opensms(name: str) -> None:
    assert compare(SUBJECTS[name]())["pairs"] >= 200


@pytest.mark.parametrize("name", ["torus-3x3x3", "mesh-4x4", "random-4", "dragonfly:2,4,2"])
def test_service_levels_follow_the_mesh(name: str) -> None:
    compare(SUBJECTS[name](), conf="do_mesh_analysis TRUE\n", mesh=True)


@pytest.mark.parametrize("start", [1, 3])
def test_lanes_start_where_the_option_says(start: int) -> None:
    compare(FABRICS["torus-3x3x3"](), start=start, conf=f"lash_start_vl {start}\n")


def test_scattered_ports_seed_the_balancing_too() -> None:
    compare(FABRICS["ring-8"](), scatter=42, conf="scatter_ports 42\n")


def test_the_fabrics_use_lanes_and_balancing() -> None:
    needed = [
        _core.route(_core.read_fabric(make().text.encode()), "lash").service_levels()
        for make in SUBJECTS.values()
    ]
    assert sum(levels is not None and levels.max() > 0 for levels in needed) >= 6
