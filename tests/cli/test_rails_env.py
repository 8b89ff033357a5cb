"""`lacis rails env`, `check` and `doctor`: what is printed, and the exit status."""

from __future__ import annotations

import json
import subprocess
import time
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
        ("7", "hosts have 5 rails"),
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
LOG = """\
PSM2 returned unhandled/unknown connect error: Operation timed out
node1.4242 PSM2 EP connect error (unknown connect error):
Abort(1615759) on node 3: OFI tagged inject failed (ofi_impl.h:704:MPIDI_OFI_send_handler:Connection timed out)
OFI get address vector map failed
Trying to connect to a HFI (subnet id - fe80000000000000)on a different subnet - fe80000000000001
PSM2 no hfi units are active
Unit/port: 1:1 is not active.
gpu01:77:99 [3] NCCL WARN NET/IB : Got completion from peer 10.0.0.2<48012> with status=12 opcode=0 len=0 (Recv)
[1700000000.1] [n1:1:0] ucp_context.c:969 UCX  WARN  network device 'mlx5_9:1' is not available, please use one or more of: 'mlx5_0:1'(IB)
step 17 of 100 done
warp core: failed to align the dilithium
"""


def test_a_log_is_diagnosed_line_by_line_and_what_is_not_known_is_said(lacis: Lacis, tmp_path: Path) -> None:
    log = tmp_path / "job.log"
    log.write_text(LOG)
    result = lacis("rails", "doctor", log, "--json")
    assert result.status == 1
    found = json.loads(result.out)
    where = {one["code"]: [line["line"] for line in one["lines"]] for one in found["known"]}
    assert where == {
        "PSM2_CONNECT_TIMEOUT": [1],
        "PSM2_CONNECT_ERROR": [2],
        "IMPI_INJECT_FAILED": [3],
        "IMPI_ADDRESS_VECTOR": [4],
        "PSM2_OTHER_SUBNET": [5],
        "PSM2_NO_UNIT_ACTIVE": [6],
        "PSM2_PORT_INACTIVE": [7],
        "NCCL_RETRY": [8],
        "UCX_NO_DEVICE": [9],
    }
    [unknown] = found["unknown"]
    assert unknown["lines"] == [{"line": 11, "text": "warp core: failed to align the dilithium"}]
    text = lacis("rails", "doctor", log).out
    assert "line 7: Unit/port: 1:1 is not active." in text
    assert "1 line looks like an error and is not known to Lacis" in text


def test_a_log_without_trouble_is_exit_0_and_no_log_exit_2(lacis: Lacis, tmp_path: Path) -> None:
    good = tmp_path / "good.log"
    good.write_bytes(b"all is well\r\n" * 3 + b"\xff\xfe\x00 done")
    result = lacis("rails", "doctor", good)
    assert (result.status, "Nothing in it looks like trouble." in result.out) == (0, True)
    assert "4 lines" in result.out
    for path in (tmp_path / "missing", tmp_path):
        assert lacis("rails", "doctor", path).status == 2


def test_a_large_log_is_read_in_seconds(lacis: Lacis, tmp_path: Path) -> None:
    log = tmp_path / "large.log"
    line = b"[0.123456789] rank 17 iteration 4711 loss 0.123456789 tokens/s 123456 and all is well here, or so it seems\n"
    with log.open("wb") as out:
        for _ in range(20):
            out.write(line * 20_000 + b"node7: transport retry count exceeded on mlx5_3:1/IB\n")
    began = time.monotonic()
    found = json.loads(lacis("rails", "doctor", log, "--json").out)
    took = time.monotonic() - began
    assert [(one["code"], one["count"], one["lines"][0]["line"]) for one in found["known"]] == [
        ("UCX_RETRY", 20, 20_001)
    ]
    assert found["lines"] == 20 * 20_001
    assert took < 10 * log.stat().st_size / 126e6 + 2  # 126 MB in 10 s, with room for a busy machine
