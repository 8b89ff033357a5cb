"""A fabric, and a server that shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lacis import _core

from ...served import served, session_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lacis._core import Fabric
    from lacis.serve.session import Session

    from ...served import Served


@pytest.fixture(scope="module")
def fabric() -> Fabric:
    """Four leaves with two hosts each below two spines."""
    return _core.generate_fabric("fat-tree:4,2")


@pytest.fixture(scope="module")
def session(fabric: Fabric) -> Session:
    return session_of(fabric)


@pytest.fixture(scope="module")
def server(session: Session) -> Iterator[Served]:
    with served(session) as running:
        yield running
