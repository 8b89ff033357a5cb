"""Multicast trees with Lacis' engines inside OpenSM: those that OpenSM makes with its own engine of the same name."""

from __future__ import annotations

import pytest

from . import opensm
from .fabrics import FABRICS
from .multicast import trees

pytestmark = [pytest.mark.oracle, pytest.mark.usefixtures("plugin_built")]

CONF = f"{opensm.PLUGIN_CONF}event_plugin_options prove=delivery\n"


@pytest.mark.parametrize(
    ("name", "engine"),
    [
        ("damaged-three-tier-a", "minhop"),
        ("three-tier-mid-to-mid", "updn"),
        ("three-tier-18", "ftree"),
        ("random-3", "dnup"),
        ("torus-4x4", "lash"),
        ("torus-4x4", "dor"),
    ],
)
def test_multicast_trees_are_those_of_opensms_own_engine(name: str, engine: str) -> None:
    compare(name, engine, engine)


@pytest.mark.parametrize(
    ("name", "engine"),
    [("three-tier-18", "eventree"), ("random-3", "numbered"), ("random-3", "nue"), ("random-3", "sssp")],
)
def test_trees_of_other_engines_go_by_shortest_paths_as_with_minhop(name: str, engine: str) -> None:
    compare(name, "minhop", engine)


def compare(name: str, own: str, engine: str) -> None:
    subject = FABRICS[name]()
    theirs = trees(subject.text, own, sm=subject.idents[0])
    ours = trees(subject.text, f"lacis-{engine}", CONF, sm=subject.idents[0])
    assert (theirs.engine, ours.engine) == (own, f"lacis-{engine}")
    assert not ours.errors
    assert theirs.tables.count("0xc000 ") > 1
    assert ours.tables == theirs.tables


def test_trees_of_sssp_reach_all_adapters() -> None:
    subject = FABRICS["random-3"]()
    ours = trees(subject.text, "lacis-sssp", CONF, sm=subject.idents[0])
    assert (ours.engine, ours.errors) == ("lacis-sssp", [])
    rows = [line for line in ours.tables.splitlines() if line.startswith("0xc000 ")]
    # A tree has one link fewer than switches; each link appears at both of its ends, each adapter once.
    assert sum(row.count("x") - 1 for row in rows) == ours.members + 2 * (len(rows) - 1)
