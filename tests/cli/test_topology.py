"""`lacis topology`: a fabric as schedulers see it, written, listed and judged."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lacis as library
import pytest

from tests.unit.test_scheduler_topology import edited

if TYPE_CHECKING:
    from tests.conftest import Lacis

TREE = "fat-tree:4,2"
"""Four leaves of two hosts, node0001 to node0008, under two spines."""
CONF = """SwitchName=leaf-01 Nodes=node[0001-0002]
SwitchName=leaf-02 Nodes=node[0003-0004]
SwitchName=leaf-03 Nodes=node[0005-0006]
SwitchName=leaf-04 Nodes=node[0007-0008]
SwitchName=root Switches=leaf-[01-04]
"""


def asked(lacis: Lacis, *args: str | Path, status: int = 0) -> dict[str, Any]:
    done = lacis("topology", *args, "--json")
    assert done.status == status, done.err
    content: dict[str, Any] = json.loads(done.out)
    return content


def read_by_a_scheduler(text: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("#"))


def test_a_topology_conf_is_written_with_figures_in_comments_alone(lacis: Lacis, tmp_path: Path) -> None:
    done = lacis("topology", TREE, "--as", "slurm-tree")
    assert (done.status, done.err) == (0, "")
    assert read_by_a_scheduler(done.out) == CONF
    # Two links of 25 GB/s lead up from a leaf.
    assert (
        "# leaf-01: 2 hosts, 1 leaf switch (leaf-01), 2 cables to hosts; 2 cables to the level above, 50 GB/s each way\n"
        in done.out
    )
    file = tmp_path / "topology.conf"
    assert lacis("topology", TREE, "--as", "slurm-tree", "-o", file).out == ""
    assert file.read_text() == done.out
    assert read_by_a_scheduler(lacis("topology", TREE, "--as", "slurm-tree", "--by", "bandwidth").out) == (
        re.sub(r"(?m)^(SwitchName=leaf.*)$", r"\1 LinkSpeed=50", CONF)
    )


def test_the_listing_has_leaves_and_what_is_above(lacis: Lacis) -> None:
    lines = lacis("topology", "fat-tree:4,3").out.splitlines()
    assert lines[0] == (
        "16 hosts on 8 leaves (groups of leaf switches with the same hosts), 5 switches above them, 1 root"
    )
    assert any(re.fullmatch(r"leaf-02-01 +2 +1 +2 +2 +50 +node\[0005-0006\] *", line) for line in lines)
    assert any(re.fullmatch(r"mid-03 +1 +2 +4 +100 +leaf-03-\[01-02\] *", line) for line in lines)


def test_json_has_the_fields_of_both(lacis: Lacis, tmp_path: Path) -> None:
    found = asked(lacis, TREE)
    assert found["leaves"][1] == {
        "name": "leaf-02",
        "switches": ["leaf-02"],
        "hosts": ["node0003", "node0004"],
        "cables": 2,
        "up": {"cables": 2, "bandwidth": 50e9},
    }
    assert (found["form"], found["content"], found["roots"]) == (None, None, ["root"])
    file = tmp_path / "topology.conf"
    written = asked(lacis, TREE, "--as", "slurm-tree", "-o", file)
    assert (written["file"], written["content"]) == (str(file), None)
    assert asked(lacis, TREE, "--as", "slurm-tree")["content"] == file.read_text()
    judged = asked(lacis, TREE, "--check", file)
    assert next(iter(judged.items())) == ("schema", "lacis.topology.check/1")
    assert (judged["form"], judged["right"], judged["faults"]) == ("slurm-tree", True, [])
    file.write_text(CONF.replace("node[0005-0006]", "node[0005-0007]"))
    [fault] = asked(lacis, TREE, "--check", file, status=1)["faults"]
    assert fault["severity"] == "warning"
    assert fault["fact"] == {"kind": "host_doubled", "host": "node0007", "leaves": ["leaf-03", "leaf-04"]}


def test_a_work_list_is_printed_with_lines_and_exit_1(
    lacis: Lacis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the name of the file is in the first line, which has a width
    file = Path("site.conf")
    file.write_text(CONF.replace("node[0005-0006]", "node0005").replace("leaf-[01-04]", "leaf-[01-05]"))
    done = lacis("topology", TREE, "--check", file)
    assert (done.status, done.err) == (1, "")
    assert done.out.splitlines() == [
        f"{file}: slurm-tree, 7 hosts under 5 switches",
        "  error    line 5     root: its child leaf-05 is not defined; did you mean leaf-01 or leaf-02?",
        "  warning             node0006: not in the file; add to leaf-03 (the file's leaf for leaf-03)",
    ]
    file.write_text(CONF)
    assert lacis("topology", TREE, "--check", file).out.splitlines()[1:] == ["Nothing is wrong with it."]


def test_the_exit_status_reads_no_sentence(
    lacis: Lacis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lacis.facts.wording.text", lambda _: "said otherwise")
    file = tmp_path / "site.conf"
    file.write_text(CONF.replace("node[0005-0006]", "node0005"))
    assert asked(lacis, TREE, "--check", file, status=1)["faults"][0]["text"] == "said otherwise"


def test_hosts_are_those_that_the_scheduler_has(lacis: Lacis, tmp_path: Path) -> None:
    nodes = tmp_path / "nodes"
    nodes.write_text("node0001\nnode[0003-0004]\nnode0009\n")
    done = lacis("topology", TREE, "--as", "slurm-tree", "--hosts", f"file:{nodes}", "--skip-absent")
    assert read_by_a_scheduler(done.out) == (
        "SwitchName=leaf-01 Nodes=node0001\nSwitchName=leaf-02 Nodes=node[0003-0004]\nSwitchName=root Switches=leaf-[01-02]\n"
    )
    assert "1 of 4 hosts is not in the fabric, left out: node0009" in done.err
    assert "5 hosts stand under no leaf; the comments of the file say why" in done.err
    assert "# under no leaf: node[0002,0005-0008]: not among the hosts that were asked for\n" in done.out


def test_a_fabric_without_levels_says_what_still_works(lacis: Lacis) -> None:
    done = lacis("topology", "torus:3x3", "--as", "slurm-tree")
    assert done.status == 0
    assert "leaves are right, nothing is known between them and the root" in done.err
    assert "SwitchName=root Switches=switch-0-[0-2],switch-1-[0-2],switch-2-[0-2]\n" in done.out


def test_names_that_would_break_a_line_or_a_terminal_do_not(lacis: Lacis, tmp_path: Path) -> None:
    names = {
        "node0001 HCA-1": "a;rm HCA-1",
        "node0003 HCA-1": "n\x1b[31m3 HCA-1",
        "leaf-02": "MF0;leaf 02\x07=x:MQM8700/U1",
    }
    file = tmp_path / "fabric.json"
    file.write_text(edited(library.read(TREE), names).to_json())
    for form in ("slurm-tree", "slurm-yaml", "k8s-labels", "volcano", "flux", "pbs"):
        done = lacis("topology", file, "--as", form)
        assert done.status == 0
        assert "\x1b" not in done.out
        assert "\x07" not in done.out
        assert "a;rm" not in read_by_a_scheduler(done.out)
    site = tmp_path / "site.conf"
    site.write_text(CONF + "SwitchName=\x1b[31mred Nodes=node0001\n")
    for line in ((file,), (file, "--check", site)):
        assert "\x1b" not in lacis("topology", *line).out
    found = asked(lacis, file, "--as", "slurm-tree")
    kinds = {row["host"]: row["why"]["kind"] for row in found["unplaced"]}
    assert kinds["a;rm"] == "host_name_unfit"
    assert {leaf["name"] for leaf in found["leaves"]} == {"leaf-01", "leaf-02-x", "leaf-03", "leaf-04"}


def test_adapters_named_by_their_model_do_not_double_a_host(lacis: Lacis, tmp_path: Path) -> None:
    # All adapters of leaf 1 and one of leaf 4 have the name of their model: one host of five leaves, for who looks at names.
    model = "MT4129 ConnectX7   Mellanox Technologies"
    file = tmp_path / "fabric.json"
    names = {f"node{number:04} HCA-1": model for number in (1, 2, 8)}
    file.write_text(edited(library.read(TREE), names).to_json())
    found = asked(lacis, file)
    hosts = [host for leaf in found["leaves"] for host in leaf["hosts"]]
    assert len(hosts) == len(set(hosts))
    assert not any("MT4129" in host for host in hosts)
    # Each of the three is under a leaf by the name that numbers imply, or listed.
    assert len(hosts) + len(found["unplaced"]) == 8


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--as", "slurm"], "'slurm' is not one of"),
        (["-o", "x"], "-o is for --as"),
        (["--check", "x", "-o", "x", "--as", "slurm-tree"], "-o has no meaning with it"),
        (["--labels", "a,,b", "--as", "k8s-labels"], "--labels: a key is empty"),
        (["--labels", "a"], "--labels is for --as k8s-labels and for --check"),
        (["--labels", "a", "--as", "k8s-labels"], "--labels: 1 keys for 2 tiers"),
        (["--rail", "0"], "--rail"),
        (["--rail", "7"], "--rail: no host has a cable on rail 7; there are 1"),
        (["--adapters", "HFI*"], "--adapters: no adapter of a host is like it; there are HCA-1: HFI*"),
        (["--hosts", "dgx[1-2]"], "--hosts: no host and no group of this fabric: dgx[1-2]"),
        (["--hosts", "storage"], "--hosts: no host of the fabric is of that group: storage"),
        (["--check", "absent"], "absent: no such file"),
        (["--check", "/dev/null"], "/dev/null: no topology in any form that is known"),
    ],
)
def test_a_mistake_is_one_line_and_exit_2(lacis: Lacis, args: list[str], said: str) -> None:
    done = lacis("topology", TREE, *args)
    assert (done.status, done.out) == (2, "")
    assert re.fullmatch(r"lacis: [^\n]+\n", done.err), done.err
    assert said in done.err


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"SwitchName=a Nodes=n[1-\n", "site:1: a bracket that nothing closes"),
        (b"SwitchName=a Nodes=node0001\n\nSwitch a\n", "site:3: 'Switch' is no key of topology.conf"),
        (b"- topology: a\n  tree:\n\tswitches:\n", "site:3: a tab as indentation"),
        (b"SwitchName=a Nodes=n\xff\n", "site:1: not UTF-8"),
        (b"\0\1\2", "site: no text"),
        (b"SwitchName=a Nodes=x1\n", "site: none of its 1 hosts (x1, …) is in the fabric"),
        (b"hello\n", "site: no topology in any form that is known"),
        (b'{"kind": "NodeList", "items": [', "site: not JSON"),
    ],
)
def test_a_file_that_cannot_be_judged_is_one_line_and_exit_2(
    lacis: Lacis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "site").write_bytes(content)
    done = lacis("topology", TREE, "--check", "site")
    assert (done.status, done.out) == (2, "")
    assert re.fullmatch(r"lacis: [^\n]+\n", done.err), done.err
    assert said in done.err


def test_a_fabric_without_hosts_on_leaves_is_one_line_and_exit_2(lacis: Lacis) -> None:
    done = lacis("topology", TREE, "--without", "leaf-*")
    assert (done.status, done.out) == (2, "")
    assert done.err == "lacis: no host hangs on a leaf switch, so that a scheduler has no leaf to know\n"


def test_a_file_comes_from_standard_input_too(lacis: Lacis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(CONF.encode())))
    assert lacis("topology", TREE, "--check", "-").status == 0


def test_a_file_with_a_mark_and_returns_is_read(lacis: Lacis, tmp_path: Path) -> None:
    file = tmp_path / "site.conf"
    file.write_bytes(b"\xef\xbb\xbf" + CONF.replace("\n", "\r\n").encode())
    assert lacis("topology", TREE, "--check", file).status == 0
