"""A fabric as schedulers see it: groups of leaves, what joins them, names that stay, and hosts that stand under none."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import lacis
import pytest
from lacis import LacisError, _core
from lacis.facts import scheduler as facts
from lacis.scheduler.forms import FORMS, Details, fitted
from lacis.scheduler.host_cables import Choice, chosen_hosts
from lacis.scheduler.names import cleaned, common, name_all
from lacis.scheduler.topology import Topology, topology

from tests.changed import CHANGES, changed

if TYPE_CHECKING:
    from pathlib import Path

    from lacis import Fabric


def leaves(found: Topology) -> dict[str, tuple[str, ...]]:
    return {leaf.name: leaf.hosts for leaf in found.leaves}


def reasons(found: Topology) -> dict[str, type]:
    return {one.host: type(one.why) for one in found.unplaced}


def edited(fabric: Fabric, names: dict[str, str]) -> Fabric:
    """The fabric with other descriptions of nodes."""
    content: dict[str, Any] = json.loads(fabric.to_json())
    for node in content["nodes"]:
        node["description"] = names.get(node["description"], node["description"])
    return _core.read_fabric(json.dumps(content).encode())


def test_a_tree_of_three_levels_has_its_pods_under_one_root() -> None:
    # fat-tree:4,3 has 4 pods of 2 leaves with 2 hosts each, 16 hosts in all.
    found = topology(lacis.read("fat-tree:4,3"))
    assert leaves(found) == {
        f"leaf-{pod:02}-{leaf:02}": tuple(f"node{4 * (pod - 1) + 2 * (leaf - 1) + n:04}" for n in (1, 2))
        for pod in (1, 2, 3, 4)
        for leaf in (1, 2)
    }
    assert {one.name: (one.tier, one.children) for one in found.above} == {
        **{f"mid-0{pod}": (1, (f"leaf-0{pod}-01", f"leaf-0{pod}-02")) for pod in (1, 2, 3, 4)},
        "root": (2, ("mid-01", "mid-02", "mid-03", "mid-04")),
    }
    # A leaf has two links of 25 GB/s to its two mids, a pod four to the cores.
    assert {(leaf.up.cables, leaf.up.bandwidth) for leaf in found.leaves} == {(2, 50e9)}
    assert {(one.up.cables, one.up.bandwidth) for one in found.above if one.tier == 1} == {(4, 100e9)}
    assert (found.roots, found.unplaced, found.remarks) == (("root",), (), ())
    assert found.chains()["leaf-03-02"] == ("leaf-03-02", "mid-03", "root")


def test_leaves_of_several_rails_are_one_with_the_name_that_they_have_in_common() -> None:
    found = topology(lacis.read("fat-tree:4,2:rails=4"))
    assert leaves(found) == {
        f"rail-leaf-0{leaf}": (f"node{2 * leaf - 1:04}", f"node{2 * leaf:04}") for leaf in (1, 2, 3, 4)
    }
    assert found.leaves[0].switches == tuple(f"rail{rail}-leaf-01" for rail in (1, 2, 3, 4))
    assert {leaf.cables for leaf in found.leaves} == {8}


def test_a_rail_or_adapters_are_chosen_by_hand() -> None:
    fabric = lacis.read("fat-tree:4,2:rails=2")
    second = topology(fabric, Choice(rail=2))
    assert [leaf.switches for leaf in second.leaves] == [(f"rail2-leaf-0{n}",) for n in (1, 2, 3, 4)]
    assert topology(fabric, Choice(adapters="HCA-2")).leaves == second.leaves
    # A host without an adapter on that rail is listed.
    gone = topology(fabric.without(["node0003 HCA-2"]), Choice(rail=2))
    assert reasons(gone) == {"node0003": facts.HostOffRail}
    with pytest.raises(LacisError, match="no host has a cable on rail 3; there are 2"):
        topology(fabric, Choice(rail=3))
    with pytest.raises(LacisError, match="no adapter of a host is like it; there are HCA-1, HCA-2: mlx5"):
        topology(fabric, Choice(adapters="mlx5_*"))


@pytest.mark.parametrize("rails", [2, 4])
def test_each_port_of_an_adapter_with_two_is_a_rail(rails: int) -> None:
    # The cables of every second adapter lead to the second port of the one before it.
    content = json.loads(lacis.read(f"fat-tree:4,2:rails={rails}").to_json())
    id_of = {node["description"]: node["id"] for node in content["nodes"]}
    before = {"HCA-2": "HCA-1", "HCA-4": "HCA-3"}
    first = {
        id_of[name]: id_of[f"{host} {before[adapter]}"]
        for name in id_of
        for host, _, adapter in [name.partition(" ")]
        if adapter in before
    }
    content["nodes"] = [node for node in content["nodes"] if node["id"] not in first]
    for node in content["nodes"]:
        if node["id"] in first.values():
            port = node["ports"][0]
            node["radix"] = 2
            node["ports"].append({**port, "number": 2, "guid": port["guid"][:-1] + "2"})
    content["cables"] = [
        [*((first[a], 2) if a in first else (a, p)), *((first[b], 2) if b in first else (b, q))]
        for a, p, b, q in content["cables"]
    ]
    fabric = _core.read_fabric(json.dumps(content).encode())
    for rail in range(1, rails + 1):
        found = topology(fabric, Choice(rail=rail))
        assert [leaf.switches for leaf in found.leaves] == [(f"rail{rail}-leaf-0{n}",) for n in (1, 2, 3, 4)]
        assert {leaf.cables for leaf in found.leaves} == {2}
    with pytest.raises(LacisError, match=f"no host has a cable on rail 9; there are {rails}"):
        topology(fabric, Choice(rail=9))


def test_strangers_split_no_group_and_a_host_stands_under_one() -> None:
    fabric = lacis.read("fat-tree:8,2:rails=2")
    # login-1 keeps one of its two adapters, and mgmt-1 has its second one exchanged for that of another leaf's host.
    names = {"node0001 HCA-1": "login-1 HCA-1", "node0002 HCA-2": "mgmt-1 HCA-2"}
    cut = edited(fabric.without(["node0001 HCA-2", "node0002 HCA-1"]), names)
    first = topology(cut).leaves[0]
    assert first.switches == ("rail1-leaf-01", "rail2-leaf-01")
    assert first.hosts == ("login-1", "mgmt-1", "node0003", "node0004")
    # They are no hosts that a scheduler must have.
    assert topology(cut).compute.isdisjoint({"login-1", "mgmt-1"})


def test_of_a_host_with_most_cables_to_no_group_the_others_count() -> None:
    # A server of storage has two cables to a switch of its own, and one to leaf-01.
    extra = ["+switch=ost@spine-*", "+host@ost:2", "+host@leaf-01"]
    fabric = lacis.read("fat-tree:4,2:radix=8").edit(extra)
    found = topology(edited(fabric, {f"extra000{n} HCA-1": f"oss-1 HCA-{n}" for n in (1, 2, 3)}))
    assert leaves(found)["leaf-01"] == ("node0001", "node0002", "oss-1")
    assert (len(found.leaves), found.unplaced) == (4, ())


def test_a_leaf_of_storage_joins_no_trees() -> None:
    extra = ["+switch=ost@tree1-spine-*", "+host@ost:2"]
    fabric = lacis.read("fat-tree:4,2:trees=2,radix=6").edit(extra)
    found = topology(edited(fabric, {f"extra000{n} HCA-1": f"oss-{n} HCA-1" for n in (1, 2)}))
    assert [one.children for one in found.above] == [
        tuple(f"tree{tree}-leaf-0{leaf}" for leaf in (1, 2, 3, 4)) for tree in (1, 2)
    ]
    assert reasons(found) == {f"oss-{n}": facts.HostOffGroups for n in (1, 2)}


def test_leaves_that_only_their_hosts_join_on_one_rail_have_one_root_by_the_other() -> None:
    found = topology(lacis.read("fat-tree:4,2:rails=2").without(["rail1-leaf-*--rail1-spine-*"]))
    assert (found.roots, found.remarks) == (("root",), ())


def test_cables_of_ports_with_great_numbers_count() -> None:
    # Two leaves of four hosts and eight cables each to the only other switch: 4xHDR carries 25 GB/s.
    found = topology(lacis.read("pgft:2;4,2;1,1;1,8"))
    assert [(leaf.up.cables, leaf.up.bandwidth) for leaf in found.leaves] == [(8, 200e9)] * 2


def test_a_host_that_is_cabled_wrongly_stands_where_most_of_its_cables_lead() -> None:
    fabric = lacis.read("fat-tree:4,2:rails=4")
    content = json.loads(fabric.to_json())
    guid = {node["description"]: node["id"] for node in content["nodes"]}
    crossed = {guid["node0001 HCA-4"]: guid["node0003 HCA-4"], guid["node0003 HCA-4"]: guid["node0001 HCA-4"]}
    content["cables"] = [[crossed.get(end, end) for end in cable] for cable in content["cables"]]
    found = topology(_core.read_fabric(json.dumps(content).encode()))
    assert leaves(found) == leaves(topology(fabric))


@pytest.mark.parametrize(
    ("gone", "under"),
    [
        # With the host itself there are two on leaf-01 and three on leaf-02, one and a half times as many; or three on either.
        (["node0002"], "leaf-01"),
        ([], None),
    ],
)
def test_a_host_with_a_cable_to_each_of_two_leaves_is_of_the_one_that_is_clearly_smaller(
    gone: list[str], under: str | None
) -> None:
    fabric = lacis.read("fat-tree:4,2:radix=6").without(gone).edit(["+host@leaf-01", "+host@leaf-02"])
    found = topology(edited(fabric, {f"extra000{n} HCA-1": f"node0009 HCA-{n}" for n in (1, 2)}))
    assert [name for name, hosts in leaves(found).items() if "node0009" in hosts] == (
        [under] if under else []
    )
    assert reasons(found) == ({} if under else {"node0009": facts.HostBetweenGroups})


def test_a_host_with_few_adapters_joins_no_groups_however_small_they_are() -> None:
    # A host on each leaf, and one that has two of four adapters, on two of them: of which it is cannot be said.
    gone = [f"node0002 HCA-{n}" for n in (2, 3, 4)] + [f"node0004 HCA-{n}" for n in (1, 3, 4)]
    fabric = lacis.read("fat-tree:4,2:rails=4").without([*gone, "node0006", "node0008"])
    found = topology(edited(fabric, {"node0004 HCA-2": "node0002 HCA-2"}))
    assert [leaf.hosts for leaf in found.leaves] == [
        ("node0001",),
        ("node0003",),
        ("node0005",),
        ("node0007",),
    ]
    assert reasons(found) == {"node0002": facts.HostBetweenGroups}


def test_a_cable_in_a_wrong_port_joins_no_pods() -> None:
    whole = lacis.read("fat-tree:4,3:radix=6")
    crossed = whole.edit(["+leaf-01-01--mid-02-01"])
    assert [one.children for one in topology(crossed).above] == [
        one.children for one in topology(whole).above
    ]


def test_two_hosts_of_one_name_are_listed_and_not_doubled() -> None:
    twins = edited(
        lacis.read("fat-tree:8,2:rails=2"),
        {f"node0032 HCA-{rail}": f"node0001 HCA-{rail}" for rail in (1, 2)},
    )
    found = topology(twins)
    assert reasons(found) == {"node0001": facts.HostBetweenGroups}
    assert [one.why for one in found.unplaced] == [
        facts.HostBetweenGroups(["rail1-leaf-01", "rail1-leaf-08"])
    ]
    named = [host for leaf in found.leaves for host in leaf.hosts]
    assert len(named) == len(set(named)) == 30


def test_hosts_of_leaves_without_compute_hosts_are_listed_unless_they_are_asked_for() -> None:
    storage = {f"node000{n} HCA-1": f"oss-{n} HCA-1" for n in (1, 2, 3, 4)}
    fabric = edited(lacis.read("fat-tree:8,2"), storage)
    found = topology(fabric)
    assert [one.why for one in found.unplaced] == [facts.HostOffGroups("storage", ["leaf-01"])] * 4
    assert len(found.leaves) == 7
    everything = topology(fabric, Choice(hosts=chosen_hosts(fabric, "all")))
    assert leaves(everything)["leaf-01"] == ("oss-1", "oss-2", "oss-3", "oss-4")
    some = topology(fabric, Choice(hosts=chosen_hosts(fabric, "node[0005-0006]")))
    assert leaves(some) == {"leaf-02": ("node0005", "node0006")}
    assert reasons(some)["oss-1"] is reasons(some)["node0007"] is facts.HostNotListed


def test_hosts_whose_leaf_is_gone_are_listed() -> None:
    found = topology(lacis.read("fat-tree:8,2").without(["leaf-03"]))
    assert reasons(found) == {f"node{n:04}": facts.HostUncabled for n in (9, 10, 11, 12)}
    assert len(found.leaves) == 7


def test_a_fabric_without_levels_has_its_leaves_and_a_root() -> None:
    found = topology(lacis.read("torus:3x3:h=2"))
    assert [(len(leaf.hosts), leaf.up.cables) for leaf in found.leaves] == [(2, 4)] * 9
    assert [(one.name, len(one.children)) for one in found.above] == [("root", 9)]
    assert found.remarks == (facts.TiersUnknown(),)


def test_each_connected_fabric_has_a_root_of_its_own() -> None:
    found = topology(lacis.read("fat-tree:4,2:trees=2"))
    assert found.roots == ("root-tree1-leaf-01", "root-tree2-leaf-01")
    assert found.remarks == (facts.FabricApart(list(found.roots)),)
    # Planes of the same hosts are one fabric: hosts of different leaves reach each other in each.
    assert topology(lacis.read("fat-tree:4,2:rails=2")).roots == ("root",)
    # Also where the leaf of one of them has no cable to the others: its hosts reach them in the other plane.
    fabric = lacis.read("fat-tree:4,2:rails=2").without(["rail1-leaf-01--rail1-spine-*"])
    assert topology(fabric).roots == ("root",)
    # A leaf that no cable joins with the others stands alone.
    alone = topology(lacis.read("fat-tree:4,2").without(["leaf-02--spine-*"]))
    assert set(alone.roots) == {"leaf-02", "root-leaf-01"}


def test_by_bandwidth_a_leaf_that_lost_most_of_its_uplinks_stands_apart() -> None:
    # A leaf of fat-tree:8,2 has four uplinks; with one it has a quarter of what its like have.
    cut = lacis.read("fat-tree:8,2").without([f"leaf-03--spine-0{n}" for n in (1, 2, 3)])
    by_cables, by_bandwidth = topology(cut), topology(cut, by="bandwidth")
    assert [(one.name, len(one.children)) for one in by_cables.above] == [("root", 8)]
    assert [(one.tier, len(one.children)) for one in by_bandwidth.above] == [(1, 7), (2, 2)]
    assert by_bandwidth.above[-1].name == "root"
    assert "leaf-03" in by_bandwidth.above[-1].children
    assert by_bandwidth.remarks == (facts.LeavesThin(["leaf-03"]),)
    text = FORMS["slurm-tree"].write(by_bandwidth, Details(link_speeds=True))
    assert "SwitchName=leaf-03 Nodes=node[0009-0012] LinkSpeed=25\n" in text
    assert "SwitchName=leaf-04 Nodes=node[0013-0016] LinkSpeed=100\n" in text
    # A whole tree is the same by both.
    whole = lacis.read("fat-tree:8,3")
    assert topology(whole, by="bandwidth") == topology(whole)


def test_without_rates_there_is_no_bandwidth_and_cables_are_compared() -> None:
    content = json.loads(
        lacis.read("fat-tree:8,2").without([f"leaf-03--spine-0{n}" for n in (1, 2, 3)]).to_json()
    )
    for node in content["nodes"]:
        for port in node["ports"]:
            port.pop("rate", None)
    fabric = _core.read_fabric(json.dumps(content).encode())
    found = topology(fabric, by="bandwidth")
    assert {leaf.up.bandwidth for leaf in found.leaves} == {None}
    assert found.remarks == (facts.LeavesThin(["leaf-03"]),)
    text = FORMS["slurm-tree"].write(found, Details(link_speeds=True))
    assert "4 cables to the level above, unknown rate\n" in text
    assert "LinkSpeed" not in text


def lines(fabric: Fabric, form: str) -> list[str]:
    """What a scheduler reads."""
    text = FORMS[form].write(fitted(topology(fabric), FORMS[form]), Details())
    return [line for line in text.splitlines() if not line.lstrip().startswith("#")]


def check_stable(fabric: Fabric, changes: int, form: str) -> None:
    whole, before = fabric.to_json(), lines(fabric, form)
    differing = [
        (CHANGES[seed % 3], seed)
        for seed in range(changes)
        if lines(changed(whole, CHANGES[seed % 3], seed), form) != before
    ]
    assert differing == []


@pytest.mark.parametrize("form", ["slurm-tree", "slurm-yaml", "slurm-block", "k8s-labels", "volcano"])
def test_a_single_change_changes_no_line(form: str) -> None:
    check_stable(lacis.read("fat-tree:4,3:rails=2"), 30, form)


@pytest.mark.slow
def test_100_single_changes_of_a_real_cluster_change_no_line(dgx: Path) -> None:
    check_stable(lacis.read(dgx), 100, "slurm-tree")


def test_a_new_host_changes_one_line() -> None:
    fabric = lacis.read("fat-tree:8,2").without(["node0011"])
    before, after = lines(fabric, "slurm-tree"), lines(lacis.read("fat-tree:8,2"), "slurm-tree")
    assert [(a, b) for a, b in zip(before, after, strict=True) if a != b] == [
        ("SwitchName=leaf-03 Nodes=node[0009-0010,0012]", "SwitchName=leaf-03 Nodes=node[0009-0012]")
    ]


def test_a_host_without_a_name_of_its_own_is_listed() -> None:
    fabric = edited(lacis.read("fat-tree:8,2"), {"node0006 HCA-1": "MT4129 ConnectX7 Mellanox Technologies"})
    found = topology(fabric)
    # Cabling and numbers show which host it is: the name is inferred, and said to be.
    assert found.remarks == (facts.HostsInferred(["node0006"]),)
    assert "node0006" in leaves(found)["leaf-02"]


def test_the_real_cluster_has_eight_groups_of_leaves_and_no_host_twice(dgx: Path) -> None:
    fabric = lacis.read(dgx)
    found = topology(fabric)
    # Independently, from the list of cables: the leaves of each host that has four adapters or three of a name of its own.
    switch = [name for name, _ in fabric.switches()]
    on: dict[str, set[str]] = defaultdict(set)
    described = fabric.descriptions()
    for a, _, b, _ in fabric.cables().reshape(-1, 4).tolist():
        low, high = sorted((a, b))
        words = described[high].split()
        if low < fabric.num_switches <= high and len(words) == 2:
            on[words[0]].add(switch[low])
    group_of = {host: leaf for leaf in found.leaves for host in leaf.hosts}
    dgx_hosts = [host for host in on if "-dgx-" in host and len(on[host]) >= 3]
    assert len(dgx_hosts) > 100
    assert all(on[host] <= set(group_of[host].switches) for host in dgx_hosts)
    assert [len(leaf.switches) for leaf in found.leaves] == [3, 4, 4, 4, 4, 4, 4, 4]
    named = [host for leaf in found.leaves for host in leaf.hosts]
    assert len(named) == len(set(named)) == 140
    # Of two manager hosts one stands with the hosts that it shares two leaves with, the other has no name of its own.
    assert "B11-P1-CUFM-02" in found.leaves[-1].hosts
    assert reasons(found) == {"ubuntu": facts.HostUnnamed}
    assert [(one.name, len(one.children)) for one in found.above] == [("root", 8)]


@pytest.mark.slow
def test_selene_has_groups_of_eight_leaves_in_four_pods(selene: Path) -> None:
    fabric = lacis.read(selene)
    found = topology(fabric)
    assert {len(leaf.switches) for leaf in found.leaves} == {8}
    assert {leaf.name for leaf in found.leaves} == {
        f"LG{n:02}" for n in range(1, 29) if n not in (19, 20, 21)
    }
    assert all(switch.startswith(f"{leaf.name}-") for leaf in found.leaves for switch in leaf.switches)
    assert sorted(len(leaf.hosts) for leaf in found.leaves)[:: len(found.leaves) - 1] == [14, 20]
    assert {one.name for one in found.above} == {"CSPINE1", "CSPINE2", "CSPINE3", "CSPINE4", "root"}
    assert {type(one.why) for one in found.unplaced} == {facts.HostOffGroups}
    assert (found.hosts, len(found.unplaced)) == (458, 11)
    # With the managers and storage, all 469 hosts and 28 groups.
    whole = topology(fabric, Choice(hosts=chosen_hosts(fabric, "all")))
    assert (whole.hosts, len(whole.leaves), whole.unplaced, whole.roots) == (469, 28, (), ("root",))


def test_names_have_what_names_of_switches_have_in_common() -> None:
    found = common(["A09-P1-IBLEAF-01-07", "A09-P1-IBLEAF-04-07"])
    assert found is not None
    assert found.text == "A09-P1-IBLEAF-07"
    assert common(["S-0002c90200400000", "S-0002c90200400008"]) is None
    assert common(["leaf-1", "edge-1"]) is None
    assert common(["1", "2"]) is None
    # leaf-01 and leaf-03 have nothing in common that leaf-02 has not, too.
    pairs = [["leaf-01", "leaf-03"], ["leaf-02", "leaf-04"]]
    assert name_all(pairs, ["leaf-01", "leaf-02"]) == ["leaf-01", "leaf-02"]
    assert name_all([["leaf-01", "leaf-03"], ["leaf-02"]], ["leaf-01", "leaf-02"]) == ["leaf-01", "leaf-02"]
    assert name_all([["LG01-1", "LG01-2"], ["LG02-1"]], ["LG01-1", "LG02-1"]) == ["LG01", "LG02-1"]
    assert cleaned("MF0;leaf 1:MQM8700/U1\x1b[2J") == "MF0-leaf-1-MQM8700-U1-2J"
    assert len(cleaned("x" * 300)) == 63


def test_a_name_that_another_switch_has_after_cleaning_is_numbered() -> None:
    assert name_all([["a b"], ["a-b"], ["a_b"]], ["a b", "a-b", "a_b"]) == ["a-b", "a-b-2", "a_b"]


def test_a_name_has_63_characters_at_most() -> None:
    # A label's value in Kubernetes has no more; of what is longer 30 and the last 32 are kept.
    assert cleaned("a" * 63) == "a" * 63
    assert cleaned("a" * 32 + "b" * 32) == f"{'a' * 30}-{'b' * 32}"
