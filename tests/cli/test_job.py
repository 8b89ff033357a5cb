"""`lacis job`: where a job sits, what its flows share, what it gets, which jobs it meets."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis

TREE = "fat-tree:4,2"
"""Four leaves of two hosts, node0001 to node0008, under two spines."""


def asked(lacis: Lacis, *args: str | Path, status: int = 0) -> dict[str, Any]:
    done = lacis("job", *args, "--json")
    assert (done.status, done.err) == (status, "")
    content: dict[str, Any] = json.loads(done.out)
    assert next(iter(content.items())) == ("schema", "lacis.job/1")
    return content


def test_hosts_stand_on_their_leaves(lacis: Lacis) -> None:
    found = asked(lacis, TREE, "node[0003-0005]", "-R", "ftree")
    assert found["hosts"] == ["node0003", "node0004", "node0005"]
    [rail] = found["rails"]
    assert [(leaf["name"], leaf["hosts"]) for leaf in rail["leaves"]] == [
        ("leaf-02", ["node0003", "node0004"]),
        ("leaf-03", ["node0005"]),
    ]
    assert (rail["rail"], rail["hosts"], rail["without"]) == (1, 3, [])
    assert set(rail["spines"]) <= {"spine-01", "spine-02"}


def test_a_job_of_one_leaf_crosses_no_spine_and_has_all_of_its_links(lacis: Lacis) -> None:
    found = asked(lacis, TREE, "node0001,node0002")
    [rail] = found["rails"]
    assert (rail["spines"], rail["links"], found["shared"]) == ([], 0, [])
    # Two hosts on one switch: each sends to the other at the full rate of its link.
    rates = {
        (row["static"], row["adaptive"]) for row in found["bandwidths"] if not row["what"].startswith("nccl")
    }
    [(static, adaptive)] = rates
    assert static == pytest.approx(adaptive)
    facts = json.loads(lacis("fabric", TREE, "--json").out)
    assert static == pytest.approx(facts["links_by_rate"][0]["bytes_per_second"])


def test_flows_that_share_a_link_are_printed_with_the_number_that_tables_force(
    lacis: Lacis, tmp_path: Path
) -> None:
    # All entries of the leaves lead over spine 1: both hosts of leaf 1 can send to leaf 2 over one link.
    dump = tmp_path / "t"
    cut = [f"--without=leaf-0{leaf}--spine-02" for leaf in (1, 2, 3, 4)]
    assert lacis("route", TREE, *cut, "-o", dump).status == 0
    found = asked(lacis, TREE, "node[0001-0004]", *cut)
    worst = found["shared"][0]
    assert len(worst["flows"]) == 2
    # Two senders on a leaf and two receivers on the other.
    assert worst["pairs"] == 4
    # Shift by 2: both hosts of each leaf to the other over one link: half a link each, whatever the routing.
    by_name = {row["what"]: row for row in found["bandwidths"]}
    full = json.loads(lacis("fabric", TREE, "--json").out)["links_by_rate"][0]["bytes_per_second"]
    assert by_name["worst shift"]["static"] == pytest.approx(full / 2)
    assert by_name["worst shift"]["adaptive"] == pytest.approx(full / 2, rel=0.01)


def test_a_job_whose_hosts_do_not_reach_each_other_is_exit_1_whatever_the_words(
    lacis: Lacis, monkeypatch: pytest.MonkeyPatch
) -> None:
    # No cable joins leaf 1 with the spines: neither of the two messages of the one shift has a route.
    monkeypatch.setattr("lacis.facts.wording.text", lambda _: "said otherwise")
    cut = "--without=leaf-01--spine-*"
    found = asked(lacis, TREE, "node0001,node0003", cut, status=1)
    lost = [remark for remark in found["remarks"] if remark["kind"] == "messages_unrouted"]
    assert {"kind": "messages_unrouted", "traffic": "shift", "messages": 2} in lost
    assert set(found["notes"]) == {"said otherwise"}
    # On one side of the cut nothing is lost.
    assert asked(lacis, TREE, "node[0003-0004]", cut)["bandwidths"]


def test_another_job_on_the_same_links_slows_it_down_and_one_elsewhere_does_not(lacis: Lacis) -> None:
    cut = [f"--without=leaf-0{leaf}--spine-02" for leaf in (1, 2, 3, 4)]
    job = "node0001,node0003"
    meets, apart = "node0002,node0004", "node[0005-0008]"
    found = asked(lacis, TREE, job, *cut, "--with", meets, "--with", apart)
    slow, free, both = found["meetings"]
    # Two flows from leaf 1 to leaf 2 and two back over one cable: half each.
    assert slow["slowdown"] == pytest.approx(2)
    assert (slow["links"], slow["slower"]) == (4, 1.0)
    assert (free["links"], free["slowdown"]) == (0, pytest.approx(1))
    assert both["slowdown"] == pytest.approx(2)


def test_rails_are_distinguished(lacis: Lacis) -> None:
    found = asked(lacis, "fat-tree:4,2:rails=2", "node[0001-0008]")
    assert [(rail["rail"], rail["hosts"], len(rail["leaves"])) for rail in found["rails"]] == [
        (1, 8, 4),
        (2, 8, 4),
    ]


def test_slurm_files_and_sets_name_the_same_hosts(lacis: Lacis, tmp_path: Path) -> None:
    file = tmp_path / "hosts"
    file.write_text("# by rank\nnode[0001-0002] slots=2\nnode0005\n")
    wanted = ["node0001", "node0002", "node0005"]
    assert asked(lacis, TREE, f"file:{file}")["hosts"] == wanted
    guids = tmp_path / "guids"
    assert lacis("order", TREE, "--by", "host", "--list", file, "-o", guids).status == 0
    assert asked(lacis, TREE, f"file:{guids}")["hosts"] == wanted
    assert asked(lacis, TREE, "--slurm", "node[0001-0002,0005]")["hosts"] == wanted
    assert asked(lacis, TREE, "node[0001-0005]!node[0003-0004]")["hosts"] == wanted
    text = lacis("job", TREE, f"file:{file}").out
    assert text.startswith(
        "3 hosts: node[0001-0002,0005]\ntables: minhop's (assumed: neither -R nor --lfts is given)\n"
    )


def test_groups_of_clustershell_are_known(
    lacis: Lacis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "clustershell").mkdir()
    (tmp_path / "clustershell" / "groups.conf").write_text(
        "[Main]\ndefault: local\n[local]\nmap: [ $GROUP = rack1 ] && echo node[0001-0004]\nlist: echo rack1\n"
    )
    monkeypatch.setenv("CLUSTERSHELL_CFGDIR", str(tmp_path / "clustershell"))
    import ClusterShell.NodeSet

    ClusterShell.NodeSet.set_std_group_resolver_config(str(tmp_path / "clustershell" / "groups.conf"))
    try:
        assert len(asked(lacis, TREE, "@rack1")["hosts"]) == 4
        done = lacis("job", TREE, "@rack7")
        assert (done.status, done.err.count("\n")) == (2, 1)
    finally:
        ClusterShell.NodeSet.set_std_group_resolver(None)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ([], "given once"),
        (["node0001", "--slurm", "node0002"], "given once"),
        (["dgx[01-64]"], "HOSTS: no host of this fabric: "),
        (["node[0007-0010]"], "2 of 4 are no hosts of this fabric: node[0009-0010]; did you mean node000"),
        (["node[1"], "HOSTS: not a set of hosts"),
        (["node[0-99999999999999]"], "more than 1,048,576 names"),
        (["n[1-2000][1-2000]"], "more than 1,048,576 names"),
        ([""], "no host in the list"),
        (["node[0001-0002]", "--with", "nodeX"], "--with: no host of this fabric"),
        (["file:absent"], "absent: no such file"),
        (["file:/dev/null"], "/dev/null: no host in the file"),
        (["node[0001-0002]", "-R", "none"], "unknown routing engine"),
    ],
)
def test_a_mistake_is_one_line_and_exit_2(lacis: Lacis, args: list[str], said: str) -> None:
    done = lacis("job", TREE, *args)
    assert (done.status, done.out) == (2, "")
    assert re.fullmatch(r"lacis: [^\n]+\n", done.err), done.err
    assert said in done.err


def test_hosts_without_a_common_rail_are_no_job(lacis: Lacis) -> None:
    # One host is left on rail 1 alone, another on rail 2.
    cut = ["--without", "node0001 HCA-2", "--without", "node0005 HCA-1"]
    done = lacis("job", "fat-tree:4,2:rails=2", "node[0001-0005]", *cut)
    assert (done.status, done.out) == (2, "")
    assert done.err == (
        "lacis: node0001 (rail 1) and node0005 (rail 2) have no rail in common: they cannot be of one job\n"
    )
    found = asked(lacis, "fat-tree:4,2:rails=2", "node[0001-0004]", *cut)
    assert [rail["without"] for rail in found["rails"]] == [[], ["node0001"]]
    # NCCL's channels are on the one rail that all have.
    assert "NCCL's collectives: on rail 1, which every host has" in found["notes"]
    bus = {row["what"]: row["static"] for row in found["bandwidths"]}
    one = {row["what"]: row["static"] for row in asked(lacis, TREE, "node[0001-0004]")["bandwidths"]}
    assert bus["nccl-ring"] == pytest.approx(one["nccl-ring"])
