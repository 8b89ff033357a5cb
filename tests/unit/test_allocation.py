"""Leaf groups, rates of sets of hosts, the search, rivals, and what squeue prints."""

from __future__ import annotations

import random

import lacis as api
import numpy as np
import pytest
from lacis import _core, allocation, job
from lacis.allocation.paths import distances
from lacis.allocation.rivals import contiguous, slurm_tree
from lacis.errors import LacisError
from lacis.facts.allocation import HostsApart, NothingTaken
from lacis.job.slurm import read_jobs
from lacis.scheduler.leaves import find_groups

TREE = "fat-tree:4,2"
"""Four leaves of two hosts, node0001 to node0008, under two spines."""
RATE = 25e9
"""A link of 4xHDR [bytes/s]."""


def machine_of(spec: str, *without: str, engine: str = "ftree") -> allocation.Machine:
    fabric = api.read(spec)
    fabric = fabric.without(list(without)) if without else fabric
    return allocation.machine_of(api.route(fabric, engine))


def nodes(*numbers: int) -> list[str]:
    return [f"node{number:04}" for number in numbers]


ONE_SPINE = [f"leaf-0{leaf}--spine-02" for leaf in (1, 2, 3, 4)]


def test_hosts_with_the_same_leaves_are_a_group_and_pods_join_groups() -> None:
    # Three levels of radix 4: eight leaves of two hosts, two leaves a pod, four pods below the cores.
    machine = machine_of("fat-tree:4,3", engine="minhop")
    assert machine.groups.of.tolist() == [host // 2 for host in range(16)]
    assert machine.groups.units.tolist() == [[0, 0, 1, 1, 2, 2, 3, 3], [0] * 8]
    # Of two rails a group has two leaves, one a rail.
    railed = machine_of("fat-tree:4,2:rails=2", engine="minhop").groups
    assert railed.of.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert [len(leaves) for leaves in railed.leaves] == [2, 2, 2, 2]


@pytest.mark.parametrize("spec", ["fat-tree:8,3", "fat-tree:8,2:rails=2", "itasca:6", "torus:4x4"])
def test_groups_are_those_of_a_schedulers_tree(spec: str) -> None:
    routes = api.route(api.read(spec), "minhop")
    machine = allocation.machine_of(routes)
    ours: dict[int, set[str]] = {}
    for host, group in zip(machine.hosts, machine.groups.of.tolist(), strict=True):
        ours.setdefault(group, set()).add(host)
    theirs = [set(group.hosts) for group in find_groups(routes.fabric).groups]
    assert sorted(map(sorted, ours.values())) == sorted(map(sorted, theirs))


def test_a_host_that_lacks_a_rail_is_in_the_group_of_its_neighbours() -> None:
    machine = machine_of("fat-tree:8,2:rails=2", "node0001 HCA-2", engine="minhop")
    assert machine.groups.of[:8].tolist() == [0, 0, 0, 0, 1, 1, 1, 1]


def test_a_host_between_two_groups_is_one_of_its_own() -> None:
    # Hosts 1 to 4 hang on the first leaf of each rail, 5 to 8 on the second. The second adapters of hosts 4 and 8 are exchanged:
    # each has a cable to either group, and they share no leaf.
    net = api.read("fat-tree:8,2:rails=2").to_net()
    net = net.replace("node0004 HCA-2", "one").replace("node0008 HCA-2", "node0004 HCA-2")
    fabric = _core.read_fabric(net.replace('"one"', '"node0008 HCA-2"').encode())
    machine = allocation.machine_of(api.route(fabric, "minhop"))
    assert machine.groups.of[:8].tolist() == [0, 0, 0, 1, 2, 2, 2, 3]


@pytest.mark.parametrize("spec", ["fat-tree:8,3", "fat-tree:8,2:rails=2", "torus:4x4"])
def test_rates_of_shifts_are_those_of_the_fluid_model(spec: str) -> None:
    routes = api.route(api.read(spec), "minhop")
    machine = allocation.machine_of(routes)
    rng = random.Random(spec)
    for count in (2, 5, 13):
        hosts = sorted(rng.sample(range(len(machine.hosts)), count))
        score = machine.judge("shifts").score(np.array(hosts))
        # `job` fills the links step by step, in another program.
        found = job.examine(routes, [machine.hosts[host] for host in hosts])
        rates = {row.what: row.static for row in found.bandwidths}
        assert score.worst == pytest.approx(rates["worst shift"])
        assert score.mean == pytest.approx(rates["shifts"])


def test_a_pattern_is_its_distances() -> None:
    assert distances(5, 32, "shifts") == [1, 2, 3, 4]
    assert distances(65, 32, "shifts") == list(range(1, 65, 2))
    assert distances(8, 32, "ring") == [1, 7]
    assert distances(8, 32, "doubling") == [1, 2, 4, 6, 7]
    assert distances(2, 32, "ring") == distances(2, 32, "doubling") == [1]
    assert distances(1, 32, "shifts") == []


def test_the_best_nodes_avoid_two_receivers_behind_one_port() -> None:
    # Leaf 1 has node0001 to 0004, leaf 2 node0005 to 0008. ftree gives the four hosts of a leaf four spines. Here leaf 1
    # reaches node0006 by the port of node0005. Of {1, 2, 3, 5, 6} the shift by 2 has 2 → 5 and 3 → 6, which share that
    # port; of {1, 2, 3, 5, 7} and {1, 2, 3, 6, 7} no shift does: two flows to leaf 2 have two receivers.
    fabric = api.read("fat-tree:8,2")
    routes = api.route(fabric, "ftree")
    lids, guids = routes.lids()
    lid_of = dict(zip(guids.tolist(), lids.tolist(), strict=True))
    port_of = dict(
        zip(nodes(*range(1, 33)), api.participants(routes, host_order="name").guids().tolist(), strict=True)
    )
    fifth, sixth = (lid_of[port_of[name]] for name in nodes(5, 6))
    table = routes.table().copy()
    leaf = [name for name, _ in fabric.switches()].index("leaf-01")
    assert table[leaf, fifth] != table[leaf, sixth]
    table[leaf, sixth] = table[leaf, fifth]
    machine = allocation.machine_of(routes.with_table(table))

    found = allocation.fit(machine, 5, nodes(1, 2, 3, 5, 6, 7))

    assert found.best.score is not None
    assert found.best.score.worst == pytest.approx(RATE)
    by_rule = {choice.rule: choice for choice in found.choices}
    assert by_rule["slurm"].hosts == tuple(nodes(1, 2, 3, 5, 6))
    assert by_rule["slurm"].score is not None
    assert by_rule["slurm"].score.worst == pytest.approx(RATE / 2)
    assert found.best.groups == by_rule["slurm"].groups == 2
    # Packet by packet the shift by 2 takes twice as long on Slurm's nodes, too.
    took = []
    for rule in ("slurm", "lacis"):
        hosts = api.participants(
            routes.with_table(table), groups=",".join(by_rule[rule].hosts), host_order="name"
        )
        sent = api.Workload(traffic="shift:2", size=1 << 20, hosts=hosts)
        took.append(float(api.simulate(routes.with_table(table), sent).times().max()))
    assert took[0] / took[1] == pytest.approx(2, rel=0.1)


def test_the_best_nodes_are_in_no_more_groups_than_slurms() -> None:
    # One host a leaf would have a link each, but Slurm needs three leaves.
    machine = machine_of(TREE, *ONE_SPINE)
    found = allocation.fit(machine, 4, nodes(1, 2, 3, 5, 7))
    assert found.best.groups == 3
    assert {choice.rule: choice.groups for choice in found.choices}["slurm"] == 3


def test_running_jobs_take_their_share_of_links() -> None:
    # Of the four leaves below one spine, leaf 1 and 2 have a job across: 2 → 4 and back. Nodes 1 and 3 share its links.
    machine = machine_of(TREE, *ONE_SPINE)
    found = allocation.fit(machine, 2, nodes(1, 3), running={"7": nodes(2, 4)})
    assert found.best.score is not None
    assert found.best.score.worst == pytest.approx(RATE)
    assert found.best.score.worst_beside == pytest.approx(RATE / 2)
    # Nodes 5 and 7 do not, and are better, although they are as fast alone.
    wider = allocation.fit(machine, 2, nodes(1, 3, 5, 7), running={"7": nodes(2, 4)})
    assert wider.best.hosts == tuple(nodes(5, 7))


def test_hosts_that_do_not_reach_the_others_are_left() -> None:
    machine = machine_of(TREE, "leaf-01--spine-01", "leaf-01--spine-02", engine="minhop")
    found = allocation.fit(machine, 3, nodes(1, 3, 5, 7))
    assert found.best.hosts == tuple(nodes(3, 5, 7))
    assert found.is_routed
    alone = allocation.fit(machine, 3, nodes(1, 3, 5))
    # 1 with 3 and 5, both ways.
    assert [one.pairs for one in alone.remarks if isinstance(one, HostsApart)] == [4] * 2
    assert not alone.is_routed


def test_too_many_nodes_are_refused() -> None:
    with pytest.raises(LacisError, match="`nodes`: 3 are asked for, and 2 of 8 hosts are free"):
        allocation.fit(machine_of(TREE), 3, nodes(1, 2))


def test_what_is_found_says_how_many_distances_were_looked_at_and_which_rules_find_nothing() -> None:
    machine = machine_of(TREE)
    assert [allocation.fit(machine, count, nodes(1, 3, 5)).shifts for count in (1, 2, 3)] == [
        (0, 0),
        (1, 1),
        (2, 2),
    ]
    found = allocation.fit(machine, 2, nodes(1, 3, 5))
    assert [one for one in found.remarks if isinstance(one, NothingTaken)] == [NothingTaken("contiguous")]
    none = next(one for one in found.choices if one.rule == "contiguous")
    assert (none.hosts, none.groups, none.score) == ((), 0, None)


def test_a_host_without_a_cable_is_none_of_the_machines() -> None:
    whole = machine_of(TREE)
    assert allocation.fit(whole, 8).remarks == ()
    machine = machine_of(TREE, "node0008 HCA-1--leaf-04", engine="minhop")
    found = allocation.fit(machine, 7)
    assert (found.free, found.of, found.best.hosts) == (7, 7, tuple(nodes(*range(1, 8))))
    with pytest.raises(LacisError, match="`nodes`: 8 are asked for, and 7 of 7 hosts are free"):
        allocation.fit(machine, 8)


def test_contiguous_takes_the_shortest_gap_that_is_long_enough() -> None:
    free = np.array([0, 1, 2, 5, 6, 9])
    assert (found := contiguous(free, 2)) is not None
    assert found.tolist() == [5, 6]
    assert (found := contiguous(free, 3)) is not None
    assert found.tolist() == [0, 1, 2]
    assert contiguous(free, 4) is None


def test_slurms_tree_prefers_the_leaf_then_the_pod_that_is_just_large_enough() -> None:
    machine = machine_of("fat-tree:8,3", engine="minhop")
    # Leaves of four hosts, pods of four leaves. Leaf 0 has 4 free, leaf 1 has 2, leaf 4 (of pod 1) has 3.
    free = np.array([0, 1, 2, 3, 4, 5, 16, 17, 18])
    taken = [slurm_tree(machine.groups, free, count) for count in (2, 3, 5, 10)]
    assert [None if hosts is None else hosts.tolist() for hosts in taken] == [
        [4, 5],
        [16, 17, 18],
        [0, 1, 2, 3, 4],
        None,
    ]


def test_what_must_end_is_what_ends_first_and_is_needed() -> None:
    machine = machine_of(TREE)
    running = {"11": nodes(1, 2), "12": nodes(3, 4), "13": nodes(5, 6, 7, 8)}
    text = "".join(
        f"{name} {len(hosts)} {left} {','.join(hosts)}\n"
        for (name, hosts), left in zip(running.items(), ("1:00:00", "10:00", "5:00:00"), strict=True)
    )
    listed = read_jobs(f"JOBID NODES TIME_LEFT NODELIST\n{text}".encode())
    jobs = [(one, running[one.name]) for one in listed.running]
    found = allocation.how_long(machine, 2, None, jobs)
    assert (found.jobs, found.seconds, found.hosts) == (("12",), 600.0, tuple(nodes(3, 4)))
    found = allocation.how_long(machine, 3, None, jobs)
    assert (found.jobs, found.seconds) == (("12", "11"), 3600.0)
    # Job 12 ends first, and is of no use to four nodes of two whole leaves once 13 has ended as well.
    found = allocation.how_long(machine, 5, None, jobs)
    assert found.jobs in (("12", "13"), ("11", "13"))
    # A bandwidth that no nodes have.
    found = allocation.how_long(machine, 2, 2 * RATE, jobs)
    assert (found.jobs, found.reached) == ((), None)


def test_two_jobs_across_the_same_leaves_exchange_a_node() -> None:
    # Below one spine 1 → 3 and 2 → 4 share the links of leaf 1 and leaf 2, two up and two down.
    fabric = api.read(TREE).without(ONE_SPINE)
    machine = allocation.machine_of(api.route(fabric, "ftree"))
    found = allocation.fragmentation(machine, fabric, {"a": nodes(1, 3), "b": nodes(2, 4)})
    assert [(one.groups, one.fewest) for one in found.jobs] == [(2, 1), (2, 1)]
    [shared] = found.shared
    assert (shared.jobs, shared.links, shared.flows) == (("a", "b"), 4, (1.0, 1.0))
    for one in found.jobs:
        assert [one.score.worst, one.score.mean_beside] == pytest.approx([RATE, RATE / 2])
    # A job on each leaf: four nodes at the full rate instead of half of it. Free leaves give as much to one job only.
    swap = found.swap
    assert swap is not None
    assert [swap.before, swap.after] == pytest.approx([2 * RATE, 4 * RATE])


def test_what_a_swap_costs_the_other_job_is_counted() -> None:
    # Below one spine b has a node on each leaf, and a one on leaf 1 and one on leaf 2. Every flow of a shares its link with one
    # of b, so all six nodes get half: 3 links. When a has both nodes of leaf 1, or of leaf 2, its rate is whole; b has two nodes
    # on one leaf then: of its shifts by 1, 2 and 3 that by 2 has two flows from there, at half the rate. 2 + 4 · 2.5 / 3.
    fabric = api.read(TREE).without(ONE_SPINE)
    machine = allocation.machine_of(api.route(fabric, "ftree"))
    swap = allocation.fragmentation(machine, fabric, {"a": nodes(1, 3), "b": nodes(2, 4, 6, 8)}).swap
    assert swap is not None
    assert {swap.job, swap.other} == {"a", "b"}
    assert swap.before == pytest.approx(3 * RATE)
    assert swap.after == pytest.approx((2 + 4 * 2.5 / 3) * RATE)


def test_jobs_of_report_e_get_the_parts_of_a_link_that_it_gives_them() -> None:
    # Its last table: a node's memory, a leaf of 16 nodes 1 QDR a node, a near set of 9 leaves 0.5, all leaves 0.1 to 0.5.
    fabric = api.read("itasca")
    machine = allocation.machine_of(api.route(fabric, "minhop"))
    names = machine.hosts
    parts = []
    for hosts in (names[:1], names[16:32], names[144:288], names):
        [one] = allocation.fragmentation(machine, fabric, {"1": hosts}, work=10**6).jobs
        parts.append(one.score.worst / machine.paths.fastest)
        assert one.groups == one.fewest
    assert parts[:3] == pytest.approx([1.0, 1.0, 0.5])
    assert 0.1 <= parts[3] <= 0.5


def test_nodes_are_hosts_whatever_their_case_and_domain() -> None:
    fabric = api.read(TREE)
    found, remarks = allocation.matched(fabric, ["NODE0001", "node0002.site", "node0003"], "here")
    assert found == nodes(1, 2, 3)
    assert len(remarks) == 1
    assert allocation.matched(fabric, nodes(1), "here")[1] == []
    with pytest.raises(LacisError, match="no host of this fabric"):
        allocation.matched(fabric, ["node0009"], "here")


def test_a_node_that_may_be_two_hosts_is_refused() -> None:
    named = api.read(TREE).to_net().replace("node0001", "n1.east").replace("node0002", "n1.west")
    fabric = _core.read_fabric(named.encode())
    with pytest.raises(LacisError, match=r"may be n1\.east or n1\.west.*: N1"):
        allocation.matched(fabric, ["N1"], "here")
    assert allocation.matched(fabric, ["n1.west"], "here")[0] == ["n1.west"]
