"""`lacis rails doctor`: what is printed, and the exit status."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis


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


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        # Each is a failure; what is right stands in the README of the cases.
        ("psm2-1", {"PSM2_DUPLICATE_LID": False}),
        ("psm2-2", {"PSM2_NO_CONTEXT_LEFT": False}),
        ("psm2-3", {"PSM2_NETWORK_DOWN": False}),
        ("psm2-4", {"PSM2_UNIT_UNKNOWN": False}),
        (
            "psm2-shm",
            {
                "PSM2_SHARED_MEMORY": False,
                "PSM2_SHARED_MEMORY_NOT_SET_UP": False,
                "IMPI_ADDRESS_VECTOR": True,
            },
        ),
        ("psm3", {"PSM3_CANNOT_OPEN": False, "PSM3_NO_CPU_SET": True, "OMPI_OFI_FAILED": True}),
    ],
)
def test_the_logs_of_others_are_failures_with_their_causes(
    lacis: Lacis, cases: Path, name: str, codes: dict[str, bool]
) -> None:
    result = lacis("rails", "doctor", cases / "logs" / f"{name}.log", "--json")
    assert result.status == 1
    found = json.loads(result.out)["known"]
    assert {one["code"]: one["consequence"] for one in found} == codes
    if name == "psm2-shm":
        # Shared memory, not the address vector.
        assert found[0]["code"] == "PSM2_SHARED_MEMORY"
        assert "could not share memory" in found[0]["cause"]
        assert "PSM2_SHARED_MEMORY" in found[-1]["cause"]
    if name == "psm3":
        assert "PSM3_DEVICES" in found[0]["fix"]
        assert "FI_PROVIDER" in found[0]["fix"]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("n1.77Endpoint could not be reached (err=41)", "PSM2_ERROR_41"),
        ("n1.77Something that no list has (err=77)", "PSM2_ERROR"),
        ("Ran out of 'getreq' descriptors (err=8)", "PSM2_ERROR_8"),
        # Not a LID that two ports have, though the number is the same.
        (
            "Received eager message(s) ptype=0x1 opcode=0xcc from an unknown process (err=49)",
            "PSM2_UNKNOWN_PROCESS",
        ),
        ("Received message(s) opcode=cc from an unknown process (err=49)", "PSM2_UNKNOWN_PROCESS"),
        (
            "[[5,1],3][btl_openib_component.c:3655:handle_wc] from n8 to: n11 error polling LP CQ with status RETRY EXCEEDED ERROR "
            "status number 12 for wr_id 5 opcode 1 vendor error 129 qp_idx 0",
            "OMPI_OPENIB_RETRY",
        ),
        (
            "from a to: b error polling HP CQ with status LOCAL PROTOCOL ERROR status number 4",
            "OMPI_OPENIB_COMPLETION",
        ),
        # Statuses of completions, as NCCL of several years prints them: by number, and by name.
        (
            "n1:7:8 [2] NCCL WARN NET/IB : Got completion with error 12, opcode 1, len 0, vendor err 129",
            "NCCL_RETRY",
        ),
        (
            "NCCL WARN NET/IB : Got completion from peer n2<7> with error 12, opcode 2, len 1, vendor err 129",
            "NCCL_RETRY",
        ),
        (
            "NCCL WARN NET/IB: Got completion from peer n2<7> with status=IBV_WC_RETRY_EXC_ERR(12) vendor_err=129",
            "NCCL_RETRY_NAMED",
        ),
        (
            "NCCL WARN NET/IB : Got completion from peer n2<7> with error 4, opcode 8, len 8, vendor err 81 (Send)",
            "NCCL_LOCAL_QP",
        ),
        (
            "NCCL WARN NET/IB: Got completion from peer n2<7> with status=IBV_WC_WR_FLUSH_ERR(5) opcode=IBV_WC_SEND(0)",
            "NCCL_FLUSHED",
        ),
        (
            "NCCL WARN NET/IB : Got completion from peer n2<7> with status=9 opcode=0 len=0 vendor err 138 (Send)",
            "NCCL_REMOTE_REQUEST",
        ),
        (
            "NCCL WARN NET/IB : Got completion with error 11, opcode 2, len 1024, vendor err 137",
            "NCCL_REMOTE_OPERATION",
        ),
        ("NCCL WARN NET/IB : Got completion from peer n2<7> with status=13 opcode=0 len=0", "NCCL_RNR"),
        ("NCCL WARN NET/IB : Got completion from peer n2<7> with status=2 opcode=0 len=0", "NCCL_COMPLETION"),
        # An access that an adapter refuses is no matter of a cable; a port that loses its link is.
        ("NCCL WARN NET/IB : Got async event : port error", "NCCL_ASYNC"),
        ("NCCL WARN NET/IB : mlx5_1:1 Got non-fatal async event: port error(10)", "NCCL_ASYNC"),
        (
            "NCCL WARN NET/IB : mlx5_0:1 Got async event : local access violation work queue error",
            "NCCL_ASYNC_ACCESS",
        ),
        (
            "NCCL WARN NET/IB : mlx5_3:1 async fatal event on QP (0x7f): invalid request local work queue error",
            "NCCL_ASYNC_REQUEST",
        ),
        ("NCCL WARN NET/IB : mlx5_3:1 async fatal event: local catastrophic error", "NCCL_ASYNC_DEVICE"),
        ("NCCL WARN NET/IB : mlx5_3:1 Got async event : LID change", "NCCL_EVENT"),
        (
            "[n1:7:0:7] ib_mlx5_log.c:177  Remote access on mlx5_0:1/IB (synd 0x13 vend 0x88 hw_synd 0/0)",
            "UCX_REMOTE_ACCESS",
        ),
        (
            "[n1:7:0:7] ib_mlx5_log.c:139  Local QP operation on mlx5_0:1/IB (synd 0x2 vend 0x68 hw_synd 0/31)",
            "UCX_LOCAL_OPERATION",
        ),
        (
            "UCX  FATAL Error on QP 0x15 wqe[4]: Local QP operation (synd 0x2 vend 0x68) opcode SEND",
            "UCX_LOCAL_OPERATION",
        ),
        ("ib_mlx5_log.c:177  Generic on mlx5_0:1/IB (synd 0x77 vend 0x1 hw_synd 0/0)", "UCX_COMPLETION"),
        (
            "parser.c:77 UCX  WARN  transports 'ib','x' are not available, please use one or more of: rc, tcp",
            "UCX_NO_SUCH_TRANSPORT",
        ),
        ("ibrc.cpp:418: non-zero status: 110 ibv_modify_qp failed", "VERBS_MODIFY_QP"),
        (
            "CQE ERROR wr_id=3 status=12(transport retry counter exceeded) opcode=1 vendor_err=0xa",
            "VERBS_RETRY",
        ),
        ("n1.77Link down detected.", "PSM2_LINK_DOWN"),
        ("libfabric:3:psm2:core:psmx2_getinfo():536<info> no PSM2 device is active.", "PSM2_NO_DEVICE"),
        ("Msg from 3: wc.status=12, wc.wr_id=0x1f, wc.opcode=0", "MVAPICH2_RETRY"),
        ("[13:n14] unexpected DAPL event 0x4003", "IMPI_DAPL_EVENT"),
        ("Error number:      10 (IBV_EVENT_PORT_ERR)", "VERBS_EVENT_PORT_ERR"),
        ("By default, for Open MPI 4.0 and later, infiniband ports on a device", "OMPI_IB_LEFT_OUT"),
        ("NVRM: Xid (PCI:0000:1b:00): 79, pid=7, name=python, GPU has fallen off the bus.", "GPU_XID"),
        (
            "mpirun noticed that process rank 3 with PID 7 on node n2 exited on signal 9 (Killed).",
            "MPI_ENDED",
        ),
        ("ulimit: the limit of locked memory is too low: locked memory limit 64 kB", "MEMLOCK"),
    ],
)
def test_a_kind_of_text_is_known_whatever_it_says_besides(
    lacis: Lacis, tmp_path: Path, line: str, code: str
) -> None:
    log = tmp_path / "job.log"
    log.write_text(f"begin\n{line}\n")
    found = json.loads(lacis("rails", "doctor", log, "--json").out)
    assert [one["code"] for one in found["known"]] == [code]
    assert found["unknown"] == []


def test_what_reports_no_error_is_none(lacis: Lacis, tmp_path: Path) -> None:
    log = tmp_path / "job.log"
    log.write_text(
        "#       size         count    type   redop     time   algbw   busbw  error     time   algbw   busbw  error\n"
        "# Out of bounds values : 0 OK\n3 passed, 0 failed\nchecked: errors: 0\n"
        "max locked memory           (kbytes, -l) unlimited\nMax locked memory  unlimited  unlimited  bytes\n"
        "FI_OPX_HFI_SELECT=0\n"
        # What a library tries while it looks for devices, at the levels that say so.
        "ib_device.c:768  UCX  TRACE mlx5_0:2 is not active (state: 1)\n"
        "ib_device.c:1168 UCX  DEBUG mlx5_0:2 does not support flags 0x0: Destination is unreachable\n"
        "libfabric:7:core:core:fi_getinfo_():955<warn> fi_getinfo: provider usnic returned -61 (No data available)\n"
        "libfabric:7:core:core:ofi_reg_dl_prov():680<info> provider efa_dl cannot open shared object file\n"
        "n1:1:2 [0] NCCL INFO Failed to find ncclTunerPlugin_v3 symbol.\n"
    )
    assert lacis("rails", "doctor", log).status == 0


COUNTS_NONE = [
    "0 errors",
    "hpcc: 0 failed, 0 skipped",
    "ior: Total failures = 0",
    "error count 0",
    "HPLinpack: 864 tests completed and passed residual checks, 0 tests completed and failed residual checks,",
    "===== 12 passed, 0 failed, 0 errors in 3.41s =====",
    '<testsuite name="nccl" tests="12" errors="0" failures="0" skipped="1">',
    "ib0: RX packets 81 errors 0  dropped 0  overruns 0  frame 0",
    "SymbolErrorCounter:..............0",
    "node1: No errors found on 8 ports",
    "Summary: ibdiagnet: Nodes 64  Errors 0  Warnings 3",
    "gpu_burn: GPU 3: OK, errors: 0",
    "nvidia-smi: Volatile Uncorr. ECC errors: 0",
    "dcgmi: 0 uncorrectable ECC errors on 8 GPUs",
    "memtester: done without any error",
    '{"event": "end", "errors": 0, "failed": false, "error": null}',
    "srun: exited with exit code 0",
    "rsync error count: none",
    "Fehler: 0, Warnungen: 2",
    "Test beendet, keine Fehler",
    "0 of 128 ranks failed",
    "link 12 is error-free",
    "bit error rate = 0.0",
]


@pytest.mark.parametrize("line", COUNTS_NONE)
def test_a_count_of_none_is_no_trouble(lacis: Lacis, tmp_path: Path, line: str) -> None:
    log = tmp_path / "job.log"
    log.write_text(f"begin\n{line}\nend\n")
    assert lacis("rails", "doctor", log).status == 0


@pytest.mark.parametrize(
    "line",
    [
        "0 errors, 3 failed",
        "12 passed, 0 errors, 2 failures in 3.41s",
        "rank 0 failed",
        "no error message came, process killed",
        "GPU 0 errors: 5",
        "[0] error: no such device",
        "exited with exit code 127",
        "Uncorr. ECC errors: 10",
        "ssh: connect to host n7: Verbindungsaufbau abgelehnt",
        "bash: osu_bw: Kommando nicht gefunden.",
    ],
)
def test_a_failure_beside_a_count_of_none_is_kept(lacis: Lacis, tmp_path: Path, line: str) -> None:
    log = tmp_path / "job.log"
    log.write_text(f"0 errors\n{line}\n")
    result = lacis("rails", "doctor", log, "--json")
    assert result.status == 1
    found = json.loads(result.out)
    quoted = [one["line"] for kind in (*found["unknown"], *found["known"]) for one in kind["lines"]]
    assert quoted == [2]


@pytest.mark.parametrize("form", ["utf-8", "utf-16", "utf-16-le", "utf-16-be", "colours"])
def test_a_log_is_read_as_editors_and_terminals_save_it(
    lacis: Lacis, tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = "n1:7:8 [2] NCCL WARN NET/IB : Got completion from peer n2<7> with error 12, opcode 2, len 1, vendor err 129"
    coloured = line.replace("error", "\x1b[1;31merror\x1b[0m") if form == "colours" else line
    log = tmp_path / "job.log"
    log.write_bytes(f"begin\nfine\n{coloured}\n".encode("utf-8" if form == "colours" else form))
    # Pieces of every length cut each sequence.
    for piece in (5, 7, 64, 1 << 20):
        monkeypatch.setattr("lacis.rails.doctor._PIECE", max(piece, 16) if "16" in form else piece)
        result = lacis("rails", "doctor", log, "--json")
        assert result.status == 1
        [known] = json.loads(result.out)["known"]
        assert (known["code"], known["lines"]) == ("NCCL_RETRY", [{"line": 3, "text": line}])


def test_what_fails_at_a_quiet_level_is_a_failure_where_its_text_is_known(
    lacis: Lacis, tmp_path: Path
) -> None:
    log = tmp_path / "job.log"
    log.write_text(
        "ib_mlx5_log.c:177  UCX  DIAG  Transport retry count exceeded on mlx5_0:1/IB (synd 0x15 vend 0x81)\n"
    )
    found = json.loads(lacis("rails", "doctor", log, "--json").out)
    assert [one["code"] for one in found["known"]] == ["UCX_RETRY"]


def test_a_failure_with_several_texts_counts_once(lacis: Lacis, tmp_path: Path) -> None:
    log = tmp_path / "job.log"
    lines = ("status=12 opcode=0", "error 12, opcode 0")
    log.write_text(
        "".join(f"NCCL WARN NET/IB : Got completion from peer n2<7> with {lines[k % 2]}\n" for k in range(6))
    )
    [one] = json.loads(lacis("rails", "doctor", log, "--json").out)["known"]
    assert (one["code"], one["count"], [line["line"] for line in one["lines"]]) == (
        "NCCL_RETRY",
        6,
        [1, 2, 3],
    )


def test_failures_become_the_cables_that_they_share(lacis: Lacis, tmp_path: Path) -> None:
    # fat-tree:4,2: leaves of two hosts. Every pair that fails has one host of the first leaf's cable to one spine in common.
    fabric = tmp_path / "a.json"
    assert lacis("fabric", "fat-tree:4,2:rate=4xEDR", "-o", fabric).status == 0
    names = lacis("order", fabric, "--names").out.split()
    log = tmp_path / "job.log"
    text = "[[1,1],0][btl_openib_component.c:1] from {} to: {} error polling LP CQ with status RETRY EXCEEDED ERROR\n"
    log.write_text("".join(text.format(names[0], other) for other in names[2:5]) + "all else is well\n")
    said = json.loads(lacis("rails", "doctor", log, fabric, "-R", "minhop", "--json").out)["locations"]
    assert sorted(said["pairs"]) == sorted([names[0], other] for other in names[2:5])
    assert (said["lines"], said["hosts"], said["unknown"]) == (3, [], [])
    # The host's own cable is on the way of all three, and no other host's.
    first = said["cables"][0]
    assert first["failures"] == 3
    own = [c for c in said["cables"] if any(end["node"].split(" ")[0] == names[0] for end in c["ends"])]
    assert [c["failures"] for c in own] == [3]
    alone = [c for c in said["cables"] if any(end["node"].split(" ")[0] in names[2:5] for end in c["ends"])]
    assert [c["failures"] for c in alone] == [1, 1, 1]
    out = lacis("rails", "doctor", log, fabric, "-R", "minhop").out
    assert "3 of 3 cross" in out
    # LIDs and GIDs name end ports, too; one that the fabric has not is said.
    routes = json.loads(lacis("trace", fabric, names[0], names[3], "-R", "minhop", "--json").out)["routes"][0]
    log.write_text(
        f"{names[0]}:77:99 NET/IB : Got completion from peer with status=12 dlid {routes['lid']}\n"
        "port error: lid 0xbf01\n"
    )
    # The fabric's file says no LIDs, so the site's are not known: a manager may have given this host another.
    said = json.loads(lacis("rails", "doctor", log, fabric, "-R", "minhop", "--json").out)["locations"]
    assert (said["pairs"], said["unknown"], said["lids_left_out"]) == ([], [], 2)
    assert "2 LIDs not looked up" in lacis("rails", "doctor", log, fabric, "-R", "minhop").out
    document = json.loads(fabric.read_text())
    (host,) = (node for node in document["nodes"] if node["description"].split(" ")[0] == names[3])
    host["ports"][0]["lid"] = routes["lid"]
    with_lids = tmp_path / "lids.json"
    with_lids.write_text(json.dumps(document))
    said = json.loads(lacis("rails", "doctor", log, with_lids, "-R", "minhop", "--json").out)["locations"]
    assert [[end.split(" ")[0] for end in pair] for pair in said["pairs"]] == [[names[0], names[3]]]
    assert (said["unknown"], said["lids_left_out"]) == (["lid:48897"], 0)
    # A port's GUID is the lower half of its GID; a label of PSM's is a host, a process and a text without a blank.
    guid = int(json.loads(fabric.read_text())["nodes"][-1]["ports"][0]["guid"], 16)
    last = json.loads(fabric.read_text())["nodes"][-1]["description"]
    gid = ":".join(f"{guid >> shift & 0xFFFF:x}" for shift in (48, 32, 16, 0))
    log.write_text(
        f"{names[0]}:1:2 [0] NCCL WARN NET/IB : Got completion from peer 10.0.0.2<4> with status=12 remoteGidsfe80::{gid}\n"
        f"{names[1]}.12345Hardware problem: Network down (err=38)\n"
    )
    said = json.loads(lacis("rails", "doctor", log, fabric, "-R", "minhop", "--json").out)["locations"]
    assert said["pairs"] == [[names[0], last]]
    assert said["hosts"] == [names[1]]


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
