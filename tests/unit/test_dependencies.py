"""What Lacis depends on: licences that it may be shipped under, one source, one version, and nothing unused."""

import importlib.metadata
import json
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
CRATES_IO = "registry+https://github.com/rust-lang/crates.io-index"
#: Licences that ask for no more than a notice.
PERMISSIVE = {
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
}


def may_ship(licence: str) -> bool:
    """Whether some choice that an SPDX expression leaves is permissive throughout."""
    # Cargo writes `/` for OR in old manifests; the expressions have no nested choice but in parentheses.
    choices = re.split(r"(?: OR |/)(?![^(]*\))", licence)
    return any(
        all(
            part in PERMISSIVE or (part.startswith("(") and may_ship(part[1:-1]))
            for part in re.split(r" AND (?![^(]*\))", choice)
        )
        for choice in choices
    )


@pytest.mark.parametrize(
    ("licence", "may"),
    [
        ("MIT OR Apache-2.0", True),
        ("MIT/Apache-2.0", True),
        ("GPL-3.0-only", False),
        ("MIT OR GPL-2.0-only", True),
        ("MIT AND GPL-2.0-only", False),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", True),
        ("(MIT OR Apache-2.0) AND OpenSSL", False),
    ],
)
def test_an_expression_is_read_as_spdx_means_it(licence: str, may: bool) -> None:
    assert may_ship(licence) is may


@pytest.fixture(scope="module")
def crates() -> list[dict[str, Any]]:
    run = ["cargo", "metadata", "--format-version", "1", "--locked", "--offline"]
    found = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=True)
    packages: list[dict[str, Any]] = json.loads(found.stdout)["packages"]
    return packages


def test_every_crate_may_be_shipped_and_comes_from_one_source_in_one_version(
    crates: list[dict[str, Any]],
) -> None:
    assert len(crates) > 20
    assert [crate["name"] for crate in crates if not may_ship(crate["license"] or "none")] == []
    assert [crate["name"] for crate in crates if crate["source"] not in (None, CRATES_IO)] == []
    names = [crate["name"] for crate in crates]
    assert sorted({name for name in names if names.count(name) > 1}) == []


def test_the_list_of_what_is_linked_names_every_crate_with_its_licence() -> None:
    written = subprocess.run(
        [ROOT / "scripts" / "third-party"], capture_output=True, text=True, check=True
    ).stdout
    kept = (ROOT / "LICENSE-THIRD-PARTY").read_text()
    assert kept == written, "scripts/third-party > LICENSE-THIRD-PARTY"
    named = set(re.findall(r"^\* (\S+) ", kept, re.M))
    # What the binding and the core name themselves is linked, unless it is a macro or for tests.
    for crate in ("lacis-core", "lacis-py", "lacis-opensm"):
        table = tomllib.loads((ROOT / "crates" / crate / "Cargo.toml").read_text())
        assert {name for name in table["dependencies"] if name != "lacis-core"} <= named
    assert "no text of its licence" not in kept


def test_every_crate_that_a_manifest_names_is_used() -> None:
    unused = []
    for manifest in sorted(ROOT.glob("crates/*/Cargo.toml")):
        table = tomllib.loads(manifest.read_text())
        sources = "\n".join(path.read_text() for path in manifest.parent.rglob("*.rs"))
        named = {**table.get("dependencies", {}), **table.get("dev-dependencies", {})}
        unused += [
            f"{manifest.parent.name}: {name}"
            for name in named
            if not re.search(rf"\b{name.replace('-', '_')}(::|!|;)", sources)
        ]
    assert unused == []


def test_every_python_package_that_lacis_needs_is_free_to_depend_on() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = [
        *project["dependencies"],
        *(name for extra in project["optional-dependencies"].values() for name in extra),
    ]
    for requirement in needed:
        name = re.match(r"[A-Za-z0-9_.-]+", requirement)
        assert name is not None, requirement
        about = importlib.metadata.metadata(name.group())
        fields = ("License-Expression", "License", "Classifier")
        said = " ".join(value for field in fields for value in about.get_all(field) or [])
        # Imported as it is, so that the lesser licence's terms are met too.
        assert re.search(r"\b(MIT|BSD|Apache|PSF|Python Software Foundation|LGPL)", said), name.group()
