"""A fabric, its ports, and a clock in UTC."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from lacis import _core
from lacis.fabric.ports import Ports, ports_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lacis._core import Fabric


@pytest.fixture(scope="module")
def fabric() -> Fabric:
    """Four leaves with two hosts each below two spines."""
    return _core.generate_fabric("fat-tree:4,2")


@pytest.fixture(scope="module")
def ports(fabric: Fabric) -> Ports:
    return ports_of(fabric)


@pytest.fixture
def in_utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()
