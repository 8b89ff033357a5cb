"""Where readings come from: a folder as the kernel shows it, a store in place of a recording, counters of another fabric."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import lacis as api
import pytest

from tests.cli import samples

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis

TREE = "fat-tree:4,2"


@pytest.fixture
def host(tmp_path: Path) -> Path:
    """A copy of what the kernel of node0001 shows of its adapter."""
    fabric = api.read(TREE)
    guid = int(fabric.guids()[fabric.descriptions().index("node0001 HCA-1")])
    port = tmp_path / "host" / "sys" / "class" / "infiniband" / "mlx5_0" / "ports" / "1"
    (port / "counters").mkdir(parents=True)
    (port / "state").write_text("4: ACTIVE\n")
    (port / "link_layer").write_text("InfiniBand\n")
    (port / "counters" / "port_xmit_data").write_text("2500\n")
    (port / "counters" / "symbol_error").write_text("7\n")
    (port.parents[1] / "node_guid").write_text(f"{guid:016x}\n")
    return tmp_path / "host"


def test_a_folder_of_the_kernel_is_read_wherever_files_are(lacis: Lacis, host: Path) -> None:
    done = lacis("counters", TREE, "--from", host, "--json")
    (port,) = json.loads(done.out)["ports"]
    assert (port["node"], port["port"], port["counters"]) == (
        "node0001 HCA-1",
        1,
        {"XmitData": 2500, "SymbolErrors": 7},
    )
    page = lacis("exporter", TREE, "--from", host, "--textfile", "-")
    assert page.status == 0
    sent = [line for line in page.out.splitlines() if line.startswith("lacis_port_transmitted_bytes_total{")]
    assert [line.split()[-1] for line in sent] == ["10000"]
    assert lacis("watch", TREE, "--from", host).status == 0


@pytest.mark.parametrize(
    "args",
    [
        ("counters", "--from", "store"),
        ("exporter", TREE, "--from", "store", "--textfile", "-"),
        ("why", TREE, "node[0001-0004]", "--counters", "store", "--counters", "store"),
    ],
    ids=lambda args: args[0],
)
def test_a_store_in_place_of_a_recording_is_called_one(
    lacis: Lacis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    samples.counters(tmp_path / "store", TREE)
    done = lacis(*args)
    assert (done.status, done.out) == (2, "")
    said = "is a store of counters, where a recording or what another tool wrote is expected"
    assert done.err == f"lacis: store: {said}\n"


def test_a_store_of_another_fabric_is_offered_by_no_page(
    lacis: Lacis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    samples.counters(tmp_path / "store", TREE)
    other = "torus:2x2:h=2"
    assert lacis("fabric", other, "--shuffle-guids", "1", "-o", "other.json").status == 0
    done = lacis("exporter", "other.json", "--store", "store", "--textfile", "page")
    assert done.status == 2
    assert "lacis: store: the counters are of another fabric: none of the " in done.err
    assert not (tmp_path / "page").exists()
    assert lacis("exporter", TREE, "--store", "store", "--textfile", "page").status == 0
