"""Recipes for contributors are enough: what `docs/recipes.md` and CONTRIBUTING.md say is done in a copy of the tree.

The copy is then checked as `make check` does it, as far as it takes no new build of the extension module; with `LACIS_SOAK=1`
it is built and `make check` itself runs there.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from ..conftest import ROOT
from .test_words import offences

COPY = ROOT / "build" / "recipes"
"""Always the same folder, so that what cargo compiled of it is used again."""
ENGINE = "crates/lacis-core/src/routing/native/first_port.rs"
"""What `scripts/new-engine` writes."""
BLOCK = re.compile(
    r"<!-- (?P<what>write|insert) (?P<path>\S+)(?: (?P<where>before|after): (?P<anchor>.*?))? -->\n"
    r"```\w*\n(?P<text>.*?)^```\n",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Step:
    """A file to write, or text to insert beside the first line that contains the anchor."""

    path: str
    text: str
    anchor: str | None = None
    before: bool = False

    def perform(self, folder: Path) -> None:
        path = folder / self.path
        if self.anchor is None:
            assert not path.exists(), f"{self.path} is there"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self.text)
            return
        lines = path.read_text().splitlines(keepends=True)
        found = [number for number, line in enumerate(lines) if self.anchor in line]
        assert found, f"{self.path} has no line with {self.anchor!r}"
        at = found[0] + (not self.before)
        path.write_text("".join([*lines[:at], self.text, *lines[at:]]))


def steps(text: str) -> list[Step]:
    found = [
        Step(block["path"], block["text"], block["anchor"], block["where"] == "before")
        for block in BLOCK.finditer(text)
    ]
    assert len(found) == text.count("\n<!-- "), "a comment without a block"
    return found


def copy() -> Path:
    """The tracked files and those that git does not ignore, and the extension module that is built."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        check=True,
    )
    names = [name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).exists()]
    names += [str(path.relative_to(ROOT)) for path in (ROOT / "python" / "lacis").glob("_core*.so")]
    for name in {"crates", "python", "tests", "docs", "scripts", "benchmarks", "fuzz", "mpi", "opensm"}:
        shutil.rmtree(COPY / name, ignore_errors=True)
    for name in names:
        source, target = ROOT / name, COPY / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_symlink():
            target.unlink(missing_ok=True)
            target.symlink_to(source.readlink())
        else:
            shutil.copy2(source, target)  # with its time, by which cargo knows what changed
    return COPY


def run(*words: str | Path, target: str = "target") -> None:
    env = {**os.environ, "PYTHONPATH": str(COPY / "python"), "CARGO_TARGET_DIR": str(ROOT / target)}
    done = subprocess.run([str(word) for word in words], cwd=COPY, env=env, capture_output=True, text=True)
    assert done.returncode == 0, f"{words}\n{done.stdout[-6000:]}\n{done.stderr[-6000:]}"


def tool(name: str) -> Path:
    return Path(sys.executable).with_name(name)


@pytest.fixture(scope="module")
def tree() -> Path:
    folder = copy()
    for step in steps((ROOT / "docs" / "recipes.md").read_text()):
        step.perform(folder)
    run(sys.executable, "scripts/new-engine", "first-port")
    run(sys.executable, "-m", "lacis.documents.schemas")
    run(sys.executable, "-m", "lacis.documents.reference", "docs/reference/json.md")
    return folder


@pytest.mark.slow
def test_what_is_written_passes_its_checks(tree: Path) -> None:
    """One test, as all of it is done in one copy."""
    run(tool("ruff"), "format", "python", "tests/cli")  # as `make format`, which sets blank lines
    run(tool("ruff"), "check", "python", "tests/cli")
    tests = ["tests/cli/test_radix.py", "tests/cli/test_json_contract.py", "tests/unit/test_documents.py"]
    tests += ["tests/unit/test_rooms.py", "tests/cli/test_completion.py"]
    tests += ["tests/cli/test_mistyped.py::test_the_table_has_every_command"]
    run(
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-m",
        "not slow and not oracle",
        *tests,
    )
    assert tree.joinpath("python/lacis/schemas/lacis.radix-1.json").is_file()
    written = {step.path for step in steps((ROOT / "docs" / "recipes.md").read_text())} | {ENGINE}
    assert [found for path in written for found in offences(path, (tree / path).read_text())] == []
    run("cargo", "fmt", "--all", "--", "--check")
    # With the tests beside the code, which recipes extend; those of other files `make check` compiles, below.
    run(
        "cargo", "clippy", "-p", "lacis-core", "--lib", "--profile", "test", "--quiet", "--", "-D", "warnings"
    )


@pytest.mark.slow
@pytest.mark.skipif("LACIS_SOAK" not in os.environ, reason="builds the copy: LACIS_SOAK=1")
def test_the_copy_passes_make_check(tree: Path) -> None:
    env = {**os.environ, "CARGO_TARGET_DIR": str(ROOT / "target")}
    subprocess.run(["make", "check"], cwd=tree, env=env, check=True)
    subprocess.run(["cargo", "test", "-p", "lacis-core", "--test", "engines"], cwd=tree, env=env, check=True)


def test_a_step_writes_or_inserts(tmp_path: Path) -> None:
    text = "\n<!-- write a/b.txt -->\n```text\none\nthree\n```\n\n<!-- insert a/b.txt before: thr -->\n```text\ntwo\n```\n"
    text += "\n<!-- insert a/b.txt after: thr -->\n```text\nfour\n```\n"
    for step in steps(text):
        step.perform(tmp_path)
    assert (tmp_path / "a" / "b.txt").read_text() == "one\ntwo\nthree\nfour\n"
    with pytest.raises(AssertionError, match="has no line"):
        Step("a/b.txt", "x\n", "absent").perform(tmp_path)


def test_an_anchor_is_a_line_that_is_there() -> None:
    """The cheap half, in `make check`: every block still has its place in the tree."""
    for step in steps((ROOT / "docs" / "recipes.md").read_text()):
        path = ROOT / step.path
        assert path.exists() == (step.anchor is not None), step.path
        if step.anchor is not None:
            assert any(step.anchor in line for line in path.read_text().splitlines()), step
