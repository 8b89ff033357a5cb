"""`lacis whatif`: what it says about failures and returns, and what it answers to names that mean nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis, Result

# Four leaves of two hosts, two spines, a cable from each leaf to each spine; the manager is on leaf-01.
TREE = "fat-tree:4,2"


def answer(result: Result) -> Any:
    assert result.err == ""
    return json.loads(result.out)


def test_after_a_loss_the_manager_keeps_what_it_can_and_after_a_return_it_recomputes(lacis: Lacis) -> None:
    cut = "leaf-02--spine-01"
    done = lacis("whatif", TREE, "--cut", cut, "--restore", cut)
    assert (done.status, done.err) == (0, "")
    first, second = done.out.split("\n2. ")
    assert "1. cut: leaf-02[3]--spine-01[2]\n   the manager on node0001 HCA-1[1] keeps what it can\n" in first
    assert second.startswith("plugged in: leaf-02[3]--spine-01[2]\n")
    assert "recomputes all tables" in second
    assert "In all, from first to last\n   entries changed    0 of 84\n" in second


def test_an_engine_that_refuses_what_is_left_is_reported_with_its_reason(lacis: Lacis) -> None:
    done = lacis(
        "whatif", TREE, "-R", "ftree", "--cut", "leaf-02--spine-01", "--restore", "leaf-02--spine-01"
    )
    lines = [line.strip() for line in done.out.splitlines()]
    refusal = lines.index("FALLS BACK from ftree to minhop") - 1
    # The reason takes two lines of a terminal.
    reason = " ".join(lines[refusal - 1 : refusal + 1])
    assert reason.startswith("ftree refuses: Different number of upward port groups")
    assert "goes back from minhop to ftree" in lines
    steps = answer(
        lacis("whatif", TREE, "-R", "ftree", "--cut", "leaf-02--spine-01", "--drop", "spine-01", "--json")
    )["steps"]
    sweeps = [step["sweeps"][0] for step in steps]
    assert [(s["engine_before"], s["engine_used"]) for s in sweeps] == [
        ("ftree", "minhop"),
        ("minhop", "ftree"),
    ]
    assert [[r["engine"] for r in s["refusals"]] for s in sweeps] == [["ftree"], []]


def test_a_leaf_without_uplinks_loses_its_pairs_and_that_is_exit_1(lacis: Lacis) -> None:
    # Its 2 hosts and the 6 others lose each other, both ways: 24 pairs that no cables join.
    done = lacis("whatif", TREE, "--pairs", "hosts", "--cut", "leaf-02--spine-*")
    assert done.status == 1
    assert "pairs lost         24 (24 that no cables join, 0 that tables leave out)" in done.out
    assert "to node0003 HCA-1[1]" in done.out
    listed = answer(lacis("whatif", TREE, "--pairs", "hosts", "--cut", "leaf-02--spine-*", "--json"))
    losses = listed["total"]["losses"]
    assert (losses["pairs_lost"], losses["apart"], losses["unrouted"]) == (24, 24, 0)
    assert sum(lost["sources"] for lost in losses["lost"]) == 24
    # A manager that sees both sides again routes them again.
    mended = lacis("whatif", TREE, "--cut", "leaf-02--spine-*", "--restore", "leaf-02--spine-01")
    assert mended.status == 0
    assert "24 regained" in mended.out


def test_changes_happen_in_the_order_in_which_they_are_typed(lacis: Lacis) -> None:
    there = lacis("whatif", TREE, "--drop", "spine-02", "--restore=spine-02", "--json")
    steps = answer(there)["steps"]
    happened = [(c["happened"], c["parts"]) for step in steps for c in step["changes"]]
    assert happened == [("drop", ["spine-02"]), ("return", ["spine-02"])]
    back = lacis("whatif", TREE, "--restore=spine-02", "--drop", "spine-02")
    assert (back.status, back.out) == (2, "")
    assert back.err == "lacis: restore spine-02: nothing of that is missing\n"


def test_a_link_that_is_down_for_a_moment_makes_the_manager_recompute(lacis: Lacis) -> None:
    moment = ("--cut", "leaf-02--spine-01", "--restore", "leaf-02--spine-01", "--together")
    content = answer(lacis("whatif", TREE, *moment, "--json"))
    (step,) = content["steps"]
    assert len(step["changes"]) == 2
    assert [sweep["mode"] for sweep in step["sweeps"]] == ["recomputed"]


def test_bandwidth_is_given_before_and_after(lacis: Lacis) -> None:
    # In the shift by 2 all four hosts of two neighbouring leaves send up; with one uplink left two flows
    # of a leaf share it.
    content = answer(lacis("whatif", TREE, "--cut", "leaf-02--spine-01", "--json"))
    before, after = content["before"], content["steps"][0]["after"]
    assert (before["shifts"]["worst"], before["shifts"]["max_contention"]) == (1.0, 1)
    assert after["shifts"]["max_contention"] == 2
    assert after["shifts"]["worst"] < before["shifts"]["worst"]
    assert after["bisection"]["mean"] < before["bisection"]["mean"]
    assert content["provenance"] == "modelled"


def test_a_manager_that_is_cut_off_is_reported(lacis: Lacis) -> None:
    done = lacis("whatif", TREE, "--drop", "leaf-01", "--cut", "leaf-02--spine-01")
    assert done.status == 1
    assert done.out.count("THE MANAGER on node0001 HCA-1[1] is cut off") == 2
    # No manager routes around the second failure, so tables still lead into it.
    assert "that tables leave out)" in done.out
    elsewhere = lacis(
        "whatif", TREE, "--sm", "node0008 HCA-1", "--drop", "leaf-01", "--cut", "leaf-02--spine-01"
    )
    assert "THE MANAGER" not in elsewhere.out
    assert "pairs lost         none" in elsewhere.out


def test_the_tables_after_the_last_change_are_written(lacis: Lacis, tmp_path: Path) -> None:
    out, cut = tmp_path / "t", "leaf-02--spine-01"
    assert lacis("whatif", "fat-tree:8,2", "--cut", cut, "-o", out).status == 0
    proof = lacis("verify", "fat-tree:8,2", "--without", cut, "--lfts", out, "--json")
    assert (proof.status, proof.err) == (0, "")
    # As they stood before they lead into the cable that is gone.
    assert lacis("route", "fat-tree:8,2", "-o", out).status == 0
    assert lacis("verify", "fat-tree:8,2", "--without", cut, "--lfts", out).status == 1


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((), "say what changes: --cut, --drop or --restore"),
        (("--cut",), "Option '--cut' requires an argument."),
        (("--cut", ""), "selector"),
        (("--cut", "leaf-1--spine-01"), "no node is called leaf-1 (nearest: leaf-01"),
        (("--cut", "leaf-01--leaf-02"), "no such cable is there (there are leaf-01[3]--spine-01"),
        (("--cut", "leaf-01[9]"), "no such cable is there (there are leaf-01[3]--spine-01"),
        (("--cut", "leaf-01"), "cut leaf-01: that is a node; drop it, or name its cables, as leaf-01--*"),
        (("--drop", "leaf-01[3]"), "drop leaf-01[3]: that is a cable"),
        (("--drop", "spine-2"), "nearest: spine-02"),
        (("--drop", "spine-02", "--drop", "spine-02"), "drop spine-02: it is gone already"),
        (("--cut", "leaf-01--spine-01", "--restore", "leaf-02[3]"), "missing are leaf-01[3]--spine-01[1]"),
        (("--cut", "leaf-01[3]", "--shifts", "0"), "--shifts 0: expected all or a number from 1"),
        (("--cut", "leaf-01[3]", "--json", "-o", "-"), "do not go together"),
    ],
)
def test_a_change_that_means_nothing_is_one_line(lacis: Lacis, args: tuple[str, ...], words: str) -> None:
    done = lacis("whatif", TREE, *args)
    assert done.status == 2
    assert done.out == "" or "--json" in args
    assert done.err.startswith("lacis: ")
    assert done.err.count("\n") == 1
    assert words in done.err


def test_a_name_that_several_nodes_have_is_answered_with_their_identifiers(
    lacis: Lacis, tmp_path: Path
) -> None:
    file = tmp_path / "fabric.json"
    assert lacis("fabric", TREE, "-o", file).status == 0
    file.write_text(file.read_text().replace("spine-02", "spine-01"))
    nodes = json.loads(file.read_text())["nodes"]
    twins = [node["id"] for node in nodes if node["description"] == "spine-01"]
    assert len(twins) == 2
    for change in (("--drop", "spine-01"), ("--cut", "leaf-01--spine-01")):
        done = lacis("whatif", file, *change)
        assert done.status == 2
        assert f"2 nodes are called spine-01, expected one ({twins[0]}, {twins[1]})" in done.err
    # The identifier distinguishes them, and is what the answer says.
    done = lacis("whatif", file, "--drop", twins[1])
    assert f"1. dropped: {twins[1]}\n" in done.out


def test_the_file_of_tables_that_were_loaded_is_named(tmp_path: Path, lacis: Lacis) -> None:
    dump = tmp_path / "dump"
    assert lacis("route", TREE, "-o", dump).status == 0
    done = lacis("whatif", TREE, "-R", "file", "-U", dump, "--cut", "leaf-02--spine-01")
    assert done.out.startswith(f"At first: tables of {dump}; ")


def test_a_flow_without_a_route_counts_as_no_bandwidth(lacis: Lacis, tmp_path: Path) -> None:
    # Tables from a file stay as they are: what went over the cable is lost, and nothing is the better for it.
    tables = tmp_path / "lfts"
    assert lacis("route", "fat-tree:8,3", "-o", tables).status == 0
    cut = ("--cut", "random-cables=9,seed=2", "--patterns", "50", "--shifts", "20", "--json")
    done = lacis("whatif", "fat-tree:8,3", "-R", "file", "-U", tables, *cut)
    assert done.status == 1
    content = json.loads(done.out)
    before, after = content["before"], content["steps"][0]["after"]
    assert after["bisection"]["unrouted"] > 0
    assert after["bisection"]["mean"] < before["bisection"]["mean"]
    assert after["shifts"]["mean"] < before["shifts"]["mean"]


def test_the_aggregation_node_of_a_switch_that_is_dropped_goes_with_it(lacis: Lacis, dgx: Path) -> None:
    spine = ("--drop", "A10-P1-IBSPINE-03", "--patterns", "1", "--shifts", "1", "--json")
    done = lacis("whatif", dgx, *spine)
    losses = json.loads(done.out)["total"]["losses"]
    assert (done.status, losses["cut_off"], losses["pairs_lost"]) == (0, [], 0)
    # The file has it at port 65 of that switch.
    assert losses["gone"] == ["H-2c5eab0300c26390[1]"]


@pytest.mark.parametrize(
    ("engine", "rules"),
    [("eventree", "eventree of Lacis makes tables"), ("updn", "OpenSM 3.3.23's rules; bandwidth")],
)
def test_whose_rules_the_tables_follow_is_said(lacis: Lacis, engine: str, rules: str) -> None:
    done = lacis("whatif", TREE, "-R", engine, "--cut", "leaf-02--spine-01")
    assert f"\nmodelled: {rules}" in done.out


def test_the_manager_may_be_a_host_by_its_name(lacis: Lacis) -> None:
    done = lacis("whatif", TREE, "--sm", "node0003", "--cut", "leaf-02--spine-01")
    assert "the manager on node0003 HCA-1[1]" in done.out
    missed = lacis("whatif", TREE, "--sm", "node0009", "--cut", "leaf-02--spine-01")
    assert (missed.status, missed.err.count("\n")) == (2, 1)
    assert 'no node is called "node0009"' in missed.err


def test_whatif_says_how_many_destinations_it_does_not_list(lacis: Lacis) -> None:
    # Without its spines each of 8 leaves keeps 4 hosts to itself: all 32 lose senders.
    args = ["whatif", "fat-tree:8,2", "-R", "ftree", "--drop", "spine-0*", "--together"]
    text = lacis(*args).out
    assert "to node0020 HCA-1" in text
    assert "     and 12 more (--listed)\n" in text
    assert "more (--listed)" not in lacis(*args, "--listed", "32").out
