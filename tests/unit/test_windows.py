"""Times, lengths of time, and windows of time as they are typed."""

from __future__ import annotations

from datetime import datetime

import pytest
from lacis.errors import LacisError
from lacis.job import windows


def test_times_and_lengths_are_read_or_refused() -> None:
    # 20,000 days and an hour after 1970 began.
    wanted = (20_000 * 86_400 + 3600) * 10**9
    for text in ("2024-10-04T01:00:00Z", "2024-10-04T03:00:00+02:00", "1728003600", "1728003600.0"):
        assert windows.time(text) == wanted
    assert windows.stamp(wanted) == "2024-10-04T01:00:00Z"
    assert windows.time("2024-10-04T01:00") == int(datetime(2024, 10, 4, 1).timestamp()) * 10**9
    assert [windows.duration(text) // 10**9 for text in ("90", "90s", "1.5m", "2h", "1d")] == [
        90,
        90,
        90,
        7200,
        86_400,
    ]
    for text in ("", "soon", "-5m", "0s", "10y", "nan", "1e9s"):
        with pytest.raises(LacisError):
            windows.duration(text)
    for text in ("", "soon", "12:00", "0001-01-01", "9999-12-31", "-1", "1" * 30):
        with pytest.raises(LacisError):
            windows.time(text)
    with pytest.raises(LacisError, match="ends before it begins"):
        windows.window(2, 1)
