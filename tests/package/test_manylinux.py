"""Wheels for other distributions and processors, where `make manylinux` has built some: what they ask of a machine."""

from __future__ import annotations

import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.conftest import ROOT

FOLDER = ROOT / "build/manylinux/wheel"
WHEELS = sorted(FOLDER.glob("*.whl"))
GLIBC = (2, 28)
MACHINES = {"x86_64": "X86-64", "aarch64": "AArch64"}
"""Processor in the name of a wheel → as readelf calls it."""
# Of the C library itself, and of the compiler that made every program: what PEP 600 lets a wheel take from a system.
LIBRARIES = re.compile(r"(libc|libm|libdl|librt|libpthread|libutil|libgcc_s|ld-linux[\w-]*)\.so\.\d")


@pytest.fixture(params=[wheel.name for wheel in WHEELS] or [""])
def wheel(request: pytest.FixtureRequest) -> Path:
    if not request.param:
        pytest.skip("no wheel for other distributions: make manylinux builds one")
    return FOLDER / str(request.param)


def said(library: Path, *options: str) -> str:
    """What readelf says of a library."""
    if shutil.which("readelf") is None:
        pytest.skip("no readelf: apt-get install binutils")
    return subprocess.run(
        ["readelf", "-W", *options, library], capture_output=True, text=True, check=True
    ).stdout


def test_the_engine_asks_for_no_newer_library_than_the_name_says(wheel: Path, tmp_path: Path) -> None:
    name = re.fullmatch(r"lacis-[\d.]+-cp311-abi3-manylinux_(\d+)_(\d+)_(\w+)\.whl", wheel.name)
    assert name is not None
    assert (int(name[1]), int(name[2])) == GLIBC
    with zipfile.ZipFile(wheel) as archive:
        (engine,) = (one for one in archive.namelist() if re.search(r"\.so(\.|$)", one))
        library = Path(archive.extract(engine, tmp_path))
    assert re.search(rf"Machine: .*{MACHINES[name[3]]}$", said(library, "-h"), re.M)
    versions = {
        tuple(map(int, found.split("."))) for found in re.findall(r"GLIBC_([\d.]+)", said(library, "-V"))
    }
    assert versions
    assert max(versions) <= GLIBC
    needed = re.findall(r"\(NEEDED\).*\[(.+)\]", said(library, "-d"))
    assert [one for one in needed if not LIBRARIES.fullmatch(one)] == []
