"""What is wrong with a site's topology: each planted fault is found as what it is, and nothing in what Lacis writes."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import lacis
import pytest
from lacis import LacisError
from lacis.facts import scheduler as facts
from lacis.facts.scheduler import TopologyFault, severity
from lacis.facts.wording import text
from lacis.scheduler.check import check
from lacis.scheduler.forms import FORMS, Details, fitted
from lacis.scheduler.tiers import Uplink
from lacis.scheduler.topology import Above, Leaf, Topology, topology

if TYPE_CHECKING:
    from pathlib import Path

UP = Uplink(2, 50e9)
POD = "fat-tree:4,3"
"""Four pods of two leaves with two hosts each: node0001 to node0016."""
WHOLE = topology(lacis.read(POD))
LINES = [
    line for line in FORMS["slurm-tree"].write(WHOLE, Details()).splitlines() if not line.startswith("#")
]
TREE = "\n".join(LINES) + "\n"


@pytest.fixture(scope="module")
def of_selene(selene: Path) -> Topology:
    return topology(lacis.read(selene))


def faults(
    folder: Path, content: str, found: Topology = WHOLE, name: str = "site.conf"
) -> list[TopologyFault]:
    path = folder / name
    path.write_text(content)
    return [fault.fact for fault in check(found, path).faults]


def replaced(*pairs: tuple[str, str]) -> str:
    content = TREE
    for old, new in pairs:
        assert content.count(old) == 1, old
        content = content.replace(old, new)
    return content


def test_the_file_that_faults_are_planted_in_is_right(tmp_path: Path) -> None:
    assert LINES[0] == "SwitchName=leaf-01-01 Nodes=node[0001-0002]"
    assert LINES[-1] == "SwitchName=root Switches=mid-[01-04]"
    assert len(LINES) == 8 + 4 + 1
    assert faults(tmp_path, TREE) == []


PLANTED: dict[str, tuple[str, list[TopologyFault]]] = {
    "two hosts exchanged": (
        # The leaf of pod 1 has three hosts of its own and one of pod 2's; of two each it would not be known which is which.
        replaced(
            ("Nodes=node[0001-0002]", "Nodes=node[0001-0002],node0005"),
            ("Nodes=node[0005-0006]", "Nodes=node0006"),
        ),
        [facts.HostsElsewhere(["node0005"], "leaf-01-01", "leaf-02-01", "leaf-02-01")],
    ),
    "a host under two leaves": (
        replaced(("Nodes=node[0003-0004]", "Nodes=node[0002-0004]")),
        [facts.HostDoubled("node0002", ["leaf-01-01", "leaf-01-02"])],
    ),
    "a host left out": (
        replaced(("Nodes=node[0009-0010]", "Nodes=node0009")),
        [facts.HostsLeftOut(["node0010"], "leaf-03-01", "leaf-03-01")],
    ),
    "a host that is not there": (
        replaced(("Nodes=node[0009-0010]", "Nodes=node[0009-0010],mode0010")),
        [facts.HostsUnknown(["mode0010"], "leaf-03-01", ["node0010", "node0001"])],
    ),
    "no pods": (
        "\n".join([*LINES[:8], f"SwitchName=root Switches={','.join(leaf.name for leaf in WHOLE.leaves)}"]),
        [facts.TierMissing(1, ["mid-01", "mid-02", "mid-03", "mid-04"])],
    ),
    "a leaf under the wrong pod": (
        replaced(
            ("Switches=leaf-03-[01-02]", "Switches=leaf-03-01"),
            ("Switches=leaf-04-[01-02]", "Switches=leaf-03-02,leaf-04-[01-02]"),
        ),
        [facts.TierMissing(1, ["mid-03"])],
    ),
    "no root": (
        "\n".join(LINES[:-1]),
        [facts.RootsApart(["mid-01", "mid-02", "mid-03", "mid-04"])],
    ),
    "a cycle": (
        replaced(("Switches=leaf-02-[01-02]", "Switches=leaf-02-[01-02],root")),
        [facts.SwitchesCircular(["mid-02", "root"])],
    ),
    "an unknown child": (
        replaced(("Switches=leaf-02-[01-02]", "Switches=leaf-02-[01-03]")),
        [facts.ChildUnknown("mid-02", "leaf-02-03", ["leaf-02-01", "leaf-02-02"])],
    ),
    "a switch twice": (
        replaced(("SwitchName=leaf-01-02 Nodes=node[0003-0004]", f"{LINES[1]}\n{LINES[1]}")),
        [facts.SwitchRepeated("leaf-01-02", 2)],
    ),
    "a switch twice, the second time with what the first has not": (
        replaced((LINES[-1], f"{LINES[-1]}\nSwitchName=leaf-01-02 Switches=mid-02")),
        [facts.SwitchRepeated("leaf-01-02", 2)],
    ),
    "a switch below two": (
        replaced(("Switches=leaf-02-[01-02]", "Switches=leaf-02-[01-02],leaf-01-01")),
        [facts.SwitchShared("leaf-01-01", ["mid-01", "mid-02"])],
    ),
    "an empty switch": (TREE + "SwitchName=spare\n", [facts.SwitchEmpty("spare")]),
    "a switch of both": (
        replaced(("Switches=mid-[01-04]", "Switches=mid-[01-04] Nodes=node0001")),
        [
            facts.SwitchOfBoth("root"),
            facts.HostDoubled("node0001", ["leaf-01-01", "root"]),
        ],
    ),
    "two leaves in one": (
        replaced(
            ("Nodes=node[0001-0002]", "Nodes=node[0001-0004]"),
            ("SwitchName=leaf-01-02 Nodes=node[0003-0004]\n", ""),
            ("Switches=leaf-01-[01-02]", "Switches=leaf-01-01"),
        ),
        [facts.LeafMixed("leaf-01-01", ["leaf-01-01", "leaf-01-02"])],
    ),
    "a leaf in two": (
        replaced(
            ("Nodes=node[0001-0002]\n", "Nodes=node0001\nSwitchName=extra Nodes=node0002\n"),
            ("Switches=leaf-01-[01-02]", "Switches=leaf-01-[01-02],extra"),
        ),
        [facts.GroupSplit("leaf-01-01", ["leaf-01-01", "extra"])],
    ),
    "a name in another case": (
        replaced(("Nodes=node[0009-0010]", "Nodes=node0009,Node0010")),
        [facts.HostsMisspelt(["Node0010"], ["node0010"])],
    ),
    "full and short names": (
        replaced(("Nodes=node[0009-0010]", "Nodes=node0009.site.org,node0010")),
        [facts.HostsMisspelt(["node0009.site.org"], ["node0009"])],
    ),
}


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_found_and_nothing_else(fault: str, tmp_path: Path) -> None:
    content, expected = PLANTED[fault]
    assert sorted(faults(tmp_path, content), key=str) == sorted(expected, key=str)
    assert all(text(fact) for fact in expected)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("spec", [POD, "fat-tree:4,2:trees=2", "torus:3x3", "fat-tree:4,2:rails=2"])
def test_nothing_is_wrong_with_what_lacis_writes(form: str, spec: str, tmp_path: Path) -> None:
    found = topology(lacis.read(spec))
    assert faults(tmp_path, FORMS[form].write(fitted(found, FORMS[form]), Details()), found) == []


def test_a_root_that_joins_what_no_cables_join_is_found(tmp_path: Path) -> None:
    found = topology(lacis.read("fat-tree:4,2:trees=2"))
    own = FORMS["slurm-tree"].write(found, Details())
    roots = "root-tree1-leaf-01,root-tree2-leaf-01"
    [fault] = faults(tmp_path, f"{own}SwitchName=all Switches={roots}\n", found)
    assert fault == facts.LinksAbsent(
        "all",
        [[f"tree{tree}-leaf-0{leaf}" for leaf in (1, 2, 3, 4)] for tree in (1, 2)],
    )


def test_a_topology_yaml_in_the_same_folder_shadows_topology_conf(tmp_path: Path) -> None:
    (tmp_path / "topology.yaml").write_text("- topology: x\n")
    path = tmp_path / "topology.conf"
    path.write_text(TREE)
    judged = check(WHOLE, path)
    assert [fault.fact for fault in judged.faults] == [facts.FileShadowed(str(tmp_path / "topology.yaml"))]
    assert not judged.is_right


def test_a_leaf_under_a_wrong_pod_is_named_where_pods_can_be_recognised(tmp_path: Path) -> None:
    # Eight pods of four leaves: a pod that lost one of four, and one with a fifth, are still known.
    found = topology(lacis.read("fat-tree:8,3"))
    own = FORMS["slurm-tree"].write(found, Details())
    moved = own.replace("Switches=leaf-01-[01-04]", "Switches=leaf-01-[01-03]").replace(
        "Switches=leaf-02-[01-04]", "Switches=leaf-01-04,leaf-02-[01-04]"
    )
    assert faults(tmp_path, moved, found) == [
        facts.LeavesElsewhere(["leaf-01-04"], "mid-02", "mid-01", "mid-01")
    ]


def test_a_leaf_under_no_switch_is_named_with_its_own_line(tmp_path: Path) -> None:
    found = topology(lacis.read("fat-tree:8,3"))
    own = FORMS["slurm-tree"].write(found, Details())
    path = tmp_path / "site.conf"
    path.write_text(own.replace("Switches=leaf-01-[01-04]", "Switches=leaf-01-[01-03]"))
    [fault] = [one for one in check(found, path).faults if isinstance(one.fact, facts.LeavesElsewhere)]
    assert fault.fact == facts.LeavesElsewhere(["leaf-01-04"], "", "mid-01", "mid-01")
    assert path.read_text().splitlines()[fault.line - 1].startswith("SwitchName=leaf-01-04 ")


def test_a_leaf_of_the_root_under_a_pod_is_named_with_the_line_of_the_pod(tmp_path: Path) -> None:
    # Pod 1 has lost its switches, so that its two leaves hang on the cores; the file has the first of them in pod 2.
    fabric = lacis.read("fat-tree:4,3:radix=8").edit(
        [
            *("mid-01-01--core-*", "mid-01-02--core-*"),
            *(f"+leaf-01-0{leaf}--core-0{leaf}-0{core}" for leaf in (1, 2) for core in (1, 2)),
        ]
    )
    found = topology(fabric)
    [root] = [one for one in found.above if one.name == "root"]
    assert root.children == ("leaf-01-01", "leaf-01-02", "mid-02", "mid-03", "mid-04")
    own = FORMS["slurm-tree"].write(found, Details())
    content = own.replace("Switches=leaf-02-[01-02]", "Switches=leaf-01-01,leaf-02-[01-02]").replace(
        "Switches=leaf-01-[01-02],mid", "Switches=leaf-01-02,mid"
    )
    path = tmp_path / "site.conf"
    path.write_text(content)
    [fault] = check(found, path).faults
    assert fault.fact == facts.LeavesElsewhere(["leaf-01-01"], "mid-02", "root", "root")
    assert content.splitlines()[fault.line - 1].startswith("SwitchName=mid-02 ")


def test_of_two_trees_the_one_to_which_cables_lead_is_named(tmp_path: Path) -> None:
    # A tree of pods, and one of four leaves below spines alone, of which the file has one in a pod.
    pods = [Leaf(name, (name,), (f"host-{name}",), 1, UP) for name in "abcd"]
    flat = [Leaf(name, (name,), (f"host-{name}",), 1, UP) for name in "efgh"]
    found = Topology(
        leaves=(*pods, *flat),
        above=(
            Above("pod-1", 1, ("a", "b"), (), UP),
            Above("pod-2", 1, ("c", "d"), (), UP),
            Above("root-2", 1, ("e", "f", "g", "h"), (), UP),
            Above("root-1", 2, ("pod-1", "pod-2"), (), UP),
        ),
        roots=("root-1", "root-2"),
        unplaced=(),
        compute=frozenset(f"host-{name}" for name in "abcdefgh"),
        remarks=(),
    )
    lines = [f"SwitchName={name} Nodes=host-{name}" for name in "abcdefgh"]
    lines += [
        "SwitchName=one Switches=a,b,e",
        "SwitchName=two Switches=c,d",
        "SwitchName=top Switches=one,two",
    ]
    lines += ["SwitchName=other Switches=f,g,h"]
    assert facts.LeavesElsewhere(["e"], "one", "root-2", "other") in faults(tmp_path, "\n".join(lines), found)


def test_a_switch_that_stands_for_a_pod_stands_for_no_root(tmp_path: Path) -> None:
    found = Topology(
        leaves=tuple(Leaf(name, (name,), (f"host-{name}",), 1, UP) for name in "abcd"),
        above=(Above("pod", 1, ("a", "b", "c"), (), UP), Above("root", 2, ("pod", "d"), (), UP)),
        roots=("root",),
        unplaced=(),
        compute=frozenset(f"host-{name}" for name in "abcd"),
        remarks=(),
    )
    lines = [f"SwitchName={name} Nodes=host-{name}" for name in "abcd"]
    content = "\n".join([*lines, "SwitchName=one Switches=a,b,c,d"])
    assert faults(tmp_path, content, found) == [facts.LeavesElsewhere(["d"], "one", "root", None)]


def test_names_of_another_spelling_throughout_are_a_notice(tmp_path: Path) -> None:
    # Where all names are short, or all are in lower case, a scheduler knows each host by one name.
    judged_lines = TREE.replace("Nodes=node", "Nodes=Node")
    path = tmp_path / "site.conf"
    path.write_text(judged_lines)
    judged = check(WHOLE, path)
    assert [fault.fact for fault in judged.faults] == [facts.HostsRespelt(16, "Node0001", "node0001")]
    assert judged.is_right


def test_blocks_are_judged_by_their_sizes_and_hosts(tmp_path: Path) -> None:
    own = [line for line in FORMS["slurm-block"].write(WHOLE, Details()).splitlines() if line[0] != "#"]
    assert faults(tmp_path, "\n".join(own)) == []
    smaller = [own[0].replace("node[0001-0002]", "node0001"), *own[1:-1], "BlockSizes=2,4,12"]
    assert faults(tmp_path, "\n".join(smaller)) == [
        facts.HostsLeftOut(["node0002"], "leaf-01-01", "leaf-01-01"),
        facts.BlockSizesUneven([2, 4, 12]),
        facts.BlockSmall("leaf-01-01", 1, 2),
    ]


def test_managers_on_the_leaves_of_a_group_may_be_left_out_of_the_file(dgx: Path, tmp_path: Path) -> None:
    found = topology(lacis.read(dgx))
    own = FORMS["slurm-tree"].write(found, Details())
    assert own.count("B11-P1-CUFM-02,") == 1
    assert faults(tmp_path, own.replace("B11-P1-CUFM-02,", ""), found) == []


def test_a_host_that_stands_on_no_group_is_not_judged(of_selene: Topology, tmp_path: Path) -> None:
    found = of_selene
    own = FORMS["slurm-tree"].write(found, Details())
    more = own.replace("Nodes=luna-[0001-0020]", "Nodes=luna-[0001-0020],selene-login-01")
    path = tmp_path / "site.conf"
    path.write_text(more)
    judged = check(found, path)
    assert [fault.fact for fault in judged.faults] == [facts.HostsUnjudged(["selene-login-01"], "LG01")]
    assert judged.is_right


@pytest.mark.parametrize("seed", range(5))
def test_twelve_faults_at_once_are_each_found_in_a_real_cluster(
    of_selene: Topology, tmp_path: Path, seed: int
) -> None:
    found = of_selene
    own = FORMS["slurm-tree"].write(found, Details())
    assert faults(tmp_path, own, found, "topology.conf") == []
    rng = random.Random(seed)
    leaves = {leaf.name: list(leaf.hosts) for leaf in found.leaves}
    above = {one.name: list(one.children) for one in found.above}
    a, b, c, d, e, f, g = rng.sample(
        [name for name in leaves if name not in ("LG15", "LG16", "LG17", "LG18")], 7
    )
    moved, doubled, absent, cased = (leaves[name][0] for name in (a, b, c, d))
    leaves[e].append(leaves[a].pop(0))
    leaves[f].append(doubled)
    leaves[c].pop(0)
    leaves[d][0] = cased.upper()
    leaves[g].append("stranger1")
    # The pod of four leaves is taken apart: they hang on the root.
    above["root"] = [name for name in above["root"] if name != "CSPINE3"] + above.pop("CSPINE3")
    above["root"].append("nowhere")
    above["CSPINE1"].append("loop")
    lines = [f"SwitchName={name} Nodes={','.join(hosts)}" for name, hosts in leaves.items()]
    lines += [f"SwitchName={name} Switches={','.join(children)}" for name, children in above.items()]
    lines += ["SwitchName=loop Switches=CSPINE1", "SwitchName=empty", lines[0]]
    lines += ["SwitchName=both Nodes=stranger2 Switches=LG15"]
    (tmp_path / "topology.yaml").write_text("- topology: x\n")
    kinds = faults(tmp_path, "\n".join(lines), found, "topology.conf")
    first = next(iter(leaves))
    expected: list[TopologyFault] = [
        facts.FileShadowed(str(tmp_path / "topology.yaml")),
        facts.HostsElsewhere([moved], e, a, a),
        facts.HostDoubled(doubled, sorted([b, f], key=list(leaves).index)),
        facts.HostsLeftOut([absent], c, c),
        facts.HostsMisspelt([cased.upper()], [cased]),
        facts.SwitchEmpty("empty"),
        facts.SwitchRepeated(first, 1),
        facts.SwitchOfBoth("both"),
        facts.SwitchShared("LG15", ["root", "both"]),
    ]
    assert [fact for fact in expected if fact not in kinds] == []
    there = {type(fact) for fact in kinds}
    # With a cycle, what is above the leaves of its switches is not judged further.
    assert {facts.SwitchesCircular, facts.ChildUnknown, facts.HostsUnknown, facts.TierMissing} <= there


def test_severities_say_what_a_scheduler_does() -> None:
    assert severity(facts.SwitchEmpty("a")) == "error"
    assert severity(facts.HostDoubled("a", ["b", "c"])) == "warning"
    assert severity(facts.HostsUnjudged(["a"], "b")) == "notice"


def test_a_file_of_another_cluster_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LacisError, match=r"none of its 2 hosts .* the file of another cluster"):
        faults(tmp_path, "SwitchName=a Nodes=x[1-2]\n")


@pytest.mark.slow
def test_a_file_of_ten_megabytes_with_a_cycle_is_judged(tmp_path: Path) -> None:
    lines = [
        f"SwitchName=leaf{n} Nodes={','.join(f'host{n:06}-{i}' for i in range(12))}" for n in range(40_000)
    ]
    ring = [f"SwitchName=ring{n} Switches=ring{(n + 1) % 70_000}" for n in range(70_000)]
    content = "\n".join([*LINES, *lines, *ring])
    assert len(content) > 10_000_000
    found = faults(tmp_path, content)
    assert sum(isinstance(fact, facts.HostsUnknown) for fact in found) == 40_000
    [cycle] = [fact for fact in found if isinstance(fact, facts.SwitchesCircular)]
    assert cycle.switches[:2] == ["ring0", "ring1"]
    assert len(cycle.switches) == 70_000


@pytest.mark.slow
def test_a_file_that_names_more_hosts_than_any_cluster_has_is_refused_with_its_line(tmp_path: Path) -> None:
    lines = [f"SwitchName=s{n} Nodes=n{n}-[0-99999]" for n in range(20)]
    with pytest.raises(LacisError, match="more than 1,048,576 names in the file") as caught:
        faults(tmp_path, "\n".join(lines))
    assert caught.value.line == 11


def test_a_tower_of_switches_is_refused_with_its_line(tmp_path: Path) -> None:
    tower = [f"SwitchName=t{n} Switches=t{n + 1}" for n in range(2_000)]
    content = "\n".join([*tower, "SwitchName=t2000 Nodes=node0001"])
    with pytest.raises(LacisError, match="more than 64 switches above one another"):
        faults(tmp_path, content)


def test_faults_are_the_worst_first_and_then_in_the_order_of_the_file(tmp_path: Path) -> None:
    content = replaced(
        ("Nodes=node[0001-0002]", "Nodes=node[0001-0002],x1"),
        ("Nodes=node[0003-0004]", "Nodes=node0004"),
        ("Nodes=node[0009-0010]", "Nodes=node[0009-0010],node0009"),
    )
    path = tmp_path / "topology.conf"
    path.write_text(content + "SwitchName=spare2\nSwitchName=spare1\n")
    (tmp_path / "topology.yaml").write_text("- topology: x\n")
    judged = check(WHOLE, path)
    assert [(fault.line, type(fault.fact)) for fault in judged.faults] == [
        (0, facts.FileShadowed),
        (14, facts.SwitchEmpty),
        (15, facts.SwitchEmpty),
        (0, facts.HostsLeftOut),
        (1, facts.HostsUnknown),
        (5, facts.HostDoubled),
    ]
    # 15 of the fabric's hosts, one twice, and x1; 8 leaves, 4 pods, a root and two that are empty.
    assert (judged.switches, judged.hosts, judged.is_right) == (15, 16, False)
    doubled = next(fault.fact for fault in judged.faults if isinstance(fault.fact, facts.HostDoubled))
    assert doubled == facts.HostDoubled("node0009", ["leaf-03-01"])


@pytest.mark.parametrize(("switches", "refused"), [(65, False), (66, True)])
def test_64_switches_may_be_above_a_switch(tmp_path: Path, switches: int, *, refused: bool) -> None:
    tower = [f"SwitchName=t{n} Switches=t{n + 1}" for n in range(switches - 1)]
    content = "\n".join([*tower, f"SwitchName=t{switches - 1} Nodes=node0001"])
    if refused:
        # The lowest of them is the one that has more than 64 above it.
        with pytest.raises(LacisError, match="more than 64 switches above one another"):
            faults(tmp_path, content)
    else:
        assert facts.HostsLeftOut(["node0002"], "leaf-01-01", f"t{switches - 1}") in faults(tmp_path, content)


@pytest.mark.parametrize(
    ("sizes", "uneven", "small"),
    [
        ("2,4,8", False, 0),
        ("2,8", False, 0),
        ("2,6", True, 0),
        ("2,2", True, 0),
        ("4,2", True, 0),
        ("2,3", True, 0),
        ("4", False, 8),
        ("3,6", False, 8),
    ],
)
def test_a_block_size_is_the_one_before_it_times_a_power_of_two(
    tmp_path: Path, sizes: str, *, uneven: bool, small: int
) -> None:
    own = [line for line in FORMS["slurm-block"].write(WHOLE, Details()).splitlines() if line[0] != "#"]
    found = faults(tmp_path, "\n".join([*own[:-1], f"BlockSizes={sizes}"]))
    assert [type(one) for one in found] == [facts.BlockSizesUneven] * uneven + [facts.BlockSmall] * small


def test_the_spelling_that_most_hosts_have_is_the_usual_one(tmp_path: Path) -> None:
    upper = TREE.replace("Nodes=node", "Nodes=Node")
    one_right = upper.replace("Nodes=Node[0001-0002]", "Nodes=node0001,Node0002")
    assert faults(tmp_path, one_right) == [facts.HostsMisspelt(["node0001"], ["node0001"])]


def test_a_leaf_stands_for_the_group_of_most_of_its_hosts(tmp_path: Path) -> None:
    # Of the three hosts of one two are its own, and of the five of the other three.
    found = topology(lacis.read("fat-tree:8,2"))
    own = FORMS["slurm-tree"].write(found, Details())
    moved = own.replace("Nodes=node[0001-0004]", "Nodes=node[0001-0002],node0005")
    moved = moved.replace("Nodes=node[0005-0008]", "Nodes=node[0006-0008],node[0003-0004]")
    assert sorted(faults(tmp_path, moved, found), key=str) == [
        facts.HostsElsewhere(["node0003", "node0004"], "leaf-02", "leaf-01", "leaf-01"),
        facts.HostsElsewhere(["node0005"], "leaf-01", "leaf-02", "leaf-02"),
    ]
    # Both of two groups have more than half of their hosts on one leaf: it holds two groups.
    both = own.replace("Nodes=node[0001-0004]", "Nodes=node[0001-0007]").replace(
        "Nodes=node[0005-0008]", "Nodes=node0008"
    )
    assert facts.LeafMixed("leaf-01", ["leaf-01", "leaf-02"]) in faults(tmp_path, both, found)
