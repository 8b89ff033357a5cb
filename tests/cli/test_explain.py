"""`lacis explain FABRIC`: suspects with their evidence, the exit status, and what it says of bad input."""

from __future__ import annotations

import json
import os
import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import lacis as api
import numpy as np
import pytest
from lacis import _core, measured
from lacis.counters.store import CounterStore

from tests.conftest import shared_data
from tests.synthetic import Bench
from tests.why_readings import readings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Lacis

SPEC = "fat-tree:8,2"


@pytest.fixture(scope="module")
def bench() -> Bench:
    return Bench(api.route(api.read(SPEC), "ftree"))


def rows(
    bench: Bench,
    rate: Callable[[str, str], float] = lambda *_: 1.0,
    *,
    rename: Callable[[str], str] = str,
    seed: int = 1,
) -> str:
    """A matrix as CSV of all pairs, 24 GB/s, 2 % noise."""
    rng = np.random.default_rng(seed)
    hosts = sorted(bench.port)
    lines = [",".join(["", *map(rename, hosts)])]
    for a in hosts:
        values = [
            "" if a == b else f"{24000 * rate(a, b) * float(np.exp(0.02 * rng.standard_normal())):.1f}"
            for b in hosts
        ]
        lines.append(",".join([rename(a), *values]))
    return "\n".join(lines) + "\n"


def explained(path: Path, *args: str) -> tuple[str, ...]:
    return ("explain", SPEC, "-R", "ftree", "--measured", str(path), "--test", "own", "--unit", "MB/s", *args)


def slow_link(bench: Bench) -> Callable[[str, str], float]:
    link = bench.path("node0001", "node0031")[1]
    return lambda a, b: 0.5 if link in bench.path(a, b) else 1.0


def test_a_slow_link_is_named_with_its_evidence(lacis: Lacis, bench: Bench, tmp_path: Path) -> None:
    path = tmp_path / "matrix.csv"
    path.write_text(rows(bench, slow_link(bench)))
    node, port = bench.path("node0001", "node0031")[1]
    link = f"{bench.net.name[node]}[{port}]"
    said = lacis(*explained(path))
    assert said.status == 1, said.err
    assert f"1. {link} → " in said.out
    assert "2. " not in said.out
    # 4 hosts of the leaf send over it to the 7 hosts of other leaves that this spine serves.
    assert "28 of 28 flows over it are slow" in said.out
    assert "as a link at 2xHDR or 4xEDR would be; its ends report 4xHDR" in said.out
    assert "one after the other is assumed" in said.out
    content = json.loads(lacis(*explained(path, "--json")).out)
    [found] = content["found"]
    assert found["suspects"][0]["egress"] == link
    assert found["low"] <= 0.5 <= found["high"]
    assert content["rounds"] is None


def test_a_suspect_whose_ports_count_errors_says_so(lacis: Lacis, bench: Bench, tmp_path: Path) -> None:
    path = tmp_path / "matrix.csv"
    path.write_text(rows(bench, slow_link(bench)))
    node, port = bench.path("node0001", "node0031")[1]
    link = f"{bench.net.name[node]}[{port}]"
    fabric = api.read(SPEC)
    with CounterStore(tmp_path / "counters") as store:
        for seconds in (0, 60):
            store.append(readings(fabric, seconds, {(link, "SymbolErrors"): 100 + seconds}))
    counters = ("--counters", str(tmp_path / "counters"))
    # What was counted before the store began is not counted.
    assert (
        f"     {link} has counted 60 SymbolErrors (tolerated: 10)" in lacis(*explained(path, *counters)).out
    )
    [found] = json.loads(lacis(*explained(path, *counters, "--json")).out)["found"]
    assert found["errors"] == [{"port": link, "counter": "SymbolErrors", "value": 60, "threshold": 10}]
    [found] = json.loads(lacis(*explained(path, "--json")).out)["found"]
    assert "errors" not in found


def test_a_healthy_fabric_is_a_yes(lacis: Lacis, bench: Bench, tmp_path: Path) -> None:
    path = tmp_path / "matrix.csv"
    path.write_text(rows(bench))
    said = lacis(*explained(path))
    assert said.status == 0, said.out
    assert "no link, adapter or switch is slow" in said.out


def with_an_odd_host(path: Path, names: list[str], seed: int, odd: tuple[Any, Any]) -> list[str | Path]:
    """A healthy matrix, but for flows of one host that get 7.5 % less; how it is read."""
    rng, hosts = np.random.default_rng(seed), len(names)
    rate = rng.normal(12000, 240, (hosts, hosts)) * (1 + rng.normal(0, 0.02, hosts))[:, None]
    rate[odd] *= 0.925
    rows = [[name, *(f"{value:.1f}" for value in row)] for name, row in zip(names, rate, strict=True)]
    path.write_text("".join(",".join(row) + "\n" for row in [["src", *names], *rows]))
    return ["--measured", path, "--test", "nxn", "--unit", "MB/s"]


@pytest.mark.parametrize("seed", [0, 1, 5])
def test_a_host_that_is_a_little_odd_makes_no_link_flap(lacis: Lacis, tmp_path: Path, seed: int) -> None:
    # It loses more than healthy hosts differ by. Its flows are few of those over each link.
    names = [f"node{number:04}" for number in range(1, 129)]
    measured = with_an_odd_host(tmp_path / "matrix.csv", names, seed, np.s_[5, :])
    said = lacis("explain", "fat-tree:16,2", "-R", "minhop", *measured)
    assert "flaps" not in said.out, said.out
    assert said.status == 0, said.out


@pytest.mark.slow
@pytest.mark.parametrize("name", ["dgx-2025", "selene-2021"])
@pytest.mark.parametrize("odd", [np.s_[5, :], np.s_[:, 5], np.s_[100, :]])
def test_nor_on_a_real_machine(lacis: Lacis, tmp_path: Path, name: str, odd: tuple[Any, Any]) -> None:
    folder = shared_data()
    if folder is None:
        pytest.skip("no shared/data at or above the checkout (LACIS_SHARED names its parent)")
    file = folder / f"{name}.ibnetdiscover"
    names = _core.host_names(_core.read_fabric(file.read_bytes()), rail="1")
    for seed in range(3):
        measured = with_an_odd_host(tmp_path / "matrix.csv", names, seed, odd)
        said = lacis("explain", file, "--rail", "1", *measured)
        assert "flaps" not in said.out, said.out


def test_too_little_to_tell_is_neither(lacis: Lacis, tmp_path: Path) -> None:
    path = tmp_path / "matrix.csv"
    few = "src,dst,lat,bandwidth\n0,1,1.0,12000.5\n1,0,1.0,12000.5\n"
    path.write_text(few)
    said = lacis("explain", SPEC, "--measured", path, "--hosts", "node[0001-0002]")
    assert said.status == 2
    assert "could not tell" in said.out


def test_other_names_are_proposed_and_taken(lacis: Lacis, bench: Bench, tmp_path: Path) -> None:
    path = tmp_path / "matrix.csv"
    path.write_text(rows(bench, slow_link(bench), rename=lambda name: f"{name}-ib0.cluster".upper()))
    said = lacis(*explained(path))
    assert said.status == 2
    assert "may have another name there" in said.err
    assert lacis(*explained(path, "--names", "auto")).status == 1


def test_what_can_be_used_is_used_and_the_rest_counted(lacis: Lacis, bench: Bench, tmp_path: Path) -> None:
    path = tmp_path / "matrix.csv"
    text = rows(bench, slow_link(bench))
    lines = text.splitlines()
    cells = lines[3].split(",")
    cells[4], cells[5], cells[3] = "nan", "0", "99"  # no number, zero, and a diagonal
    lines[3] = ",".join(cells)
    lines = [line.replace("node0032", "stranger") for line in lines]
    path.write_text("\n".join(lines) + "\n")
    said = lacis(*explained(path))
    assert said.status == 1
    assert "lacks 1 host that were measured: stranger" in said.err or "stranger" in said.err
    assert "left out: 62 of hosts that the fabric lacks" in said.out
    assert "line 4: result that is no finite number" in said.err
    assert "line 4: result of 0 or less" in said.err


def test_results_of_another_fabric_and_of_no_pair_are_refused(
    lacis: Lacis, bench: Bench, tmp_path: Path
) -> None:
    path = tmp_path / "matrix.csv"
    path.write_text(rows(bench, rename=lambda name: f"gpu-{chr(97 + int(name[-1]))}{name}x"))
    said = lacis(*explained(path))
    assert (said.status, said.out) == (2, "")
    assert "results of another fabric?" in said.err
    path.write_text("src,dst,lat,bandwidth\n0,1,1.0,12000.5\n")
    said = lacis("explain", SPEC, "--measured", path)
    assert said.status == 2
    assert said.err.endswith("none of 1 value can be used: 1 of hosts without a name; --hosts names ranks\n")
    said = lacis("explain", SPEC, "--measured", path, "--hosts", "node[0001-0009]")
    assert said.status == 2
    assert "9 hosts, but the results have 2 ranks" in said.err


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (("--measured", "absent"), "no run"),
        (("--measured", "{file}", "--rounds", "x", "--json"), "--rounds needs a FABRIC"),
        (("--measured", "{file}", "--test", "none"), "no test 'none'"),
        (("--measured", "{file}", "--what", "speed"), "no what 'speed'"),
        (("--measured", "{file}", "--rail", "7"), "rail"),
        ((), "--measured"),
    ],
)
def test_wrong_usage_is_one_line(lacis: Lacis, tmp_path: Path, args: tuple[str, ...], line: str) -> None:
    path = tmp_path / "nxn.out"
    path.write_text("0,1,1.00,12000.500000\n1,0,1.00,12000.500000\n")
    given = [arg.format(file=path) for arg in args]
    said = lacis("explain", SPEC, "--store", str(tmp_path), "--hosts", "node[0001-0002]", *given)
    assert said.status == 2
    assert line in said.err
    assert "Traceback" not in said.err


def test_a_truncated_and_interleaved_file_is_read_as_far_as_it_goes(
    lacis: Lacis, bench: Bench, tmp_path: Path
) -> None:
    rng = np.random.default_rng(1)
    hosts = sorted(bench.port)
    lines = [
        f"{a},{b},{1 + 0.05 * rng.random():.2f},{24000 * float(np.exp(0.02 * rng.standard_normal())):.6f}"
        for a in range(32)
        for b in range(32)
        if a != b
    ]
    lines[7] = lines[7][:9] + lines[8]
    path = tmp_path / "nxn.out"
    path.write_text("\n".join(lines)[:-8])
    said = lacis("explain", SPEC, "-R", "ftree", "--measured", path, "--hosts", ",".join(hosts))
    assert said.status == 0, said.err
    assert "cut short or mixed" in said.err or "row" in said.err


@pytest.mark.parametrize("network", ["ib", "roce"])
@pytest.mark.parametrize("what", ["latency", "bandwidth"])
def test_real_matrices_of_a_healthy_cluster_raise_no_alarm(lacis: Lacis, network: str, what: str) -> None:
    folder = shared_data()
    if folder is None or not (folder / "measurements").is_dir():
        pytest.skip("no shared/data/measurements at or above the checkout (LACIS_SHARED names its parent)")
    # 16 nodes in two racks of 7 and 9, as the latencies show; here all on one switch, so that no leaf is modelled.
    hosts = "node[0001-0016]"
    said = lacis(
        *("explain", "fat-tree:36,1", "--measured", folder / "measurements" / f"nxnlatbw-{network}.out"),
        *("--hosts", hosts, "--what", what),
    )
    assert "1. " not in said.out, said.out


@pytest.mark.slow
def test_the_report_names_the_suspects(lacis: Lacis, bench: Bench, tmp_path: Path) -> None:
    path, page, conf = tmp_path / "matrix.csv", tmp_path / "page.html", tmp_path / "opensm.conf"
    path.write_text(rows(bench, slow_link(bench)))
    conf.write_text("routing_engine ftree\n")
    matrix = ("--measured", path, "--test", "own", "--what", "bandwidth", "--unit", "MB/s")
    said = lacis("report", SPEC, "--opensm-conf", conf, *matrix, "-o", page, "--json")
    assert said.status == 0, said.err
    assert said.err == ""  # the last row of a matrix ends with its diagonal, which is empty
    answer = json.loads(lacis(*explained(path, "--json")).out)
    found = json.loads(said.out)["suspects"]
    assert found == {key: answer[key] for key in found}
    node, port = bench.path("node0001", "node0031")[1]
    link = f"{bench.net.name[node]}[{port}]"
    first = json.loads(said.out)["changes"][0]
    assert first["title"].startswith(f"Look at {link} → ")
    assert "28 of 28 flows over it are slow" in first["why"]
    text = page.read_text()
    row = text[text.index('class="sortable suspects"') :].partition("</tr>")[2].partition("</tr>")[0]
    assert link in row
    for words in ("about 50% of its rate", "&gt; 99 %", "28 of 28 flows over it are slow", "4xEDR"):
        assert words in row, words
    assert f"1 suspect slow: {link}" in text
    # The page lists what `lacis explain` prints.
    evidence = lacis(*explained(path)).out.splitlines()
    assert sum(line.strip() in text.replace("&gt;", ">") for line in evidence) >= 2
    path.write_text(rows(bench))
    lacis("report", SPEC, "--opensm-conf", conf, *matrix, "-o", page)
    assert "No link, adapter or switch is slow, as far as these flows show." in page.read_text()


def test_the_report_says_why_no_suspect_is_looked_for(lacis: Lacis, tmp_path: Path) -> None:
    path = tmp_path / "matrix.csv"
    path.write_text("".join(f"{a},{b},1.5,12000.5\n" for a in range(4) for b in range(4) if a != b))
    said = lacis("report", SPEC, "--measured", path, "-o", tmp_path / "page.html", "--json")
    assert said.status == 0, said.err
    assert "no suspects are looked for: none of 12 values can be used: 12 of hosts without a name" in said.err
    assert json.loads(said.out)["suspects"] is None


@pytest.mark.parametrize(("unit", "factor"), [("GB/s", "960"), ("B/s", "9.6e-07")])
def test_values_that_are_no_rates_of_these_links_are_remarked_on(
    lacis: Lacis, bench: Bench, tmp_path: Path, unit: str, factor: str
) -> None:
    path = tmp_path / "matrix.csv"
    path.write_text(rows(bench))
    said = lacis(*explained(path)[:-2], "--unit", unit)  # 24 in place of 24,000 MB/s, of 25 GB/s
    assert f"most flows get {factor} times what their links carry: another unit" in said.err
    assert "most flows get" not in lacis(*explained(path)).err


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        (("--unit", "us", "--what", "bandwidth"), "us is a unit of time, and bandwidth is none"),
        (("--unit", "MB/s", "--what", "latency"), "MB/s is a unit of rates, and latency is none"),
    ],
)
def test_a_unit_of_something_else_is_refused(
    lacis: Lacis, bench: Bench, tmp_path: Path, args: tuple[str, ...], reason: str
) -> None:
    path = tmp_path / "matrix.csv"
    path.write_text(rows(bench))
    said = lacis("explain", SPEC, "--measured", path, "--test", "own", *args)
    assert (said.status, reason in said.err) == (2, True)


def test_what_is_neither_file_nor_run_is_said(lacis: Lacis, tmp_path: Path) -> None:
    said = lacis("explain", SPEC, "--measured", "nxn.cvs", "--store", tmp_path)
    assert said.status == 2
    assert "nxn.cvs is neither a file nor a run" in said.err


def test_a_pipe_is_a_file(lacis: Lacis, bench: Bench, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text(rows(bench)))
    writer.start()
    said = lacis(*explained(pipe))
    writer.join()
    assert said.status == 0, said.err


def test_links_of_a_leaf_that_were_slow_in_the_same_rounds_are_one_group(
    lacis: Lacis, bench: Bench, tmp_path: Path
) -> None:
    pl = pytest.importorskip("polars")
    hosts, rng = sorted(bench.port), np.random.default_rng(5)
    orders = [[hosts[at] for at in rng.permutation(len(hosts))] for _ in range(40)]
    rounds = [list(zip(order, [*order[1:], order[0]], strict=True)) for order in orders]
    # The links to the four hosts of the first leaf are slow in rounds 12 to 24.
    to = {host: bench.path(next(one for one in hosts if one != host), host)[-1] for host in hosts}
    leaf = to[hosts[0]][0]
    slow = {link: 0.5 for link in to.values() if link[0] == leaf}
    assert len(slow) == 4
    healthy, broken = (bench.measure(rounds, factor, 1).with_row_index() for factor in ({}, slow))
    within = pl.col("round").is_between(12, 24)
    frame = pl.concat([healthy.filter(~within), broken.filter(within)]).sort("index")
    began = pl.lit(datetime(2026, 11, 28, 16, 0, tzinfo=UTC)) + pl.duration(seconds=10 * pl.col("round"))
    frame = frame.with_columns(began=began, ended=began + pl.duration(seconds=8))
    columns = ("test", "what", "unit", "bytes", "source", "destination", "round", "value", "began", "ended")
    measured.Store(tmp_path).add(measured.modelled({name: frame[name] for name in columns}))
    asked = ("explain", SPEC, "-R", "ftree", "--measured", "latest", "--store", tmp_path)
    said = lacis(*asked)
    name = bench.net.name[leaf]
    # Rounds 12 and 24 began 120 and 240 s after the first one, and each took 8 s.
    line = f"4 links were slow from round 12 to 24 of 40, all of {name} (2026-11-28 16:02:00 to 16:04:08 UTC, by chance in less than"
    assert line in " ".join(said.out.split()), said.out
    [group] = json.loads(lacis(*asked, "--json").out)["together"]
    assert (group["kind"], group["links"], group["shared"], group["node"]) == (
        "slow_together",
        4,
        "leaf",
        name,
    )
    assert (group["began"], group["ended"]) == ("2026-11-28T16:02:00.0Z", "2026-11-28T16:04:08.0Z")
