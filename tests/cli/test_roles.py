"""What a site declares of its switches and hosts, and groups of hosts, in every command."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis


def answer(lacis: Lacis, *arguments: str | Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(lacis(*arguments, "--json").out)
    return content


def fabric(tmp_path: Path) -> Path:
    """A tree of 8 leaves of 4 hosts: the first two hosts serve files, the last one runs the machine."""
    import lacis

    text = lacis.read("fat-tree:8,2").to_net()
    for old, new in (("node0001", "oss01"), ("node0002", "oss02"), ("node0032", "ufm-1")):
        text = text.replace(f'"{old} ', f'"{new} ')
    path = tmp_path / "fabric.net"
    path.write_text(text)
    return path


def test_hosts_are_grouped_by_name_and_by_declaration(tmp_path: Path, lacis: Lacis) -> None:
    net = fabric(tmp_path)
    found = answer(lacis, "fabric", net)
    groups = {group["group"]: group["hosts"] for group in found["groups"]}
    assert groups == {"compute": 29, "management": 1, "storage": 2}

    roles = tmp_path / "roles"
    roles.write_text("gateway node000?\n# and\nstorage oss*\n")
    found = answer(lacis, "fabric", net, "--roles", roles)
    groups = {group["group"]: group["hosts"] for group in found["groups"]}
    assert groups == {"compute": 22, "management": 1, "storage": 2, "gateway": 7}  # node0003 to node0009

    # Lacis' own file keeps it.
    lacis("fabric", net, "--roles", roles, "-o", tmp_path / "kept.json")
    assert {
        g["group"]: g["hosts"] for g in answer(lacis, "fabric", tmp_path / "kept.json")["groups"]
    } == groups


@pytest.mark.parametrize(
    ("command", "counted"),
    [
        (["predict", "--patterns", "3"], "29 compute hosts in topology order"),
        (["whatif", "--cut", "leaf-01--spine-01", "--patterns", "3"], "bandwidth of 29 compute hosts:"),
        (["survive"], "29 compute hosts"),
        (["simulate", "--traffic", "permutation", "--bytes", "4096"], "29 compute hosts;"),
        pytest.param(["report"], "29 compute hosts, leaf by leaf", marks=pytest.mark.slow),
    ],
)
def test_every_prediction_says_which_hosts_it_counts(
    tmp_path: Path, lacis: Lacis, command: list[str], counted: str
) -> None:
    net = fabric(tmp_path)
    extra = ["-o", str(tmp_path / "page.html")] if command[0] == "report" else []
    name, *rest = command
    chosen = lacis(name, net, *rest, *extra, "--hosts", "compute")
    assert counted in " ".join(chosen.out.split()), chosen.out
    everyone = lacis(name, net, *rest, *extra)
    assert "32 hosts (29 compute, 1 management, 2 storage)" in " ".join(everyone.out.split()), everyone.out


def test_only_the_chosen_hosts_send_and_receive(tmp_path: Path, lacis: Lacis) -> None:
    net = fabric(tmp_path)
    flows = [
        answer(lacis, "predict", net, "--traffic", "alltoall", "--hosts", groups)["flows"]
        for groups in ("all", "compute", "storage", "storage,management")
    ]
    assert flows == [32 * 31, 29 * 28, 2, 3 * 2]


@pytest.mark.parametrize(
    ("rules", "line", "reason"),
    [
        ("leaf leaf-01\n\nspine leaf-0?\n", 3, "leaf-01 (0x"),
        ("laef leaf-01\n", 1, "expected root, leaf, spine, core,"),
        ("leaf\n", 1, "a node or a pattern of nodes follows the word"),
        ("storage leaf-01\n", 1, "storage is for host adapters"),
        ("leaf lead-01\n", 1, "nearest: leaf-01"),
    ],
)
def test_contradictory_and_empty_rules_are_one_clear_line(
    tmp_path: Path, lacis: Lacis, rules: str, line: int, reason: str
) -> None:
    roles = tmp_path / "roles"
    roles.write_text(rules)
    result = lacis("fabric", "fat-tree:8,2", "--roles", roles)
    assert result.status == 2
    assert result.err.startswith(f"lacis: {roles}:{line}: "), result.err
    assert reason in result.err
    assert result.err.count("\n") == 1


def test_groups_that_do_not_exist_or_are_empty_are_one_clear_line(lacis: Lacis) -> None:
    wrong = lacis("predict", "fat-tree:8,2", "--hosts", "storge")
    assert (wrong.status, wrong.err.count("\n")) == (2, 1)
    assert "no host and no group of this fabric; did you mean storage?: storge" in wrong.err
    empty = lacis("predict", "fat-tree:8,2", "--hosts", "storage,gateway")
    assert (empty.status, empty.err) == (
        2,
        "lacis: no host is in group storage,gateway (there are compute)\n",
    )


def test_declared_roots_give_a_chain_levels_and_the_search_is_reported(tmp_path: Path, lacis: Lacis) -> None:
    assert answer(lacis, "fabric", "chain:5")["levels"] is None
    assert "no tree" in lacis("fabric", "chain:5", "--why-levels").out
    roles = tmp_path / "roles"
    roles.write_text("root switch-2\n")
    found = answer(lacis, "fabric", "chain:5", "--roles", roles, "--why-levels")
    assert found["levels"] == 2
    [plane] = found["why_levels"]
    assert plane["from_roots"]
    assert not plane["trials"]
    declared = [switch for switch in plane["standing_out"] if switch["why"].startswith("declared root")]
    assert [(switch["switch"], switch["role"], switch["adapters"]) for switch in declared] == [
        ("switch-2", "spine", 1)
    ]


def test_why_levels_knows_a_grid(lacis: Lacis) -> None:
    # Half of its hosts are lost, so that those that are left hang on what looks like leaves.
    args = ("fabric", "torus:4x4", "--without", "random-hosts=50%,seed=3", "--why-levels")
    [plane] = answer(lacis, *args)["why_levels"]
    assert (plane["is_grid"], plane["trials"]) == (True, [])
    assert "a mesh, torus, hypercube, ring or chain" in lacis(*args).out
