"""Results of measurements, read. Expected values come from other parsers and hand counts."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import lacis
import numpy as np
import polars as pl
import pytest
from lacis import measured
from lacis.explain.flows import columns_of
from lacis.measured import hosts
from lacis.ranks.participants import participants

from tests.conftest import shared_data
from tests.measured_runs import nxn, results

HERE = Path(__file__).parents[1] / "measured"


def real(name: str) -> Path:
    folder = shared_data()
    path = folder / "measurements" / name if folder else None
    if path is None or not path.is_file():
        pytest.skip(
            f"no shared/data/measurements/{name} at or above the checkout (LACIS_SHARED names its parent)"
        )
    return path


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


def test_streams_of_a_real_iperf_2_are_summed_over_intervals() -> None:
    path = HERE / "iperf-2.1.8-tcp-P3.csv"
    # The oracle: Python's own reader of CSV.
    sums: dict[str, float] = {}
    for row in csv.reader(path.read_text().splitlines()):
        sums[row[6]] = sums.get(row[6], 0.0) + int(row[8]) / 8
    read = measured.read([path])
    values = [(row["statistic"], row["value"]) for row in read.frame.iter_rows(named=True)]
    intervals = ["0.0-1.0", "1.0-2.0", "2.0-3.0"]
    assert values == [*(("sample", sums[one]) for one in intervals), ("mean", sums["0.0-3.0"])]
    assert read.notes == []


def test_output_of_a_real_iperf_2_is_read() -> None:
    """Rates from the text by eye: Gbits/sec over 8."""

    def rows(name: str) -> list[tuple[Any, ...]]:
        frame = measured.read([HERE / f"iperf-2.1.8-{name}"]).frame
        assert frame["unit"].unique().to_list() == ["bytes/s"]
        return frame.select("test", "statistic", "source", "destination", "value").rows()

    there = ("127.0.0.2", "127.0.0.3")
    assert rows("tcp.txt") == [
        ("iperf2_tcp", "sample", *there, pytest.approx(20.0e9 / 8)),
        ("iperf2_tcp", "sample", *there, pytest.approx(24.5e9 / 8)),
        ("iperf2_tcp", "mean", *there, pytest.approx(22.2e9 / 8)),
    ]
    assert rows("tcp.csv") == [
        ("iperf2_tcp", "sample", *there, 11943281120 / 8),
        ("iperf2_tcp", "sample", *there, 16791896064 / 8),
        ("iperf2_tcp", "mean", *there, 14281715641 / 8),
    ]
    # The server's side: what it receives.
    assert rows("udp-server.txt") == [("iperf2_udp", "mean", *there, pytest.approx(52.4e6 / 8))]
    both = "iperf2_tcp bidirectional"
    assert rows("full-duplex.txt") == [
        (both, "mean", *reversed(there), pytest.approx(5.18e9 / 8)),
        (both, "mean", *there, pytest.approx(5.33e9 / 8)),
    ]


def test_files_of_one_run_are_one_table_and_remarks_name_their_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(nxn(3))
    (tmp_path / "b").write_text("srun: begin\n" + nxn(3)[:-9])
    read = measured.read([tmp_path / "a", tmp_path / "b"])
    assert read.frame.filter(pl.col("unit") == "s")["repeat"].to_list() == [0] * 6 + [1] * 5
    answer = {Path(note.source).name: note.text for note in read.notes if "row" in note.text}
    assert "cut short" in answer["b"]
    assert "a" not in answer


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


@pytest.mark.parametrize("separator", [",", ",\t", "\t,", ", ", ";", "\t", ";\t"])
def test_tabs_beside_the_commas_of_a_matrix_align_it(tmp_path: Path, separator: str) -> None:
    rows = [["", "a", "b", "c"], ["a", "0", "1.5", "2"], ["b", "1", "0", "2"], ["c", "1", "2", "0"]]
    path = tmp_path / "m.csv"
    path.write_text("".join(separator.join(row) + "\n" for row in rows))
    found = measured.read([path], test="own", unit="us")
    assert (found.frame.height, found.notes) == (6, [])
    assert sorted(found.frame["value"].to_list()) == pytest.approx([1e-6, 1e-6, 1.5e-6, 2e-6, 2e-6, 2e-6])


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


def test_two_host_runs_of_nccl_are_explained() -> None:
    from lacis.explain.series import choose

    files = [cases(f"nccl-pair-{n}.out") for n in (1, 2, 3)]
    frame = measured.read(files).frame
    chosen, _ = choose(frame)
    assert (chosen.test, chosen.bytes, chosen.values) == ("nccl_sendrecv", 268435456, 3)
    pairs = frame.filter(pl.col("what") == chosen.what).select("source", "destination").rows()
    assert pairs == [("node0001", "node0002"), ("node0003", "node0004"), ("node0001", "node0013")]
