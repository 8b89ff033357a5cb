"""Results of measurements: read, kept, compared. Expected values come from other parsers, hand counts and scipy."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import lacis
import numpy as np
import polars as pl
import pytest
from lacis import measured
from lacis.explain.flows import columns_of
from lacis.measured import hosts
from lacis.measured.comparison import _binomial_k
from lacis.measured.store import MANIFEST, TABLE
from lacis.ranks.participants import participants

from tests import schemas
from tests.conftest import shared_data

HERE = Path(__file__).parents[1] / "measured"


def real(name: str) -> Path:
    folder = shared_data()
    path = folder / "measurements" / name if folder else None
    if path is None or not path.is_file():
        pytest.skip(
            f"no shared/data/measurements/{name} at or above the checkout (LACIS_SHARED names its parent)"
        )
    return path


def nxn(n: int, latency: float = 1.5, spread: float = 0.0, seed: int = 1) -> str:
    draw = np.random.default_rng(seed)
    rows = [(a, b) for a in range(n) for b in range(n) if a != b]
    factor = 1 + spread * draw.standard_normal(len(rows))
    return "".join(f"{a},{b},{latency * f:.4f},12000.5 \n" for (a, b), f in zip(rows, factor, strict=True))


def results(tmp_path: Path, text: str, name: str = "r.out") -> measured.Results:
    path = tmp_path / name
    path.write_text(text)
    return measured.read([path])


@pytest.mark.parametrize(
    "name", ["osu_latency", "osu_bw", "osu_bibw", "osu_mbw_mr", "osu_allreduce", "osu_alltoall"]
)
def test_real_output_of_osu_is_read_whole(name: str) -> None:
    path = real(f"{name}.out")
    # The oracle: numpy's own reader of columns.
    expected = np.loadtxt(path, comments="#", ndmin=2)
    frame = measured.read([path]).frame
    assert frame["test"].unique().to_list() == [name]
    factors = {"s": 1e-6, "bytes/s": 1e6, "messages/s": 1.0}
    assert frame.height == expected[:, 1:].size
    assert np.array_equal(frame["bytes"].unique(maintain_order=True).to_numpy(), expected[:, 0])
    for column, unit in enumerate(frame["unit"].unique(maintain_order=True), 1):
        values = frame.filter(pl.col("unit") == unit)["value"].to_numpy()
        assert np.allclose(values, expected[:, column] * factors[unit], rtol=1e-12)


@pytest.mark.parametrize(("name", "ranks"), [("pingpong", 2), ("uniband", 16), ("biband", 16)])
def test_real_output_of_imb_is_read_whole(name: str, ranks: int) -> None:
    path = real(f"imb_{name}.out")
    rows = np.array(
        [line.split() for line in path.read_text().splitlines() if re.match(r"\s+\d+\s+\d+\s", line)], float
    )
    frame = measured.read([path]).frame
    assert frame["test"].unique().to_list() == [f"imb_{name}"]
    assert frame["ranks"].unique().to_list() == [ranks]
    rates = frame.filter(pl.col("unit") == "bytes/s")
    assert np.allclose(rates["value"].to_numpy(), rows[1:, 3 if ranks == 2 else 2] * 1e6, rtol=1e-12)
    other = frame.filter(pl.col("unit") != "bytes/s")
    assert np.allclose(other["value"].to_numpy(), rows[:, 2] * 1e-6 if ranks == 2 else rows[:, 3], rtol=1e-12)


@pytest.mark.parametrize("kind", ["ib", "roce"])
def test_real_output_of_nxnlatbw_is_read_whole(kind: str) -> None:
    path = real(f"nxnlatbw-{kind}.out")
    expected = np.array(
        [row.split(",") for row in re.findall(r"^\d+,\d+,[\d.]+,[\d.]+", path.read_text(), re.M)], float
    )
    assert len(expected) == 240
    read = measured.read([path])
    latency = read.frame.filter(pl.col("unit") == "s")
    assert np.array_equal(latency["source_rank"].to_numpy(), expected[:, 0])
    assert np.array_equal(latency["destination_rank"].to_numpy(), expected[:, 1])
    assert np.allclose(latency["value"].to_numpy(), expected[:, 2] * 1e-6, rtol=1e-12)
    assert read.facts["ranks"] == "16"
    assert not [note for note in read.notes if "unknown line" not in note.text]


def test_output_of_a_real_iperf3_is_read() -> None:
    content = json.loads((HERE / "iperf3-3.12-tcp.json").read_text())
    read = measured.read([HERE / "iperf3-3.12-tcp.json"])
    samples = read.frame.filter(pl.col("statistic") == "sample")
    kept = [one["sum"]["bits_per_second"] / 8 for one in content["intervals"] if not one["sum"]["omitted"]]
    assert samples["value"].to_list() == kept
    assert len(kept) == 3
    assert (
        read.frame.filter(pl.col("statistic") == "mean")["value"][0]
        == content["end"]["sum_received"]["bits_per_second"] / 8
    )
    assert (samples["source"][0], samples["destination"][0]) == ("127.0.0.2", "127.0.0.3")
    udp = measured.read([HERE / "iperf3-3.12-udp.json"]).frame
    # With -R the server sends.
    assert (udp["test"][0], udp["source"][0], udp["destination"][0]) == (
        "iperf3_udp",
        "127.0.0.3",
        "127.0.0.2",
    )


def test_files_of_one_run_are_one_table_and_remarks_name_their_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(nxn(3))
    (tmp_path / "b").write_text("srun: begin\n" + nxn(3)[:-9])
    read = measured.read([tmp_path / "a", tmp_path / "b"])
    assert read.frame.filter(pl.col("unit") == "s")["repeat"].to_list() == [0] * 6 + [1] * 5
    answer = {Path(note.source).name: note.text for note in read.notes if "row" in note.text}
    assert "cut short" in answer["b"]
    assert "a" not in answer


def test_a_run_is_kept_and_read_by_polars_and_duckdb_as_it_is(tmp_path: Path) -> None:
    store = measured.Store(tmp_path / "store")
    read = results(tmp_path, nxn(4))
    run = store.add(read, name="before", tags={"compiler": "gcc"}, time="2026-05-01T12:00:00+02:00")
    assert run.time == "2026-05-01T10:00:00Z"
    schemas.check(json.loads((run.path / MANIFEST).read_text()))
    direct = pl.read_parquet(f"{tmp_path}/store/*/{TABLE}")
    assert direct.equals(read.frame)
    assert direct.columns == list(measured.COLUMNS)
    query = f"SELECT count(*), median(value) FROM '{tmp_path}/store/*/{TABLE}' WHERE unit = 's'"  # noqa: S608
    assert duckdb.connect().execute(query).fetchall() == [(12, 1.5e-6)]


def test_a_second_run_leaves_the_first_as_it_is(tmp_path: Path) -> None:
    store = measured.Store(tmp_path)
    first = store.add(results(tmp_path, nxn(3)), name="x")
    before = {path.name: path.read_bytes() for path in first.path.iterdir()}
    store.add(results(tmp_path, nxn(3, 2.0)), name="x")
    assert {path.name: path.read_bytes() for path in first.path.iterdir()} == before
    assert len(store.find("x")) == 2
    assert store.values("x").height == 24


def test_many_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    (tmp_path / "r.out").write_text(nxn(4))
    code = (
        "import sys; from lacis import measured\n"
        "read = measured.read([sys.argv[1]])\n"
        "for _ in range(5): measured.Store(sys.argv[2]).add(read, name='same', time='2026-01-01T00:00:00Z')\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "r.out"), str(tmp_path / "store")]
    writers = [subprocess.Popen(command) for _ in range(3)]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    runs, broken = measured.Store(tmp_path / "store").runs()
    assert (len(runs), broken) == (15, [])
    assert all(run.values().height == 24 for run in runs)


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda run: (run / MANIFEST).unlink(), "not finished"),
        (lambda run: (run / MANIFEST).write_text("{"), "cannot be read"),
        (lambda run: (run / MANIFEST).write_text('{"schema": "x"}'), "not of schema"),
        (lambda run: (run / TABLE).unlink(), f"no {TABLE}"),
        (lambda run: (run / TABLE).write_bytes(b"PAR1"), "4 bytes"),
    ],
)
def test_a_half_written_run_is_recognised_and_the_others_stay(
    tmp_path: Path, damage: Any, reason: str
) -> None:
    store = measured.Store(tmp_path / "store")
    whole = store.add(results(tmp_path, nxn(3)), name="whole")
    other = store.add(results(tmp_path, nxn(3)), name="other")
    damage(other.path)
    runs, broken = store.runs()
    assert [run.id for run in runs] == [whole.id]
    assert [(one.id, reason in one.reason) for one in broken] == [(other.id, True)]
    with pytest.raises(lacis.LacisError, match=re.escape(reason)):
        store.find(other.id)


def test_values_that_a_table_lies_about_are_refused(tmp_path: Path) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"test": ["t"], "value": [1.0]}, "need a column 'unit'"),
        ({"test": ["t"], "value": [1.0], "unit": ["furlong"]}, "'furlong' is no unit"),
        ({"test": ["t"], "value": [math.nan], "unit": ["s"]}, "1 values are no finite"),
        ({"test": ["t"], "value": ["x"], "unit": ["s"]}, "other types"),
        ({"test": ["t"], "value": [1.0], "unit": ["s"], "colour": ["red"]}, "no column 'colour'"),
    ]
    for columns, reason in cases:
        with pytest.raises(lacis.LacisError, match=re.escape(reason)):
            measured.modelled(columns)
    made = measured.modelled(
        {"test": ["t"], "value": [2.0], "unit": ["s"], "source": ["a"], "destination": ["b"]}
    )
    assert measured.Store(tmp_path).add(made).manifest.provenance == ["modelled"]


def frame(values: Any, test: str = "t", unit: str = "s", pairs: bool = False) -> pl.DataFrame:
    n = len(values)
    ends = {"source": [f"a{i}" for i in range(n)], "destination": ["b"] * n} if pairs else {}
    return measured.modelled({"test": [test] * n, "value": values, "unit": [unit] * n, **ends}).frame


def test_two_samples_are_compared_as_scipy_does() -> None:
    from scipy import stats

    draw = np.random.default_rng(3)
    a, b = draw.lognormal(0, 0.05, 30), draw.lognormal(0.03, 0.05, 25)
    (one,) = measured.compare(frame(a), frame(b))
    assert one.p == pytest.approx(stats.mannwhitneyu(a, b, method="asymptotic").pvalue, rel=1e-9)
    assert one.ratio == pytest.approx(np.median(b[:, None] / a[None, :]), rel=1e-3)
    assert one.low is not None
    assert one.high is not None
    assert one.low < one.ratio < one.high


def test_pairs_are_compared_each_with_itself() -> None:
    from scipy import stats

    draw = np.random.default_rng(5)
    base = draw.lognormal(0, 1, 40)  # pairs differ far more than before and after
    change = 1.02 * draw.lognormal(0, 0.01, 40)
    (one,) = measured.compare(frame(base, pairs=True), frame(base * change, pairs=True))
    assert (one.pairs, one.verdict) == (40, "worse")
    assert one.p == pytest.approx(stats.binomtest(int((change > 1).sum()), 40).pvalue, rel=1e-9)
    assert one.ratio == pytest.approx(float(np.median(change)), rel=1e-3)
    # The same as bandwidth is better; as samples the pairs' own spread hides it.
    (rate,) = measured.compare(
        frame(base, unit="bytes/s", pairs=True), frame(base * change, unit="bytes/s", pairs=True)
    )
    assert rate.verdict == "better"
    (hidden,) = measured.compare(frame(base), frame(base * change))
    assert hidden.verdict == "no difference shown"


@pytest.mark.parametrize("n", [6, 9, 17, 40, 200, 999])
def test_the_interval_of_a_median_is_that_of_the_binomial_law(n: int) -> None:
    from scipy import stats

    # By Conover: the greatest k with P(B ≤ k - 1) ≤ 2.5 %.
    k = max(k for k in range(n) if stats.binom.cdf(k - 1, n, 0.5) <= 0.025)
    assert _binomial_k(n) == k


@pytest.mark.slow
def test_chance_finds_no_difference_among_many_tests() -> None:
    found = 0
    for seed in range(40):
        draw = np.random.default_rng(seed)
        both = [pl.concat([frame(draw.lognormal(0, 0.1, 12), f"t{i}") for i in range(20)]) for _ in range(2)]
        found += any(one.verdict in ("better", "worse") for one in measured.compare(*both))
    # 5 % of 40 tables are 2; more than 6 would come once in 200 times.
    assert found <= 6


def test_too_few_repeats_are_no_evidence() -> None:
    (one,) = measured.compare(frame([1.0, 1.0, 1.0]), frame([2.0, 2.0, 2.0]))
    assert (one.verdict, one.p, one.low) == ("too few repeats", None, None)
    assert measured.compare(frame([1.0]), frame([1.0], test="u")) == []


def test_a_history_is_in_order_of_time_and_is_drawn(tmp_path: Path) -> None:
    store = measured.Store(tmp_path / "store")
    for month, latency in ((3, 1.5), (1, 1.4), (2, 1.6)):
        store.add(results(tmp_path, nxn(4, latency)), name=f"m{month}", time=f"2026-0{month}-01T00:00:00Z")
    found = measured.history(store.runs()[0], "mpi_nxnlatbw", what="latency")
    assert [point.name for point in found.points] == ["m1", "m2", "m3"]
    assert [point.median for point in found.points] == pytest.approx([1.4e-6, 1.6e-6, 1.5e-6])
    for suffix, magic in ((".svg", b"<?xml"), (".png", b"\x89PNG")):
        found.plot(tmp_path / f"h{suffix}")
        assert (tmp_path / f"h{suffix}").read_bytes().startswith(magic)
    for arguments, reason in [
        ({"test": "x"}, "no run has a test 'x'"),
        ({"test": "mpi_nxnlatbw"}, "latency, bandwidth: say which"),
        ({"test": "mpi_nxnlatbw", "what": "latency", "bytes": 7}, "no messages of 7 bytes"),
    ]:
        with pytest.raises(lacis.LacisError, match=re.escape(reason)):
            measured.history(store.runs()[0], **arguments)  # type: ignore[arg-type]


def test_names_of_hosts_are_matched_and_pairs_get_their_class(tmp_path: Path) -> None:
    fabric = lacis.read("fat-tree:4,2")  # four leaves of two hosts
    names = lacis._core.hosts(fabric).names
    read = measured.name_ranks(results(tmp_path, nxn(8)), names)
    classified = measured.classify(read, fabric).frame.filter(pl.col("unit") == "s")
    # By hand: each host has one other on its leaf, six elsewhere.
    assert classified["class"].value_counts().sort("class").rows() == [
        ("different leaves", 48),
        ("same leaf", 8),
    ]
    other = hosts.rename(read, {names[0]: names[0].upper() + ".cluster.site", names[1]: "stranger"})
    renamed, naming = measured.name_hosts(other, fabric)
    assert dict(naming.proposed) == {names[0].upper() + ".cluster.site": names[0]}
    assert (naming.absent, naming.unmeasured) == (["stranger"], [names[1]])
    assert hosts.rename(renamed, naming.proposed).hosts()[0] == names[0]
    with pytest.raises(lacis.LacisError, match="none of the 8 hosts"):
        measured.name_hosts(measured.name_ranks(results(tmp_path, nxn(8)), list("abcdefgh")), fabric)
    with pytest.raises(lacis.LacisError, match="7 hosts, but the results have 8 ranks"):
        measured.name_ranks(results(tmp_path, nxn(8)), names[:7])


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("node001", "node1", True),
        ("node001", "NODE001.cluster.example", True),
        ("node001", "node001-ib0", True),
        ("node001", "node002", False),
        ("r1n12", "r11n2", False),
        ("10.0.0.1", "10.0.0.2", False),
    ],
)
def test_names_of_one_host(one: str, other: str, same: bool) -> None:
    assert (hosts._form(one) == hosts._form(other)) is same


def test_a_matrix_may_end_its_last_row_with_an_empty_cell(tmp_path: Path) -> None:
    # The diagonal is empty: what ends the last row is no separator too many, and no row is cut short.
    path = tmp_path / "m.csv"
    path.write_text(
        "src,a,b,c,d,e,f\na,,1,2,3,4,5\nb,1,,2,3,4,5\nc,1,2,,3,4,5\nd,1,2,3,,4,5\ne,1,2,3,4,,\nf,1,2,3,4,5,\n"
    )
    found = measured.read([path], test="own", unit="us")
    assert [note.text for note in found.notes] == [
        "line 6: result that is no finite number, left out: e,1,2,3,4,,"
    ]
    assert found.frame.height == 29
    # A separator at the end of every row is one.
    path.write_text("a,b,c,\n0,1,2,\n1,0,2,\n1,2,0,\n")
    assert (measured.read([path], test="own", unit="us").frame.height, found.formats) == (6, ["matrix"])


def test_a_host_that_traffic_calls_by_its_adapter_has_its_own_name() -> None:
    data = shared_data()
    path = data / "selene-2021.ibnetdiscover" if data else Path("absent")
    if not path.is_file():
        pytest.skip("no shared/data/selene-2021.ibnetdiscover at or above the checkout")
    fabric = lacis.read(path)
    # Adapters that are chosen by their label are called by it.
    traffic = participants(lacis.route(fabric, "minhop"), rail="mlx5_1")
    assert "selene-cache-01 mlx5_1" in traffic.hosts
    assert "selene-cache-01" not in traffic.hosts
    names = hosts.names_of(traffic.hosts, fabric)
    assert "selene-cache-01" in names
    assert len(set(names)) == len(names) == len(traffic.hosts)
    rows = pl.DataFrame(
        {"source": ["selene-cache-01"], "destination": ["luna-0001"], "round": [0], "value": [1e9]}
    )
    found = columns_of(rows.cast({"round": pl.UInt32}), names)
    assert names[int(found["source"][0])] == "selene-cache-01"


def cases(name: str) -> Path:
    folder = shared_data()
    path = folder / "cases" / "measurements" / name if folder else None
    if path is None or not path.is_file():
        pytest.skip(f"no shared/data/cases/measurements/{name} at or above the checkout")
    return path


PAIRS = """vendid=0x2c9
devid=0xd2f0
sysimgguid=0x1
switchguid=0x1(1)
Switch 36 "S-0000000000000001" # "leaf1" enhanced port 0 lid 9 lmc 0
[1] "H-0000000000000010"[1](11) # "node0001 HCA-1" lid 1 4xEDR
[2] "H-0000000000000020"[1](21) # "node0002 HCA-1" lid 5 4xEDR

vendid=0x2c9
devid=0x1017
sysimgguid=0x10
caguid=0x10
Ca 1 "H-0000000000000010" # "node0001 HCA-1"
[1](11) "S-0000000000000001"[1] # lid 1 lmc 0 "leaf1" lid 9 4xEDR

vendid=0x2c9
devid=0x1017
sysimgguid=0x20
caguid=0x20
Ca 1 "H-0000000000000020" # "node0002 HCA-1"
[1](21) "S-0000000000000001"[2] # lid 5 lmc 0 "leaf1" lid 9 4xEDR
"""
"""Two hosts on a leaf, with LIDs 1 and 5 and port GUIDs 0x11 and 0x21."""


def test_lids_and_gids_of_perftest_are_hosts_of_the_fabric(tmp_path: Path) -> None:
    (tmp_path / "f").write_text(PAIRS)
    fabric = lacis.read(tmp_path / "f")
    named, naming = measured.name_hosts(measured.read([cases("perftest-pair.out")]), fabric)
    assert (named.hosts(), naming.absent) == (["node0001", "node0002"], [])
    rows = "#bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n65536 5000 8.0 4.0 0.5\n"
    text = (
        "RDMA_Write BW Test\n local address: LID 0000 QPN 1\n GID: 254:128:00:00:00:00:00:00:00:00:00:00:00:00:00:17\n"
        f" remote address: LID 0000 QPN 2\n GID: 254:128:00:00:00:00:00:00:00:00:00:00:00:00:00:33\n{rows}"
    )
    named, _ = measured.name_hosts(results(tmp_path, text), fabric)
    assert named.hosts() == ["node0001", "node0002"]


def test_many_runs_of_two_hosts_are_a_matrix_whose_values_have_their_file(tmp_path: Path) -> None:
    head = "# nThread 1 nGpus 1\n# Collective test starting: sendrecv_perf\n"
    columns = "# size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n"
    paths = []
    for a in range(24):
        for b in range(24):
            ranks = "".join(
                f"#  Rank  {rank} Group  0 Pid 1 on n{host:02} device  0 [0x07] X\n"
                for rank, host in enumerate((a, b))
            )
            path = tmp_path / f"n{a:02}-n{b:02}.out"
            path.write_text(
                f"{head}{ranks}{columns}268435456 67108864 float sum -1 11274 23.{a % 10} 23.8 0 11271 23.8 23.8 0\n"
            )
            paths.append(path)
    read = measured.read(paths)
    alone = read.frame.filter(pl.col("what") == "algorithm bandwidth")
    assert (read.frame.height, alone["file"].n_unique()) == (576 * 6, 576)
    one = alone.filter(pl.col("file").cast(pl.String) == str(tmp_path / "n03-n17.out"))
    assert one.select("source", "destination", "value").row(0) == ("n03", "n17", 23.3e9)
    assert read.files[3 * 24 + 17].facts == {"rank 0": "n03", "rank 1": "n17"}
    assert "rank 0" not in read.facts
    run = measured.Store(tmp_path / "store").add(read, name="pairs")
    assert run.values()["file"].n_unique() == 576
    assert measured.Store(tmp_path / "store").runs()[0][0].manifest.files[20].facts["rank 1"] == "n20"


def test_a_damaged_file_of_values_is_refused(tmp_path: Path) -> None:
    run = measured.Store(tmp_path / "store").add(results(tmp_path, nxn(4)), name="x")
    data = bytearray(run.table.read_bytes())
    data[len(data) // 3] ^= 1
    run.table.write_bytes(data)
    with pytest.raises(lacis.LacisError, match="is not the file that was kept"):
        measured.Store(tmp_path / "store").values("x")


def test_runs_without_a_hash_are_read_as_before(tmp_path: Path) -> None:
    run = measured.Store(tmp_path / "store").add(results(tmp_path, nxn(4)), name="x")
    manifest = json.loads((run.path / MANIFEST).read_text())
    del manifest["table"]["sha256"]
    for file in manifest["files"]:
        del file["facts"]
    (run.path / MANIFEST).write_text(json.dumps(manifest))
    assert measured.Store(tmp_path / "store").values("x").height == 24


def test_a_full_disk_leaves_no_folder(tmp_path: Path) -> None:
    (tmp_path / "r.out").write_text(nxn(30))
    code = (
        "import resource, signal, sys; from lacis import LacisError, measured\n"
        "read = measured.read([sys.argv[1]])\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), int(sys.argv[3])))\n"
        "try: measured.Store(sys.argv[2]).add(read)\n"
        "except LacisError as error: print(error)\n"
    )
    said = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "r.out"), str(tmp_path / "store"), "1000"],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    assert len(said.splitlines()) == 1, said
    assert "cannot be written" in said
    assert not (tmp_path / "store").exists()
    # Other runs of the store stay.
    kept = measured.Store(tmp_path / "store").add(results(tmp_path, nxn(3)))
    (tmp_path / "r.out").write_text(nxn(30))
    subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "r.out"), str(tmp_path / "store"), "1000"],
        stdout=subprocess.PIPE,
        check=True,
    )
    assert [path.name for path in (tmp_path / "store").iterdir()] == [kept.id]


def test_only_what_is_worse_by_its_whole_interval_is_worse() -> None:
    draw = np.random.default_rng(7)
    base = draw.lognormal(0, 1, 40)
    change = 1.03 * draw.lognormal(0, 0.03, 40)
    before, after = frame(base, pairs=True), frame(base * change, pairs=True)
    (one,) = measured.compare(before, after)
    assert one.low is not None
    assert (one.verdict, one.low > 1) == ("worse", True)
    # The estimate is beyond the least difference, its interval is not.
    least = (one.low + one.ratio) / 2 - 1
    (one,) = measured.compare(before, after, least=least)
    assert (one.verdict, one.ratio > 1 + least) == ("no difference shown", True)
    (one,) = measured.compare(before, after, least=one.low - 1.0001 if one.low else 0)
    assert one.verdict == "worse"


def test_more_of_a_ratio_is_worse() -> None:
    draw = np.random.default_rng(9)
    impact = draw.lognormal(0.1, 0.01, 12)
    (one,) = measured.compare(frame(impact, unit="ratio"), frame(impact * 2, unit="ratio"))
    assert one.verdict == "worse"


def test_two_host_runs_of_nccl_are_explained() -> None:
    from lacis.explain.series import choose

    files = [cases(f"nccl-pair-{n}.out") for n in (1, 2, 3)]
    frame = measured.read(files).frame
    chosen, _ = choose(frame)
    assert (chosen.test, chosen.bytes, chosen.values) == ("nccl_sendrecv", 268435456, 3)
    pairs = frame.filter(pl.col("what") == chosen.what).select("source", "destination").rows()
    assert pairs == [("node0001", "node0002"), ("node0003", "node0004"), ("node0001", "node0013")]


def test_an_unknown_number_of_ranks_is_compared_with_the_only_one(tmp_path: Path) -> None:
    rows = "# OSU MPI Allreduce Latency Test v7.4\n# Size  Avg Latency(us)\n" + "8  1.50\n" * 5
    without = results(tmp_path, rows).frame
    with_16 = results(tmp_path, f"+ mpirun -np 16 ./osu_allreduce\n{rows}").frame
    with_24 = results(tmp_path, f"+ mpirun -np 24 ./osu_allreduce\n{rows}").frame
    assert [one.ranks for one in measured.compare(without, with_16)] == [16]
    assert [one.ranks for one in measured.compare(with_24, without)] == [24]
    assert measured.compare(with_16, with_24) == []
    assert [one.ranks for one in measured.compare(pl.concat([with_16, with_24]), without)] == []


def sample(began: int, ended: int, **of: Any) -> str:
    """A record of lacis-mpi: by default a bandwidth of 8 messages of 1 MiB."""
    usual = {"record": "sample", "test": "random", "what": "bandwidth", "round": 1, "from": 0, "to": 1}
    usual |= {"class": "different leaves", "bytes": 1 << 20, "messages": 8, "operations": 1}
    times = {"began_us": began, "ended_us": ended, "sent": 80 << 20}
    return json.dumps(usual | times | {"unit": "bytes/s", "late": [], "values": [1e9, 2e9]} | of)


MPI_RUN = [
    '{"record": "run", "schema": "lacis.mpi/1", "ranks": 4, "started": "2026-11-28T16:28:24Z"}',
    *(json.dumps({"record": "rank", "rank": rank, "host": f"n{rank}"}) for rank in range(4)),
]
SECOND = 1_795_883_305 * 10**6
"""2026-11-28T16:28:25Z."""


def test_values_of_lacis_mpi_have_the_times_and_bytes_of_their_records(tmp_path: Path) -> None:
    # Two rounds of two pairs; there and back are records of one round, and a third has no value that can be used.
    lines = [
        sample(SECOND, SECOND + 5),
        sample(SECOND, SECOND + 5, **{"from": 2, "to": 3, "sent": 7}),
        sample(SECOND + 10, SECOND + 15, **{"from": 1, "to": 0}),
        sample(SECOND + 20, SECOND + 25, round=2, values=[None, 3e9]),
        sample(SECOND + 30, SECOND + 35, round=3, values=[None, None]),
        sample(SECOND + 40, SECOND + 45, round=4, values=[4e9], late=[0], sent=9),
        sample(
            SECOND + 50, SECOND + 60, test="alltoall", what="time", unit="s", **{"from": None, "to": None}
        ),
        '{"record": "sample", "began_us": broken',
    ]
    frame = results(tmp_path, "\n".join([*MPI_RUN, *lines]) + "\n").frame
    seen = {
        (row["source"], row["destination"], row["value"]): (
            row["began"] and round(row["began"].timestamp() * 1e6) - SECOND,
            row["ended"] and round(row["ended"].timestamp() * 1e6) - SECOND,
            row["sent"],
        )
        for row in frame.iter_rows(named=True)
    }
    whole = 80 << 20
    assert seen == {
        ("n0", "n1", 1e9): (0, 5, whole),
        ("n0", "n1", 2e9): (0, 5, whole),
        ("n2", "n3", 1e9): (0, 5, 7),
        ("n2", "n3", 2e9): (0, 5, 7),
        ("n1", "n0", 1e9): (10, 15, whole),
        ("n1", "n0", 2e9): (10, 15, whole),
        ("n0", "n1", 3e9): (20, 25, whole),
        ("n0", "n1", 4e9): (40, 45, 9),
        (None, None, 1e9): (50, 60, None),
        (None, None, 2e9): (50, 60, None),
    }


def test_records_without_times_and_times_that_are_none_are_read_as_before(tmp_path: Path) -> None:
    old = json.loads(sample(0, 0))
    for key in ("began_us", "ended_us", "sent"):
        del old[key]
    lines = [json.dumps(old), sample(-5, 7, round=2), sample(9, 8, round=3), sample(1, 1 << 60, round=4)]
    frame = results(tmp_path, "\n".join([*MPI_RUN, *lines]) + "\n").frame
    assert frame.height == 8
    assert frame.select("began", "ended", "sent").null_count().row(0) == (8, 8, 8)
    # A table that was kept before there were such columns is read with empty ones.
    kept = measured.modelled(frame.drop("began", "ended", "sent").to_dict(as_series=False))
    assert kept.frame.schema["began"] == pl.Datetime("us", "UTC")
    assert kept.frame["began"].null_count() == 8


def test_clocks_of_hosts_that_differ_are_a_fact_of_the_run(tmp_path: Path) -> None:
    clocks = [
        json.dumps({"record": "clock", "rank": rank, "day_off": off})
        for rank, off in enumerate((0.0, -0.5, 1.25))
    ]
    read = results(tmp_path, "\n".join([*MPI_RUN, *clocks, sample(SECOND, SECOND + 5)]) + "\n")
    assert read.facts["host clocks differ by [s]"] == "1.750000"


def test_intervals_of_iperf3_have_times_to_a_second() -> None:
    path = HERE / "iperf3-3.12-tcp.json"
    frame = measured.read([path]).frame
    said = json.loads(path.read_text())
    began, sums = said["start"]["timestamp"]["timesecs"], [one["sum"] for one in said["intervals"]]
    # The warm-up is no sample.
    sums = [one for one in sums if not one["omitted"]]
    samples = frame.filter(pl.col("statistic") == "sample")
    assert samples["sent"].to_list() == [one["bytes"] for one in sums]
    starts = (samples["began"].dt.timestamp("us") / 1e6).to_list()
    ends = (samples["ended"].dt.timestamp("us") / 1e6).to_list()
    assert starts == pytest.approx([began + one["start"] for one in sums], abs=1e-5)
    assert ends == pytest.approx([began + one["end"] + 1 for one in sums], abs=1e-5)
    assert frame.filter(pl.col("statistic") == "mean")["began"].null_count() == 1
