"""The real slurmctld reads what `lacis topology --as slurm-tree` writes: no complaint, and the same switches, hosts and levels.

What it understood is compared with the fabric itself: leaves and pods by the numbers that synthetic fabrics have in their names,
or by the leaves that hosts hang on, and connected components as networkx finds them.
"""

from __future__ import annotations

import os
import random
from collections import defaultdict
from typing import TYPE_CHECKING

import lacis
import networkx as nx
import pytest
from lacis.facts.scheduler import severity
from lacis.scheduler.check import check
from lacis.scheduler.forms import FORMS, Details, fitted
from lacis.scheduler.host_cables import Choice, chosen_hosts
from lacis.scheduler.topology import topology

from . import slurm

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from lacis import Fabric

SOAK = os.environ.get("LACIS_SOAK") == "1"
SEEDS = range(200) if SOAK else range(0, 200, 20)
"""Damaged trees: some of them, or with `LACIS_SOAK=1` all."""


@pytest.fixture(autouse=True, scope="module")
def slurm_installed() -> None:
    """Skips where Slurm's controller is not installed; in CI that is a failure."""
    absent = slurm.missing()
    if absent:
        reason = f"no {', '.join(absent)}: install the Debian packages {slurm.PACKAGES}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)


def asked(folder: Path, fabric: Fabric, choice: Choice | None = None) -> slurm.Answer:
    """What slurmctld makes of a fabric's topology, whose hosts are its nodes."""
    found = fitted(topology(fabric, choice), FORMS["slurm-tree"])
    hosts = [host for leaf in found.leaves for host in leaf.hosts]
    return slurm.ask(folder, FORMS["slurm-tree"].write(found, Details()), hosts)


def leaves_of_hosts(fabric: Fabric) -> dict[str, frozenset[str]]:
    """The switches that each host hangs on, from the list of cables and the first words of descriptions."""
    switch = [name for name, _ in fabric.switches()]
    described, kinds = fabric.descriptions(), fabric.kinds()
    found: dict[str, set[str]] = defaultdict(set)
    for a, _, b, _ in fabric.cables().reshape(-1, 4).tolist():
        low, high = sorted((a, b))
        if low < fabric.num_switches <= high and kinds[high] == "adapter":
            found[described[high].split()[0]].add(switch[low])
    return {host: frozenset(its) for host, its in found.items()}


def components(fabric: Fabric, leaves_of: dict[str, frozenset[str]]) -> list[frozenset[str]]:
    """Hosts that reach each other over cables between switches, or over the rails of a host on the same leaves."""
    graph = nx.Graph()
    switch = [name for name, _ in fabric.switches()]
    graph.add_nodes_from(switch)
    for a, _, b, _ in fabric.cables().reshape(-1, 4).tolist():
        if a < fabric.num_switches and b < fabric.num_switches:
            graph.add_edge(switch[a], switch[b])
    for host, its in leaves_of.items():
        graph.add_edges_from((("host", host), leaf) for leaf in its)
    parts = nx.connected_components(graph)
    hosts = (frozenset(node[1] for node in part if isinstance(node, tuple)) for part in parts)
    return [part for part in hosts if part]


def tops(switches: dict[str, slurm.Switch]) -> set[frozenset[str]]:
    """The hosts below each switch that has none above it."""
    below = {child for one in switches.values() for child in one.switches}
    return {one.nodes for name, one in switches.items() if name not in below}


def damaged(seed: int) -> tuple[str, Fabric]:
    """A synthetic tree of some kind that has lost cables, adapters and switches."""
    rng = random.Random(seed)
    spec = rng.choice(
        [
            "fat-tree:8,2",
            "fat-tree:8,3",
            "fat-tree:6,3:rails=2",
            "fat-tree:12,2:rails=4",
            "fat-tree:8,3:pods=4",
        ]
    )
    lost = [f"random-cables={rng.choice(['1', '3', '3%', '10%', '25%'])},seed={seed}"]
    if rng.random() < 0.5:
        lost.append(f"random-hosts={rng.choice([1, 2, 5])}%,seed={seed}")
    if rng.random() < 0.4:
        lost.append(f"random-switches={rng.choice([1, 2])},seed={seed}")
    return spec, lacis.read(spec).without(lost)


def groups_by_name(leaves_of: dict[str, frozenset[str]]) -> set[frozenset[str]]:
    """Hosts by their leaf, without the rail in its name."""
    found: dict[str, set[str]] = defaultdict(set)
    for host, its in leaves_of.items():
        [leaf] = {leaf.partition("leaf-")[2] for leaf in its}
        found[leaf].add(host)
    return {frozenset(hosts) for hosts in found.values()}


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_a_damaged_tree_is_read_as_it_is_cabled(seed: int, tmp_path: Path) -> None:
    spec, fabric = damaged(seed)
    answer = asked(tmp_path / "slurm", fabric)
    leaves_of = leaves_of_hosts(fabric)
    parts = components(fabric, leaves_of)
    apart = ["no switch can reach all nodes"] if len(parts) > 1 else []
    assert answer.started
    assert len(answer.complaints) == len(apart), answer.complaints
    assert all(any(known in line for known in apart) for line in answer.complaints)
    by_level = defaultdict(set)
    for one in answer.switches.values():
        by_level[one.level].add(one.nodes)
    assert by_level[0] == groups_by_name(leaves_of)
    assert tops(answer.switches) == set(parts)
    if spec.split(":")[1].split(",")[1] == "3" and len(parts) == 1:
        # The pod is the first number of a leaf's name. What is left of a pod may be a leaf alone.
        pods: dict[str, set[str]] = defaultdict(set)
        for host, its in leaves_of.items():
            pods[min(its).partition("leaf-")[2].partition("-")[0]].add(host)
        expected = {frozenset(hosts) for hosts in pods.values()}
        whole = {hosts for hosts in expected if _is_whole_pod(fabric, hosts, leaves_of)}
        assert whole <= {one.nodes for one in answer.switches.values()}


def _is_whole_pod(fabric: Fabric, hosts: frozenset[str], leaves_of: dict[str, frozenset[str]]) -> bool:
    """Whether every leaf of a pod still has more than half of the mids of every other on each rail, so that it is one."""
    switch = [name for name, _ in fabric.switches()]
    up: dict[str, set[str]] = defaultdict(set)
    for a, _, b, _ in fabric.cables().reshape(-1, 4).tolist():
        if a < fabric.num_switches and b < fabric.num_switches:
            for low, high in ((switch[a], switch[b]), (switch[b], switch[a])):
                if "leaf-" in low and "mid-" in high:
                    up[low].add(high)
    groups: dict[str, set[str]] = defaultdict(set)
    for host in hosts:
        for leaf in leaves_of[host]:
            groups[leaf.partition("leaf-")[2]] |= up[leaf]
    sets = list(groups.values())
    return len(sets) > 1 and all(2 * len(a & b) > min(len(a), len(b)) for a in sets for b in sets)


@pytest.mark.slow
def test_a_real_cluster_is_read_host_by_host(dgx: Path, tmp_path: Path) -> None:
    fabric = lacis.read(dgx)
    answer = asked(tmp_path / "slurm", fabric)
    assert (answer.started, answer.complaints) == (True, [])
    leaves_of = leaves_of_hosts(fabric)
    by_level = defaultdict(list)
    for one in answer.switches.values():
        by_level[one.level].append(one.nodes)
    # Eight groups; within each all hosts of its series, which hang on some of the same four leaves.
    assert [len(by_level[level]) for level in sorted(by_level)] == [8, 1]
    for nodes in by_level[0]:
        named = [leaves_of[node] for node in nodes if node in leaves_of]
        widest = max(named, key=len)
        assert all(its <= widest for its in named)
    assert sum(map(len, by_level[0])) == len(by_level[1][0]) == 140


@pytest.mark.slow
def test_selene_is_read_level_by_level(selene: Path, tmp_path: Path) -> None:
    fabric = lacis.read(selene)
    choice = Choice(hosts=chosen_hosts(fabric, "all"))
    answer = asked(tmp_path / "slurm", fabric, choice)
    assert (answer.started, answer.complaints) == (True, [])
    leaves_of = leaves_of_hosts(fabric)
    groups: dict[frozenset[str], set[str]] = defaultdict(set)
    for host, its in leaves_of.items():
        groups[its].add(host)
    leaves = {one.nodes for one in answer.switches.values() if one.level == 0}
    assert leaves == {frozenset(hosts) for hosts in groups.values()}
    assert len(leaves) == 28
    # A group belongs to the pod whose spines, CSPINE and its number, its leaves are cabled to.
    switch = [name for name, _ in fabric.switches()]
    pod: dict[str, set[str]] = defaultdict(set)
    for a, _, b, _ in fabric.cables().reshape(-1, 4).tolist():
        if a < fabric.num_switches and b < fabric.num_switches:
            for low, high in ((switch[a], switch[b]), (switch[b], switch[a])):
                if low.startswith("LG") and high.startswith("CSPINE"):
                    pod[low].add(high.partition("-")[0])
    pods: dict[str, set[str]] = defaultdict(set)
    for host, its in leaves_of.items():
        for name in {name for leaf in its for name in pod.get(leaf, ())}:
            pods[name].add(host)
    assert len(pods) == 4
    compute = {one.nodes for one in answer.switches.values() if one.level == 1}
    assert all(any(hosts <= nodes for nodes in compute) for hosts in pods.values())
    assert tops(answer.switches) == {frozenset(leaves_of)}


NODES = [f"n{number}" for number in range(1, 9)]
TREE = "SwitchName=a Nodes=n[1-4]\nSwitchName=b Nodes=n[5-8]\nSwitchName=c Switches=a,b\n"
FILES = {
    "right": TREE,
    "an unknown child": TREE.replace("a,b", "a,b,d"),
    "a cycle": TREE.replace("a,b", "a,b,d") + "SwitchName=d Switches=c\n",
    "a switch twice": TREE + "SwitchName=a Nodes=n1\n",
    "an empty switch": TREE + "SwitchName=d\n",
    "a switch of both": TREE.replace("n[5-8]", "n[5-8] Switches=a"),
    "a host doubled": TREE.replace("n[5-8]", "n[4-8]"),
    "an unknown host": TREE.replace("n[5-8]", "n[5-8],m9"),
    "no root": TREE.rpartition("SwitchName")[0],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_an_error_of_a_file_is_what_slurmctld_does_not_start_with(name: str, tmp_path: Path) -> None:
    content = FILES[name]
    answer = slurm.ask(tmp_path / "slurm", content, NODES)
    path = tmp_path / "site.conf"
    path.write_text(content)
    names = {f"node{number:04} HCA-1": f"n{number} HCA-1" for number in range(1, 9)}
    judged = check(topology(_renamed(lacis.read("fat-tree:8,2:taper=1"), names)), path)
    # The fabric has eight leaves of four hosts, of which two are the file's.
    faults = [severity(fault.fact) for fault in judged.faults]
    assert answer.started == ("error" not in faults)
    assert bool(answer.complaints) == (name != "right")


def _renamed(fabric: Fabric, names: dict[str, str]) -> Fabric:
    from tests.unit.test_scheduler_topology import edited

    return edited(fabric, names)


def test_hosts_are_listed_as_slurm_expands_them(tmp_path: Path) -> None:
    from lacis.scheduler.hostlists import fold

    names: Sequence[str] = [
        "a-01-c01",
        "a-01-c02",
        "a-02-c01",
        "n8",
        "n9",
        "n10",
        "n011",
        "x1-ib",
        "x2-ib",
        "z",
    ]
    content = f"SwitchName=a Nodes={fold(names)}\n"
    answer = slurm.ask(tmp_path / "slurm", content, names)
    assert (answer.complaints, answer.switches["a"].nodes) == ([], frozenset(names))
