"""Skips without the oracle, and the counts of its comparisons."""

from __future__ import annotations

import os

import pytest

from . import opensm
from .scores import SCORES, Scores


@pytest.fixture(autouse=True, scope="session")
def oracle_installed() -> None:
    """Skips where OpenSM is not installed; in CI that is a failure."""
    absent = opensm.missing()
    if absent:
        reason = f"no {', '.join(absent)}: install the Debian packages {opensm.PACKAGES}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)


@pytest.fixture(scope="session")
def plugin_built() -> None:
    """Skips where Lacis' plugin for OpenSM is not built; in CI that is a failure."""
    if not opensm.PLUGIN.exists():
        reason = f"no {opensm.PLUGIN.name}: make opensm-plugin (Debian packages {opensm.PLUGIN_PACKAGES})"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)


@pytest.fixture(scope="session")
def scores(request: pytest.FixtureRequest) -> Scores:
    """The counts of comparisons."""
    return request.config.stash[SCORES]
