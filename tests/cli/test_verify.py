"""`lacis verify` and `lacis trace` as commands."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis


def test_json_has_the_keys_that_others_build_on(lacis: Lacis) -> None:
    done = lacis("verify", "fat-tree:4,3", "-R", "ftree", "--json")
    found = json.loads(done.out)
    assert next(iter(found)) == "schema"
    assert found["schema"] == "lacis.verify/1"
    assert (found["engine_requested"], found["engine_used"]) == ("ftree", "ftree")
    # 16 nodes: 2 on each of 8 leaves, 4 in each of 4 pods.
    assert found["pairs"] == 16 * 15
    none = dict.fromkeys(["no_entry", "dead_port", "loop", "wrong_port", "unknown_lid"], 0)
    assert found["verdicts"] == {"delivered": 240, **none}
    assert found["hops"] == {"1": 16 * 1, "3": 16 * 2, "5": 16 * 12}
    assert found["credit_loops"] == []
    assert set(found["balance"]) == {"max", "mean", "links", "used", "forced"}
    assert done.status == 0


def test_a_bad_answer_is_exit_1_and_shows_the_cycle(lacis: Lacis) -> None:
    done = lacis("verify", "torus:4x4")
    assert done.status == 1
    assert "CREDIT LOOP" in done.out
    assert "switch-0-0[" in done.out


def test_both_populations_are_shown_where_they_differ(lacis: Lacis, dgx: Path) -> None:
    done = lacis("verify", dgx, "-R", "updn")
    assert done.status == 1
    assert "host adapters only" in done.out
    assert "all end nodes" in done.out
    assert "max 1,713 = 3.21 × the mean 534.3" in done.out
    assert "max 1,830 = 3.01 × the mean 607.7" in done.out
    hosts = lacis("verify", dgx, "-R", "updn", "--pairs", "hosts", "--json")
    assert hosts.status == 0
    assert json.loads(hosts.out)["pairs"] == 542 * 541
    both = json.loads(lacis("verify", dgx, "-R", "updn", "--json").out)
    assert both["hosts_only"]["balance"] == json.loads(hosts.out)["balance"]


def test_a_host_without_a_cable_is_exit_1_though_no_pair_is_lost(lacis: Lacis) -> None:
    done = lacis("verify", "fat-tree:8,2", "--without", "leaf-01[1]", "--json")
    found = json.loads(done.out)
    assert done.status == 1
    assert found["verdicts"]["delivered"] == found["pairs"] == 31 * 30
    assert (found["hosts_cut_off"], found["good"]) == (1, False)
    assert "hosts cut off              1" in lacis("verify", "fat-tree:8,2", "--without", "leaf-01[1]").out
    # A host of two adapters that keeps one is none.
    kept = lacis("verify", "fat-tree:8,2:rails=2", "--without", "rail1-leaf-01[1]", "--json")
    assert json.loads(kept.out)["hosts_cut_off"] == 0


def test_a_refusal_is_said_aloud(lacis: Lacis) -> None:
    done = lacis("verify", "torus:4x4", "-R", "ftree", "--json")
    assert "ftree refused: " in done.err
    found = json.loads(done.out)
    assert (found["engine_requested"], found["engine_used"]) == ("ftree", "minhop")
    refused = lacis("verify", "torus:4x4", "-R", "ftree", "--no-fallback")
    assert refused.status == 1
    assert refused.err.startswith("lacis: ftree refuses")


# The forced collision: both nodes of edge1 reach their partners on edge2 through core1.
TABLE = """\
Unicast lids [0-8] of switch Lid 2 guid 0x0011750102600000 ('edge1'):
0x0001 001 # portguid 0x0011750101700001: 'NodeA hfi1_0'
0x0003 002 # portguid 0x0011750101700005: 'NodeB hfi1_0'
0x0005 025 # portguid 0x0011750101700009: 'NodeC hfi1_0'
0x0006 025 # portguid 0x001175010170000d: 'NodeD hfi1_0'
Unicast lids [0-8] of switch Lid 4 guid 0x0011750102600008 ('edge2'):
0x0001 026
0x0003 048
0x0005 001
0x0006 002
Unicast lids [0-8] of switch Lid 7 guid 0x0011750102600010 ('core1'):
0x0001 001
0x0003 001
0x0005 002
0x0006 001
Unicast lids [0-8] of switch Lid 8 guid 0x0011750102600018 ('core2'):
0x0001 001
0x0003 001
"""


@pytest.fixture
def lfts(tmp_path: Path) -> Path:
    path = tmp_path / "lfts.dump"
    path.write_text(TABLE)
    return path


def test_tables_from_a_file_are_judged_as_they_are(lacis: Lacis, lfts: Path) -> None:
    # A and B reach each other and C. To D: C delivers on edge2; from A and B core1 sends it back to edge1: a
    # loop. From C and D: A is reached, D and C reach each other, B is sent to edge2's unused port 48.
    # Delivered: A→B, B→A, A→C, B→C, C→A, D→A, C→D, D→C; loop: A→D, B→D; dead port: C→B, D→B.
    done = lacis("verify", "article", "--lfts", lfts, "--json")
    found = json.loads(done.out)
    assert done.status == 1
    assert found["engine_used"] == "file"
    assert {v: n for v, n in found["verdicts"].items() if n} == {"delivered": 8, "loop": 2, "dead_port": 2}
    # The packets for D go round between edge1 and core1, and hold both links.
    assert [sorted(cycle) for cycle in found["credit_loops"]] == [["core1[1]", "edge1[25]"]]


def test_a_trace_goes_there_and_back(lacis: Lacis, lfts: Path) -> None:
    done = lacis("trace", "article", "NodeA hfi1_0", 'nodepat:"NodeC*":port:1', "--lfts", lfts, "--json")
    there, back = json.loads(done.out)["routes"]
    assert done.status == 0
    assert [(h["node"], h["in"], h["out"]) for h in there["hops"]] == [
        ("NodeA hfi1_0", None, 1),
        ("edge1", 1, 25),
        ("core1", 1, 2),
        ("edge2", 25, 1),
        ("NodeC hfi1_0", 1, None),
    ]
    assert (there["verdict"], there["switches"], there["links"]) == ("delivered", 3, 4)
    assert [h["node"] for h in back["hops"]][1:4] == ["edge2", "core2", "edge1"]


def test_a_trace_that_ends_badly_is_exit_1_and_says_how(lacis: Lacis, lfts: Path) -> None:
    done = lacis("trace", "article", "NodeA", "NodeD", "--lfts", lfts)
    assert done.status == 1
    assert "LOOP: 3 switches" in done.out
    assert "NodeD hfi1_0[1] → NodeA hfi1_0[1]" in done.out
    assert "delivered: 3 switches, 4 links" in done.out


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["NodeX hfi1_0", "NodeA"], 'no node matches "NodeX hfi1_0"; near: "NodeA hfi1_0"'),
        (["Node*", "NodeA"], "matches 4 end ports"),
        (["lid:99", "NodeA"], "no port has LID 99"),
        (["NodeA", "nodeguid:xyz"], "a GUID is"),
        (["NodeA", "NodeB", "-R", "ftre"], 'unknown routing engine "ftre"; did you mean ftree'),
        (["NodeA", "NodeB", "-R", "anything"], 'unknown routing engine "anything" (there are minhop,'),
        (["NodeA", "NodeB", "-R", "ftree", "--lfts", "x"], "--lfts reads tables that exist"),
        (["NodeA", "NodeB", "--sm", "nobody"], "nobody"),
        (["NodeA", "NodeB", "--root-guid-file", "/nonexistent"], "/nonexistent: no such file"),
    ],
)
def test_a_mistake_is_one_line_and_exit_2(lacis: Lacis, args: list[str], words: str) -> None:
    done = lacis("trace", "article", *args)
    assert done.status == 2
    assert done.err.startswith("lacis: ")
    assert done.err.count("\n") == 1
    assert words in done.err
    assert done.out == ""


def test_the_bound_of_shifts_stands_below_the_links(lacis: Lacis) -> None:
    # Without a spine each of 8 leaves has 3 uplinks for 4 hosts. Of 31 shifts all but the two times 3 that keep a packet on the leaf
    # lose one of 4.
    done = lacis("verify", "fat-tree:8,2", "--without", "spine-01", "-R", "minhop")
    line = next(line for line in done.out.splitlines() if line.startswith("bound, leaf by leaf"))
    assert "shifts have 0.799 of the link rate at most (the worst 0.750)" in line
    document = json.loads(
        lacis("verify", "fat-tree:8,2", "--without", "spine-01", "-R", "minhop", "--json").out
    )
    assert document["shifts"]["mean"] == pytest.approx(1 - 25 / (4 * 31))
    assert (document["shifts"]["kind"], document["shifts"]["narrow"]) == ("shifts_bounded", 8)


def test_a_whole_tree_has_no_bound_below_the_link_rate(lacis: Lacis) -> None:
    done = lacis("verify", "fat-tree:8,2", "-R", "minhop")
    assert "bound, leaf by leaf   no bound of shifts below the link rate is known" in done.out
