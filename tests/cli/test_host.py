"""`lacis host`: its exit status, and what it prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests import hosts

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis


def test_a_notice_alone_is_nothing_wrong(lacis: Lacis, tmp_path: Path) -> None:
    hosts.host(tmp_path, governor="ondemand")
    hosts.adapter(tmp_path)
    done = lacis("host", "--root", tmp_path)
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("notice: governor ondemand: ")
    hosts.host(tmp_path, memlock="65536")
    done = lacis("host", "--root", tmp_path)
    assert done.status == 1
    assert done.out.startswith("warning: a process may lock 64 KiB of memory: ")
    hosts.host(tmp_path)
    done = lacis("host", "--root", tmp_path)
    assert (done.status, done.out.splitlines()[0]) == (0, "host            n017.cluster.example")


def test_what_is_known_of_a_host_is_printed_and_nothing_else(lacis: Lacis, tmp_path: Path) -> None:
    hosts.host(tmp_path, memlock="67108864")
    hosts.adapter(tmp_path)
    (tmp_path / "sys/devices/system/node/node1/cpulist").unlink()
    (tmp_path / "sys/devices/system/node/node1").rmdir()
    lines = lacis("host", "--root", tmp_path).out.splitlines()
    assert lines[:7] == [
        "host            n017.cluster.example",
        "machine         Maker Blade 1, BIOS 2.4, 01/02/2024",
        "processors      EPYC 7763, 1 NUMA node",
        "governors       performance",
        "kernel          5.14.0-362.el9.x86_64",
        "memory to lock  65,536 KiB",
        "modules         mlx5_core 24.01",
    ]
    assert lines[7] == "Open MPI        4.1.6; between hosts: ucx"
    assert lines[-1].split() == [
        *("mlx5_0", "1", "active", "200", "Gb/sec", "(4X", "HDR)", "x16", "16", "GT/s", "1"),
        *("20.31.1014", "MT_0000000223"),
    ]
    for file in ("bios_version", "sys_vendor", "product_name"):
        assert "machine         " in lacis("host", "--root", tmp_path).out
        (tmp_path / f"sys/class/dmi/id/{file}").unlink()
    assert "machine         BIOS 01/02/2024\n" in lacis("host", "--root", tmp_path).out
    (tmp_path / "sys/class/dmi/id/bios_date").unlink()
    (tmp_path / "proc/self/limits").unlink()
    said = lacis("host", "--root", tmp_path).out
    assert "machine" not in said
    assert "memory to lock" not in said
    hosts.host(tmp_path)
    hosts.put(tmp_path, "environment", "UCX_TLS=rc")
    said = lacis("host", "--root", tmp_path).out
    assert "memory to lock  unlimited\n" in said
    assert "environment     UCX_TLS=rc\n" in said
