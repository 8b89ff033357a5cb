"""Counted instructions are compared with those that were kept."""

from __future__ import annotations

from pathlib import Path

from benchmarks.counts.compare import Counts, Difference, differences, is_failure

KEPT = Counts("rustc 1.0", {"tables": 1000, "packets": 2000})


def test_three_per_cent_more_or_less_is_no_difference() -> None:
    # 3 % of 1000 is 30, of 2000 60.
    now = Counts("rustc 1.0", {"tables": 1030, "packets": 1940})
    assert differences(KEPT, now) == []
    assert not is_failure(KEPT, now, [])


def test_more_than_three_per_cent_fails_with_the_same_compiler() -> None:
    slower = Counts("rustc 1.0", {"tables": 1031, "packets": 2000})
    found = differences(KEPT, slower)
    assert found == [Difference("tables", 1000, 1031)]
    assert is_failure(KEPT, slower, found)
    assert str(found[0]) == "tables: 1,000 → 1,031 instructions (+3.1 %)"
    # What became faster is to be kept, too: else it could become slower again unseen.
    faster = Counts("rustc 1.0", {"tables": 1000, "packets": 1939})
    found = differences(KEPT, faster)
    assert found == [Difference("packets", 2000, 1939)]
    assert is_failure(KEPT, faster, found)


def test_with_another_compiler_differences_are_only_printed() -> None:
    now = Counts("rustc 2.0", {"tables": 2000, "packets": 2000})
    found = differences(KEPT, now)
    assert found == [Difference("tables", 1000, 2000)]
    assert not is_failure(KEPT, now, found)


def test_work_that_is_new_or_gone_is_a_difference_and_what_could_not_be_counted_is_none() -> None:
    now = Counts("rustc 1.0", {"tables": 1000, "reading": 7})
    assert differences(KEPT, now) == [Difference("packets", 2000, None), Difference("reading", None, 7)]
    assert differences(KEPT, now, frozenset({"packets"})) == [Difference("reading", None, 7)]


def test_counts_are_read_as_they_were_written(tmp_path: Path) -> None:
    KEPT.write(tmp_path / "counts.json")
    assert Counts.read(tmp_path / "counts.json") == KEPT
