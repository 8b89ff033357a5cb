"""The benchmark of eventree's quality: what it compares, and how it says who wins."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lacis import _core

from benchmarks import quality
from benchmarks.quality import Quality

if TYPE_CHECKING:
    from pathlib import Path

OWN = Quality(
    fabric="a tree",
    engine="eventree",
    traffic="adapters",
    lost=0,
    lost_others=0,
    loops=0,
    busiest=1.2,
    forced=1.0,
    bisection=0.7,
    worst_bisection=0.6,
    bisection_flows=5,
    shift=0.9,
    worst_shift=0.8,
    shift_flows=3,
    bound=12,
    own_order="eventree",
    own_shift=0.95,
)


def test_a_cell_names_the_best_other_engine_and_says_whether_ours_wins() -> None:
    good = replace(OWN, engine="sssp", shift=0.8)
    better = replace(OWN, engine="ftree", shift=0.99, shift_flows=2)
    assert quality.compare(("shift", True), OWN, [good])[:2] == ("**0.900 / 0.800 sssp**", "wins")
    assert quality.compare(("shift", True), OWN, [good, better])[:2] == ("_0.900 / 0.990 ftree_", "loses")
    assert quality.compare(("shift_flows", False), OWN, [good, better])[:2] == ("_3 / 2 ftree_", "loses")
    assert quality.compare(("forced", False), OWN, [good])[:2] == ("1.000 / 1.000 sssp", "ties")


def test_shifts_in_the_order_that_suits_the_tables_name_it() -> None:
    other = replace(OWN, engine="ftree", own_order="topology", own_shift=0.947)
    assert quality.compare(("own_shift", True), OWN, [other])[:2] == (
        "**0.950 eventree / 0.947 topology ftree**",
        "wins",
    )


def test_the_inputs_that_a_search_tries_are_distinguished() -> None:
    tried = ("ftree, a leaf as root", "minhop, a leaf as root", "tune: updn, ordered")
    assert all(map(quality.is_tuned, tried))
    assert not any(map(quality.is_tuned, ("ftree, roots", "minhop, ordered", "eventree")))


def test_an_engine_that_loses_pairs_of_aggregation_nodes_is_marked() -> None:
    other = replace(OWN, engine="ftree", lost_others=432)
    assert quality.compare(("shift", True), OWN, [other])[0] == "0.900 / 0.900 ftree †"


def test_opensm_gets_roots_at_the_top_and_at_a_leaf_compute_nodes_and_orders() -> None:
    fabric = _core.generate_fabric("fat-tree:8,2")
    label, *rest = (label for label, _, _ in quality.variants(fabric))
    assert label == "eventree"
    assert {
        "minhop, ordered",
        "minhop, shifted",
        "ftree, roots, hosts",
        "sssp, hosts",
        "ftree, a leaf as root",
    } <= {*rest}
    assert any(label.startswith("updn, a leaf as root, ordered and padded") for label in rest)


def test_the_traffic_of_the_report_counts_where_hosts_have_several_adapters(dgx: Path) -> None:
    fabric = _core.read_fabric(dgx.read_bytes())
    found = quality.quality("dgx", fabric, ("eventree", "eventree", {}), 2)
    assert [q.traffic for q in found] == ["adapters", "report"]
    one_each = quality.quality("tree", _core.generate_fabric("fat-tree:8,2"), ("eventree", "eventree", {}), 2)
    assert [q.traffic for q in one_each] == ["adapters"]


def test_lost_spines_are_switches_at_the_top() -> None:
    fabric = _core.generate_fabric("fat-tree:8,2")
    lost = fabric.edit(quality.spines(fabric)[:1])
    assert (fabric.num_switches - lost.num_switches, fabric.num_end_nodes) == (1, lost.num_end_nodes)
