"""`scripts/mutants` names modules and tests that are there."""

from __future__ import annotations

import runpy

from ..conftest import ROOT


def test_modules_to_mutate_and_their_tests_are_there() -> None:
    decides: dict[str, str] = runpy.run_path(str(ROOT / "scripts" / "mutants"))["DECIDES"]
    modules = [ROOT / "python" / "lacis" / name for name in decides]
    tests = [ROOT / name for names in decides.values() for name in names.split()]
    assert [str(path) for path in (*modules, *tests) if not path.is_file()] == []
