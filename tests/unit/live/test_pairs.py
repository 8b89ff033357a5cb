"""Whose packets leave by a port: against routes traced pair by pair, the core's counts, and figures by hand."""

from __future__ import annotations

from collections import defaultdict
from itertools import permutations
from typing import TYPE_CHECKING

import lacis
import numpy as np
import pytest
from lacis import _core
from lacis.fabric.ports import ports_of
from lacis.live import jobs_on_ports, pairs_on_ports, usage
from lacis.why.loads import load_of_job

from ...ports_read import row_of

if TYPE_CHECKING:
    from pathlib import Path

    from lacis._core import Routes
    from lacis.live import PairsThere

ALL = 10**9


def every(there: PairsThere) -> list[tuple[str, str]]:
    return [(one.source, one.target) for one in there.listed]


def traced(routes: Routes) -> dict[tuple[int, int], set[tuple[str, str]]]:
    """By GUID and port the pairs of hosts whose route, asked for one by one, leaves there."""
    found = defaultdict(set)
    fabric = routes.fabric
    names = [
        name for name, kind in zip(fabric.descriptions(), fabric.kinds(), strict=True) if kind == "adapter"
    ]
    for source, target in permutations(names, 2):
        for hop in _core.trace(routes, source, target).hops:
            if hop.port_out is not None:
                found[int(hop.guid), int(hop.port_out)].add((source, target))
    return found


@pytest.mark.parametrize(
    ("spec", "engine", "cut"),
    [
        ("fat-tree:4,2", "minhop", []),
        ("fat-tree:4,2", "updn", ["leaf-01--spine-01", "leaf-03--spine-02"]),
        ("fat-tree:4,3", "ftree", []),
        ("torus:4x4", "dor", []),
        ("random:6,3,2", "minhop", []),
    ],
)
def test_pairs_are_those_whose_routes_come_by(spec: str, engine: str, cut: list[str]) -> None:
    fabric = _core.generate_fabric(spec)
    routes = _core.route(fabric.without(cut) if cut else fabric, engine)
    ports = ports_of(routes.fabric)
    pairs = pairs_on_ports(routes, ports)
    by_port = traced(routes)
    for row in np.flatnonzero(ports.far >= 0).tolist():
        expected = by_port[int(ports.guids[row]), int(ports.numbers[row])]
        there = pairs.there(row, ALL)
        assert set(every(there)) == expected
        assert there.total == there.found == len(there.listed) == len(expected)
        assert sum(one.share for one in there.listed) == pytest.approx(1 if expected else 0)
    uncabled = np.flatnonzero(ports.far < 0).tolist()
    assert all(pairs.there(row, ALL).total == 0 for row in uncabled)


@pytest.mark.parametrize("lmc", [0, 2])
def test_as_many_as_the_core_counts(dgx: Path, lmc: int) -> None:
    routes = _core.route(lacis.read(dgx), "minhop", lmc=lmc)
    ports = ports_of(routes.fabric)
    pairs = pairs_on_ports(routes, ports)
    nodes, numbers, flows = _core.all_to_all(routes, "hosts")
    rows = ports.rows_of_nodes(nodes, numbers).tolist()
    for at in range(0, len(rows), 7):
        there = pairs.there(rows[at], 3)
        assert there.total == flows[at]
        assert len(there.listed) == min(3, there.total)


def test_the_first_are_the_first_by_name() -> None:
    routes = _core.route(_core.generate_fabric("fat-tree:8,3"), "minhop")
    ports = ports_of(routes.fabric)
    pairs = pairs_on_ports(routes, ports)
    names = every(pairs.there(row_of(ports, "leaf-02-01[5]"), ALL))
    assert len(names) > 100
    # Numbers of these names have as many digits, so that letters sort them.
    assert names == sorted(names)
    assert every(pairs.there(row_of(ports, "leaf-02-01[5]"), 40)) == names[:40]


def test_pairs_are_found_by_the_words_of_both_ends(dgx: Path) -> None:
    routes = _core.route(lacis.read(dgx), "minhop")
    ports = ports_of(routes.fabric)
    pairs = pairs_on_ports(routes, ports)
    row = row_of(ports, "A10-P1-IBSPINE-04[33]")
    names = every(pairs.there(row, ALL))
    # An adapter whose description does not say its host has it before it.
    assert any("? MT4129" in name for pair in names for name in pair)
    for text in ("c04", "C04 a05", "a05-p1-dgx-01-c04 c17 hca-1", "absent", "MT4129 c04"):
        words = text.casefold().split()
        wanted = [
            pair for pair in names if all(any(word in name.casefold() for name in pair) for word in words)
        ]
        there = pairs.there(row, 40, text)
        assert (there.total, there.found) == (len(names), len(wanted))
        assert every(there) == wanted[:40]


def test_of_jobs_the_pairs_of_each() -> None:
    fabric = _core.generate_fabric("fat-tree:4,2")
    routes, ports = _core.route(fabric, "minhop"), ports_of(fabric)
    members = {"one": ["node0001", "node0003", "node0005"], "two": ["node0002", "node0004"]}
    jobs = jobs_on_ports(routes, ports, members)
    pairs = pairs_on_ports(routes, ports, jobs)
    for row in np.flatnonzero(ports.far >= 0).tolist():
        by_job: dict[str, int] = defaultdict(int)
        for one in pairs.there(row, ALL).listed:
            by_job[one.job] += 1
            assert {one.source.split()[0], one.target.split()[0]} <= set(members[one.job])
        assert [by_job["one"], by_job["two"]] == jobs.loads[row].tolist()
    # From node0002 only the other host of its job gets packets.
    row = row_of(ports, "node0002 HCA-1[1]")
    assert every(pairs.there(row, ALL)) == [("node0002 HCA-1", "node0004 HCA-1")]
    assert pairs.there(row, ALL, "one").found == 0
    assert pairs.there(row, ALL, "two").found == 1


def test_those_that_send_more_come_first() -> None:
    fabric = _core.generate_fabric("fat-tree:4,2")
    routes, ports = _core.route(fabric, "minhop"), ports_of(fabric)
    jobs = jobs_on_ports(
        routes, ports, {"one": ["node0001", "node0003"], "two": ["node0001", "node0004", "node0008"]}
    )
    pairs = pairs_on_ports(routes, ports, jobs)
    row = row_of(ports, "node0001 HCA-1[1]")
    rates = {"one": 1e9, "two": 2e9}
    listed = pairs.there(row, ALL, rates=rates).listed
    # Job two sends 2 GB/s to each of two, job one 1 GB/s to one: 5 GB/s.
    assert [(one.target.split()[0], one.job, one.rate) for one in listed] == [
        ("node0004", "two", 2e9),
        ("node0008", "two", 2e9),
        ("node0003", "one", 1e9),
    ]
    assert [one.share for one in listed] == pytest.approx([0.4, 0.4, 0.2])
    # Where one of the rates is not known, none is believed, and each pair counts as much.
    listed = pairs.there(row, ALL, rates={"one": 1e9, "two": float("nan")}).listed
    assert {one.rate for one in listed} == {None}
    assert [one.share for one in listed] == pytest.approx([1 / 3] * 3)
    assert np.isnan(jobs.rates(usage(ports, None))).all()


def test_switches_that_choose_send_parts() -> None:
    fabric = _core.generate_fabric("fat-tree:4,2").without(["leaf-01--spine-01"])
    routes, ports = _core.route(fabric, "minhop"), ports_of(fabric)
    hosts = [f"node000{number}" for number in range(1, 9)]
    jobs = jobs_on_ports(routes, ports, {"all": hosts}, adaptive=True)
    pairs = pairs_on_ports(routes, ports, jobs)
    for row, flows in enumerate(load_of_job(routes, ports, hosts, adaptive=True).flows.tolist()):
        assert sum(one.part for one in pairs.there(row, ALL).listed) == pytest.approx(flows)
    # leaf-02 sends to leaf-01 by spine-02 alone, and half to each other leaf: what is whole comes first.
    there = pairs.there(row_of(ports, "leaf-02[4]"), ALL)
    assert there.total == 2 * 6
    parts = {(one.target.split()[0], one.part) for one in there.listed}
    assert parts == {(f"node000{number}", 1.0 if number <= 2 else 0.5) for number in (1, 2, 5, 6, 7, 8)}
    assert [one.part for one in there.listed] == [1.0] * 4 + [0.5] * 8
    # 4 whole pairs and 8 halves: 8 flows.
    assert {round(one.share, 6) for one in there.listed} == {1 / 8, 1 / 16}
    # By spine-01 nothing is sent to leaf-01.
    there = pairs.there(row_of(ports, "leaf-02[3]"), ALL, "node0001")
    assert (there.total, there.found) == (8, 0)


def test_packets_in_a_loop_come_by_once() -> None:
    fabric = _core.generate_fabric("ring:4")
    routes, ports = _core.route(fabric, "minhop"), ports_of(fabric)
    far = np.where(ports.far >= 0, ports.nodes[ports.far], -1)
    onward = {
        switch: next(row for row in np.flatnonzero(ports.nodes == switch) if far[row] == (switch + 1) % 4)
        for switch in range(4)
    }
    (port,) = (row for row in np.flatnonzero(ports.nodes == 0).tolist() if far[row] >= 4)
    lids, _ = routes.lids()
    (lid,) = (lid for lid in lids.tolist() if routes.table()[0, lid] == ports.numbers[port])
    table = routes.table().copy()
    # What is for the host of switch 0 goes round and round.
    table[:, lid] = [ports.numbers[onward[switch]] for switch in range(4)]
    pairs = pairs_on_ports(routes.with_table(table), ports)
    host = ports.names[far[port]]
    for switch in range(4):
        there = pairs.there(int(onward[switch]), ALL)
        assert sum(one.target == host for one in there.listed) == 3
    assert not any(one.target == host for one in pairs.there(port, ALL).listed)


@pytest.mark.parametrize("has_entry", [True, False])
def test_a_host_whose_packets_go_and_come_by_a_port_sends_none_to_itself(has_entry: bool) -> None:
    """Switches 0, 1 and 2 in a triangle with a host each: packets from 0 to 2 and from 1 to 0 go the long way, by the cable from 1 to 2."""
    fabric = _core.generate_fabric("ring:3")
    routes, ports = _core.route(fabric, "minhop"), ports_of(fabric)
    far = np.where(ports.far >= 0, ports.nodes[ports.far], -1)
    by = {(int(ports.nodes[row]), int(far[row])): row for row in np.flatnonzero(far >= 0).tolist()}
    host = [next(end for switch, end in by if switch == at and end >= 3) for at in range(3)]
    lids, table = routes.lids()[0].tolist(), routes.table().copy()
    lid = [next(lid for lid in lids if table[at, lid] == ports.numbers[by[at, host[at]]]) for at in range(3)]
    table[0, lid[2]] = ports.numbers[by[0, 1]]
    table[1, lid[0]] = ports.numbers[by[1, 2]]
    if not has_entry:
        # Packets for host 2 are lost at its switch, and leave by the port all the same.
        table[2, lid[2]] = 255
    there = pairs_on_ports(routes.with_table(table), ports).there(by[1, 2], ALL)
    expected = {(host[0], host[2]), (host[1], host[2]), (host[1], host[0])}
    assert set(every(there)) == {(ports.names[one], ports.names[other]) for one, other in expected}
    assert (there.total, there.found, there.flows) == (3, 3, 3)


def test_six_words_of_a_text_count() -> None:
    fabric = _core.generate_fabric("fat-tree:4,2")
    routes, ports = _core.route(fabric, "minhop"), ports_of(fabric)
    pairs, row = pairs_on_ports(routes, ports), row_of(ports, "node0001 HCA-1[1]")
    # To seven others it sends, to one of them with this number.
    assert pairs.there(row, ALL, "node0001 node hca 0 1 node0003 absent").found == 1
    assert pairs.there(row, ALL, "node0001 node hca 0 1 absent").found == 0
