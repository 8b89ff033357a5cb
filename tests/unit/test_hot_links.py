"""The hottest links: counted by hand, by walking the tables, and none where all is even."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from lacis import _core
from lacis.fabric.reading import read
from lacis.report.hot_links import OVER_MEAN, hot_links, inferred

if TYPE_CHECKING:
    from pathlib import Path

    from lacis._core import Fabric
    from lacis.documents.report import HotLink


def hot(fabric: Fabric, engine: str = "minhop") -> list[HotLink]:
    return hot_links(fabric, _core.route(fabric, engine))


@pytest.mark.parametrize("spec", ["fat-tree:8,2", "fat-tree:4,2:rails=2", "torus:4x4", "chain:1"])
def test_where_all_is_even_nothing_is_reported(spec: str) -> None:
    assert hot(read(spec)) == []
    assert hot(read("fat-tree:4,3"), "ftree") == []


def test_the_middle_of_a_row_is_hot() -> None:
    # Six switches in a row with two hosts each. Ordered pairs over the five links, each way: 2 × 10, 4 × 8, 6 × 6,
    # 8 × 4, 10 × 2; their mean is 28, and a host's own link carries 11. 36 is more than 1.2 × 28, 32 is not.
    links = hot(read("chain:6,h=2"))
    assert [(link.flows, link.over_mean) for link in links] == [(36, 36 / 28)] * 2
    assert {(link.source[:8], link.target[:8]) for link in links} == {
        ("switch-2", "switch-3"),
        ("switch-3", "switch-2"),
    }
    # Four switches: 12, 16, 12, of which 16 is 1.2 times the mean, and no more.
    assert pytest.approx(16 / (40 / 3)) == OVER_MEAN
    assert hot(read("chain:4,h=2")) == []


def test_a_link_that_carries_more_than_the_others_is_reported_with_its_hosts() -> None:
    # Three leaves of four hosts under two spines; leaf 1 keeps one of its two cables, and all its traffic is on that:
    # 4 × 8 pairs each way. The four others carry 4 × 8 / 2 = 16 on average.
    fabric = read("pgft:2;4,3;1,2;1,1").without(["leaf-01--spine-01"])
    links = hot(fabric)
    assert {
        (link.source, link.target, link.flows) for link in links if "leaf-01" in link.source + link.target
    } == {
        ("leaf-01[6]", "spine-02[1]", 32),
        ("spine-02[1]", "leaf-01[6]", 32),
    }
    for link in links[:2]:
        assert (link.rail, link.hosts) == ("", ["node0001", "node0002", "node0003", "node0004"])
        assert link.over_mean > OVER_MEAN


@pytest.mark.slow
def test_loads_are_those_of_packets_followed_one_by_one(dgx: Path) -> None:
    fabric = read(dgx)
    routes = _core.route(fabric, "minhop")
    on_rail = [link for link in hot_links(fabric, routes) if link.rail == "3"]
    hosts = _core.participants(routes, rail="3", order="topology").guids().tolist()
    crossed: Counter[str] = Counter()
    for target in hosts:
        for source in hosts:
            if source != target:
                for node, kind, _, _, out, _ in _core.trace(
                    routes, f"0x{source:016x}", f"0x{target:016x}"
                ).hops:
                    crossed[f"{node}[{out}]"] += kind == "switch"
    assert on_rail
    assert all(crossed[link.source] == link.flows for link in on_rail)
    assert max(link.flows for link in on_rail) == max(crossed.values())


def test_unnamed_adapters_have_their_inferred_hosts_name_marked(dgx: Path) -> None:
    named = inferred(read(dgx))
    assert named["a05-p1-dgx-01-c02"] == "a05-p1-dgx-01-c02?"
    links = hot(read(dgx))
    assert {link.rail for link in links} == {"1", "2", "3", "4"}
    assert any(host.endswith("?") for link in links for host in link.hosts)
    assert not any("MT4129" in host for link in links for host in link.hosts)
