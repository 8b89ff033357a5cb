"""Other tables are seen before suspects are sought, by flows that are faster than the assumed ones allow."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from lacis.documents.explain import Candidate
from lacis.explain.culprits import locate
from lacis.explain.doubted import fit_better, has_faster
from lacis.explain.suspects import reasons, verdict
from lacis.explain.tables import ASSUMED, WhichTables
from lacis.facts.wording import text


def core(faster: int, slower: int, *, of: int = 1000, kinds: int = 2) -> Any:
    """Flows at 1 and, in each further kind, at half of the rate before; some of each kind get twice or half as much."""
    gain = np.concatenate(
        [np.tile([0.01, -0.01], of)[: of - faster - slower], np.full(faster, 0.69), np.full(slower, -0.69)]
    )
    expected = np.repeat(12e9 / 2.0 ** np.arange(kinds), of)

    def sought() -> None:
        raise AssertionError("no suspect is sought where other tables run")

    return SimpleNamespace(flows=lambda: {"expected": expected, "loss": -np.tile(gain, kinds)}, locate=sought)


def which(*candidates: tuple[str, str, int, float, float | None], fits: bool = True) -> WhichTables:
    """A comparison: name, how, group, standard deviations behind, and the share as expected."""
    made = [
        Candidate(name, how, group, 0.0, z, 1.0, 0.05, share if fits else share and share / 4, 0)
        for name, how, group, z, share in candidates
    ]
    return WhichTables(made, [], 17_152, 8_710)


OTHER = which(("minhop", "tables", 0, 0.0, 0.98), (ASSUMED, "tables", 1, 50.8, 0.69))


def test_flows_are_faster_than_tables_allow_where_these_are_wrong_and_not_where_links_are_slow() -> None:
    # 6 of 1,000 are many, however many are slow.
    assert has_faster(core(59, 0, of=10_000)) is False
    assert has_faster(core(60, 0, of=10_000))
    assert has_faster(core(60, 3000, of=10_000))
    assert has_faster(core(0, 3000, of=10_000)) is False
    # 20 flows are needed in all: 19 of 1,000 are not many enough, whatever share they are.
    assert has_faster(core(19, 0, kinds=1)) is False
    assert has_faster(core(20, 0, kinds=1))
    # Fewer than 20 of one expected rate are not compared with each other.
    assert has_faster(core(9, 0, of=19, kinds=8)) is False
    assert has_faster(SimpleNamespace(flows=lambda: {"expected": np.zeros(0), "loss": np.zeros(0)})) is False  # type: ignore[arg-type]


def test_values_with_much_noise_are_not_faster_for_it() -> None:
    # Normal noise of 20 %: beyond 4 deviations lie 3 of 100,000, and beyond 13 % a quarter.
    gain = 0.2 * np.random.default_rng(1).standard_normal(20_000)
    noisy: Any = SimpleNamespace(flows=lambda: {"expected": np.full(20_000, 12e9), "loss": gain})
    assert has_faster(noisy) is False


def test_tables_that_fit_far_better_run() -> None:
    found = fit_better(OTHER)
    assert found is not None
    assert (found.flows, found.as_expected, found.assumed, found.behind) == (8710, 0.98, 0.69, 50.8)
    orders = which(("minhop", "orders", 0, 0.0, None), (ASSUMED, "tables", 1, 90.0, 0.3))
    assert fit_better(orders) is not None


@pytest.mark.parametrize(
    "other",
    [
        which(
            (ASSUMED, "tables", 0, 0.0, 0.9), ("minhop", "tables", 1, 30.0, 0.5)
        ),  # the assumed ones are best
        which(
            (ASSUMED, "tables", 0, 0.0, 0.9), ("minhop", "tables", 0, 0.0, 0.9)
        ),  # nothing is distinguished
        which(("minhop", "tables", 0, 0.0, 0.98), (ASSUMED, "tables", 1, 5.0, 0.69)),  # by too little
        which(("minhop", "tables", 0, 0.0, 0.9), (ASSUMED, "tables", 1, 40.0, 0.85)),
        which(("minhop", "tables", 0, 0.0, 0.7), (ASSUMED, "tables", 1, 40.0, 0.5)),  # neither is good
        which(("minhop", "orders", 0, 0.0, None), (ASSUMED, "tables", 1, 90.0, 0.85)),
        which(("minhop", "tables", 0, 0.0, 0.98)),  # the assumed ones are not there
    ],
)
def test_else_suspects_are_sought(other: WhichTables) -> None:
    assert fit_better(other) is None


def test_a_comparison_that_was_asked_for_decides_by_itself() -> None:
    little = which(("minhop", "tables", 0, 0.0, 0.7), (ASSUMED, "tables", 1, 5.0, 0.5))
    assert fit_better(little, by_far=False) is not None
    own = which((ASSUMED, "tables", 0, 0.0, 0.9), ("minhop", "tables", 1, 30.0, 0.5))
    assert fit_better(own, by_far=False) is None


def test_no_suspect_is_sought_where_other_tables_run() -> None:
    asked = []

    def ask() -> WhichTables:
        asked.append(1)
        return OTHER

    found = locate(core(200, 200), 64, is_time=False, level=0.9, ask=ask)
    assert (found.verdict, found.running, found.found, found.partly, found.fitness) == (
        "other_tables",
        ["minhop"],
        (),
        (),
        None,
    )
    assert asked == [1]
    assert text(verdict(found)) == "unfit to blame anyone: other tables run"
    assert [*map(text, reasons(found))] == [
        "consistent with: minhop (--which-tables compares all)",
        "of 8,710 flows for which tables expect different rates, 98% are as these expect, 69% as those assumed; so no suspect was sought",
    ]
    # A comparison that was made already is not made again, and needs no doubt.
    assert locate(core(0, 0), 64, is_time=False, level=0.9, compared=OTHER).running == ["minhop"]


def test_without_doubt_no_engine_is_asked() -> None:
    def ask() -> WhichTables:
        raise AssertionError("tables are compared only where there is doubt about them")

    with pytest.raises(AssertionError, match="no suspect is sought"):
        locate(core(0, 200), 64, is_time=False, level=0.9, ask=ask)
