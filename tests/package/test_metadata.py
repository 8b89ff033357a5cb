"""What an index, a forge and other tools read about the project, said once and alike everywhere."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import ROOT

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CARGO: dict[str, Any] = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]
SOURCE: str = PROJECT["urls"]["Source"]
ELSEWHERE = {"security@lacis.example", "packages@lacis.example", SOURCE.removesuffix("/lacis")}
"""What else lies at the project's host: two addresses, and the host as EasyBuild has it."""


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [path for name in listed.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def test_links_of_the_readme_lead_to_files() -> None:
    text = (ROOT / "README.md").read_text()
    targets = re.findall(r"^\[([^\]]+)\]: (\S+)$", text, re.MULTILINE)
    assert len(targets) >= 5
    prose = re.sub(r"^\[[^\]]+\]: .*$", "", text, flags=re.MULTILINE)
    for name, path in targets:
        assert (ROOT / path).is_file(), path
        assert f"[{name}]" in prose, f"nothing refers to {name}"
    for path in re.findall(r"\]\((?!https:)([^)#]+)", prose):
        assert (ROOT / path).is_file(), path


def test_the_page_of_an_index_has_no_link_that_breaks_there() -> None:
    text = (ROOT / PROJECT["readme"]).read_text()
    assert re.findall(r"\]\((?!https:)|^\[[^\]]+\]: (?!https:)", text, re.MULTILINE) == []


def test_the_project_has_one_place() -> None:
    host = SOURCE.split("/")[2].removeprefix("git.")
    assert CARGO["repository"] == SOURCE
    assert all(url == SOURCE or url.startswith(f"{SOURCE}/") for url in PROJECT["urls"].values())
    strange = [
        f"{path.relative_to(ROOT)}: {found}"
        for path in tracked()
        if path.suffix not in {".png", ".lock"}
        for found in re.findall(rf"[\w.:/@-]*{re.escape(host)}[\w./-]*", path.read_text("utf-8", "replace"))
        if found.rstrip(".") not in ELSEWHERE and not found.startswith(SOURCE)
    ]
    assert strange == []


def test_a_citation_names_this_version_and_licence() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert cited["version"] == CARGO["version"]
    assert " OR ".join(cited["license"]) == CARGO["license"] == PROJECT["license"]
    assert cited["repository-code"] == SOURCE
    assert cited["authors"] == PROJECT["authors"]
    assert [one["name"] for one in cited["authors"]] == CARGO["authors"]


def test_workflows_call_nothing_but_make() -> None:
    workflows = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    assert workflows
    for path in workflows:
        for job in yaml.safe_load(path.read_text())["jobs"].values():
            assert [step["run"] for step in job["steps"] if "run" in step] == ["make test"]


@pytest.mark.parametrize(
    "path", sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml")), ids=lambda p: p.stem
)
def test_forms_of_issues_have_what_a_forge_asks_for(path: Path) -> None:
    form = yaml.safe_load(path.read_text())
    assert {"name", "description", "body"} <= form.keys()
    ids = [field["id"] for field in form["body"]]
    assert len(set(ids)) == len(ids) > 0
    for field in form["body"]:
        assert field["type"] in {"input", "textarea", "dropdown", "checkboxes"}
        assert field["attributes"]["label"]


@pytest.mark.slow
def test_every_file_has_a_licence_whose_text_is_here() -> None:
    done = subprocess.run(
        [Path(sys.executable).with_name("reuse"), "lint", "--lines"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_the_core_can_be_packed_for_the_registry_of_crates() -> None:
    listed = subprocess.run(
        ["cargo", "package", "--list", "--allow-dirty", "--offline", "-p", "lacis-core"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    names = set(listed.stdout.split())
    assert {"Cargo.toml", "LICENSE-APACHE.txt", "LICENSE-MIT.txt", "README.md", "src/lib.rs"} <= names
    sources = {
        f"src/{path.relative_to(ROOT / 'crates/lacis-core/src')}"
        for path in (ROOT / "crates/lacis-core/src").rglob("*.rs")
    }
    assert sorted(sources - names) == []
