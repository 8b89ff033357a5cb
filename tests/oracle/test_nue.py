"""The lanes of nue, against the service levels that the real OpenSM answers."""

from __future__ import annotations

import random

import pytest
from lacis import _core

from .fabrics import FABRICS
from .path_records import service_levels

pytestmark = pytest.mark.oracle

MOST_PAIRS = 3000
"""Pairs of LIDs that are queried on one fabric; on larger ones a random choice."""

CASES = {
    "ring-8": (1, 2, 3),
    "torus-3x3x3": (4, 8),
    "random-4": (5, 6),
    "two-directors": (7, 0),
    "dragonfly:2,4,2": (2,),
}
"""Lanes to try on each fabric; 0 is all, which are 8 on ibsim."""


@pytest.mark.parametrize("includes_switches", [False, True])
@pytest.mark.parametrize(("name", "lanes"), [(n, k) for n, all_of in CASES.items() for k in all_of])
def test_service_levels_are_opensms(name: str, lanes: int, includes_switches: bool) -> None:
    subject = FABRICS[name]()
    fabric = _core.read_fabric(subject.text.encode())
    routes = _core.route(
        fabric,
        "nue",
        sm=subject.idents[0],
        nue_vls=lanes,
        nue_include_switches=includes_switches,
        fallback=False,
    )
    levels = routes.service_levels()
    lids = sorted(routes.lids()[0].tolist())
    edge_switch = routes.edge_switches()
    pairs = [(a, b) for a in lids for b in lids]
    if len(pairs) > MOST_PAIRS:
        pairs = random.Random(1).sample(pairs, MOST_PAIRS)
    conf = f"qos TRUE\nnue_max_num_vls {lanes}\nnue_include_switches {str(includes_switches).upper()}\n"
    answers, _ = service_levels(subject.text, "nue", conf, sm=subject.idents[0], pairs=pairs)
    assert len(answers) >= 200
    # On one lane OpenSM leaves the level to its QoS policy, which has none but 0 here.
    ours = {pair: 0 if levels is None else int(levels[edge_switch[pair[0]], pair[1]]) for pair in answers}
    assert answers == ours
    used = {sl for (_, to), sl in answers.items()}
    assert used == set(range(lanes or 8))
