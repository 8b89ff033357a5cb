"""What the search of `lacis tune` starts from, and how its inputs are written for OpenSM."""

from __future__ import annotations

from pathlib import Path

import pytest
from lacis import LacisError, _core, tuning
from lacis.facts.gains import InputsLeaveLoops, InputsLosePairs
from lacis.tuning.candidates import from_leaves
from lacis.tuning.judge import Judge
from lacis.tuning.layout import Layout, participants
from lacis.tuning.stages import Limits, _Search

TREE = "pgft:2;4,4;1,2;1,2"
"""Four leaves of 4 hosts and 2 spines, 2 cables between any leaf and spine."""


def layout_of(fabric: _core.Fabric) -> Layout:
    return Layout.of(fabric, *participants(fabric, "all"))


@pytest.fixture(scope="module")
def tree() -> _core.Fabric:
    return _core.generate_fabric(TREE)


def test_a_leaf_looks_through_parallel_cables_one_after_the_other() -> None:
    """Leaf 1 has ports 3 and 4 to spines 1 and 2, and a new cable to spine 2 in port 2: that comes first, then port 4, which
    leads to the same spine. Turned it begins with the last, as it is the second leaf with this spine.
    """
    tree = _core.generate_fabric("fat-tree:4,2").without(["leaf-04", "node0004"])
    layout = layout_of(tree.edit(["+leaf-02--spine-02"]))
    first, second = layout.guids[0], layout.guids[1]
    assert layout.bundled()[:2] == [(first, [3, 4]), (second, [2, 4, 3])]
    assert layout.bundled(turned=True)[:2] == [(first, [3, 4]), (second, [3, 2, 4])]


def test_an_order_by_leaf_has_every_host_once_and_leaves_in_one_piece(tree: _core.Fabric) -> None:
    layout = layout_of(tree)
    order = layout.by_leaf(padded=False)
    hosts = [port for some in layout.hosts.values() for port in some]
    assert sorted(order) == sorted(hosts)
    assert len(set(order)) == 16
    edge_switches = [next(leaf for leaf, some in layout.hosts.items() if port in some) for port in order]
    assert edge_switches == sorted(edge_switches, key=layout.leaves.index)


def test_a_leaf_is_padded_to_its_uplinks(tree: _core.Fabric) -> None:
    """A leaf with 3 of its 4 hosts is padded with its own port 0; whole ones need nothing."""
    fabric = tree.without(["random-hosts=1,seed=1"])
    layout = layout_of(fabric)
    (short,) = (leaf for leaf, hosts in layout.hosts.items() if len(hosts) == 3)
    added = set(layout.by_leaf(padded=True)) - set(layout.by_leaf(padded=False))
    assert added == {layout.guids[short]}


def test_compute_nodes_are_the_hosts_at_one_rank(tree: _core.Fabric) -> None:
    """From a leaf all others are two hops away: its own hosts are no compute nodes."""
    layout = layout_of(tree)
    root = layout.leaves[1]
    expected = {port for leaf, hosts in layout.hosts.items() if leaf != root for port in hosts}
    assert set(layout.level_hosts(tree, [root])) == expected


@pytest.mark.parametrize("spec", [TREE, "fat-tree:6,3", "fat-tree:8,2"])
def test_one_leaf_as_root_serves_every_pair_without_a_credit_loop(spec: str) -> None:
    """Pairs of switches too: with the top as roots these are lost, and minhop leaves a loop of them."""
    fabric = _core.generate_fabric(spec)
    for candidate in list(from_leaves(fabric, layout_of(fabric)))[:6]:
        routes = _core.route(fabric, candidate.engine, **candidate.options)
        proof = _core.verify(routes, "all", switches=True)
        assert routes.engine_used == candidate.engine
        assert (proof.pairs - proof.verdicts["delivered"], proof.credit_loops) == (0, [])


def test_failures_at_the_root_are_tried_first(tree: _core.Fabric) -> None:
    search = _Search(tree, Limits(), lambda _what: None)
    root = search.layout.leaves[0]
    options = {"roots": [search.layout.guids[root]]}
    tuned = search.judge.tuned("here", "updn", options)  # type: ignore[arg-type]
    _, survey = search.judge.survey("updn", options)  # type: ignore[arg-type]
    order = search._order(tuned, len(survey.parts))
    assert sorted(order) == list(range(len(survey.parts)))
    # The root and its two spines, then its four cables.
    first = [survey.parts[index] for index in order[:7]]
    name = tree.switches()[root][0]
    assert [kind for kind, _ in first] == ["switch"] * 3 + ["cable"] * 4
    assert name in [part for _, part in first[:3]]
    assert all(name in part for _, part in first[3:])


def test_files_are_as_opensm_reads_them(tmp_path: Path) -> None:
    options = {
        "roots": [0x10],
        "cn": [0x21, 0x22],
        "search_order": [(0x10, [3, 1, 2])],
        "hop_weights": [(0x10, 4, 9)],
        "connect_roots": True,
        "port_shifting": False,
        "order": [],
    }
    folder = tmp_path / "out"
    names = tuning.write("updn", options, folder)  # type: ignore[arg-type]
    lines = (folder / tuning.LINES).read_text().splitlines()
    assert lines[0] == "routing_engine updn"
    assert "connect_roots TRUE" in lines
    assert not any(line.startswith(("port_shifting", "guid_routing_order")) for line in lines)
    files = dict(line.split() for line in lines if "_file " in line)
    assert {Path(path).name for path in files.values()} == set(names) - {tuning.LINES}
    read = {key: Path(path).read_text() for key, path in files.items()}
    assert read == {
        "root_guid_file": "0x0000000000000010\n",
        "cn_guid_file": "0x0000000000000021\n0x0000000000000022\n",
        "hop_weights_file": "0x0000000000000010 4 9\n",
        "port_search_ordering_file": "0x0000000000000010 3 1 2\n",
    }


def test_a_folder_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    quoted = tmp_path / 'a"b'
    with pytest.raises(LacisError, match="ends the name of a file"):
        tuning.write("updn", {"roots": [1]}, quoted)
    assert list(tmp_path.iterdir()) == []


def test_what_loses_pairs_or_leaves_a_loop_is_not_accepted() -> None:
    """minhop on a ring of five switches waits in circles, one each way round.

    Two leaves as roots have no way to each other, as it would descend and climb: 4 hosts to 4, both ways.
    """
    ring = _core.generate_fabric("ring:5")
    judge = Judge(ring, participants(ring, "all")[1])
    looped = judge.tuned("minhop", "minhop", {})
    assert (looped.accepted, looped.loops, looped.lost) == (False, 2, 0)
    assert looped.objections == [InputsLeaveLoops(2)]

    tree = _core.generate_fabric("fat-tree:8,2")
    judge = Judge(tree, participants(tree, "all")[1])
    lossy = judge.tuned("two roots", "updn", {"roots": layout_of(tree).guids[:2]})
    assert (lossy.accepted, lossy.objections) == (False, [InputsLosePairs(32)])


def test_ctrl_c_ends_the_search_with_the_best_so_far() -> None:
    calls = []

    def progress(what: str) -> None:
        calls.append(what)
        if len(calls) == 15:
            raise KeyboardInterrupt

    tree = _core.generate_fabric("fat-tree:8,2")
    result = tuning.search(tree, limits=Limits(seconds=600), progress=progress)
    assert result.stopped
    assert result.looked_at < 20
    assert [one.failures for one in result.found] == [None] * len(result.found) != []
