"""Runs compared: with each other, and over time. Expected values come from scipy and hand counts."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import lacis
import numpy as np
import polars as pl
import pytest
from lacis import measured
from lacis.measured.changed_pairs import Changed, changed_apart, changed_pairs
from lacis.measured.comparison import _binomial_k

from tests.measured_runs import nxn, results


def frame(values: Any, test: str = "t", unit: str = "s", pairs: bool = False) -> pl.DataFrame:
    n = len(values)
    ends = {"source": [f"a{i}" for i in range(n)], "destination": ["b"] * n} if pairs else {}
    return measured.modelled({"test": [test] * n, "value": values, "unit": [unit] * n, **ends}).frame


def test_two_samples_are_compared_as_scipy_does() -> None:
    from scipy import stats

    draw = np.random.default_rng(3)
    a, b = draw.lognormal(0, 0.05, 30), draw.lognormal(0.03, 0.05, 25)
    (one,) = measured.compare(frame(a), frame(b))
    assert one.p == pytest.approx(stats.mannwhitneyu(a, b, method="asymptotic").pvalue, rel=1e-9)
    assert one.ratio == pytest.approx(np.median(b[:, None] / a[None, :]), rel=1e-3)
    assert one.low is not None
    assert one.high is not None
    assert one.low < one.ratio < one.high


def test_pairs_are_compared_each_with_itself() -> None:
    from scipy import stats

    draw = np.random.default_rng(5)
    base = draw.lognormal(0, 1, 40)  # pairs differ far more than before and after
    change = 1.02 * draw.lognormal(0, 0.01, 40)
    (one,) = measured.compare(frame(base, pairs=True), frame(base * change, pairs=True))
    assert (one.pairs, one.verdict) == (40, "worse")
    assert one.p == pytest.approx(stats.binomtest(int((change > 1).sum()), 40).pvalue, rel=1e-9)
    assert one.ratio == pytest.approx(float(np.median(change)), rel=1e-3)
    # The same as bandwidth is better; as samples the pairs' own spread hides it.
    (rate,) = measured.compare(
        frame(base, unit="bytes/s", pairs=True), frame(base * change, unit="bytes/s", pairs=True)
    )
    assert rate.verdict == "better"
    (hidden,) = measured.compare(frame(base), frame(base * change))
    assert hidden.verdict == "no difference shown"


@pytest.mark.parametrize("n", [6, 9, 17, 40, 200, pytest.param(999, marks=pytest.mark.slow)])
def test_the_interval_of_a_median_is_that_of_the_binomial_law(n: int) -> None:
    from scipy import stats

    # By Conover: the greatest k with P(B ≤ k - 1) ≤ 2.5 %.
    k = max(k for k in range(n) if stats.binom.cdf(k - 1, n, 0.5) <= 0.025)
    assert _binomial_k(n) == k


@pytest.mark.slow
def test_chance_finds_no_difference_among_many_tests() -> None:
    found = 0
    for seed in range(40):
        draw = np.random.default_rng(seed)
        both = [pl.concat([frame(draw.lognormal(0, 0.1, 12), f"t{i}") for i in range(20)]) for _ in range(2)]
        found += any(one.verdict in ("better", "worse") for one in measured.compare(*both))
    # 5 % of 40 tables are 2; more than 6 would come once in 200 times.
    assert found <= 6


def among(hosts: int, values: Any, unit: str = "bytes/s") -> pl.DataFrame:
    """A value for each ordered pair of hosts, the diagonal left out."""
    ends = [(f"h{a:02d}", f"h{b:02d}") for a in range(hosts) for b in range(hosts) if a != b]
    source, destination = zip(*ends, strict=True)
    cells = values[~np.eye(hosts, dtype=bool)]
    columns = {"source": source, "destination": destination, "value": cells}
    return measured.modelled({"test": ["m"] * len(ends), "unit": [unit] * len(ends), **columns}).frame


def disturbed(draw: np.random.Generator, hosts: int) -> Any:
    """Noise of 2 %, and of 2 % of the values a loss of 40 %."""
    return draw.lognormal(0, 0.02, (hosts, hosts)) * np.where(draw.random((hosts, hosts)) < 0.02, 0.6, 1.0)


@pytest.mark.parametrize(("unit", "share"), [("bytes/s", 0.5), ("s", 2.0)])
def test_a_host_that_became_slow_is_named_though_the_median_stays(unit: str, share: float) -> None:
    draw = np.random.default_rng(2)
    base = draw.lognormal(0, 0.1, (16, 16))
    after = base * disturbed(draw, 16)
    after[5] *= share
    after[:, 5] *= share
    (one,) = measured.compare(among(16, base * disturbed(draw, 16), unit), among(16, after, unit))
    assert one.changed_pairs is not None
    assert one.changed_pairs.verdict == "worse"
    # It is an end of 15 pairs as the source, and of as many as the destination.
    assert [(host.host, host.changed, host.pairs) for host in one.changed_pairs.hosts] == [("h05", 30, 30)]
    first = one.changed_pairs.pairs[0]
    assert "h05" in (first.source, first.destination)
    assert one.changed_pairs.worse + one.changed_pairs.better == len(one.changed_pairs.pairs)
    # The other way round the same pairs became better, and nothing is worse.
    (back,) = measured.compare(among(16, after, unit), among(16, base, unit))
    assert back.changed_pairs is not None
    assert (back.changed_pairs.verdict, back.changed_pairs.hosts[0].host) == ("better", "h05")


def test_pairs_stand_out_of_what_all_pairs_lost() -> None:
    # All lose a tenth, and two of 90 a half beside: exactly these, by 0.5 of what the others have.
    base = np.full((10, 10), 8.0)
    after = base * 0.9
    after[1, 2] = after[3, 4] = 3.6
    (one,) = measured.compare(among(10, base), among(10, after))
    assert one.ratio == pytest.approx(0.9)
    assert one.changed_pairs is not None
    pairs = one.changed_pairs.pairs
    assert [(it.source, it.destination) for it in pairs] == [("h01", "h02"), ("h03", "h04")]
    assert [it.ratio for it in pairs] == pytest.approx([0.5, 0.5])
    # Two on one side come by chance every other time.
    assert (one.changed_pairs.worse, one.changed_pairs.p, one.changed_pairs.verdict) == (
        2,
        0.5,
        "no difference shown",
    )
    (less,) = measured.compare(among(10, base), among(10, after), least=0.6)
    assert less.changed_pairs is not None  # 0.5 is a loss of 50 %, and a gain of 100 % the other way round
    (none,) = measured.compare(among(10, base), among(10, after), least=1.01)
    assert none.changed_pairs is None


def test_a_step_of_the_clock_is_no_change_of_a_pair() -> None:
    # Latencies in steps of 0.01: most pairs stay, some are rounded up instead of down.
    base = np.full((10, 10), 1.20)
    base[::3] = 1.21
    after = base.copy()
    after[1, 2:6] = 1.21
    (one,) = measured.compare(among(10, base, "s"), among(10, after, "s"))
    assert one.changed_pairs is None
    after[1, 2:6] = 1.22
    (two,) = measured.compare(among(10, base, "s"), among(10, after, "s"))
    assert two.changed_pairs is not None
    assert two.changed_pairs.worse == 4


EXACT = np.array([1.0, 1.01] * 20) + 1e-6 * np.arange(40)
"""Values in two groups of which each occurs once."""


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        # A pair of twenty that takes twice as long stands out; of nineteen nothing is said.
        ([1.0] * 20, [*[1.0] * 19, 2.0], [19]),
        ([1.0] * 19, [*[1.0] * 18, 2.0], []),
        # Written in steps of 0.01 at first, exactly later: by less than a step and a half a pair may have been rounded.
        ([1.0, 1.01] * 20, [*EXACT[:39], 1.024], []),
        ([1.0, 1.01] * 20, [*EXACT[:39], 1.026], [39]),
        # Each value once: no steps, whatever lies between them.
        (range(100, 140), [101.2, *range(101, 140)], [0]),
        # A tenth is a step of coarse digits, an eighth is how much pairs differ.
        ([10.0] * 30 + [11.0] * 10, [11.0] + [10.0] * 29 + [11.0] * 10, []),
        ([8.0] * 30 + [9.0] * 10, [9.0] + [8.0] * 29 + [9.0] * 10, [0]),
    ],
)
def test_a_pair_stands_out_by_more_than_steps_of_what_is_written(
    before: Any, after: Any, found: list[int]
) -> None:
    assert changed_apart(np.array(before, float), np.array(after, float)).at.tolist() == found


@pytest.mark.parametrize(("p", "verdict"), [(0.049, "worse"), (0.05, "no difference shown")])
def test_pairs_are_worse_where_chance_does_so_in_less_than_one_of_twenty(p: float, verdict: str) -> None:
    both = pl.DataFrame({"source": ["a"], "destination": ["b"], "value": [8.0], "value_b": [4.0]})
    apart = Changed(np.array([-math.log(2)]), np.array([0]))
    found = changed_pairs(both, apart, p, 0.05, more_is_worse=False)
    assert (found.verdict, found.worse, found.better) == (verdict, 1, 0)
    assert [(it.source, it.destination, it.before, it.after) for it in found.pairs] == [("a", "b", 8, 4)]


def test_a_host_half_of_whose_pairs_became_worse_is_named() -> None:
    # What it sends is half as fast, what it receives is not: 9 of its 18 pairs, by chance once in 2⁸ times.
    base = np.full((10, 10), 8.0)
    after = base.copy()
    after[5] = 4.0
    (one,) = measured.compare(among(10, base), among(10, after))
    assert one.changed_pairs is not None
    assert one.changed_pairs.p == 2**-8
    assert [(it.host, it.changed, it.pairs) for it in one.changed_pairs.hosts] == [("h05", 9, 18)]


@pytest.mark.slow
def test_disturbed_repeats_make_nothing_worse() -> None:
    draw = np.random.default_rng(11)
    found = 0
    for _ in range(100):
        base = draw.lognormal(0, 0.1, (12, 12))
        (one,) = measured.compare(*(among(12, base * disturbed(draw, 12)) for _ in range(2)))
        found += one.changed_pairs is not None and one.changed_pairs.verdict != "no difference shown"
    # 5 % of 100 are 5 at most; more than 12 would come once in 300 times.
    assert found <= 12


def test_too_few_repeats_are_no_evidence() -> None:
    (one,) = measured.compare(frame([1.0, 1.0, 1.0]), frame([2.0, 2.0, 2.0]))
    assert (one.verdict, one.p, one.low) == ("too few repeats", None, None)
    assert measured.compare(frame([1.0]), frame([1.0], test="u")) == []


@pytest.mark.slow
def test_a_history_is_in_order_of_time_and_is_drawn(tmp_path: Path) -> None:
    store = measured.Store(tmp_path / "store")
    for month, latency in ((3, 1.5), (1, 1.4), (2, 1.6)):
        store.add(results(tmp_path, nxn(4, latency)), name=f"m{month}", time=f"2026-0{month}-01T00:00:00Z")
    found = measured.history(store.runs()[0], "mpi_nxnlatbw", what="latency")
    assert [point.name for point in found.points] == ["m1", "m2", "m3"]
    assert [point.median for point in found.points] == pytest.approx([1.4e-6, 1.6e-6, 1.5e-6])
    for suffix, magic in ((".svg", b"<?xml"), (".png", b"\x89PNG")):
        found.plot(tmp_path / f"h{suffix}")
        assert (tmp_path / f"h{suffix}").read_bytes().startswith(magic)
    for arguments, reason in [
        ({"test": "x"}, "no run has a test 'x'"),
        ({"test": "mpi_nxnlatbw"}, "latency, bandwidth: say which"),
        ({"test": "mpi_nxnlatbw", "what": "latency", "bytes": 7}, "no messages of 7 bytes"),
    ]:
        with pytest.raises(lacis.LacisError, match=re.escape(reason)):
            measured.history(store.runs()[0], **arguments)  # type: ignore[arg-type]


def test_only_what_is_worse_by_its_whole_interval_is_worse() -> None:
    draw = np.random.default_rng(7)
    base = draw.lognormal(0, 1, 40)
    change = 1.03 * draw.lognormal(0, 0.03, 40)
    before, after = frame(base, pairs=True), frame(base * change, pairs=True)
    (one,) = measured.compare(before, after)
    assert one.low is not None
    assert (one.verdict, one.low > 1) == ("worse", True)
    # The estimate is beyond the least difference, its interval is not.
    least = (one.low + one.ratio) / 2 - 1
    (one,) = measured.compare(before, after, least=least)
    assert (one.verdict, one.ratio > 1 + least) == ("no difference shown", True)
    (one,) = measured.compare(before, after, least=one.low - 1.0001 if one.low else 0)
    assert one.verdict == "worse"


def test_more_of_a_ratio_is_worse() -> None:
    draw = np.random.default_rng(9)
    impact = draw.lognormal(0.1, 0.01, 12)
    (one,) = measured.compare(frame(impact, unit="ratio"), frame(impact * 2, unit="ratio"))
    assert one.verdict == "worse"


def test_an_unknown_number_of_ranks_is_compared_with_the_only_one(tmp_path: Path) -> None:
    rows = "# OSU MPI Allreduce Latency Test v7.4\n# Size  Avg Latency(us)\n" + "8  1.50\n" * 5
    without = results(tmp_path, rows).frame
    with_16 = results(tmp_path, f"+ mpirun -np 16 ./osu_allreduce\n{rows}").frame
    with_24 = results(tmp_path, f"+ mpirun -np 24 ./osu_allreduce\n{rows}").frame
    assert [one.ranks for one in measured.compare(without, with_16)] == [16]
    assert [one.ranks for one in measured.compare(with_24, without)] == [24]
    assert measured.compare(with_16, with_24) == []
    assert [one.ranks for one in measured.compare(pl.concat([with_16, with_24]), without)] == []
