"""Omni-Path's adaptive routing: what Threshold and ARFrequency mean, everywhere the same."""

from __future__ import annotations

import re

import pytest
from lacis.omnipath.opafm import Settings, congested_from

from ..conftest import ROOT

# The maker's opafm.xml: "Threshold: 7 = 55 %, 6 = 60 %, 5 = 65 %, 4 = 70 %, 3 = 80 %, 2 = 90 %, 1 = 100 %"; 0 leaves it to
# the firmware, and Lacis takes that for 3.
PERCENT = {0: 80, 1: 100, 2: 90, 3: 80, 4: 70, 5: 65, 6: 60, 7: 55}


@pytest.mark.parametrize(("threshold", "percent"), PERCENT.items())
def test_a_threshold_is_a_share_of_a_buffer(threshold: int, percent: int) -> None:
    assert congested_from(threshold) == percent
    sentence = Settings(enable=True, threshold=threshold).words()[-1]
    assert f"Threshold {threshold}" in sentence
    assert f" = above {percent} %: " in sentence
    assert ("taken for 3" in sentence) == (threshold == 0)


@pytest.mark.parametrize("threshold", [-1, 8])
def test_no_other_threshold_is_known(threshold: int) -> None:
    with pytest.raises((ValueError, OverflowError)):
        congested_from(threshold)


@pytest.mark.parametrize(("frequency", "milliseconds"), [(0, 64), (1, 128), (2, 256), (7, 8192)])
def test_a_frequency_is_a_time_between_adjustments(frequency: int, milliseconds: int) -> None:
    assert f"at most every {milliseconds} ms." in " ".join(Settings(enable=True, frequency=frequency).words())


def test_the_page_about_simulation_has_the_same_shares() -> None:
    page = (ROOT / "docs" / "explanation" / "simulation.md").read_text()
    row = next(line for line in page.splitlines() if line.startswith("| `--ar-threshold` |"))
    listed = {
        int(threshold): int(percent) for percent, threshold in re.findall(r"(\d+)(?: %)? \((\d)\)", row)
    }
    assert listed == {threshold: percent for threshold, percent in PERCENT.items() if threshold}
    assert "0 leaves it to the firmware, taken to be as 3" in row
