"""Faults inside OpenSM: the manager stays up, its log says why, and the next engine routes."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from .. import schemas
from ..conftest import ROOT
from . import opensm
from .daemon import daemon
from .fabrics import FABRICS

pytestmark = [pytest.mark.oracle, pytest.mark.usefixtures("plugin_built")]

TREE = "two-tier-24"


def conf(options: str) -> str:
    return f"{opensm.PLUGIN_CONF}event_plugin_options {options}\n"


def swept(net: str, engines: str, options: str, more: str = "") -> opensm.Outcome:
    """One sweep with the plugin; ``@NAME`` in the options is a file in OpenSM's folder."""
    return opensm.run(net, engines, ["-F", "@opensm.conf"], files={"opensm.conf": conf(options) + more})


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ("fault=panic", "lacis-ftree: a defect of Lacis: broken on purpose"),
        ("fault=hang time=1", r"lacis-ftree: it took longer than 1 s (time=)"),
        (
            "fault=memory memory=256",
            "lacis-ftree: its process ended by signal 6 (Aborted); it may reserve 256 MiB",
        ),
        ("prove=maybe", "lacis-ftree: event_plugin_options: prove=maybe makes no sense"),
        ("time=0", "event_plugin_options: time=0 makes no sense"),
        ("time=1h", "event_plugin_options: time=1h makes no sense"),
        ("memory=-1", "event_plugin_options: memory=-1 makes no sense"),
        ("threads=513", "event_plugin_options: threads=513 makes no sense (prove=all|"),
        ("threads=200 memory=399", "event_plugin_options: threads=200 needs memory=400 or more, and has 399"),
        ("report=sweeps.jsonl", "event_plugin_options: report=sweeps.jsonl makes no sense"),
        ("quickly", "event_plugin_options: there is no option quickly"),
        ("speed=7", "event_plugin_options: there is no option speed=7"),
    ],
)
def test_the_next_engine_serves_and_the_log_says_why(options: str, why: str) -> None:
    found = swept(FABRICS[TREE]().text, "lacis-ftree,updn", options)
    assert found.failed == ("lacis-ftree",)
    assert found.engine in ("updn", "minhop")
    assert why in found.log
    own = opensm.run(FABRICS[TREE]().text, "updn")
    assert (found.engine, found.dump) == (own.engine, own.dump)


def test_words_of_other_plugins_are_none_of_its_business() -> None:
    both = "event_plugin_name osmlacis absent\nevent_plugin_options other=1\n"
    found = opensm.run(FABRICS[TREE]().text, "lacis-minhop", ["-F", "@c"], files={"c": both})
    assert found.engine == "lacis-minhop"


def test_files_that_make_no_sense_are_named_with_their_line() -> None:
    found = opensm.run(
        FABRICS[TREE]().text,
        "lacis-updn,minhop",
        ["-F", "@c"],
        files={"c": opensm.PLUGIN_CONF + "root_guid_file @roots\n", "roots": "0x1\nspine one\n"},
    )
    assert found.engine == "minhop"
    assert "lacis-updn: " in found.log
    assert "roots: line 2: " in found.log


def test_a_file_that_is_not_there_is_named() -> None:
    more = "root_guid_file /absent/roots\n"
    found = swept(FABRICS[TREE]().text, "lacis-updn,minhop", "prove=all", more)
    assert "lacis-updn: /absent/roots: No such file" in found.log


def test_credit_loops_are_refused_unless_they_are_allowed() -> None:
    net = FABRICS["torus-4x4"]().text
    strict = swept(net, "lacis-minhop,lacis-numbered", "prove=all")
    assert strict.failed == ("lacis-minhop",)
    assert "lacis-minhop: its tables leave " in strict.log
    assert "credit loop" in strict.log
    assert strict.engine == "lacis-numbered"
    assert swept(net, "lacis-minhop", "prove=delivery").engine == "lacis-minhop"


def test_without_quality_of_service_all_packets_use_one_lane() -> None:
    net = FABRICS["torus-4x4"]().text
    without = swept(net, "lacis-dfsssp,lacis-numbered", "prove=all")
    assert "lacis-dfsssp: its tables leave " in without.log
    assert "(without qos TRUE all packets use one lane)" in without.log
    assert without.engine == "lacis-numbered"
    assert swept(net, "lacis-dfsssp,minhop", "prove=all", "qos TRUE\n").engine == "lacis-dfsssp"
    # OpenSM's nue then stays on one lane, its torus-2QoS refuses.
    given = "nue_max_num_vls 4\n"
    own = opensm.run(net, "nue", ["-F", "@c"], files={"c": given})
    assert swept(net, "lacis-nue,minhop", "prove=all", given).dump == own.dump
    assert (
        "lacis-torus-2QoS: refuses: it needs qos TRUE"
        in swept(net, "lacis-torus-2QoS,minhop", "prove=all").log
    )


def test_tables_that_lose_pairs_are_refused_unless_nothing_is_to_be_proved() -> None:
    subject = FABRICS[TREE]()
    whole = opensm.run(subject.text, "minhop")
    adapters = [lids[0] for guid, lids in whole.lids.items() if guid not in subject.switch_guids]
    lost = adapters[3]
    holes = "".join(line for line in whole.dump.splitlines(True) if not line.startswith(f"0x{lost:04x} "))
    files = {"opensm.conf": conf("prove=all") + "lfts_file @lfts\n", "lfts": holes}
    strict = opensm.run(subject.text, "lacis-file,minhop", ["-F", "@opensm.conf"], files=files)
    pairs = len(adapters) * (len(adapters) - 1)
    assert (
        f"lacis-file: its tables lose {len(adapters) - 1} of {pairs} pairs, for example from " in strict.log
    )
    assert (strict.engine, strict.dump) == ("minhop", whole.dump)
    files["opensm.conf"] = conf("prove=nothing") + "lfts_file @lfts\n"
    loose = opensm.run(subject.text, "lacis-file,minhop", ["-F", "@opensm.conf"], files=files)
    assert loose.engine == "lacis-file"
    assert all(lost not in table for table in loose.tables.values())


@pytest.mark.parametrize("name", ["one-switch", "one-spine"])
def test_the_smallest_fabrics_come_up(name: str) -> None:
    net = FABRICS[name]().text
    assert swept(net, "lacis-minhop", "prove=all").dump == opensm.run(net, "minhop").dump


def test_each_sweep_leaves_a_line_for_exporters(tmp_path: Path) -> None:
    report = tmp_path / "sweeps.jsonl"
    net = FABRICS[TREE]().text
    good = swept(net, "lacis-minhop", f"report={report}")
    swept(net, "lacis-ftree,minhop", f"report={report} fault=panic")
    first, second = (json.loads(line) for line in report.read_text().splitlines())
    switches, lids = len(good.tables), sum(map(len, good.lids.values()))
    for line in (first, second):
        schemas.check(line, "lacis.opensm/1")
    assert (first["engine"], first["outcome"], first["reason"]) == ("lacis-minhop", "tables", None)
    assert (first["switches"], first["entries"]) == (switches, switches * lids)
    assert first["entries_changed"] == first["entries"]  # nothing was there before
    adapters = len(good.lids) - switches
    assert (first["pairs"], first["pairs_lost"]) == (adapters * (adapters - 1), 0)
    assert (second["engine"], second["outcome"]) == ("lacis-ftree", "failed")
    assert second["reason"] == "a defect of Lacis: broken on purpose"


def test_as_many_threads_as_are_taken_start() -> None:
    assert swept(FABRICS[TREE]().text, "lacis-minhop,updn", "threads=512").engine == "lacis-minhop"


@pytest.mark.parametrize("reader", [False, True])
def test_a_sweep_does_not_wait_for_the_other_end_of_a_pipe(tmp_path: Path, reader: bool) -> None:
    pipe = tmp_path / "sweeps"
    os.mkfifo(pipe)
    end = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK) if reader else None
    found = swept(FABRICS[TREE]().text, "lacis-minhop,updn", f"report={pipe}")
    assert found.engine == "lacis-minhop"
    assert f"ERR LA02: cannot write to {pipe}: it is no regular file" in found.log
    if end is not None:
        assert os.read(end, 1) == b""
        os.close(end)


def test_an_option_that_names_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "roots"
    os.mkfifo(pipe)
    more = f"root_guid_file {pipe}\n"
    found = swept(FABRICS[TREE]().text, "lacis-updn,minhop", "time=50", more)
    assert found.engine == "minhop"
    assert f"lacis-updn: {pipe}: it is no regular file" in found.log


def test_a_fabric_that_changes_during_a_sweep_is_routed_as_it_is_in_the_next() -> None:
    subject = FABRICS[TREE]()
    guid = subject.switch_guids[0]
    switch = f"S-{guid:016x}"
    port = next(p for p in range(1, 37) if _leads_to_switch(subject.text, switch, p))

    def cut() -> None:
        time.sleep(1)  # the engine hangs
        manager.unlink(switch, port)

    with daemon(
        subject.text, "lacis-eventree,minhop", conf("fault=hang time=2"), sm=subject.idents[0]
    ) as manager:
        first = manager.first()
        assert (first.engine, first.failed) == ("minhop", ("lacis-eventree",))
        assert port in first.tables[guid].values()
        manager.sweep(during=cut)
        after = manager.sweep()
        assert (after.engine, after.failed) == ("minhop", ("lacis-eventree",))
        assert port not in after.tables[guid].values()


def _leads_to_switch(net: str, switch: str, port: int) -> bool:
    own = net.partition(f'"{switch}"')[2].partition("\n\n")[0]
    return any(line.startswith(f'[{port}]\t"S-') for line in own.splitlines())


SWEEPS = 1000
WARM = 100
"""Sweeps before memory is measured for the first time."""


def test_a_thousand_sweeps_leave_no_memory_no_file_and_no_process_behind() -> None:
    subject = FABRICS["one-spine"]()
    with daemon(
        subject.text, "lacis-eventree,lacis-minhop", conf("prove=all"), sm=subject.idents[0]
    ) as manager:
        manager.first()
        pid = manager.pid()
        for number in range(SWEEPS):
            manager.sweep()
            if number == WARM:
                before = _holds(pid)
        after = _holds(pid)
    assert after["fds"] == before["fds"]
    assert after["children"] == before["children"] == 0
    assert after["threads"] == before["threads"]
    # A leak of one table a sweep, or of a page, would be more.
    assert after["data_kib"] - before["data_kib"] < 4 * (SWEEPS - WARM)


def _holds(pid: int) -> dict[str, int]:
    status = Path(f"/proc/{pid}/status").read_text()
    given = dict(line.split(":", 1) for line in status.splitlines())
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return {
        "data_kib": int(given["VmData"].split()[0]),
        "threads": int(given["Threads"]),
        "fds": sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir()),
        "children": len(children),
    }


HALVES = ["c", *(["c+rust"] if os.environ.get("LACIS_SOAK") == "1" else [])]
"""The halves of the plugin that check their accesses; the Rust half, which takes minutes to build, only in ``make soak``."""


@pytest.fixture(scope="session", params=HALVES)
def sanitized(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The plugin with checks of every access, and in its C half of every operation."""
    out = tmp_path_factory.mktemp("asan") / "libosmlacis.so"
    flags = "-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer"
    env = {**os.environ, "OUT": str(out), "CFLAGS": flags}
    if request.param == "c+rust":
        env["RUST_SANITIZER"] = "address"
    subprocess.run(["bash", ROOT / "opensm" / "build"], check=True, env=env)
    return out


@pytest.mark.parametrize(
    ("engines", "options", "served"),
    [
        ("lacis-eventree,minhop", "prove=all", "lacis-eventree"),
        ("lacis-dfsssp,minhop", "prove=all", "lacis-dfsssp"),
        ("lacis-updn,minhop", "prove=hosts", "lacis-updn"),
        ("lacis-nue,minhop", "prove=delivery", "lacis-nue"),
        ("lacis-torus-2QoS,lacis-ftree,minhop", "prove=all", "lacis-ftree"),
        ("lacis-ftree,minhop", "fault=panic", "minhop"),
        ("lacis-ftree,minhop", "fault=hang time=1", "minhop"),
        ("lacis-updn,minhop", "nonsense", "minhop"),
    ],
)
def test_no_access_out_of_bounds_and_no_undefined_behaviour(
    sanitized: Path, tmp_path: Path, engines: str, options: str, served: str
) -> None:
    net = FABRICS[TREE]().text
    runtime = subprocess.run(
        ["cc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True
    )
    (tmp_path / "opensm.conf").write_text(conf(f"{options} report={tmp_path}/sweeps.jsonl"))
    with opensm.subnet(net, tmp_path) as env:
        env["LD_PRELOAD"] = f"{runtime.stdout.strip()} {env['LD_PRELOAD']}"
        env["LD_LIBRARY_PATH"] = str(sanitized.parent)
        # Not the plugin's: OpenSM sends freed packets and leaks memory, and the simulation's library reads beyond its buffers.
        others = ("libumad2sim", "libibumad")
        (tmp_path / "suppressions").write_text("".join(f"interceptor_via_lib:{name}\n" for name in others))
        env["ASAN_OPTIONS"] = f"detect_leaks=0:abort_on_error=1:suppressions={tmp_path}/suppressions"
        opensm.sweep(tmp_path, env, engines, ["-F", "@opensm.conf", "-Q"])
    found = opensm.outcome(tmp_path)
    printed = (tmp_path / "opensm.out").read_text(errors="replace")
    assert found.engine == served, found.reasons
    assert "Sanitizer" not in printed
    assert "runtime error" not in printed
