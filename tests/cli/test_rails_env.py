"""`lacis rails env` and `check`: what is printed, and the exit status."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis


def test_what_env_prints_a_shell_can_read(lacis: Lacis) -> None:
    out = lacis("rails", "env", "--stack", "psm2", "--use", "all").out
    done = subprocess.run(
        ["bash", "-c", f"{out}\necho $PSM2_MULTIRAIL $PSM2_MULTIRAIL_MAP"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "1 0:1,1:1\n"
    assert "up to 64,000 B: 1 rail a message" in out
    assert "above 64,000 B: 2 rails a message" in out


@pytest.mark.parametrize("use", ["1:1,0:1", "map:1:1,0:1", "map=1:1,0:1"])
def test_a_map_is_kept_in_its_order(lacis: Lacis, use: str) -> None:
    found = json.loads(lacis("rails", "env", "--stack", "psm2", "--use", use, "--json").out)
    assert found["settings"] == {"PSM2_MULTIRAIL": "1", "PSM2_MULTIRAIL_MAP": "1:1,0:1"}


def test_adapters_that_planes_call_alike_are_units_of_their_own(lacis: Lacis) -> None:
    found = json.loads(lacis("rails", "env", "--stack", "psm2", "diamond", "diamond", "--json").out)
    assert found["settings"] == {"PSM2_MULTIRAIL": "1", "PSM2_MULTIRAIL_MAP": "0:1,1:1"}
    assert found["rails"] == ["hfi1_0:1", "hfi1_1:1"]


@pytest.mark.parametrize(
    ("use", "words"),
    [
        ("0:1,0:1", "names 0:1 twice"),
        ("0:1,1:1,2:1,3:1,4:1", "names 5 rails; PSM2 takes at most 4"),
        ("0:1,", '"" is no unit:port'),
        ("both", '"both" is no unit:port'),
        ("7", "hosts have 5 rails, numbered from 1"),
        ("0", "hosts have 5 rails, numbered from 1"),
        ("0:2", "no active port 0:2 (there are 0:1, 1:1"),
    ],
)
def test_a_map_that_contradicts_itself_is_refused(lacis: Lacis, use: str, words: str) -> None:
    result = lacis("rails", "env", "--stack", "psm2", "--use", use, "--units", "5", "--planes", "1")
    assert (result.status, result.out, words in result.err) == (2, "", True), result.err


def checked(lacis: Lacis, path: Path, *args: str | Path) -> tuple[int, dict[str, Any]]:
    result = lacis("rails", "check", path, *args, "--json")
    return result.status, json.loads(result.out)


def test_a_job_script_is_checked_variable_by_variable(lacis: Lacis, tmp_path: Path) -> None:
    script = tmp_path / "job.sh"
    script.write_text(
        "#!/bin/bash\nexport PSM2_MULTIRAIL_MAP=0:1,1:1\nexport FI_OPX_TID_DISABLED=1\nmpirun -x HFI_UNIT=0 ./a.out\n"
    )
    status, found = checked(lacis, script, "--stack", "psm2")
    assert status == 1
    [near] = found["variables_unknown"]
    assert (near["name"], near["line"], near["advice"]) == ("FI_OPX_TID_DISABLED", 3, "FI_OPX_TID_DISABLE=1")
    [psm2] = found["stacks"]
    assert [(r["name"], r["line"]) for r in psm2["remarks"]] == [("PSM2_MULTIRAIL_MAP", 2)]
    assert psm2["between"][0]["verdict"] == "connects"  # HFI_UNIT=0, since the map is not read
    text = lacis("rails", "check", script, "--stack", "psm2").out
    assert "did you mean FI_OPX_TID_DISABLE?" in text
    assert "so it does nothing" in text


def test_hosts_that_lack_a_rail_are_named(lacis: Lacis, tmp_path: Path) -> None:
    settings = tmp_path / "env"
    settings.write_text("UCX_NET_DEVICES=mlx5_0:1,mlx5_1:1\nUCX_MAX_RNDV_RAILS=2\n")
    fabric = ("fat-tree:8,2:rails=2", "--without", "node0007 HCA-2")
    status, found = checked(lacis, settings, *fabric)
    assert status == 1
    verdicts = {
        tuple(len(names) for names in one["hosts"]): one["verdict"] for one in found["stacks"][0]["between"]
    }
    assert verdicts == {(31, 31): "connects", (31, 1): "connects"} or verdicts == {
        (31, 31): "connects",
        (31, 1): "fewer rails",
    }
    assert any("mlx5_1:1 is no adapter of node0007" in r["text"] for r in found["stacks"][0]["remarks"])


def test_pairs_on_fewer_rails_are_a_no_though_no_variable_is_odd(lacis: Lacis, tmp_path: Path) -> None:
    settings = tmp_path / "env"
    fabric = ("fat-tree:8,2:rails=2", "--without", "node0007 HCA-2")
    settings.write_text("NCCL_CROSS_NIC=0\n")
    status, found = checked(lacis, settings, *fabric, "--stack", "nccl")
    [nccl] = found["stacks"]
    assert (status, nccl["remarks"], found["variables_unknown"]) == (1, [], [])
    assert [one["verdict"] for one in nccl["between"]] == ["connects", "fewer rails"]
    assert checked(lacis, settings, "fat-tree:8,2:rails=2", "--stack", "nccl")[0] == 0


@pytest.mark.parametrize(
    ("stack", "without", "lines"),
    [
        ("ucx", (), []),
        ("ucx", ("node0001 HCA-4",), ["node[0002-0008] and node0001: fewer rails: 3 of 4"]),
        (
            "mvapich2",
            ("node0001 HCA-4", "node0002 HCA-3", "node0003 HCA-2"),
            [
                "node[0004-0008] and node0001: fails: MV2_IBA_HCA names mlx5_3; the host has mlx5_0, mlx5_1, mlx5_2",
                "node[0004-0008] and node0002: fails: MV2_IBA_HCA names mlx5_2; the host has mlx5_0, mlx5_1, mlx5_3",
                "node[0004-0008] and node0003: fails: MV2_IBA_HCA names mlx5_1; the host has mlx5_0, mlx5_2, mlx5_3",
                "node0001 and node0002: fails: MV2_IBA_HCA names mlx5_3; the host has mlx5_0, mlx5_1, mlx5_2",
                "node0001 and node0003: fails: MV2_IBA_HCA names mlx5_3; the host has mlx5_0, mlx5_1, mlx5_2",
                "and 1 more pair of kinds of hosts: lacis rails check",
            ],
        ),
    ],
)
def test_hosts_that_lack_a_rail_of_the_environment_are_named_and_a_no(
    lacis: Lacis, stack: str, without: tuple[str, ...], lines: list[str]
) -> None:
    gone = [word for one in without for word in ("--without", one)]
    done = lacis("rails", "env", "--stack", stack, "fat-tree:4,2:rails=4", *gone, "--json")
    assert (done.status, done.err.splitlines()) == (1 if lines else 0, [f"lacis: {line}" for line in lines])
    # All eight hosts are in pairs that lack a rail as soon as one does.
    assert json.loads(done.out)["troubled"] == (8 if lines else 0)


def test_a_good_environment_is_exit_0_and_bad_input_exit_2(lacis: Lacis, tmp_path: Path) -> None:
    good = tmp_path / "good"
    good.write_text(lacis("rails", "env", "--stack", "psm2").out)
    assert lacis("rails", "check", good).status == 0
    for args, words in (
        ((tmp_path / "missing",), "missing: no such file"),
        ((good, "-e", "NAME"), "a setting is NAME=VALUE"),
        ((good, "--units", "1", "--planes", "2"), "cannot be on more than 1"),
        ((good, "fat-tree:4,2", "--units", "1"), "in place of a FABRIC"),
        ((good, "--without", "x"), "--without is for a FABRIC"),
    ):
        result = lacis("rails", "check", *args)
        assert (result.status, words in result.err) == (2, True), result.err
        assert result.err.count("\n") == 1


# As users met them: the field report of two Omni-Path networks, and others' job logs, shortened.
@pytest.mark.parametrize(
    ("name", "status", "verdicts"),
    [
        ("mpirun-x-comma", 0, {"nccl": ("connects", 4, 4)}),
        ("ucx-tcp-eth0", 0, {"ucx": ("tcp", 0, 2)}),
        ("nccltests150", 1, {"nccl": ("connects", 18, 19)}),
    ],
)
def test_the_environments_of_others_do_what_they_did(
    lacis: Lacis, cases: Path, name: str, status: int, verdicts: dict[str, tuple[str, int, int]]
) -> None:
    result = lacis("rails", "check", cases / "environments" / f"{name}.sh", "--json")
    assert result.status == status
    stacks = {one["stack"]: one for one in json.loads(result.out)["stacks"]}
    for stack, wanted in verdicts.items():
        [between] = stacks[stack]["between"]
        assert (between["verdict"], between["rails_used"], between["rails_in_common"]) == wanted
    if name == "nccltests150":
        # Only mlx5_8 is left out: the second name never matches.
        rails = {a for a, _ in stacks["nccl"]["between"][0]["outcomes"][0]["rails"]}
        assert "mlx5_8:1" not in rails
        assert "mlx5_14:1" in rails
        assert any("^=mlx5_14" in one["text"] for one in stacks["nccl"]["remarks"])
