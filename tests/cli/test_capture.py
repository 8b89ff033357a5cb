"""`lacis capture` and `lacis host`: archives, the names in them, and archives that others made."""

from __future__ import annotations

import gzip
import io
import json
import os
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests import hosts

if TYPE_CHECKING:
    from tests.conftest import Lacis

TREE = "fat-tree:4,2"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A host's files: with an adapter, and nothing wrong."""
    root = tmp_path / "root"
    hosts.host(root)
    hosts.adapter(root)
    return root


def contents(archive: Path) -> dict[str, bytes]:
    with tarfile.open(archive) as file:
        return {
            member.name.partition("/")[2]: held.read()
            for member in file
            if (held := file.extractfile(member)) is not None
        }


def test_every_command_reads_an_archive(lacis: Lacis, tmp_path: Path, root: Path) -> None:
    tables = tmp_path / "tables"
    assert lacis("route", TREE, "-R", "updn", "-o", tables).status == 0
    archive = tmp_path / "kept.tar.gz"
    done = lacis("capture", TREE, "--lfts", tables, "--root", root, "-o", archive)
    assert (done.status, done.err) == (0, "")
    held = contents(archive)
    assert held["tables.lfts"] == tables.read_bytes()
    about = json.loads(held["about/capture.json"])
    assert {one["name"]: one["bytes"] for one in about["files"]} == {
        name: len(data) for name, data in held.items() if name != "about/capture.json"
    }
    for command in (
        ("fabric",),
        ("verify",),
        ("trace", "node0001", "node0005"),
        ("route", "-R", "minhop", "-o", "-"),
    ):
        of_archive = lacis(command[0], archive, *command[1:])
        of_folder_free = lacis(command[0], TREE, *command[1:])
        assert of_archive.status == 0
        if command[0] in ("fabric", "route"):
            assert of_archive.out == of_folder_free.out
    # The tables of the archive are those that verify proves.
    assert "2 other files passed over" not in lacis("verify", archive).err


def test_the_host_of_an_archive_is_described_as_it_was(lacis: Lacis, tmp_path: Path, root: Path) -> None:
    hosts.adapter(root, width="8")
    archive = tmp_path / "kept.tar.gz"
    assert lacis("capture", "--root", root, "-o", archive).status == 0
    there = lacis("host", "--root", root, "--json")
    assert (there.status, lacis("host", "--root", archive, "--json").out) == (1, there.out)
    kinds = [one["fact"]["kind"] for one in json.loads(there.out)["findings"]]
    assert kinds == ["pcie_narrow", "pcie_below_rate"]
    assert "x8 16 GT/s" in lacis("host", "--root", root).out


def test_a_host_with_notices_alone_has_nothing_wrong(lacis: Lacis, root: Path) -> None:
    hosts.host(root, governor="ondemand")
    done = lacis("host", "--root", root)
    assert done.status == 0
    assert done.out.startswith("notice: governor ondemand")


def test_an_archive_without_a_host_says_so(lacis: Lacis, tmp_path: Path) -> None:
    archive = tmp_path / "kept.tar.gz"
    assert lacis("capture", TREE, "--no-host", "-o", archive).status == 0
    done = lacis("host", "--root", archive)
    assert (done.status, done.err) == (2, f"lacis: {archive}: an archive without a host\n")


def test_names_are_replaced_in_every_file_alike(lacis: Lacis, tmp_path: Path, root: Path) -> None:
    log = tmp_path / "opensm.log"
    log.write_text("node0003.site.example lost its port\nNODE0003 again; node00031 is another\nleaf-01 up\n")
    dump = tmp_path / "fabric.net"
    tables = tmp_path / "tables"
    lacis("route", TREE, "-R", "updn", "-o", tables)
    assert lacis("fabric", TREE, "-o", dump).status == 0
    archive, names = tmp_path / "kept.tar.gz", tmp_path / "names"
    done = lacis(
        *("capture", dump, "--lfts", tables, "--log", log, "--root", root, "--anonymous"),
        *("--names-to", names, "-o", archive),
    )
    assert (done.status, done.err) == (0, "")
    old = {name: new for new, name in (line.split("\t") for line in names.read_text().splitlines())}
    held = contents(archive)
    third = old["node0003"]
    text = held["opensm.log"].decode()
    # The domain goes with the name; a longer name is another's.
    assert text == f"{third} lost its port\n{third} again; node00031 is another\n{old['leaf-01']} up\n"
    for name, data in held.items():
        for known in ("node0003", "leaf-01", "spine-01", "n017", "site.example", "cluster.example"):
            if name != "opensm.log":
                assert known.encode() not in data, (name, known)
    # The cables are the same: so are the tables that are made of them.
    of_archive, of_tree = (
        lacis(*line).out for line in (("verify", archive), ("verify", TREE, "--lfts", tables))
    )
    for name, new in old.items():
        of_tree = of_tree.replace(name, new)
    assert of_archive.splitlines()[1:] == of_tree.splitlines()[1:]  # the first line names the file


def test_programs_that_are_absent_are_listed(
    lacis: Lacis, tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    monkeypatch.setenv("PATH", str(programs))
    for name, text in {
        "ibnetdiscover": "echo found; exit 0",
        "sminfo": "echo 'sminfo: iberror: failed: query' >&2; exit 1",
    }.items():
        (programs / name).write_text(f"#!/bin/sh\n{text}\n")
        (programs / name).chmod(0o755)
    archive = tmp_path / "kept.tar.gz"
    done = lacis("capture", "--discover", "--root", root, "-o", archive, "--json")
    about = json.loads(done.out)
    assert done.status == 0
    missing = {one["source"]: one["reason"] for one in about["missing"]}
    assert missing["sminfo"] == "sminfo: iberror: failed: query"
    assert missing["dump_fts"] == "not installed"
    assert contents(archive)["fabric.ibnetdiscover"] == b"found\n"


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--no-host",), "nothing to capture"),
        ((TREE, "--names-to", "names"), "--names-to is for --anonymous"),
        ((TREE, "--json", "-o", "-"), "--json and -o - both write to standard output"),
        (
            (TREE, "-o", "all.zip"),
            "-o all.zip: the archive is tar with gzip: end its name in .tar.gz or .tgz",
        ),
        (("absent.net",), "absent.net: no such file or directory"),
        ((TREE, "--log", "absent.log"), "absent.log: no such file or directory"),
    ],
)
def test_what_cannot_be_captured_is_one_line(
    lacis: Lacis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = lacis("capture", *args)
    assert done.status == 2
    assert words in done.err
    assert done.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_keys_of_a_manager_go_into_no_archive(lacis: Lacis, tmp_path: Path) -> None:
    conf, also = tmp_path / "opensm.conf", tmp_path / "opafm.xml"
    conf.write_text(
        "m_key 0x00000000deadbeef\n  sm_key 0x00000000cafecafe\nlmc 0\n# m_key is secret\nm_key_lease_period 60\n"
    )
    also.write_text("<Sm><MKey>0xfeedfeed</MKey><Priority>1</Priority></Sm>\n")
    archive = tmp_path / "kept.tar.gz"
    done = lacis("capture", TREE, "--no-host", "--opensm-conf", conf, "--also", also, "-o", archive)
    assert done.status == 0
    held = contents(archive)
    zero = "0x0000000000000000"
    assert (
        held["opensm.conf"].decode()
        == f"m_key {zero}\n  sm_key {zero}\nlmc 0\n# m_key is secret\nm_key_lease_period 60\n"
    )
    assert held["also-opafm.xml"].decode() == f"<Sm><MKey>{zero}</MKey><Priority>1</Priority></Sm>\n"


# --- archives that others made ---------------------------------------------------------------------


def archived(path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as file:
        for member, data in members:
            member.size = len(data)
            file.addfile(member, io.BytesIO(data))
    path.write_bytes(gzip.compress(out.getvalue()))
    return path


def linked(name: str, kind: bytes, target: str) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    return member


@pytest.mark.parametrize(
    "name", ["../outside", "/srv/outside", "a/../../outside"], ids=["up", "absolute", "inside"]
)
def test_paths_out_of_an_archive_are_refused(lacis: Lacis, tmp_path: Path, name: str) -> None:
    archive = archived(tmp_path / "bad.tar.gz", (tarfile.TarInfo(name), b"x"))
    done = lacis("fabric", archive)
    assert (done.status, done.out) == (2, "")
    assert done.err == f"lacis: {archive}: an archive with a file outside of it: {name}\n"


def test_links_and_devices_of_an_archive_are_not_made(lacis: Lacis, tmp_path: Path) -> None:
    secret = tmp_path / "secret.net"
    secret.write_bytes(b"secret")
    archive = archived(
        tmp_path / "bad.tar.gz",
        (linked("fabric.net", tarfile.SYMTYPE, str(secret)), b""),
        (linked("hard.net", tarfile.LNKTYPE, str(secret)), b""),
        (linked("null", tarfile.CHRTYPE, ""), b""),
    )
    done = lacis("fabric", archive)
    assert done.status == 2
    assert "a folder without a fabric" in done.err


def test_a_bomb_is_refused_before_it_is_unpacked(
    lacis: Lacis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lacis.io import packed

    monkeypatch.setattr(packed, "BOMB", (1 << 20, 100))
    archive = archived(tmp_path / "bomb.tar.gz", (tarfile.TarInfo("fabric.net"), bytes(4 << 20)))
    done = lacis("fabric", archive)
    assert done.status == 2
    assert "unpacks to more than 4 MiB" in done.err


def test_a_damaged_archive_is_one_line(lacis: Lacis, tmp_path: Path) -> None:
    whole = archived(tmp_path / "whole.tar.gz", (tarfile.TarInfo("fabric.net"), os.urandom(100_000)))
    cut = tmp_path / "cut.tar.gz"
    cut.write_bytes(whole.read_bytes()[:50_000])
    done = lacis("fabric", cut)
    assert done.status == 2
    assert done.err.startswith(f"lacis: {cut}: a damaged archive: ")
    assert done.err.count("\n") == 1


def test_an_archive_of_a_managers_folder_is_a_fabric(lacis: Lacis, tmp_path: Path) -> None:
    folder = tmp_path / "var" / "log"
    folder.mkdir(parents=True)
    (folder / "fabric.json").write_text(lacis("fabric", TREE, "--json").out)
    archive = tmp_path / "log.tar"
    made = lacis("capture", TREE, "--no-host", "-o", tmp_path / "own.tar.gz")
    assert made.status == 0
    with tarfile.open(archive, "w") as file:
        data = contents(tmp_path / "own.tar.gz")["fabric.json"]
        member = tarfile.TarInfo("var/log/fabric.json")
        member.size = len(data)
        file.addfile(member, io.BytesIO(data))
    assert lacis("fabric", archive).out == lacis("fabric", TREE).out
