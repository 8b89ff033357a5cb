"""Stories whose truth is known, drawn without any code of the judge: a few of those that `benchmarks.stories` draws."""

from __future__ import annotations

import pytest

from benchmarks.stories import KINDS, draw
from benchmarks.why_stories import score


@pytest.mark.slow
def test_a_few_stories_of_each_kind_are_judged_as_they_are() -> None:
    result = score(draw(kind, number) for kind in KINDS for number in range(6))
    assert result.wrong == []
    assert (result.innocent_of_guilty, result.twins_separated) == (0, 0)
    assert result.of == dict.fromkeys(KINDS, 6)
