"""Recipes for packages say what the project says, run the main job, and pass their own tools."""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any, NoReturn

import pytest
import yaml

from tests.conftest import ROOT
from tests.oracle.opensm import PLUGIN_PACKAGES

FOLDER = ROOT / "packaging"
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
VERSION: str = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
RUST: str = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["rust-version"]
(EASYCONFIG,) = (FOLDER / "easybuild").iterdir()
CONDA_NAMES = {"msgspec-python": "msgspec", "matplotlib-base": "matplotlib"}


def text(name: str) -> str:
    return (FOLDER / name).read_text()


def requirements(lines: list[str]) -> dict[str, str]:
    """Names of packages → the least version."""
    found = {}
    for line in lines:
        match = re.match(r"([\w.-]+)\s*>=\s*([\d.]+)", line)
        assert match is not None, line
        found[match[1].lower().replace(".", "-")] = match[2]
    return found


NEEDED = requirements(PROJECT["dependencies"])
EXTRAS = requirements([one for extra in PROJECT["optional-dependencies"].values() for one in extra])


def test_every_recipe_is_of_this_version() -> None:
    found = {
        "debian": re.match(r"lacis \(([\d.]+)-", text("debian/changelog")),
        "rpm": re.search(r"^Version: +(\S+)$", text("rpm/lacis.spec"), re.M),
        "rpm log": re.search(r"^%changelog\n.* ([\d.]+)-\d+$", text("rpm/lacis.spec"), re.M),
        "spack": re.search(r'version\("([\d.]+)", tag="v\1"\)', text("spack/package.py")),
        "conda": re.search(r"^  version: (\S+)$", text("conda/recipe.yaml"), re.M),
        "easybuild": re.search(r"^version = '(.+)'$", EASYCONFIG.read_text(), re.M),
        "file": re.match(r"lacis-([\d.]+)-", EASYCONFIG.name),
    }
    assert {name: match and match[1] for name, match in found.items()} == dict.fromkeys(found, VERSION)


def test_recipes_need_what_the_project_needs() -> None:
    build_depends = text("debian/control").partition("\nStandards-Version")[0]
    debian = re.findall(
        r"^ python3-(?!all-dev|maturin)([\w.]+)(?: \(>= (?:1:)?([\d.]+)\))?,$", build_depends, re.M
    )
    assert {name.replace(".", "-") for name, _ in debian} == NEEDED.keys()
    assert all(NEEDED[name.replace(".", "-")] == least for name, least in debian if least)

    spack = dict(re.findall(r'depends_on\("py-([\w-]+)@([\d.]+):"', text("spack/package.py")))
    assert spack == NEEDED | EXTRAS

    conda = yaml.safe_load(text("conda/recipe.yaml"))["requirements"]
    run = [CONDA_NAMES.get(word := line.split()[0], word) + line.removeprefix(word) for line in conda["run"]]
    assert requirements([line for line in run if not line.startswith("python ")]) == NEEDED
    more = [
        CONDA_NAMES.get(word := line.split()[0], word) + line.removeprefix(word)
        for line in conda["run_constraints"]
    ]
    assert requirements(more) == EXTRAS


def test_the_easyconfig_brings_all_that_the_lock_has_for_a_plain_installation() -> None:
    lock = {one["name"]: one for one in tomllib.loads((ROOT / "uv.lock").read_text())["package"]}
    wanted: set[str] = set()
    asked = ["lacis"]
    while asked:
        for one in lock[asked.pop()].get("dependencies", []):
            if one["name"] not in wanted | {"numpy"} and "win32" not in one.get("marker", ""):
                wanted.add(one["name"])
                asked.append(one["name"])
    tree = ast.parse(EASYCONFIG.read_text())
    values = {
        node.targets[0].id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    listed = values["exts_list"]
    assert isinstance(listed, ast.List)
    found = {}
    for one in listed.elts[:-1]:
        name, version, options = ast.literal_eval(one)
        found[name.lower().replace("_", "-")] = (version, options["checksums"])
    assert found == {
        name: (lock[name]["version"], [lock[name]["sdist"]["hash"].removeprefix("sha256:")])
        for name in wanted
    }


@pytest.mark.parametrize(
    "name",
    [
        "debian/rules",
        "rpm/lacis.spec",
        "spack/package.py",
        "conda/recipe.yaml",
        "Containerfile",
        f"easybuild/{EASYCONFIG.name}",
    ],
)
def test_every_recipe_runs_the_main_job(name: str) -> None:
    words = re.sub(r"[^\w:.-]+", " ", text(name))
    assert "report fat-tree:8 2 -o" in words


def test_the_packages_of_the_plugin_are_of_the_opensm_that_it_knows() -> None:
    known = re.search(r"^known=([\d.]+)$", (ROOT / "opensm" / "build").read_text(), re.M)
    assert known is not None
    control, spec = text("debian/control"), text("rpm/lacis.spec")
    for package in ("libopensm-dev", "opensm"):
        assert set(re.findall(rf"^ {package} \(>= ([\d.]+)\),$", control, re.M)) == {known[1]}
    assert set(re.findall(r"^\w+: +opensm(?:-devel)? = ([\d.]+)$", spec, re.M)) == {known[1]}
    for recipe in ("debian/rules", "rpm/lacis.spec"):
        assert "opensm build -o libosmlacis.so" in text(recipe)


def test_the_headers_that_the_plugin_includes_are_asked_for_wherever_it_is_built() -> None:
    # Those of OpenSM include umad.h, and Debian's package of them does not bring it.
    makefile = (ROOT / "Makefile").read_text()
    asked = re.search(r"^PLUGIN_PACKAGES := (.*)$", makefile, re.M)
    assert asked is not None
    assert asked[1] == PLUGIN_PACKAGES
    assert "libibumad-dev" in asked[1].split()
    page = (ROOT / "docs" / "howto" / "run-inside-opensm.md").read_text()
    assert f"apt install {PLUGIN_PACKAGES}\n" in page
    build_depends = text("debian/control").split("Build-Depends:")[1].split("Standards-Version:")[0]
    assert all(f" {package}" in build_depends for package in PLUGIN_PACKAGES.split()[:2])
    assert "BuildRequires:  rdma-core-devel" in text("rpm/lacis.spec")


def test_recipes_ask_for_the_compiler_that_the_manifest_names() -> None:
    for name, known in {
        "debian/control": f"cargo (>= {RUST})",
        "rpm/lacis.spec": f"cargo >= {RUST}",
        "spack/package.py": f"rust@{RUST}:",
        "Containerfile": f"rust:{RUST}-",
        f"easybuild/{EASYCONFIG.name}": f"('Rust', '{RUST}.0')",
    }.items():
        assert known in text(name), name


def absent(tool: str) -> NoReturn:
    """Without a tool its test skips, and fails where all are to run."""
    reason = f"no {tool}: make lint-packaging installs it"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def passes(*words: str | Path, cwd: Path = FOLDER) -> None:
    tool = shutil.which(str(words[0]), path=f"{Path(sys.executable).parent}:/usr/bin:/bin")
    if tool is None:
        absent(str(words[0]))
    done = subprocess.run([tool, *words[1:]], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_containerfile_passes_hadolint() -> None:
    passes("hadolint", "Containerfile")


def test_the_spec_passes_rpmlint_and_is_read_by_rpm() -> None:
    passes("rpmspec", "-P", "rpm/lacis.spec")
    passes("rpmspec", "-P", "--with", "opensm", "rpm/lacis.spec")
    passes("rpmlint", "--strict", "--rpmlintrc", "rpm/lacis.rpmlintrc", "rpm/lacis.spec")


def test_the_conda_recipe_is_rendered() -> None:
    if importlib.util.find_spec("rattler_build") is None:
        absent("rattler-build")
    import rattler_build

    variants = rattler_build.VariantConfig.from_file(FOLDER / "conda" / "variants.yaml")
    recipes = rattler_build.Stage0Recipe.from_file(FOLDER / "conda" / "recipe.yaml").render(variants)
    assert len(recipes) == 1


def test_the_spack_package_passes_the_linter_of_python() -> None:
    passes(
        "ruff",
        "check",
        "--isolated",
        "--select",
        "E,F,I,B",
        "--ignore",
        "F403,F405",
        "--line-length",
        "110",
        "spack/package.py",
    )


@pytest.mark.slow
def test_the_debian_source_package_passes_lintian(tmp_path: Path) -> None:
    passes("dpkg-parsechangelog", "-l", "debian/changelog")
    if shutil.which("lintian") is None:
        absent("lintian")
    tree = tmp_path / "lacis"
    listed = subprocess.run(
        ["git", "ls-files", "-z", "python"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, tree / name)
    shutil.make_archive(str(tmp_path / f"lacis_{VERSION}.orig"), "gztar", tmp_path, "lacis")
    shutil.copytree(FOLDER / "debian", tree / "debian")
    passes("dpkg-source", "-b", "lacis", cwd=tmp_path)
    passes(
        "lintian",
        "--allow-root",
        "--profile",
        "debian",
        "--fail-on",
        "error,warning",
        f"lacis_{VERSION}-1.dsc",
        cwd=tmp_path,
    )
