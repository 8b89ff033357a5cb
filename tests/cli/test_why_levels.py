"""`lacis fabric --why-levels`: what shifts can have at most, beside how far a tree is whole."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.conftest import Lacis


def explained(lacis: Lacis, *arguments: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(lacis("fabric", *arguments, "--why-levels", "--json").out)
    return content


def test_a_whole_tree_has_no_bound_below_the_link_rate(lacis: Lacis) -> None:
    assert explained(lacis, "fat-tree:8,2")["shifts_at_most"]["mean"] == 1
    assert "Bound" not in lacis("fabric", "fat-tree:8,2", "--why-levels").out
    assert "shifts_at_most" not in json.loads(lacis("fabric", "fat-tree:8,2", "--json").out)


def test_the_bound_of_a_taper_stands_beside_its_stages(lacis: Lacis) -> None:
    # Four leaves of four hosts on two spines. In the shifts 1 to 15 a leaf sends 1, 2, 3, nine times 4, 3, 2 and 1 hosts' packets up,
    # 48 in all, by two cables: 20 are lost of 60.
    bound = explained(lacis, "pgft:2;4,4;1,2;1,1")["shifts_at_most"]
    assert (bound["mean"], bound["worst"], bound["narrow"]) == (pytest.approx(2 / 3), 0.5, 4)
    out = lacis("fabric", "pgft:2;4,4;1,2;1,1", "--why-levels").out
    assert "levels 0–1: whole" in out
    assert "Bound, leaf by leaf: shifts have 0.667 of the link rate at most (the worst 0.500)" in out


def test_the_bound_names_half_spines(lacis: Lacis) -> None:
    # Eight leaves of four hosts on three spines and two that reach half of the leaves: a leaf has three uplinks for four hosts
    # where all are in the other half, in 16 - 3 of 31 shifts (docs/explanation/eventree.md).
    gone = [f"leaf-0{leaf}--spine-0{4 if leaf > 4 else 5}" for leaf in range(1, 9)]
    options = [word for one in gone for word in ("--without", one)]
    bound = explained(lacis, "pgft:2;4,8;1,5;1,1", *options)["shifts_at_most"]
    assert bound["mean"] == pytest.approx(1 - (16 - 3) / (4 * 31))
    assert bound["parts"] == ["spine-04", "spine-05"]


def test_without_two_hosts_there_are_no_shifts(lacis: Lacis) -> None:
    assert "shifts_at_most" not in explained(lacis, "fat-tree:4,2", "--without", "node*")
    assert "shifts_at_most" not in explained(lacis, "fat-tree:4,2", "--without", "node000[2-8]")


def test_a_tree_whose_switches_have_one_child_is_none_of_a_ring(lacis: Lacis) -> None:
    # Two leaves, each on two switches of its own, and two tops: a ring of eight switches, of which two have hosts.
    found = explained(lacis, "pgft:3;2,1,2;1,2,1;1,1,1")
    [plane] = found["why_levels"]
    [trial] = plane["trials"]
    assert (found["levels"], plane["is_grid"], trial["leaves"], trial["left_out"]) == (
        3,
        False,
        2,
        "without_adapters",
    )
    assert [(stage["level"], stage["blocks"], stage["whole"]) for stage in plane["stages"]] == [
        (0, 2, 2),
        (1, 2, 2),
    ]
