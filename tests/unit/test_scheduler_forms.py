"""The forms of topologies: what is written is read again as the same, and what others write is read as documented."""

from __future__ import annotations

import tomllib

import lacis
import pytest
import yaml
from lacis import LacisError
from lacis.scheduler.forms import FORMS, Details, fitted, form_of, plain_yaml
from lacis.scheduler.hostlists import expand, fold
from lacis.scheduler.site import Site
from lacis.scheduler.topology import topology

SPECS = [
    "fat-tree:4,3:rails=2",
    "fat-tree:4,2:trees=2",
    "torus:3x3:h=2",
    "fat-tree:4,2:unmanaged=1",
    "chain:1:h=3",
]
# A leaf of a pod that hangs on the cores alone: its chain of names skips a tier.
UNEVEN = ("fat-tree:4,3:radix=6", ("leaf-01-01--mid-*",), ("leaf-01-01--core-01-01",))


def tree(site: Site) -> dict[str, tuple[set[str], set[str]]]:
    assert len({switch.name for switch in site.switches}) == len(site.switches)
    return {switch.name: (set(switch.hosts), set(switch.children)) for switch in site.switches}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("spec", SPECS)
def test_what_is_written_is_read_again_as_the_same(spec: str, form: str) -> None:
    its = FORMS[form]
    found = fitted(topology(lacis.read(spec)), its)
    text = its.write(found, Details())
    assert form_of(text) is its
    expected = {leaf.name: (set(leaf.hosts), set[str]()) for leaf in found.leaves}
    if form != "slurm-block":
        expected |= {one.name: (set[str](), set(one.children)) for one in found.above}
    assert tree(its.read(text, Details())) == expected


@pytest.mark.parametrize("form", ["k8s-labels", "flux", "pbs"])
def test_a_leaf_that_skips_a_tier_is_read_again_below_the_root(form: str) -> None:
    spec, cut, added = UNEVEN
    fabric = lacis.read(spec).without(list(cut)).edit([f"+{one}" for one in added])
    found = fitted(topology(fabric), FORMS[form])
    assert found.chains()["leaf-01-01"] == ("leaf-01-01", "leaf-01-01", "root")
    read = tree(FORMS[form].read(FORMS[form].write(found, Details()), Details()))
    assert "leaf-01-01" in read["root"][1]
    assert read["leaf-01-01"] == ({"node0001", "node0002"}, set())


def test_yaml_and_toml_are_what_their_own_readers_say() -> None:
    found = topology(lacis.read("fat-tree:4,3"))
    [slurm] = yaml.safe_load(FORMS["slurm-yaml"].write(found, Details()))
    assert (slurm["topology"], slurm["cluster_default"]) == ("fabric", True)
    switches = {row["switch"]: row for row in slurm["tree"]["switches"]}
    assert switches["root"] == {"switch": "root", "children": "mid-[01-04]"}
    assert switches["leaf-02-01"] == {"switch": "leaf-02-01", "nodes": "node[0005-0006]"}
    flux = tomllib.loads(FORMS["flux"].write(found, Details()))["resource"]["config"]
    assert flux[2] == {
        "hosts": "node[0005-0006]",
        "properties": ["leaf-leaf-02-01", "spine-mid-02", "core-root"],
    }
    nodes = [one for one in yaml.safe_load_all(FORMS["volcano"].write(found, Details())) if one is not None]
    root = next(one for one in nodes if one["metadata"]["name"] == "root")
    assert (root["apiVersion"], root["kind"], root["spec"]["tier"]) == (
        "topology.volcano.sh/v1alpha1",
        "HyperNode",
        3,
    )
    assert root["spec"]["members"][0] == {
        "type": "HyperNode",
        "selector": {"exactMatch": {"name": "mid-01"}},
    }
    leaf = next(one for one in nodes if one["metadata"]["name"] == "leaf-01-02")
    assert [member["selector"]["exactMatch"]["name"] for member in leaf["spec"]["members"]] == [
        "node0003",
        "node0004",
    ]
    assert {member["type"] for member in leaf["spec"]["members"]} == {"Node"}


def test_lines_are_as_the_manuals_have_them() -> None:
    found = topology(lacis.read("fat-tree:4,3"))
    labels = FORMS["k8s-labels"].write(found, Details()).splitlines()
    prefix = "network.topology.nvidia.com"
    assert (
        f"kubectl label --overwrite node node0005 {prefix}/leaf=leaf-02-01 {prefix}/spine=mid-02 {prefix}/core=root"
        in labels
    )
    own = FORMS["k8s-labels"].write(found, Details(labels=("a/leaf", "a/pod", "a/all")))
    assert "kubectl label --overwrite node node0016 a/leaf=leaf-04-02 a/pod=mid-04 a/all=root\n" in own
    with pytest.raises(LacisError, match="1 keys for 3 tiers"):
        FORMS["k8s-labels"].write(found, Details(labels=("a/leaf",)))
    pbs = FORMS["pbs"].write(found, Details()).splitlines()
    assert 'set server node_group_key = "net_leaf,net_spine,net_core"' in pbs
    assert "create resource net_spine type=string_array, flag=h" in pbs
    assert "set node node0005 resources_available.net_spine = mid-02" in pbs
    block = FORMS["slurm-block"].write(found, Details()).splitlines()
    assert block[-1] == "BlockSizes=2"
    assert "BlockName=leaf-02-01 Nodes=node[0005-0006]" in block


def test_what_is_remarkable_stands_at_the_head_as_a_comment() -> None:
    lines = FORMS["slurm-tree"].write(topology(lacis.read("torus:3x3")), Details()).splitlines()
    assert lines[1].startswith("# Figures are in comments alone: ")
    assert lines[2].startswith("# the fabric has no levels (lacis fabric --why-levels says why): ")


def test_names_are_lowered_where_kubernetes_wants_them_so_and_others_listed() -> None:
    from tests.unit.test_scheduler_topology import edited

    fabric = edited(
        lacis.read("fat-tree:4,2"),
        {"node0001 HCA-1": "Node0001 HCA-1", "node0003 HCA-1": "gpu_3 HCA-1", "leaf-01": "LEAF-01"},
    )
    found = fitted(topology(fabric), FORMS["volcano"])
    assert found.leaves[0].name == "leaf-01"
    assert found.leaves[0].hosts == ("node0001", "node0002")
    assert [one.host for one in found.unplaced] == ["gpu_3"]
    assert fitted(topology(fabric), FORMS["slurm-tree"]).leaves[0].hosts == ("Node0001", "node0002")


@pytest.mark.parametrize("form", FORMS)
def test_a_file_without_any_host_is_refused(form: str) -> None:
    from tests.unit.test_scheduler_topology import edited

    unfit = {f"node000{n} HCA-1": f"<b>{n}</b> HCA-1" for n in range(1, 9)}
    with pytest.raises(LacisError, match=r"^no host on a leaf has a name that \w+ can have: <b>1</b>$"):
        fitted(topology(edited(lacis.read("fat-tree:4,2"), unfit)), FORMS[form])


def test_what_slurm_shows_and_what_sites_write_is_read() -> None:
    shown = (
        "SwitchName=s0 Level=0 LinkSpeed=1 Nodes=n[1-3]\n"
        "SwitchName=top Level=1 LinkSpeed=1 Nodes=n[1-6] Switches=s[0-1]\n"
        "SwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[4-6]\n"
    )
    expected = {
        "s0": ({"n1", "n2", "n3"}, set[str]()),
        "top": (set[str](), {"s0", "s1"}),
        "s1": ({"n4", "n5", "n6"}, set[str]()),
    }
    assert tree(FORMS["slurm-tree"].read(shown, Details())) == expected
    written = (
        "# by hand\nswitchname=s0 NODES=n[1-2],\\\n   n3 # three\n\nSwitchName=s1 Nodes=n[4-6] LinkSpeed=7\n"
        "SwitchName=top Switches=s0,s1\n"
    )
    site = FORMS["slurm-tree"].read(written, Details())
    assert tree(site) == expected
    assert [switch.line for switch in site.switches] == [3, 5, 6]


def test_topology_yaml_is_read_with_keys_in_any_order() -> None:
    text = """
---
- topology: first
  cluster_default: false
  flat: true
- topology: "used"   # the default
  tree:
    switches:
    - children: "s[0-1]"
      switch: top
    - nodes:
        - n[1-2]
        - 'n3'
      switch: s0
    - {}
  cluster_default: True
"""
    good = text.replace("    - {}\n", "    - switch: s1\n      nodes: [n4, n5]\n")
    assert tree(FORMS["slurm-yaml"].read(good, Details())) == {
        "top": (set[str](), {"s0", "s1"}),
        "s0": ({"n1", "n2", "n3"}, set[str]()),
        "s1": ({"n4", "n5"}, set[str]()),
    }
    block = "- topology: b\n  block:\n    block_sizes: [4, 16]\n    blocks:\n      - block: b1\n        nodes: n[1-4]\n"
    site = FORMS["slurm-yaml"].read(block, Details())
    assert (tree(site), site.block_sizes, site.has_tiers) == (
        {"b1": ({"n1", "n2", "n3", "n4"}, set[str]())},
        [4, 16],
        False,
    )


def test_what_kubectl_prints_is_read() -> None:
    key = "network.topology.nvidia.com"
    table = (
        "NAME   STATUS   ROLES    AGE   VERSION   LABELS\n"
        f"n1     Ready    <none>   1d    v1.33.1   kubernetes.io/os=linux,{key}/leaf=a,{key}/spine=s\n"
        f"n2     Ready    <none>   1d    v1.33.1   kubernetes.io/os=linux,{key}/leaf=b,{key}/spine=s\n"
        "n3     Ready    <none>   1d    v1.33.1   kubernetes.io/os=linux\n"
    )
    expected = {"a": ({"n1"}, set[str]()), "b": ({"n2"}, set[str]()), "s": (set[str](), {"a", "b"})}
    assert tree(FORMS["k8s-labels"].read(table, Details())) == expected
    json = (
        '{"kind": "NodeList", "items": [{"kind": "Node", "metadata": {"name": "n1", "labels":'
        ' {"fabric.topograph.run/tier-0": "a", "fabric.topograph.run/tier-1": "s"}}}, {"kind": "Node",'
        ' "metadata": {"name": "n2", "labels": {"fabric.topograph.run/tier-1": "s", "fabric.topograph.run/tier-0": "b"}}}]}'
    )
    assert form_of(json) is FORMS["k8s-labels"]
    assert tree(FORMS["k8s-labels"].read(json, Details())) == expected
    own = "kubectl label nodes n1 n2 rack=r1 --overwrite\nkubectl label node/n3 rack=r2\n"
    assert tree(FORMS["k8s-labels"].read(own, Details(labels=("rack",)))) == {
        "r1": ({"n1", "n2"}, set[str]()),
        "r2": ({"n3"}, set[str]()),
    }


DOCUMENTS = [
    "a: 1\nb:\n  - x\n  - y: z\n    w: [1, 'two', \"th#ree\"]\n",
    "- - a\n  - b\n-\n  c: d\n",
    "'a b': \"c: d\"\n\"e\": 'it''s'\nf: g # h\ni: j#k\n",
    "a:\n- b\n- c: d\n  e:\n    f: g\n",
    "a: ~\nb: null\nc:\nd: {}\n",
    "--- # one\na: b\n---\nc: d\n",
    "text: |\n  any: thing\n   [ at all\nafter: x\n",
    "nodes: node[01-04],x[1-2]\n",
]


@pytest.mark.parametrize("text", DOCUMENTS)
def test_yaml_is_read_as_pyyaml_reads_it(text: str) -> None:
    def plain(value: object) -> object:
        """As this reader has it: texts for scalars."""
        if isinstance(value, dict):
            return {key: plain(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [plain(inner) for inner in value]
        if isinstance(value, str) and "any: thing" in value:
            return ""
        return value if value is None else str(value)

    assert plain_yaml.read(text) == [plain(one) for one in yaml.safe_load_all(text)]


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("a: &x b\n", 1, "an anchor"),
        ("a:\n  b: *x\n", 2, "an anchor"),
        ("a: !!str b\n", 1, "a tag"),
        ("a: b\n\tc: d\n", 2, "a tab"),
        ("a: b\na: c\n", 2, "twice"),
        ("a: [b\nc: d\n", 1, "closes"),
        ("a: 'b\n", 1, "a quote"),
        ("a: {b: c}\n", 1, "braces"),
        ("a: b\n   c: d\n", 2, "indented"),
        ("- a\nb: c\n", 2, "indented"),
        ("".join(f"{' ' * n}k:\n" for n in range(80)), 66, "levels"),
    ],
)
def test_yaml_that_topologies_do_not_have_is_refused_with_its_line(text: str, line: int, said: str) -> None:
    with pytest.raises(LacisError, match=said) as caught:
        plain_yaml.read(text)
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("form", "text", "said"),
    [
        ("slurm-tree", "SwitchName=a Nodes=n[1-2\n", "1: a bracket that nothing closes"),
        ("slurm-tree", "SwitchName=a Knots=n1\n", "1: 'knots' is no key"),
        ("slurm-tree", "SwitchName=a Nodes=n1 oops\n", "1: 'oops' is no key"),
        ("slurm-tree", "SwitchName=a Nodes=n1\nNodes=n2\n", "2: a line without SwitchName"),
        ("slurm-tree", 'SwitchName="" Nodes=n1\n', "1: a switch without a name"),
        ("slurm-tree", "# nothing\n", "no SwitchName"),
        ("slurm-block", "BlockName=a Nodes=n1\nBlockSizes=many\n", "2: BlockSizes are no numbers"),
        ("slurm-yaml", "- topology: a\n  flat: true\n", "1: the cluster's default topology is flat"),
        (
            "slurm-yaml",
            "- topology: a\n  tree:\n    switches:\n    - nodes: n1\n",
            "4: an item without `switch`",
        ),
        (
            "slurm-yaml",
            "- topology: a\n  tree:\n    switches:\n    - switch: b\n      node: n1\n",
            "4: 'node' is none",
        ),
        ("slurm-yaml", "- topology: a\n  tree:\n    x: y\n", "3: no list `switches`"),
        ("slurm-yaml", "- topology: a\n  tree:\n    switches: []\n", "3: no list `switches`"),
        ("slurm-yaml", "- topology: a\n  tree:\n    switches: b\n", "3: no list `switches`"),
        ("slurm-yaml", "- topology: a\n  tree: {}\n  block: {}\n", "1: a topology has one of"),
        ("slurm-yaml", "topology\n", "not a list of topologies"),
        ("k8s-labels", "kubectl label node n1 disk=ssd\n", "no node has a label such as"),
        ("k8s-labels", "kubectl label node a=b\n", "1: no node in the line"),
        ("k8s-labels", '{"kind": "Node"', "not JSON"),
        ("volcano", "kind: HyperNode\n", "1: a HyperNode without a name"),
        (
            "volcano",
            "kind: HyperNode\nmetadata:\n  name: a\nspec:\n  members:\n  - type: Node\n    selector:\n      regexMatch:\n        pattern: x\n",
            "6: HyperNode a: a member without exactMatch",
        ),
        ("flux", "[[resource.config]]\nhosts = 1\n", "without hosts"),
        ("flux", "[[resource.config]\n", "not TOML"),
        ("flux", '[[resource.config]]\nhosts = "a"\n', "no host has a property"),
        ("pbs", "set node a state = free\n", "no node has a resource"),
    ],
)
def test_what_is_wrong_in_a_file_is_refused_with_its_line(form: str, text: str, said: str) -> None:
    with pytest.raises(LacisError) as caught:
        FORMS[form].read(text, Details())
    assert said in str(caught.value)


def test_lines_that_go_on_are_joined_as_they_stand() -> None:
    text = "SwitchName=a Nodes=n1,\\\n  n2,\\\n  n3\nSwitchName=b Nodes=n4 \\\nSwitches=c\n"
    found = FORMS["slurm-tree"].read(text, Details()).switches
    assert [(one.name, list(one.hosts), list(one.children), one.line) for one in found] == [
        ("a", ["n1", "n2", "n3"], [], 3),
        ("b", ["n4"], ["c"], 5),
    ]


def test_a_node_without_labels_is_no_error_in_a_table() -> None:
    key = "network.topology.nvidia.com/leaf"
    table = f"NAME STATUS LABELS\nn1 Ready {key}=a\nn2 Ready <none>\n"
    [switch] = FORMS["k8s-labels"].read(table, Details()).switches
    assert (switch.name, list(switch.hosts)) == ("a", ["n1"])


def test_of_toml_and_json_no_lines_are_known() -> None:
    toml = '[[resource.config]]\nhosts = "n[1-2]"\nproperties = ["leaf-a", "spine-b"]\n'
    labels = '"labels": {"network.topology.nvidia.com/leaf": "a", "network.topology.nvidia.com/spine": "b"}'
    node = f'{{"kind": "Node", "metadata": {{"name": "n1", {labels}}}}}'
    for form, text in (("flux", toml), ("k8s-labels", node)):
        found = FORMS[form].read(text, Details()).switches
        assert [(one.name, one.line) for one in found] == [("a", 0), ("b", 0)]


@pytest.mark.parametrize(
    ("form", "line"),
    [
        ("pbs", "set node n1 resources_available.net_leaf = a"),
        ("k8s-labels", "kubectl label node n1 network.topology.nvidia.com/leaf=a"),
        ("slurm-tree", "SwitchName=a Nodes=n1"),
        ("slurm-block", "BlockName=a Nodes=n1"),
    ],
)
def test_lines_are_counted_from_one(form: str, line: str) -> None:
    for before in ("", "\n\n"):
        [switch] = FORMS[form].read(f"{before}{line}\n", Details()).switches
        assert (switch.name, switch.line, list(switch.hosts)) == ("a", len(before) + 1, ["n1"])


def test_lists_have_one_bracket_a_name() -> None:
    names = [
        "a05-dgx-01-c01",
        "a05-dgx-01-c02",
        "a05-dgx-02-c01",
        "n9",
        "n10",
        "n11",
        "login",
        "n1-ib",
        "n2-ib",
    ]
    assert fold(names) == "a05-dgx-01-c[01-02],a05-dgx-02-c01,n[9-11],login,n1-ib,n2-ib"
    assert sorted(expand(fold(names))) == sorted(names)
    guids = ["sw-0x0002c90200400000", "sw-0x0002c90200400008"]
    assert fold(guids) == "sw-0x0002c90200400000,sw-0x0002c90200400008"
