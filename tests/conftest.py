"""Shared by all tests: the real data where it is present, and the command line in-process."""

from __future__ import annotations

import gc
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from lacis.cli import run

from tests import schemas

if TYPE_CHECKING:
    from collections.abc import Iterable

pytest_plugins = ["tests.oracle.scores", "tests.together"]

ROOT = Path(__file__).resolve().parents[1]


def pytest_collection_finish() -> None:
    """What was imported and collected stays to the end: the search for garbage need not look at it each time."""
    gc.freeze()


def one_quick(values: Iterable[Any]) -> list[Any]:
    """Values of a parameter of which the first is for quick checks, and the others are slow."""
    first, *others = values
    return [first, *(pytest.param(value, marks=pytest.mark.slow) for value in others)]


@dataclass(frozen=True)
class Result:
    """The exit status and output of a command."""

    status: int
    out: str
    err: str


class Lacis:
    """Runs `lacis` in this process; what `--json` prints is compared with its schema."""

    def __init__(self, capfd: pytest.CaptureFixture[str]) -> None:
        self._capfd = capfd

    def __call__(self, *args: str | Path) -> Result:
        self._capfd.readouterr()
        status = run([str(arg) for arg in args])
        captured = self._capfd.readouterr()
        if "--json" in args and captured.out.startswith('{\n "schema": '):
            schemas.check(json.loads(captured.out))
        return Result(status, captured.out, captured.err)


@pytest.fixture
def lacis(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Lacis:
    monkeypatch.delenv("COLUMNS", raising=False)  # which pytest-xdist sets
    return Lacis(capfd)


def shared_data() -> Path | None:
    """The folder of real fabrics: `$LACIS_SHARED/data`, or `shared/data` at or above the checkout."""
    if "LACIS_SHARED" in os.environ:
        return Path(os.environ["LACIS_SHARED"]) / "data"
    for folder in (ROOT, *ROOT.parents):
        if (folder / "shared" / "data").is_dir():
            return folder / "shared" / "data"
    return None


def shared_fabric(name: str) -> Path:
    """A real fabric, by the name of its file; the test is skipped where it is absent."""
    folder = shared_data()
    path = folder / name if folder else None
    if path is None or not path.is_file():
        pytest.skip(f"no shared/data/{name} at or above the checkout (LACIS_SHARED names its parent)")
    return path


@pytest.fixture(scope="session")
def dgx() -> Path:
    """A real rail-optimised cluster, as ibnetdiscover printed it in August 2025."""
    return shared_fabric("dgx-2025.ibnetdiscover")


@pytest.fixture(scope="session")
def selene() -> Path:
    """A real cluster of eight rails and three levels, as ibnetdiscover printed it in February 2021."""
    return shared_fabric("selene-2021.ibnetdiscover")
