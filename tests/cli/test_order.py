"""`lacis order`: port GUIDs as OpenSM's `guid_routing_order_file` takes them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import lacis as library
import pytest
from lacis import _core

from tests.recabled import recabled

if TYPE_CHECKING:
    from tests.conftest import Lacis

TREE = "fat-tree:4,2"
"""Four leaves of two nodes, node0001 to node0008, leaf by leaf."""


def guids_of(names: list[str], spec: str = TREE) -> str:
    """What a file has for these hosts: the GUIDs of their only ports."""
    routes = library.route(library.read(spec))
    participants = _core.participants(routes)
    guid = dict(zip(participants.hosts, participants.guids().tolist(), strict=True))
    return "".join(f"0x{guid[name]:016x}\n" for name in names)


NODES = [f"node000{i}" for i in range(1, 9)]


@pytest.mark.parametrize("by", ["name", "topology", "eventree", "ftree"])
def test_hosts_of_a_plain_tree_stand_leaf_by_leaf(lacis: Lacis, by: str) -> None:
    # The generator numbers nodes leaf by leaf and LIDs have no say.
    done = lacis("order", TREE, "--by", by)
    assert (done.status, done.err) == (0, "")
    if by == "ftree":
        # ftree takes the leaves in the order of its index, here that of their GUIDs, which the generator counts up.
        assert sorted(done.out.splitlines()) == sorted(guids_of(NODES).splitlines())
    else:
        assert done.out == guids_of(NODES)
    assert re.fullmatch(r"(0x[0-9a-f]{16}\n){8}", done.out)


def test_names_count_numbers_as_numbers(lacis: Lacis) -> None:
    hosts = json.loads(lacis("order", "fat-tree:8,2", "--by", "name", "--json").out)["hosts"]
    assert hosts[8:11] == ["node0009", "node0010", "node0011"]


def test_listed_hosts_come_first_and_the_rest_is_counted(lacis: Lacis, tmp_path: Path) -> None:
    listed = tmp_path / "hosts"
    listed.write_text("# by rank\nnode0007 slots=4\nnode0002\n")
    done = lacis("order", TREE, "--by", "host", "--list", listed, "-o", tmp_path / "out")
    assert done.status == 0
    assert done.err == ("lacis: 6 of 8 hosts are not listed; OpenSM routes them after those that are\n")
    assert (tmp_path / "out").read_text() == guids_of(["node0007", "node0002"])


def test_slurm_orders_hosts_by_switch_or_by_list(lacis: Lacis, tmp_path: Path) -> None:
    conf = tmp_path / "topology.conf"
    conf.write_text(
        "SwitchName=b Nodes=node[0005-0008]\nSwitchName=a Nodes=node[0003-0004,0001-0002]\nSwitchName=s Switches=[a-b]\n"
    )
    done = lacis("order", TREE, "--by", "slurm", "--list", conf)
    assert (done.status, done.err) == (0, "")
    assert done.out == guids_of(
        ["node0005", "node0006", "node0007", "node0008", "node0003", "node0004", *NODES[:2]]
    )
    done = lacis("order", TREE, "--by", "slurm", "--nodes", "node[0004-0003],node0001")
    assert (done.status, done.out) == (2, "")
    done = lacis("order", TREE, "--by", "slurm", "--nodes", "node[0003-0004],node0001")
    assert done.out == guids_of(["node0003", "node0004", "node0001"])


def test_a_host_of_two_rails_has_two_ports(lacis: Lacis) -> None:
    both = lacis("order", "fat-tree:4,2:rails=2").out.splitlines()
    one = lacis("order", "fat-tree:4,2:rails=2", "--rail", "2").out.splitlines()
    assert (len(both), len(one)) == (16, 8)
    # A rail after the other, each in the order of the hosts.
    assert both[8:] == one


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--by", "host"], "--by host needs --list"),
        (["--by", "slurm"], "--by slurm needs --list or --nodes"),
        (["--by", "slurm", "--nodes", "a", "--list", "b"], "needs --list or --nodes"),
        (["--by", "name", "--nodes", "a"], "--nodes has no meaning with --by name"),
        (["--by", "name", "-a", "x"], "-a is for --by ftree and --by eventree"),
        (["--by", "eventree", "-u", "x"], "-u is for --by ftree"),
        (["--by", "eventree", "-a", "absent"], "absent: no such file"),
        (["--by", "ftree", "--hosts", "node0001"], "--hosts has no meaning with --by ftree"),
        (["--by", "ftree", "--names"], "--names writes each host once"),
        (["--names", "--rail", "each"], "--names writes each host once"),
        (["--by", "ftree", "--rail", "1"], "--rail has no meaning with it"),
        (["--by", "rank"], "'rank' is not one of"),
        (["--by", "host", "--list", "absent"], "absent: no such file"),
        (["--by", "host", "--list", "none"], "none: no host in the list"),
        (
            ["--by", "host", "--list", "wrong"],
            "wrong: not in the fabric: nodeX (line 1), node009 (line 3; did you mean node0001?); "
            "listed twice: node0001 (lines 2 and 4)",
        ),
        (["--by", "slurm", "--nodes", "node[0001-0002],node0002"], "listed twice: node0002 (lines 1 and 1)"),
        (["--by", "slurm", "--nodes", "node[1"], "lacis: --nodes: a bracket that nothing closes: node[1"),
        (["--by", "slurm", "--list", "wrong"], 'wrong:1: "nodeX" is no key of topology.conf'),
        (["-o", "no/such"], "no/such: cannot be written"),
    ],
)
def test_a_mistake_is_one_line_and_exit_2(
    lacis: Lacis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("none").write_text("# nobody\n")
    Path("wrong").write_text("nodeX\nnode0001\nnode009\nnode0001\n")
    done = lacis("order", TREE, *args)
    assert (done.status, done.out) == (2, "")
    assert re.fullmatch(r"lacis: [^\n]+\n", done.err)
    assert said in done.err


@pytest.mark.parametrize("engine", ["ftree", "eventree"])
def test_an_engine_that_refuses_is_the_answer_no(lacis: Lacis, engine: str) -> None:
    done = lacis("order", "torus:4x4", "--by", engine)
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith(f"lacis: {engine} refuses: ")


def test_a_host_file_in_the_order_of_eventree_keeps_shifts_apart(lacis: Lacis, tmp_path: Path) -> None:
    # A whole tree with its cables at any ports: in the order of eventree no link carries two flows of a shift
    # (D-mod-K, Zahavi 2012), leaf by leaf some does.
    tree, hosts, guids, half = (tmp_path / name for name in ("tree.json", "hosts", "guids", "half"))
    tree.write_text(recabled("fat-tree:4,3", 1).to_json())
    assert lacis("order", tree, "--by", "eventree", "--names", "-o", hosts).status == 0
    assert lacis("order", tree, "--by", "eventree", "-o", guids).status == 0
    names = hosts.read_text().splitlines()
    assert sorted(names) == [f"node{n:04}" for n in range(1, 17)]

    def most(order: str) -> int:
        done = lacis("predict", tree, "-R", "eventree", "--traffic", "shift", "--host-order", order, "--json")
        flows: int = json.loads(done.out)["max_contention"]
        return flows

    assert [most(order) for order in ("eventree", f"file:{hosts}", f"file:{guids}", "topology")] == [
        1,
        1,
        1,
        2,
    ]
    # A job on some hosts keeps the order.
    some = ("--hosts", "node[0003-0006,0011-0012]")
    assert lacis("order", tree, "--by", "eventree", "--names", *some, "-o", half).status == 0
    job = {"node0003", "node0004", "node0005", "node0006", "node0011", "node0012"}
    assert half.read_text().splitlines() == [name for name in names if name in job]


def test_hosts_of_two_rails_are_named_once(lacis: Lacis) -> None:
    assert lacis("order", "fat-tree:4,2:rails=2", "--names").out.splitlines() == NODES


def test_a_host_file_is_written_for_omni_path_too(lacis: Lacis, tmp_path: Path) -> None:
    snapshot = tmp_path / "snapshot.xml"
    assert lacis("route", TREE, "-R", "fattree", "--snapshot", snapshot).status == 0
    assert lacis("order", snapshot).status == 2
    for by in ("topology", "eventree"):
        done = lacis("order", snapshot, "--by", by, "--names")
        assert (done.status, done.out.splitlines()) == (0, NODES)


def test_roots_that_are_given_decide_the_order_of_eventree(lacis: Lacis, tmp_path: Path) -> None:
    # From a leaf as the only root the others are above or below it: the order is that of tables with the same root.
    fabric = library.read("fat-tree:4,3")
    roots = tmp_path / "roots"
    roots.write_text(f"0x{fabric.guids()[0]:016x}\n")
    given = json.loads(lacis("order", "fat-tree:4,3", "--by", "eventree", "-a", roots, "--json").out)
    routes = library.route(fabric, "eventree", roots=library.read_guids(roots))
    assert given["hosts"] == library.participants(routes, host_order="eventree").hosts
    assert (
        given["hosts"]
        != json.loads(lacis("order", "fat-tree:4,3", "--by", "eventree", "--json").out)["hosts"]
    )


@pytest.mark.parametrize(
    ("spec", "without", "why"),
    [
        ("pgft:2;3,3;1,3;1,1", [], "are 3, 3, and more than one of these has an odd divisor"),
        ("pgft:2;3,4;1,3;1,1", ["node0001"], "3 of the hosts on leaf-02, and 2 on leaf-01"),
        ("pgft:2;3,4;1,3;1,1", ["leaf-01--spine-01"], "2 cables up for 3 of the hosts on leaf-01"),
        ("pgft:3;4,2,3;1,4,2;1,1,2", [], "16 cables up for 8 of the hosts in the subtree of leaf-01-01"),
        ("pgft:2;4,4;1,2;1,1", [], "2 cables up for 4 of the hosts on leaf-01"),
    ],
)
def test_where_no_rule_has_such_an_order_a_line_says_why(
    lacis: Lacis, spec: str, without: list[str], why: str
) -> None:
    edits = [argument for one in without for argument in ("--without", one)]
    found = lacis("order", spec, *edits, "--by", "eventree-exchanges")
    assert found.status == 2
    assert found.out == ""
    assert found.err.count("\n") == 1
    assert why in found.err


def test_lacis_order_writes_it(lacis: Lacis) -> None:
    found = lacis("order", "pgft:2;3,2;1,3;1,1", "--by", "eventree-exchanges", "--names")
    # Three hosts on a leaf, two leaves: first over the leaves, then over hosts.
    assert found.out.split() == [f"node{n:04}" for n in (1, 4, 2, 5, 3, 6)]
    document = json.loads(lacis("order", "pgft:2;3,2;1,3;1,1", "--by", "eventree-exchanges", "--json").out)
    assert document["by"] == "eventree-exchanges"
    assert len(set(document["guids"])) == 6
