"""Lists as editors of other systems save them: a byte order mark, UTF-16 and carriage returns change nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis

TREE = "fat-tree:4,2"
HOSTS = "node0002\nnode0001\n"
JOBS = "12 2 node[0001-0002]\n"
LISTS = {
    "job": (HOSTS, ("job", TREE, "file:list")),
    "free": (HOSTS, ("fit", TREE, "--nodes", "2", "--free", "file:list")),
    "hosts of a topology": (HOSTS, ("topology", TREE, "--hosts", "file:list")),
    "order by hosts": (HOSTS, ("order", TREE, "--by", "host", "--list", "list", "--names")),
    "slots": ("node0002 slots=2\n", ("order", TREE, "--hosts", "file:list", "--as", "hydra")),
    "rank file": (
        "rank 0=node0002 slot=0\nrank 1=node0001 slot=0\n",
        ("order", TREE, "--by", "host", "--list", "list", "--as", "openmpi-seq"),
    ),
    "permute": (HOSTS, ("permute", "list", "--fabric", TREE, "--stencil", "2")),
    "matrix": ("0,5\n5,0\n", ("permute", "hosts", "--fabric", TREE, "--matrix", "list")),
    "matrix of Matrix Market": (
        "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 5\n2 1 5\n",
        ("permute", "hosts", "--fabric", TREE, "--matrix", "list"),
    ),
    "queue": (JOBS, ("fragmentation", TREE, "--squeue", "list")),
    "trace of jobs": ("1 0 -1 60 1 -1 -1 1 90" + " -1" * 9 + "\n", ("replay", TREE, "list", "--share", "0")),
    "pairs": ("node0001 node0005\n", ("predict", TREE, "--traffic", "file:list")),
    "environment": ("export NCCL_IB_HCA=mlx5_0\n", ("rails", "check", "list", TREE)),
}


@pytest.mark.parametrize("name", LISTS)
def test_a_list_is_read_in_whatever_encoding_it_was_saved(
    lacis: Lacis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    text, args = LISTS[name]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hosts").write_text(HOSTS)
    (tmp_path / "list").write_text(text)
    plain = lacis(*args)
    assert plain.status in (0, 1), plain.err
    lines = text.replace("\n", "\r\n")
    for data in (lines.encode("utf-8-sig"), lines.encode("utf-16"), b"\xfe\xff" + lines.encode("utf-16-be")):
        (tmp_path / "list").write_bytes(data)
        assert lacis(*args) == plain


@pytest.mark.parametrize(
    "data", [b"\0" * 600, b"\x7fELF\x02\x01\x01\n", b"n\xe9\n"], ids=["nul", "program", "latin"]
)
def test_what_is_no_text_is_no_list_of_hosts(
    lacis: Lacis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "list").write_bytes(data)
    (tmp_path / "mpiexec").write_text("#!/bin/sh\necho 'mpiexec (OpenRTE) 4.1.4'\n")
    (tmp_path / "mpiexec").chmod(0o755)
    done = lacis("measure", "nxn", "--hosts", "file:list", "--launcher", "./mpiexec", "--dry-run")
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("lacis: list:1: no name of a host: ")
