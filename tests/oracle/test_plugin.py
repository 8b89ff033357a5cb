"""Lacis' engines inside the real OpenSM: ``-R lacis-X`` leaves what ``-R X`` leaves, byte for byte."""

from __future__ import annotations

import random

import pytest

from . import opensm
from .conftest import ENGINES
from .fabrics import FABRICS, UNDETERMINED
from .plugin import differences
from .test_tables import runs

pytestmark = [pytest.mark.oracle, pytest.mark.usefixtures("plugin_built")]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", FABRICS)
def test_dumps_are_those_of_opensms_own_engine(name: str, engine: str) -> None:
    if engine == "ftree" and name in UNDETERMINED:
        pytest.skip(f"{name}: {UNDETERMINED[name]}")
    subject = FABRICS[name]()
    found = []
    for question in runs(subject, engine, seed=len(subject.text)):
        found += differences(subject.text, question)
    assert not found
