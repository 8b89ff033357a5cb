"""Shared by tests of commands: the report of a fabric, collected once; a browser, and pages of reports in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from lacis.advice.baseline import Baseline
from lacis.ranks.participants import GROUPS
from lacis.report import collect

from tests.conftest import shared_data

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from lacis import Fabric
    from lacis.report.content import Report

    from tests.browser import Browser
    from tests.report_pages import Reports

AFRESH = collect.collect
"""The pipeline itself."""


@pytest.fixture(scope="module")
def once_a_fabric() -> Iterator[None]:
    """Whatever a module asks about the report of a fabric, the pipeline runs once on it."""
    collected: dict[tuple[str, str, str], Report] = {}

    def kept(
        fabric: Fabric,
        source: str,
        progress: Callable[[str], None],
        baseline: Baseline | None = None,
        groups: str = GROUPS,
        *measured: Any,
    ) -> Report:
        if baseline not in (None, Baseline()) or any(measured[:1]):
            return AFRESH(fabric, source, progress, baseline, groups, *measured)
        key = (fabric.to_json(), source, groups)
        if key not in collected:
            collected[key] = AFRESH(fabric, source, progress, groups=groups)
        return collected[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(collect, "collect", kept)
        yield


@pytest.fixture
def cases() -> Path:
    """The folder of real and made cases, where it is there."""
    folder = shared_data()
    if folder is None or not (folder / "cases").is_dir():
        pytest.skip("no shared/data/cases at or above the checkout (LACIS_SHARED names its parent)")
    return folder / "cases"


@pytest.fixture
def afresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the pipeline run each time it is asked for."""
    monkeypatch.setattr(collect, "collect", AFRESH)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One for all tests of a process."""
    from tests import browser

    yield from browser.start(tmp_path_factory.mktemp("browser"))


@pytest.fixture(scope="session")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Reports:
    """Each fabric's report, and its page."""
    from tests.report_pages import pages_of

    return pages_of(tmp_path_factory.mktemp("pages"))
