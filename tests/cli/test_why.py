"""`lacis why`: a job, a window of time and counters in; a verdict and an exit status out."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any

import lacis as api
import numpy as np
import pytest
from lacis.counters import recording
from lacis.counters.names import PortNames
from lacis.counters.store import CounterStore

from tests.why_readings import AT, readings, rows_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.conftest import Lacis

TREE = "fat-tree:4,2"
"""Four leaves of two hosts under two spines; 25 GB/s."""
FULL = 25_000_000_000 // 4
"""Words that a link carries in a second."""
JOB = "node0001,node0003"
# minhop sends there and back over spine-01.
EGRESS, INGRESS = "leaf-01[3]", "spine-01[1]"


def store(path: Path, rates: Mapping[tuple[str, str], int], sweeps: int = 11, every: int = 30) -> Path:
    """A store in which counters grow by so much a second."""
    fabric = api.read(TREE)
    with CounterStore(path) as kept:
        for at in range(sweeps):
            values = {key: rate * every * at for key, rate in rates.items()}
            kept.append(readings(fabric, every * at, values))
    return path


def asked(lacis: Lacis, counters: Path, *args: str | Path, status: int, job: str = JOB) -> dict[str, Any]:
    done = lacis("why", TREE, job, "--counters", counters, *args, "--json")
    assert (done.status, done.err) == (status, ""), done.err
    content: dict[str, Any] = json.loads(done.out)
    assert next(iter(content.items())) == ("schema", "lacis.why/1")
    return content


def test_each_verdict_has_its_exit_status(lacis: Lacis, tmp_path: Path) -> None:
    calm = store(tmp_path / "calm", {(EGRESS, "XmitData"): FULL // 2})
    found = asked(lacis, calm, "--last", "5m", status=0)
    assert (found["verdict"], found["fact"]["kind"], found["fact"]["ports"]) == (
        "innocent",
        "fabric_innocent",
        8,
    )
    assert found["fact"]["utilisation"] == pytest.approx(0.5)
    assert (found["missing"], found["guilty"], found["busy"]) == ([], [], [])

    full = store(tmp_path / "full", {(EGRESS, "XmitData"): FULL * 9 // 10})
    found = asked(lacis, full, "--last", "5m", status=1)
    assert (found["verdict"], found["busy"][0]["egress"], found["busy"][0]["ingress"]) == (
        "busy",
        EGRESS,
        INGRESS,
    )
    assert asked(lacis, full, "--last", "5m", "--utilisation", "0.95", status=0)["verdict"] == "innocent"

    broken = store(tmp_path / "broken", {(INGRESS, "SymbolErrors"): 2})
    found = asked(lacis, broken, "--last", "5m", status=1)
    assert (found["verdict"], found["guilty"][0]["ends"]) == ("guilty", [EGRESS, INGRESS])
    [evidence] = found["guilty"][0]["evidence"]
    assert (evidence["counter"], evidence["growth"], evidence["exact"]) == ("SymbolErrors", 600, True)

    fabric = api.read(TREE)
    blind = tmp_path / "blind"
    with CounterStore(blind) as kept:
        for at in (0, 30, 60):
            part = readings(fabric, at)
            kept.append(part.taken(part.guids != fabric.guids()[4]))
    found = asked(lacis, blind, "--last", "1m", status=2)
    assert found["verdict"] == "cannot_tell"
    assert found["missing"][0] == {
        "kind": "ports_unread",
        "ports": [INGRESS, "spine-01[2]"],
        "number": 2,
        "reason": "",
    }
    assert len(found["missing_words"]) == len(found["missing"])


def test_no_exit_status_is_read_from_words(
    lacis: Lacis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = store(tmp_path / "broken", {(INGRESS, "LinkDowned"): 1}, sweeps=3)
    monkeypatch.setattr("lacis.facts.wording.text", lambda _: "said otherwise")
    assert asked(lacis, broken, "--last", "1m", status=1)["text"] == "said otherwise"


def test_the_text_says_the_verdict_first_and_then_on_what_evidence(lacis: Lacis, tmp_path: Path) -> None:
    rates = {(INGRESS, "SymbolErrors"): 2, (EGRESS, "XmitData"): FULL * 9 // 10}
    done = lacis(
        "why",
        TREE,
        JOB,
        "--counters",
        store(tmp_path / "both", rates),
        "--last",
        "5m",
        "--with",
        "node0002,node0004",
    )
    lines = done.out.splitlines()
    assert done.status == 1
    assert lines[0] == f"guilty: the cable {EGRESS} – {INGRESS}, or what it is plugged into"
    assert f"  {INGRESS} counted 600 SymbolErrors (tolerated: 10)" in lines
    assert f"{EGRESS} → {INGRESS}: 90% of its rate, busy 100% of the time" in lines
    assert "beside    node0002,node0004 (2)" in lines


def test_only_what_lies_in_the_window_counts(lacis: Lacis, tmp_path: Path) -> None:
    # Errors come in the first minute of five only.
    fabric = api.read(TREE)
    path = tmp_path / "early"
    with CounterStore(path) as kept:
        for at in range(0, 301, 30):
            kept.append(readings(fabric, at, {(INGRESS, "LinkDowned"): min(at, 60) // 30}))
    assert asked(lacis, path, "--last", "5m", status=1)["verdict"] == "guilty"
    assert asked(lacis, path, "--last", "3m", status=0)["verdict"] == "innocent"
    early = ("--from-time", str(AT), "--to", str(AT + 120))
    assert asked(lacis, path, *early, status=1)["guilty"][0]["evidence"][0]["growth"] == 2
    # A window between two sweeps is widened to these.
    found = asked(lacis, path, "--from-time", str(AT + 100), "--to", str(AT + 140), status=0)
    assert found["window"]["seconds"] == 60


def test_jobs_of_a_list_bring_their_hosts_and_their_time(lacis: Lacis, tmp_path: Path) -> None:
    both = store(tmp_path / "s", {(EGRESS, "XmitData"): FULL * 9 // 10})
    jobs = tmp_path / "jobs"
    jobs.write_text(
        "JobID|NodeList|Start|End\n"
        f"7|node[0001,0003]|{AT + 60}|{AT + 180}\n"
        f"8|node[0002,0004],elsewhere|{AT + 60}|Unknown\n"
        f"9|node[0005-0006]|{AT + 200}|{AT + 300}\n"
    )
    found = asked(lacis, both, "--jobs", jobs, status=1, job="7")
    assert (found["job"]["name"], found["hosts"]) == ("7", ["node0001", "node0003"])
    assert found["window"]["seconds"] == 120
    # Job 9 began after it had ended, and one host of job 8 is not of this fabric.
    assert [(job["name"], job["hosts"]) for job in found["others"]] == [("8", 2)]


def test_hosts_may_come_from_slurm(lacis: Lacis, tmp_path: Path) -> None:
    done = lacis(
        "why",
        TREE,
        "--slurm",
        "node[0001,0003]",
        "--counters",
        store(tmp_path / "s", {}),
        "--last",
        "5m",
        "--json",
    )
    assert (done.status, json.loads(done.out)["hosts"]) == (0, ["node0001", "node0003"])


def test_switches_that_choose_make_more_links_count(lacis: Lacis, tmp_path: Path) -> None:
    broken = store(tmp_path / "s", {("leaf-01[4]", "LinkDowned"): 1})
    assert asked(lacis, broken, "--last", "5m", status=0)["adaptive"] is False
    found = asked(lacis, broken, "--last", "5m", "--adaptive", status=1)
    assert (found["adaptive"], found["guilty"][0]["ends"]) == (True, ["leaf-01[4]", "spine-02[1]"])
    assert (
        len({link["choice"] for link in found["links"] if link["egress"] in ("leaf-01[3]", "leaf-01[4]")})
        == 1
    )


def test_tables_with_port_groups_are_adaptive_by_themselves(lacis: Lacis, tmp_path: Path) -> None:
    fabric, snapshot = api.read("article"), tmp_path / "snapshot"
    assert lacis("route", "article", "-R", "fattree", "--snapshot", snapshot).status == 0
    with CounterStore(tmp_path / "s") as kept:
        for at in (0, 30, 60):
            kept.append(readings(fabric, at, unit=8))
    given = ("why", snapshot, "NodeA,NodeC", "--counters", tmp_path / "s", "--last", "1m", "--json")
    for tables, adaptive, links in (((), False, 8), (("--lfts", snapshot), True, 12)):
        found = json.loads(lacis(*given, *tables).out)
        assert (found["adaptive"], len(found["links"])) == (adaptive, links)


def recorded(path: Path, *sweeps: tuple[int, Mapping[tuple[str, str], int]]) -> Path:
    """A recording of sweeps, seconds after the first and values each."""
    fabric = api.read(TREE)
    lines = [
        recording.line(recording.document(readings(fabric, at, values), PortNames(fabric)))
        for at, values in sweeps
    ]
    path.write_bytes(b"".join(lines))
    return path


def test_recordings_from_before_and_after_are_a_window_by_themselves(lacis: Lacis, tmp_path: Path) -> None:
    before = recorded(tmp_path / "before", (0, {(INGRESS, "LinkDowned"): 3}))
    later = recorded(tmp_path / "after", (90, {(INGRESS, "LinkDowned"): 4}))
    done = lacis("why", TREE, JOB, "--counters", before, "--counters", later, "--json")
    found = json.loads(done.out)
    assert (done.status, found["verdict"], found["window"]["seconds"]) == (1, "guilty", 90)
    assert found["guilty"][0]["evidence"][0]["growth"] == 1
    # One recording of several sweeps says the same, and of its first two nothing.
    whole = recorded(
        tmp_path / "whole",
        (0, {}),
        (30, {}),
        (60, {(INGRESS, "LinkDowned"): 1}),
        (90, {(INGRESS, "LinkDowned"): 1}),
    )
    assert asked(lacis, whole, status=1)["verdict"] == "guilty"
    assert asked(lacis, whole, "--last", "30s", status=0)["verdict"] == "innocent"
    for given, said in (
        ((later, before), "are they in this order?"),
        ((before,), "one sweep shows no growth"),
        ((before, later, later), "given twice"),
    ):
        words = [word for path in given for word in ("--counters", str(path))]
        done = lacis("why", TREE, JOB, *words)
        assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
        assert said in done.err


def test_what_ibqueryerrors_leaves_out_is_missing(lacis: Lacis, tmp_path: Path) -> None:
    fabric = api.read(TREE)
    guid = int(fabric.guids()[4])
    text = f'Errors for "spine-01"\n   GUID 0x{guid:x} port 1: [SymbolErrorCounter == {{}}]\n'
    for name, value, time in (("before", 5, AT), ("after", 900, AT + 60)):
        (tmp_path / name).write_text(text.format(value))
        os.utime(tmp_path / name, (time, time))  # the time of such a file is that at which it was written
    given = ("--counters", tmp_path / "before", "--counters", tmp_path / "after")
    done = lacis("why", TREE, JOB, *given, "--json")
    found = json.loads(done.out)
    # What it has accuses; of a job elsewhere it shows nothing.
    assert (done.status, found["verdict"]) == (1, "guilty")
    done = lacis("why", TREE, "node0005,node0006", *given, "--json")
    assert (done.status, json.loads(done.out)["verdict"]) == (2, "cannot_tell")


def test_names_that_a_terminal_would_obey_are_harmless(lacis: Lacis, tmp_path: Path) -> None:
    net = api.read(TREE).to_net().replace("spine-01", "\x1b[31mspine [/bold]")
    (tmp_path / "odd.net").write_text(net)
    counters = store(tmp_path / "s", {(INGRESS, "LinkDowned"): 1})
    done = lacis("why", tmp_path / "odd.net", JOB, "--counters", counters, "--last", "5m")
    assert (done.status, "\x1b" in done.out) == (1, False)
    assert "spine [/bold]" in done.out


def test_a_log_names_the_cables_of_its_failures(lacis: Lacis, tmp_path: Path) -> None:
    log = tmp_path / "job.log"
    log.write_text(
        "node0001:123:456 [0] NCCL WARN NET/IB : Got completion from peer node0003 with status=12 opcode=129 len=0 vendor err 129\n"
    )
    found = asked(
        lacis, store(tmp_path / "s", {(EGRESS, "LinkDowned"): 1}), "--last", "5m", "--log", log, status=1
    )
    assert found["log"]
    assert [one["kind"] for one in found["guilty"][0]["evidence"]] == ["errors_grew", "log_names"]
    # Of two cables with the same kind of errors the one that failures cross comes first, though the other has more.
    rates = {(EGRESS, "SymbolErrors"): 1, ("leaf-03[1]", "SymbolErrors"): 5}
    counters = store(tmp_path / "two", rates)
    hosts = "node0001,node0003,node0005"
    found = asked(lacis, counters, "--last", "5m", "--log", log, status=1, job=hosts)
    assert [part["ends"][0] for part in found["guilty"]] == [EGRESS, "leaf-03[1]"]
    found = asked(lacis, counters, "--last", "5m", status=1, job=hosts)
    assert [part["ends"][0] for part in found["guilty"]] == ["leaf-03[1]", EGRESS]
    said = lacis("why", TREE, hosts, "--counters", counters, "--last", "5m", "--log", log, "--top", "1").out
    assert f"\ncable {EGRESS} – {INGRESS}\n  {EGRESS} counted 300 SymbolErrors (tolerated: 10)\n" in said
    assert "\n  1 of 1 failure in the log crosses it\nand 1 more (--json)\n" in said
    assert re.search(r"^in the log: \S+, 1 time: ", said, re.MULTILINE)
    # Three hosts have a cable each, and three pairs a way over a spine and back; errors come first, then by name.
    assert said.splitlines()[-2].split() == [
        "0.0%",
        "0.0%",
        "1,500",
        "leaf-03[1]",
        "→",
        "node0005",
        "HCA-1[1]",
    ]
    assert re.fullmatch(r"and \d+ more \(--json\)", said.splitlines()[-1])


@pytest.mark.parametrize("window", [["--last", "5m"], ["--from-time", str(AT - 60), "--to", str(AT + 60)]])
def test_readings_of_one_time_are_refused_whatever_the_window(
    lacis: Lacis, tmp_path: Path, window: list[str]
) -> None:
    one = store(tmp_path / "one", {}, sweeps=1)
    done = lacis("why", TREE, JOB, "--counters", one, *window)
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert f"{one}: all readings are of " in done.err
    assert done.err.endswith(": growth takes two, from before and from after\n")


def test_errors_that_were_not_read_twice_are_unknown_and_not_none(lacis: Lacis, tmp_path: Path) -> None:
    # Two sweeps 270 s apart: a window of a minute about the first has one reading of each port.
    sparse = store(tmp_path / "sparse", {}, sweeps=2, every=270)
    done = lacis("why", TREE, JOB, "--counters", sparse, "--from-time", str(AT - 30), "--to", str(AT + 30))
    assert done.status == 2
    table = done.out[done.out.index("carried") :].splitlines()
    assert [line.split()[:3] for line in table[1:]] == [["?", "?", "?"]] * 8


def test_errors_that_no_reading_has_are_unknown_where_the_data_are_known(
    lacis: Lacis, tmp_path: Path
) -> None:
    fabric, data = api.read(TREE), ("XmitData", "RcvData", "XmitWait")
    with CounterStore(tmp_path / "data") as kept:
        for at in range(11):
            kept.append(readings(fabric, 30 * at, counters=data))
    args = ("why", TREE, JOB, "--counters", tmp_path / "data", "--last", "5m")
    done = lacis(*args)
    assert done.status == 2
    table = done.out[done.out.index("carried") :].splitlines()
    assert [line.split()[:3] for line in table[1:]] == [["0.0%", "0.0%", "?"]] * 8
    for link in json.loads(lacis(*args, "--json").out)["links"]:
        assert link["errors"] == {}
        assert link["lost"]["SymbolErrors"] == link["lost"]["LinkDowned"] == "absent"
        assert not set(data) & set(link["lost"])


def test_errors_of_a_port_that_was_not_read_are_unknown_where_its_other_end_says_what_it_carried(
    lacis: Lacis, tmp_path: Path
) -> None:
    fabric = api.read(TREE)
    with CounterStore(tmp_path / "silent") as kept:
        for at in range(11):
            sweep = readings(fabric, 30 * at, {(INGRESS, "RcvData"): FULL // 2 * 30 * at})
            silent = np.ones(len(sweep), np.bool_)
            silent[rows_of(fabric, sweep, EGRESS)] = False
            kept.append(sweep.taken(silent))
    done = lacis("why", TREE, JOB, "--counters", tmp_path / "silent", "--last", "5m")
    assert done.status == 2
    [line] = [line for line in done.out.splitlines() if f"{EGRESS} → {INGRESS}" in line]
    assert line.split()[:3] == ["50.0%", "?", "?"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--last", "5m"], "the job is given once"),
        ([JOB], "no window of time"),
        ([JOB, "--last", "soon"], "--last: no length of time"),
        ([JOB, "--from-time", "soon"], "--from-time: no time"),
        ([JOB, "--from-time", str(AT + 100), "--to", str(AT + 50)], "the window ends before it begins"),
        ([JOB, "--from-time", str(AT - 500), "--to", str(AT - 50)], "no reading lies in the window"),
        ([JOB, "--from-time", str(AT + 5000), "--to", str(AT + 9000)], "the readings go from"),
        ([JOB, "--last", "5m", "--from-time", str(AT)], "both say where the window begins"),
        (["dgx[01-64]", "--last", "5m"], "JOB: no host of this fabric"),
        (["node0001", "--last", "5m"], "sends nothing over the fabric: it has one host"),
        ([JOB, "--last", "5m", "--with", "dgx1"], "--with: no host of this fabric"),
        ([JOB, "--last", "5m", "--log", "absent.log"], "absent.log: no such file"),
        (["7", "--jobs", "absent.txt"], "absent.txt: no such file"),
        ([JOB, "--slurm", JOB, "--last", "5m"], "the job is given once"),
        (["--slurm", JOB, "--jobs", "jobs"], "--jobs has hosts of its own"),
        ([JOB, "--last", "5m", "--without", "leaf-01--spine-*"], "no two of its hosts have a route"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(
    lacis: Lacis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    store(tmp_path / "s", {})
    done = lacis("why", TREE, *args, "--counters", "s")
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert said in done.err


def test_counters_that_are_none_or_another_fabrics_are_refused(lacis: Lacis, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for path, said in (
        (tmp_path / "empty", "holds no readings"),
        (tmp_path / "absent", "no store of counters"),
    ):
        done = lacis("why", TREE, JOB, "--counters", path, "--last", "5m")
        assert (done.status, done.err.count("\n")) == (2, 1)
        assert said in done.err
    store(tmp_path / "s", {})
    other = lacis("why", TREE, JOB, "--shuffle-guids", "7", "--counters", tmp_path / "s", "--last", "5m")
    assert (other.status, other.out) == (2, "")
    assert "the counters are of another fabric: none of the 32 ports is in it" in other.err
