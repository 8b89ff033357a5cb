"""Structure of measured pairs without tables: what was put in is found, and nothing in noise."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import lacis
import numpy as np
import polars as pl
import pytest
from lacis import measured
from lacis.errors import LacisError
from lacis.explain import structure
from lacis.measured.results import checked
from lacis.reproduce import directors
from lacis.reproduce.director_bench import Bench
from lacis.reproduce.director_tables import Directors

from tests.conftest import shared_data

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray


def frame(values: NDArray[Any], names: list[str], unit: str = "s") -> pl.DataFrame:
    """Samples of shape (repeats, n, n) or (n, n) as a table; no number where nothing was measured."""
    samples = np.array(values, ndmin=3)
    repeat, source, destination = np.nonzero(np.isfinite(samples))
    hosts = np.array(names)
    return checked(
        pl.DataFrame(
            {
                "test": "made",
                "what": "latency" if unit == "s" else "bandwidth",
                "source": hosts[source],
                "destination": hosts[destination],
                "repeat": repeat,
                "value": samples[repeat, source, destination],
                "unit": unit,
                "statistic": "sample",
                "provenance": "measured",
                "bytes": 8,
            }
        )
    )


@pytest.fixture
def sample() -> Path:
    folder = shared_data()
    if folder is None or not (folder / "measurements").is_dir():
        pytest.skip("no shared/data/measurements at or above the checkout (LACIS_SHARED names its parent)")
    return folder / "measurements"


def hosts_of(fabric: Any) -> list[str]:
    return list(measured.hosts.leaves_of_hosts(fabric))


def test_two_networks_of_one_cluster_tell_the_same_two_leaves(sample: Path) -> None:
    # InfiniBand and RoCE, latency and bandwidth: four matrices of the same 16 nodes, in two racks.
    found = []
    for network in ("ib", "roce"):
        values = measured.read([sample / f"nxnlatbw-{network}.out"]).frame
        for what in ("latency", "bandwidth"):
            one = structure(values, what=what)
            assert len(one.groupings) == 1
            found.append({frozenset(np.array(one.hosts)[m]) for m in one.groupings[0].members()})
            assert one.is_good
    assert all(groups == found[0] for groups in found)
    assert sorted(len(group) for group in found[0]) == [7, 9]


def test_the_peaks_of_a_real_latency_spectrum_are_its_two_kinds_of_pairs(sample: Path) -> None:
    one = structure(measured.read([sample / "nxnlatbw-roce.out"]).frame, what="latency")
    # By hand: 7 · 6 + 9 · 8 = 114 ordered pairs inside the groups, of 240; 1.36 and 2.05 µs are the commonest values.
    assert [(peak.count, peak.inside) for peak in one.peaks] == [(114, 114), (126, 0)]
    assert [peak.center * 1e6 for peak in one.peaks] == pytest.approx([1.37, 2.05], abs=0.015)


def test_hosts_whose_names_are_swapped_are_near_to_the_other_leaf() -> None:
    fabric = lacis.read("fat-tree:8,2")
    of = measured.hosts.leaves_of_hosts(fabric)
    names = list(of)
    real = dict(of)
    real[names[1]], real[names[9]] = of[names[9]], of[names[1]]
    leaf = np.array([real[name] for name in names])
    rng = np.random.default_rng(1)
    values = 1e-6 * (1 + 0.1 * (leaf[:, None] != leaf) + 0.01 * rng.standard_normal((32, 32)))
    found = structure(frame(values, names), fabric)
    assert found.leaves is not None
    assert found.leaves.is_distinct
    switches = [name for name, _ in fabric.switches()]
    strays = {(m.host, m.leaf, m.among) for m in found.leaves.misplaced}
    a, b = switches[of[names[1]]], switches[of[names[9]]]
    assert strays == {(names[1], a, b), (names[9], b, a)}
    assert not found.is_good
    # Without the swap all agree.
    leaf = np.array([of[name] for name in names])
    values = 1e-6 * (1 + 0.1 * (leaf[:, None] != leaf) + 0.01 * rng.standard_normal((32, 32)))
    assert structure(frame(values, names), fabric).is_good


def test_values_are_given_in_their_unit_and_gaps_relative() -> None:
    group = np.repeat(np.arange(6), 8)
    rng = np.random.default_rng(2)
    names = [f"n{i:02}" for i in range(48)]
    rate = np.where(group[:, None] == group, 12e9, 9e9) * np.exp(0.01 * rng.standard_normal((48, 48)))
    found = structure(frame(rate, names, "bytes/s"))
    [grouping] = found.groupings
    assert grouping.inside == pytest.approx(12e9, rel=0.01)
    assert grouping.between == pytest.approx(9e9, rel=0.01)
    # Pairs between groups get a quarter less.
    assert grouping.gap == pytest.approx(1 - 9 / 12, abs=0.01)
    assert grouping.group.tolist() == group.tolist()


def test_a_host_at_half_of_the_rate_is_worse_by_a_half_and_one_at_twice_the_time_by_the_whole() -> None:
    rng = np.random.default_rng(5)
    names = [f"n{i:02}" for i in range(24)]
    noise = np.exp(0.01 * rng.standard_normal((24, 24)))
    slow = np.where(np.arange(24) == 7, 0.5, 1.0)
    [host] = structure(frame(12e9 * noise * slow[:, None], names, "bytes/s")).outstanding
    assert (host.host, host.side) == ("n07", "sending")
    assert host.by == pytest.approx(0.5, abs=0.01)
    [host] = structure(frame(2e-6 * noise / slow[:, None], names)).outstanding
    assert host.by == pytest.approx(1.0, abs=0.02)


def test_a_pair_that_noise_does_not_explain_is_listed_to_be_repeated() -> None:
    # 24 hosts, 0.08 % noise; n10 → n23 gets 6.7 % less.
    rng = np.random.default_rng(6)
    names = [f"n{i:02}" for i in range(24)]
    rate = 12e9 * np.exp(0.0008 * rng.standard_normal((24, 24)))
    rate[10, 23] *= 1 - 0.067
    found = structure(frame(rate, names, "bytes/s"))
    [pair] = found.outlying
    assert (pair.source, pair.destination) == ("n10", "n23")
    assert pair.by == pytest.approx(0.067, abs=0.005)
    assert pair.deviations > 50
    rate[10, 23] /= 1 - 0.067
    assert structure(frame(rate, names, "bytes/s")).outlying == []


def test_groups_that_differ_by_a_step_of_the_clock_are_none() -> None:
    # Times of 1.20 to 1.22 µs, rounded to 10 ns: one group is 8 ns nearer, which the clock cannot show.
    rng = np.random.default_rng(7)
    group = np.repeat(np.arange(4), 8)
    names = [f"n{i:02}" for i in range(32)]

    def rounded(gap: float) -> Any:
        times = np.where(group[:, None] == group, 1.2e-6, 1.2e-6 + gap) + 3e-9 * rng.standard_normal((32, 32))
        return structure(frame(np.round(times * 1e8) / 1e8, names))

    found = rounded(8e-9)
    assert found.groupings == []
    # Rounding by itself deviates by 10 ns / √12, of 1.2 µs.
    assert found.noise >= 0.99 * 10e-9 / math.sqrt(12) / 1.21e-6
    assert found.least_gap >= 15e-9 / 1.22e-6
    # 40 ns are four steps.
    [grouping] = rounded(40e-9).groupings
    assert grouping.group.tolist() == group.tolist()


def test_shuffled_hosts_are_ordered_by_their_groups() -> None:
    rng = np.random.default_rng(3)
    leaf = rng.permutation(np.repeat(np.arange(12), 8))
    near = leaf // 3
    names = [f"n{i:02}" for i in range(96)]
    value = np.select([leaf[:, None] == leaf, near[:, None] == near], [1.0, 1.1], 1.3)
    found = structure(frame(1e-6 * value * (1 + 0.01 * rng.standard_normal((96, 96))), names))
    assert [len(g.members()) for g in found.groupings] == [12, 4]
    order = found.order()
    for grouping, expected in zip(found.groupings, (leaf, near), strict=True):
        assert (np.diff(grouping.group[order]) != 0).sum() == len(grouping.members()) - 1
        pairs = {(int(a), int(b)) for a, b in zip(grouping.group, expected, strict=True)}
        assert len(pairs) == len(grouping.members())


def test_jitter_and_asymmetry_are_those_that_were_put_in() -> None:
    # Report D: jitter ± 1 %, nodes ± 5 %, asymmetry up to 1 %.
    rng = np.random.default_rng(4)
    n = 32
    upper = np.triu(rng.uniform(-0.0068, 0.0096, (n, n)), 1)
    nodes = rng.uniform(-0.025, 0.025, n)
    nodes -= nodes.mean()
    clean = 0.93e-6 * (1 + (upper - upper.T) / 2 + nodes[:, None] + nodes)
    samples = clean + 0.93e-6 * rng.uniform(-0.01, 0.01, (100, n, n))
    found = structure(frame(samples, [f"n{i:02}" for i in range(n)]))
    assert found.jitter is not None
    assert (found.jitter.least, found.jitter.greatest) == pytest.approx((-0.01, 0.01), abs=0.003)
    assert found.jitter.deviation == pytest.approx(0.01 / math.sqrt(3), rel=0.02)
    assert found.jitter.outliers == 0
    assert (found.sending + found.receiving) / 2 == pytest.approx(nodes, abs=0.001)
    assert found.parts.least == pytest.approx(upper[np.triu_indices(n, 1)].min(), abs=0.003)
    assert found.parts.greatest == pytest.approx(upper[np.triu_indices(n, 1)].max(), abs=0.003)
    assert found.groupings == []
    assert found.is_good


NOISES: dict[str, Callable[[np.random.Generator, int], NDArray[Any]]] = {
    "lognormal": lambda rng, n: rng.lognormal(0, 0.03, (n, n)) - 1,
    "heavy": lambda rng, n: 0.01 * rng.standard_t(2, (n, n)),
    "correlated": lambda rng, n: 0.01 * (rng.standard_normal((n, 1)) + rng.standard_normal((n, n))),
    "quantised": lambda rng, n: 0.01 * rng.standard_normal((n, n)),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", NOISES)
def test_a_healthy_cluster_of_56_hosts_raises_no_alarm(kind: str) -> None:
    """Hosts that differ by several %, same-leaf pairs faster, missing rows; 25 seeds of each kind of noise."""
    for seed in range(25):
        rng = np.random.default_rng(seed)
        n = 56
        leaf = np.repeat(np.arange(4), 14)
        hosts = rng.normal(0, 0.02, n)
        noise = NOISES[kind](rng, n)
        value = 1 + 0.08 * (leaf[:, None] != leaf) + hosts[:, None] + hosts + np.maximum(noise, -0.5)
        if kind == "quantised":
            value = np.round(value, 2)
        value[np.diag_indices(n)] = 0.3
        value[rng.integers(n)] = np.nan
        fabric = lacis.read("pgft:2;14,4;1,4;1,1")
        found = structure(frame(1e-6 * value, hosts_of(fabric)[:n]), fabric)
        assert found.is_good, (seed, found.outstanding, found.leaves)


def test_what_cannot_be_used_is_counted_and_what_cannot_be_distinguished_is_remarked_on() -> None:
    values = np.full((4, 4), 1e-6)
    found = structure(frame(values, list("abcd")))
    assert found.left_out == {"from a host to itself": 4}
    assert found.pairs == 12
    with pytest.raises(LacisError, match="fewer than 3 hosts"):
        structure(frame(values[:2, :2], list("ab")))
    with pytest.raises(LacisError, match="no bandwidth or latency between two hosts"):
        structure(frame(values, list("abcd")).clear())


def test_near_sets_of_a_director_are_known_from_its_leaf_to_leaf_bandwidth() -> None:
    # Report E: 9 leaves share their mid-level chips; 64 leaves are 7 near sets and a leaf. Bandwidths are the fluid model's.
    bench = Bench.of(Directors.build(1), 1.0)
    map_ = directors._fluid_map(bench, "D-mod-K")
    matrix = map_[1] if map_.ndim == 3 else map_
    [near] = structure(frame(matrix, [f"leaf{i:02}" for i in range(64)], "bytes/s")).groupings
    assert near.group.tolist() == (np.arange(64) // 9).tolist()
    assert near.gap == pytest.approx(0.5)
