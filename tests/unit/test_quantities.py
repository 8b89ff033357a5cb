"""Values with their units, as people read them."""

from __future__ import annotations

import pytest
from lacis.facts.words import quantity


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (2.5e10, "bytes/s", "25 GB/s"),
        (9.9996e11, "bytes/s", "1000 GB/s"),
        (3.456e14, "bytes/s", "345.6 TB/s"),
        (7.152e14, "bytes", "715.2 TB"),
        (1.8447e19, "bytes", "18.45 EB"),
        (86_400.4, "s", "86,400 s"),
        (1.2345e10, "messages/s", "12,345 M messages/s"),
        (0.0, "bytes", "0 B"),
        (None, "s", "–"),
    ],
)
def test_no_value_has_an_exponent(value: float | None, unit: str, shown: str) -> None:
    assert quantity(value, unit) == shown
