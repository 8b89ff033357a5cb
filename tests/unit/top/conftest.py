"""A fabric, and its ports."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lacis import _core
from lacis.fabric.ports import Ports, ports_of

if TYPE_CHECKING:
    from lacis._core import Fabric


@pytest.fixture(scope="module")
def fabric() -> Fabric:
    """Four leaves with two hosts each below two spines."""
    return _core.generate_fabric("fat-tree:4,2")


@pytest.fixture(scope="module")
def ports(fabric: Fabric) -> Ports:
    return ports_of(fabric)
