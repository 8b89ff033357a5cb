"""`scripts/mutants` and `scripts/mutants-rust` name code and tests that are there."""

from __future__ import annotations

import runpy
import tomllib

from ..conftest import ROOT

CORE = ROOT / "crates" / "lacis-core"


def test_modules_to_mutate_and_their_tests_are_there() -> None:
    decides: dict[str, str] = runpy.run_path(str(ROOT / "scripts" / "mutants"))["DECIDES"]
    modules = [ROOT / "python" / "lacis" / name for name in decides]
    tests = [ROOT / name for names in decides.values() for name in names.split()]
    assert [str(path) for path in (*modules, *tests) if not path.is_file()] == []


def test_files_of_the_core_to_mutate_are_there_and_each_has_tests_beside_its_own() -> None:
    config = tomllib.loads((ROOT / ".cargo" / "mutants.toml").read_text())
    found = {glob: [*ROOT.glob(glob)] for glob in config["examine_globs"]}
    assert [glob for glob, files in found.items() if not files] == []
    tests_beside = runpy.run_path(str(ROOT / "scripts" / "mutants-rust"))["tests_beside"]
    files = [file.relative_to(ROOT) for examined in found.values() for file in examined]
    assert [file for file in files if tests_beside(f"{file}:1:1: a change") is None] == []


def test_tests_of_the_core_s_mutations_are_there() -> None:
    beside = runpy.run_path(str(ROOT / "scripts" / "mutants-rust"))["BESIDE"]
    assert [name for name in beside if not (CORE / "src" / name).is_dir()] == []
    targets = {name for tests in beside.values() for name in tests.core}
    folders = (CORE / "tests" / name for name in targets)
    assert [
        str(folder)
        for folder in folders
        if not ((folder / "main.rs").is_file() or folder.with_suffix(".rs").is_file())
    ] == []
    files = {name for tests in beside.values() for name in tests.python}
    assert [name for name in files if not (ROOT / name).is_file()] == []


def test_tests_that_compile_with_a_mutation_have_the_profile_that_the_workspace_gives_them() -> None:
    config = tomllib.loads((ROOT / ".cargo" / "mutants.toml").read_text())
    assert config["profile"] in tomllib.loads((ROOT / "Cargo.toml").read_text())["profile"]
