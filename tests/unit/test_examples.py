"""Examples of the documentation run as they stand, on a file `my.fabric`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import lacis
import pytest

from ..conftest import ROOT
from ..examples import blocks, run_notebook, run_page

if TYPE_CHECKING:
    from pathlib import Path

PAGES = (
    "README.md",
    "packaging/index.md",
    "docs/reference/api.md",
    "docs/howto/ask-what-if.md",
    "docs/howto/check-in-ci.md",
    "docs/howto/permute.md",
    "docs/howto/why.md",
)
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where examples run: `my.fabric` is a tree that no engine refuses, and that names hosts as the examples do."""
    monkeypatch.chdir(tmp_path)
    net = lacis.read("fat-tree:16,2").to_net()
    for name in ("my.fabric", "fabric.ibnetdiscover"):
        (tmp_path / name).write_text(net)
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("page", PAGES)
def test_every_example_of_a_page_runs(page: str) -> None:
    assert blocks(ROOT / page)
    run_page(ROOT / page)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_of_a_notebook_runs(path: Path) -> None:
    shown = run_notebook(path)
    assert sum(text.startswith("<table>") for text in shown) > 5
    assert "<script" not in "".join(shown)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_kept_small_and_without_outputs(path: Path) -> None:
    content = json.loads(path.read_text("utf-8"))
    assert (content["nbformat"], path.stat().st_size < 20_000) == (4, True)
    code = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
    assert [(cell["outputs"], cell["execution_count"]) for cell in code] == [([], None)] * len(code)


def test_there_is_a_notebook() -> None:
    assert NOTEBOOKS


def test_a_page_s_error_names_its_line(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A page\n\n```python\nfine = 1\nwrong = 1 / 0\n```\n")
    with pytest.raises(ZeroDivisionError) as caught:
        run_page(page)
    assert caught.traceback[-1].lineno == 4  # from 0
