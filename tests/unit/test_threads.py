"""The same fabric gives the same bytes at any number of threads."""

from __future__ import annotations

import pytest

from .digests import run


# A regular tree, an irregular fabric that ftree refuses, a tree in which updn loses pairs.
@pytest.mark.slow
@pytest.mark.parametrize("spec", ["fat-tree:16,3", "random:60,6,4:seed=3", "itasca:20"])
def test_results_are_the_same_at_one_thread_and_at_two(spec: str) -> None:
    one, two = run(spec, 1), run(spec, 2)
    assert len(one) > 60
    assert {name for name in one if one[name] != two.get(name)} == set()
    assert one.keys() == two.keys()
