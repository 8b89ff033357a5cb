"""Agents that answer as they are asked to, compiled once for a module."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from . import mads

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def fake(cache: Path) -> mads.Fake:
    return mads.compiled(cache)


@pytest.fixture(autouse=True)
def own_cache(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
