"""The wheel and the source archive: what strangers get, in an environment that pip alone has filled."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.examples import blocks
from tests.oracle import opensm

pytestmark = pytest.mark.slow

UV = shutil.which("uv") or str(ROOT / "build/tools/bin/uv")
MATURIN = (UV, "tool", "run", "--quiet", "maturin>=1.9,<2")
"""As `make wheel` calls it."""
# Not the environment or the sources that the tests run in.
CLEAN = {
    name: value
    for name, value in os.environ.items()
    if name not in {"VIRTUAL_ENV", "PYTHONPATH", "MAKEFLAGS", "COLUMNS"}
}
OTHERS = {
    "networkx": "networkx",
    "polars": "polars",
    "CounterStore": "polars",
    "to_arrow": "pyarrow",
    "rustworkx": "rustworkx",
}
"""Word in an example → the package that it needs, and that Lacis does not require."""
PLUGIN = {"python/lacis/plugin/opensm": "opensm", "python/lacis/plugin/crates": "crates"}
"""Folders of the source archive, and those of the checkout that they are."""
EXAMPLES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
# Code for a checkout, which `tests/unit/test_recipes.py` runs; and code for a host with an adapter.
for page in ("recipes.md", "howto/read-counters.md"):
    EXAMPLES.remove(ROOT / "docs" / page)


def run(*words: str | Path, cwd: Path = ROOT, **variables: str) -> str:
    done = subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env={**CLEAN, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@dataclass(frozen=True)
class Installation:
    """A wheel, and an environment with nothing but what pip installs for it.

    Attributes:
        alone: what pip installed for the wheel, before extras.
    """

    wheel: Path
    folder: Path
    alone: str

    def lacis(self, *words: str, **variables: str) -> str:
        return run(self.folder / "venv/bin/lacis", *words, cwd=self.folder, **variables)

    def python(self, *words: str) -> str:
        return run(self.folder / "venv/bin/python", *words, cwd=self.folder)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    folder = tmp_path_factory.mktemp("installed")
    wheel = ROOT / run("make", "--no-print-directory", "wheel").split()[-1]
    run(UV, "venv", "--quiet", "--seed", "--python", sys.executable, folder / "venv")
    pip = (folder / "venv/bin/python", "-m", "pip")
    run(*pip, "install", "--quiet", str(wheel))
    return Installation(wheel, folder, run(*pip, "list", "--format", "freeze").lower())


def test_the_main_job_runs_from_the_wheel_alone(installed: Installation) -> None:
    assert "page.html" in installed.lacis("report", "fat-tree:8,2", "-o", "page.html")
    page = (installed.folder / "page.html").read_text()
    assert page.rstrip().endswith("</html>")
    assert "leaf-01" in page
    broken = installed.lacis("report", "fat-tree:8,2", "--without", "leaf-03--spine-02", "-o", "broken.html")
    assert "broken.html" in broken
    assert '<svg class="plot"' in (installed.folder / "broken.html").read_text()
    assert "lacis.verify/1" in installed.lacis("verify", "fat-tree:4,2", "--json")
    assert "matplotlib" not in installed.alone
    assert "polars" not in installed.alone
    assert "no broken requirements" in installed.python("-m", "pip", "check").lower()


def test_what_an_extra_brings_is_named_where_it_is_absent(installed: Installation) -> None:
    for words, extra in (
        (("results", "import", "nxn.out"), "results"),
        (("reproduce", "B", "--page", "pages"), "figures"),
    ):
        (installed.folder / "nxn.out").write_text("{}")
        done = subprocess.run(
            [installed.folder / "venv/bin/lacis", *words],
            cwd=installed.folder,
            env=CLEAN,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 2
        lines = done.stderr.splitlines()
        assert len(lines) == 1
        assert f"pip install 'lacis[{extra}]'" in lines[0]


def test_the_wheel_has_all_files_that_the_package_needs(installed: Installation) -> None:
    with zipfile.ZipFile(installed.wheel) as archive:
        names = archive.namelist()
    inside = {name.removeprefix("lacis/") for name in names if name.startswith("lacis/")}
    package = ROOT / "python" / "lacis"
    wanted = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".so"
    }
    wanted |= {f"mpi/{path.name}" for path in (ROOT / "mpi").iterdir() if path.is_file()}
    wanted |= {f"plugin/opensm/{path.name}" for path in (ROOT / "opensm").iterdir()}
    for crate in ("lacis-core", "lacis-opensm"):
        files = (
            path.relative_to(ROOT) for path in (ROOT / "crates" / crate / "src").rglob("*") if path.is_file()
        )
        wanted |= {f"plugin/{path}" for path in files}
    assert sorted(wanted - inside) == []
    texts = {name.rpartition("/")[2] for name in names if ".dist-info/licenses/" in name}
    assert texts == {"Apache-2.0.txt", "MIT.txt", "LICENSE-THIRD-PARTY"}


def test_the_name_of_the_wheel_says_on_what_it_runs(installed: Installation) -> None:
    assert re.fullmatch(r"lacis-[\d.]+-cp311-abi3-(many)?linux_\w+\.whl", installed.wheel.name)


def test_python_examples_of_the_pages_run(installed: Installation) -> None:
    found = {page: code for page in EXAMPLES if (code := "\n".join(blocks(page)))}
    wants = {
        page: {package for word, package in OTHERS.items() if word in code} for page, code in found.items()
    }
    assert {ROOT / "README.md", ROOT / "docs/howto/ask-what-if.md"} <= {
        page for page in wants if not wants[page]
    }
    installed.lacis("fabric", "fat-tree:16,2", "-o", "my.net")
    for name in ("my.fabric", "fabric.ibnetdiscover"):
        shutil.copyfile(installed.folder / "my.net", installed.folder / name)
    for page, code in found.items():
        if not wants[page]:
            installed.python("-c", code)
    # The rest says what else it needs: the extra `results`, or a package by its own name.
    others = set().union(*wants.values()) - {"polars"}
    installed.python("-m", "pip", "install", "--quiet", f"{installed.wheel}[results]", *sorted(others))
    installed.lacis("predict", "my.fabric", "--traffic", "shift:1", "--model", "fluid", "--save", "one")
    for page, code in found.items():
        if wants[page]:
            installed.python("-c", code)


COMPILED = ROOT / "target" / "release" / "liblacis_opensm.a"
"""The Rust half of the plugin, as `make opensm-plugin` compiles it."""


def is_compiled() -> bool:
    """Whether the Rust half is compiled from what the checkout has."""
    crates = [ROOT / "crates" / name for name in ("lacis-core", "lacis-opensm")]
    read = [ROOT / "Cargo.lock", *(path for crate in crates for path in crate.rglob("*.rs"))]
    return COMPILED.exists() and COMPILED.stat().st_mtime > max(path.stat().st_mtime for path in read)


def same_as_checkout(sources: Path) -> None:
    """What compiles in the checkout compiles elsewhere, as it is the same, byte by byte."""
    files = [path for path in (sources / "crates").rglob("*") if path.is_file()]
    assert len(files) > 500
    for path in (*files, sources / "Cargo.toml", sources / "Cargo.lock"):
        assert path.read_bytes() == (ROOT / path.relative_to(sources)).read_bytes(), path


def stand_in_for_cargo(folder: Path) -> Path:
    """A folder with a `cargo` that resolves what it is to build, and takes what is compiled of it already."""
    program = folder / "cargo"
    program.write_text(
        f"""#!/bin/sh -eu
[ "$1" = --version ] && exec {shutil.which("cargo")} --version
[ "$*" = "build --release -p lacis-opensm" ]
{shutil.which("cargo")} tree --quiet --offline -p lacis-opensm
mkdir -p target/release
cp {COMPILED} target/release
"""
    )
    program.chmod(0o755)
    return folder


def test_the_plugin_is_built_from_the_wheel(installed: Installation, tmp_path: Path) -> None:
    if not Path("/usr/include/infiniband/opensm").exists():
        if os.environ.get("CI") == "true":
            pytest.fail(f"no headers of OpenSM: {opensm.PLUGIN_PACKAGES}")
        pytest.skip(f"no headers of OpenSM: {opensm.PLUGIN_PACKAGES}")
    library = installed.folder / "libosmlacis.so"
    # Unoptimised, as code that runs fast takes minutes to compile.
    how = {"CARGO_PROFILE_RELEASE_OPT_LEVEL": "0", "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16"}
    if is_compiled() and "LACIS_SOAK" not in os.environ:
        sources = Path(
            installed.python("-c", "from lacis.opensm import building as b; print(b.sources())").strip()
        )
        same_as_checkout(sources)
        how = {"PATH": f"{stand_in_for_cargo(tmp_path)}:{os.environ['PATH']}"}
    said = installed.lacis("opensm", "build", **how)
    assert said.splitlines() == ["libosmlacis.so"]
    plugin = ctypes.CDLL(str(library), mode=os.RTLD_LAZY)
    assert ctypes.c_void_p.in_dll(plugin, "osm_event_plugin")


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that git knows, elsewhere, with other times and rights."""
    folder = tmp_path_factory.mktemp("copied") / "elsewhere"
    for name in run("git", "ls-files", "-z").split("\0"):
        if name and name.split("/")[0] not in {"tests", "docs"}:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name, follow_symlinks=False)
            os.utime(folder / name, (1_000_000_000, 1_000_000_000), follow_symlinks=False)
    return folder


def test_the_source_archive_is_the_same_bytes_wherever_and_whenever_it_is_made(copied: Path) -> None:
    archives = []
    for tree in (ROOT, copied):
        run(*MATURIN, "sdist", "--out", copied / "out", cwd=tree)
        (archive,) = (copied / "out").iterdir()
        archives.append(archive.read_bytes())
        archive.unlink()
    assert archives[0] == archives[1]


def test_the_source_archive_has_what_the_wheel_is_built_from_and_passes_the_index(
    installed: Installation, tmp_path: Path
) -> None:
    run(*MATURIN, "sdist", "--out", tmp_path)
    (archive,) = tmp_path.iterdir()
    with tarfile.open(archive) as content:
        names = {member.name.partition("/")[2] for member in content.getmembers()}
        assert not [member.name for member in content.getmembers() if member.issym()]
    for there, here in PLUGIN.items():
        wanted = {
            f"{there}/{path.relative_to(ROOT / here).as_posix()}"
            for crate in ("", "lacis-core/src", "lacis-opensm/src")
            for path in (ROOT / here / crate).rglob("*" if crate else "*.[ch]")
            if path.is_file() and (ROOT / here / crate).is_dir()
        }
        assert wanted
        assert sorted(wanted - names) == []
    run(Path(sys.executable).with_name("twine"), "check", "--strict", archive, installed.wheel)
