"""A fabric, and files of its counters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lacis import _core

from .texts import FABRIC

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture(scope="module")
def fabric() -> _core.Fabric:
    return _core.read_fabric(FABRIC.encode())


@pytest.fixture
def given(tmp_path: Path) -> Callable[..., str]:
    def write(text: str | bytes, name: str = "a.txt") -> str:
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return str(path)

    return write
