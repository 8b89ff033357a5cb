"""The benchmark of `lacis explain` measures what it says: its paths, its shares, and the peers as their papers have them."""

from __future__ import annotations

from math import log

import lacis
import numpy as np
import pytest

from benchmarks.explain import entries, faults, flock, netbouncer, votes_007
from benchmarks.explain.estimators import lacis_explain
from benchmarks.explain.measured import (
    Faults,
    Noise,
    Rounds,
    ideal,
    leaf_rounds,
    packet,
    shift_rounds,
    slower,
    with_noise,
)
from benchmarks.explain.net import Net, net
from benchmarks.explain.view import View, judge

EXACT = Noise(values=0, hosts=0, outliers=0, drift=0, level=1)


@pytest.fixture(scope="module")
def tree() -> Net:
    found = net("fat-tree:8,2")
    assert found is not None
    return found


@pytest.fixture(scope="module")
def rounds(tree: Net) -> Rounds:
    return leaf_rounds(tree, 3, 7)


def seen(rounds: Rounds, broken: Faults, noise: Noise = EXACT) -> View:
    rng = np.random.default_rng(1)
    return View(rounds, with_noise(ideal(rounds, broken, rng), rounds, noise, rng))


def test_paths_are_those_that_trace_tells(tree: Net) -> None:
    flows = np.random.default_rng(1).integers(0, 32, (40, 2))
    flows = flows[flows[:, 0] != flows[:, 1]]
    for flow, path in zip(flows.tolist(), tree.path(flows).tolist(), strict=True):
        hops = lacis.trace(tree.routes, *(tree.hosts[host] for host in flow)).hops
        exits = [(hop[0], hop[4]) for hop in hops if hop[4] is not None]
        assert [tuple(tree.label(link).rsplit(":", 1)) for link in path if link >= 0] == [
            (node, str(port)) for node, port in exits
        ]


def test_a_link_is_shared_by_the_flows_of_a_round_alone(tree: Net) -> None:
    # Hosts 0 and 1 send to host 8 in one round: half of its link each. In the next round one of them has it alone.
    rounds = Rounds(tree, np.array([(0, 8), (1, 8), (0, 8)]), np.array([0, 0, 1]))
    rate = tree.rates[0]
    assert rounds.predicted.tolist() == [rate / 2, rate / 2, rate]
    down = int(tree.up[8]) ^ 1
    # At 80 % of its rate it decides in both rounds, a sender's link at 80 % only where that one is alone.
    assert ideal(rounds, Faults({down: 0.8}), np.random.default_rng(0))[:, 0].tolist() == pytest.approx(
        [0.4 * rate, 0.4 * rate, 0.8 * rate]
    )
    assert (rounds.binding(0.8)[down], rounds.binding(0.8)[tree.up[0]]) == (3, 1)


def test_wrong_entries_lead_as_near_to_the_host() -> None:
    rng = np.random.default_rng(1)
    three = net("fat-tree:4,3")
    assert three is not None
    flows = np.array([(a, b) for a in range(16) for b in range(16) if a != b])
    rounds = Rounds(three, flows, np.arange(len(flows)))
    broken = faults.draw(rounds, "entry", 3, 1.0, rng)
    table = three.table.copy()
    for switch, host, port in broken.entries:
        table[switch, three.lid(host)] = port
    before, after = (one.path(flows) for one in (three, three.with_table(table)))
    assert ((before >= 0).sum(axis=1) == (after >= 0).sum(axis=1)).all()
    assert (before != after).any(axis=1).sum() >= 3 * faults.ENOUGH


def test_entries_that_change_the_same_are_one(tree: Net) -> None:
    # Hosts 0 and 1 of leaf 0 send to hosts 8 and 9 of another, by two spines. Either entry of leaf 0, made to lead to the other's
    # spine, has them share both of its links.
    rounds = Rounds(tree, np.array([(0, 8), (1, 9)]), np.array([0, 0]))
    leaf = int(tree.ends[tree.up[0], 2])
    port = {host: int(tree.table[leaf, tree.lid(host)]) for host in (8, 9)}
    assert port[8] != port[9]
    one, other = (leaf, 8, port[9]), (leaf, 9, port[8])
    assert rounds.moved(one) == rounds.moved(other) != b""
    third = next(p for p in faults.other_ports(tree, leaf, 8) if p not in port.values())
    assert rounds.moved((leaf, 8, third)) == b""
    score = judge(rounds, [other, (leaf, 8, third)], Faults(entries=(one,)))
    assert (score.hits, score.alarms, score.missed, score.first) == (1, 1, 0, True)


def test_healthy_flows_look_as_if_an_entry_were_wrong_as_often_as_outliers_lie_where_it_leads_them() -> None:
    # An entry halves two flows. Of outliers, 2 % uniform between 20 and 100 %, ln has the density 0.02 ÷ 0.8 × 0.5 = 0.0125 there.
    # With a spread of √(0.04² + 2 × 0.015²) both lie within √2 of it with probability 2 π spread² × 0.0125², where the ratio is at
    # most 1 below its greatest, twice ln((0.98 ÷ (spread √(2 π)) + 0.0125) ÷ 0.0125).
    spread = (0.04**2 + 2 * 0.015**2) ** 0.5
    change = np.full(2, -log(2))
    most = 2 * log(0.98 / (spread * (2 * np.pi) ** 0.5) / 0.0125 + 1)
    own = entries.ratios(change, np.random.default_rng(1))
    assert entries.tail(own, most - 1) == pytest.approx(2 * np.pi * spread**2 * 0.0125**2, rel=0.1)
    # A sum of two squares is within 2 with probability 1 - 1 ÷ e, both are no outliers themselves with 0.98².
    power = entries.power(change, most - 1, np.random.default_rng(2))
    assert power == pytest.approx((1 - np.exp(-1)) * 0.98**2, abs=0.03)
    assert entries.power(np.zeros(0), 0.0, np.random.default_rng(2)) == 0.0


def test_entries_that_change_the_same_flows_alike_are_counted(tree: Net) -> None:
    # As above: hosts 0 and 1 of leaf 0 send to 8 and 9 by two spines. Either entry, made to lead to the other's spine, halves both.
    rounds = Rounds(tree, np.array([(0, 8), (1, 9)]), np.array([0, 0]))
    leaf = int(tree.ends[tree.up[0], 2])
    port = {host: int(tree.table[leaf, tree.lid(host)]) for host in (8, 9)}
    for entry in ((leaf, 8, port[9]), (leaf, 9, port[8])):
        flows, change = entries.changes(rounds, entry)
        assert flows.tolist() == [0, 1]
        assert change.tolist() == pytest.approx([-log(2)] * 2)
        assert entries.alike(rounds, entry, flows, change) == 2
    third = next(p for p in faults.other_ports(tree, leaf, 8) if p not in port.values())
    assert len(entries.changes(rounds, (leaf, 8, third))[0]) == 0


@pytest.mark.parametrize("seed", range(4))
def test_lacis_names_wrong_entries_by_the_flows_that_meet_where_none_should(tree: Net, seed: int) -> None:
    rounds = shift_rounds(tree, range(1, 32))
    rng = np.random.default_rng(seed)
    broken = Faults({int(tree.up[seed]): 0.6}, tuple(faults.wrong_entries(rounds, 2, rng)))
    score = judge(rounds, lacis_explain(seen(rounds, broken, Noise())), broken)
    assert (score.hits, score.alarms, score.missed) == (3, 0, 0)


@pytest.mark.parametrize("seed", range(4))
def test_lacis_names_links_that_are_slow_half_of_the_time(tree: Net, seed: int) -> None:
    rounds = shift_rounds(tree, range(1, 32))
    rng = np.random.default_rng(seed)
    broken = faults.draw(rounds, "flap", 2, 0.8, rng)
    view = View(rounds, with_noise(ideal(rounds, broken, rng, 8), rounds, Noise(), rng))
    score = judge(rounds, lacis_explain(view), broken)
    assert (score.hits, score.alarms, score.missed) == (2, 0, 0)


@pytest.mark.parametrize(
    ("peer", "setting"),
    [
        (votes_007, votes_007.Setting(0.8, 0.05)),
        (netbouncer, netbouncer.Setting(0.1, 0.8)),
        (flock, flock.Setting(0.8, 0.01, 0.7, -7.0)),
    ],
)
def test_every_peer_names_two_links_at_half_their_rate_and_nothing_else(
    rounds: Rounds, peer: object, setting: object
) -> None:
    for seed in range(5):
        broken = faults.draw(rounds, "link", 2, 0.5, np.random.default_rng(seed))
        score = judge(rounds, peer.faulty_links(seen(rounds, broken), setting), broken)  # type: ignore[attr-defined]
        assert (score.hits, score.alarms, score.first) == (2, 0, True)
    assert peer.faulty_links(seen(rounds, Faults()), setting) == []  # type: ignore[attr-defined]


def test_netbouncer_ends_where_no_step_of_one_link_lessens_its_objective(rounds: Rounds) -> None:
    broken = faults.draw(rounds, "link", 3, 0.6, np.random.default_rng(3))
    view = seen(rounds, broken, Noise())
    weight = 0.1

    def objective(x: np.ndarray) -> float:
        product = np.append(x, 1.0)[view.path].prod(axis=1)
        return float(((np.minimum(view.ratio(), 1) - product) ** 2).sum() + weight * (x * (1 - x)).sum())

    x = netbouncer.solve(view, weight)
    least = objective(x)
    for link in np.flatnonzero(rounds.crossed)[::5]:
        for value in np.linspace(0.001, 1, 12):
            moved = x.copy()
            moved[link] = value
            assert objective(moved) >= least - 1e-3


def test_flock_adds_what_raises_the_likelihood_most(rounds: Rounds) -> None:
    broken = faults.draw(rounds, "link", 2, 0.6, np.random.default_rng(5))
    view = seen(rounds, broken, Noise())
    setting = flock.Setting(0.8, 0.02, 0.6, -5.0)
    bad = view.ratio() < setting.t

    def likelihood(hypothesis: set[int]) -> float:
        explained = [bool(hypothesis & set(path)) for path in view.path.tolist()]
        chance = [setting.p_b if one else setting.p_g for one in explained]
        flows = sum(log(p if is_bad else 1 - p) for p, is_bad in zip(chance, bad.tolist(), strict=True))
        return flows + setting.prior * len(hypothesis)

    links = np.flatnonzero(rounds.crossed).tolist()
    found = flock.faulty_links(view, setting)
    hypothesis: set[int] = set()
    for link in found:
        best = max(likelihood(hypothesis | {one}) for one in links)
        assert likelihood(hypothesis | {link}) == pytest.approx(best)
        hypothesis.add(link)
    assert max(likelihood(hypothesis | {one}) for one in links) <= likelihood(hypothesis) + 1e-9


def test_the_packet_model_sees_a_slower_cable(tree: Net) -> None:
    rounds = leaf_rounds(tree, 1, 2)
    broken = Faults({int(rounds.path[-1, 1]): 0.8})
    clean = packet(rounds, Faults(), base="4xFDR10", slow="4xQDR")
    slow = packet(rounds, broken, base="4xFDR10", slow="4xQDR")
    part = (slow / clean)[:, 0]
    on = (rounds.path == next(iter(broken.factor))).any(axis=1)
    assert slower("4xFDR10", "4xQDR") == pytest.approx(0.8)
    assert part[on] == pytest.approx(0.8, abs=0.03)
    assert part[~on].min() > 0.79
