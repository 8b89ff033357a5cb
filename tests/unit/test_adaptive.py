"""Static and adaptive routing side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lacis import _core, health
from lacis.documents.fabric import LinksOfRate
from lacis.documents.report import AdaptiveRow, FlowRates
from lacis.fabric.reading import read
from lacis.report import adaptive
from lacis.report.adaptive import HOPS, SEEDS, SIZES, afford, compare, generation, rates_of_switches

from tests.unit.test_single_failures import _Tried

if TYPE_CHECKING:
    from lacis._core import Fabric
    from lacis.documents.report import AdaptiveComparison


def side_by_side(spec: str, *engines: str) -> AdaptiveComparison:
    fabric = read(spec)
    found = compare([_Tried(fabric, name) for name in engines], 2.0, health.examine(fabric), lambda _: None)
    assert found is not None
    return found


@pytest.mark.parametrize("speed", ["SDR", "DDR", "QDR", "FDR10", "FDR"])
def test_old_generations_cannot(speed: str) -> None:
    found = side_by_side(f"fat-tree:4,2:rate=4x{speed}", "minhop")
    assert found.rows == []
    assert found.words == f"Switches of {speed} cannot route adaptively."


def test_omni_path_is_sent_to_its_own_model() -> None:
    found = side_by_side("article", "minhop")
    assert found.rows == []
    assert "--adaptive omni-path" in found.words


def test_a_generation_is_that_of_most_links() -> None:
    rates = [LinksOfRate("4xNDR", 5e10, 3), LinksOfRate("4xHDR", 2.5e10, 9)]
    assert generation(rates).device == "hdr"
    assert "9 of 12 links of switches run at 4xHDR" in generation(rates).about
    assert generation([LinksOfRate("4xXDR", 1e11, 1)]).about.startswith(
        "device ndr of the packet simulator, with the constants of NDR (assumed)"
    )
    assert generation([LinksOfRate("?", None, 4)]).device is None


def _dump(*lines: str) -> Fabric:
    return _core.read_fabric("\n".join(lines).encode())


def test_old_adapters_on_newer_switches_do_not_make_these_old() -> None:
    # Four FDR adapters on each of two EDR switches, joined by two cables.
    lines = []
    for s in (1, 2):
        lines += [f"switchguid=0x{s}", f'Switch 8 "S-{s}" # "sw{s}" base port 0 lid {s} lmc 0']
        lines += [f'[{n}] "H-{s}{n}"[1] # 4xFDR' for n in range(1, 5)]
        lines += [f'[{n}] "S-{3 - s}"[{n}] # 4xEDR' for n in (5, 6)]
        for n in range(1, 5):
            lines += [
                f"caguid=0x{s}{n}",
                f'Ca 1 "H-{s}{n}" # "n{s}{n} HCA-1"',
                f'[1] "S-{s}"[{n}] # lid {s}{n} lmc 0 4xFDR',
            ]
    fabric = _dump(*lines)
    rates = health.examine(fabric).summary.links_by_rate
    found = generation(rates_of_switches(fabric, rates))
    assert (found.device, found.about) == (
        "edr",
        "device edr of the packet simulator: 2 of 2 links of switches run at 4xEDR",
    )


def test_a_deadlock_is_no_rate() -> None:
    rows = [AdaptiveRow("dor", FlowRates(0.0, 0.0, deadlock=True), FlowRates(24.7e9, 24.1e9))]
    sentences = adaptive._sentences(rows, ["dor, static"], 0)
    assert sentences == [
        "dor: deadlock static, 24.7 GB/s a flow adaptive (modelled).",
        "Deadlocks: dor, static: flows wait for each other in a circle for ever.",
    ]
    rows = [AdaptiveRow("dor", FlowRates(2e9, 1e9), FlowRates(3e9, 2e9))]
    [of_rates] = adaptive._sentences(rows, [], 0)
    assert of_rates == (
        "dor: 2.0 GB/s a flow static, 3.0 GB/s a flow adaptive (+50 %); worst flow 1.0 and 2.0 GB/s (modelled)."
    )


def test_of_a_cable_between_two_hosts_nothing_is_said() -> None:
    ends = [
        line
        for a, b in ((1, 2), (2, 1))
        for line in (
            f"caguid=0x{a}",
            f'Ca 1 "H-{a}" # "n{a} mlx5_0"',
            f'[1] "H-{b}"[1] # lid {a} lmc 0 4xHDR',
        )
    ]
    fabric = _dump(*ends)
    assert compare([_Tried(fabric, "minhop")], 0.0, health.examine(fabric), lambda _: None) is None


def test_where_nothing_contends_both_get_the_link_less_headers(monkeypatch: pytest.MonkeyPatch) -> None:
    # Two hosts on one switch exchange messages: a packet of 4096 bytes has a header of 26 in the simulator.
    monkeypatch.setattr(adaptive, "SIZES", (1_000_000,))
    [row] = side_by_side("fat-tree:2,1", "minhop").rows
    for rates in (row.static, row.adaptive):
        assert rates.mean == pytest.approx(25e9 * 4096 / (4096 + 26), rel=0.02)
        assert rates.worst == pytest.approx(rates.mean)
    assert row.static == row.adaptive


def test_adaptive_routing_spreads_what_static_tables_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adaptive, "SIZES", (500_000,))
    found = side_by_side("fat-tree:8,2", "minhop", "eventree")
    first, second = found.rows
    assert first.adaptive.mean > 1.05 * first.static.mean
    assert first.static.worst < first.static.mean
    # One lane, a route for all: adaptive routing never looks at the tables, and indeed it does not.
    assert (
        first.adaptive
        == second.adaptive
        == adaptive._run(
            _core.route(read("fat-tree:8,2"), "eventree"), "hdr", 500_000, SEEDS[-1], "least"
        ).rates
    )
    assert f"500 KB a message, {SEEDS[-1]} seeds" in found.pattern
    assert "OpenSM 3.3.23 has no adaptive routing" in found.words


def test_flows_without_a_route_and_flows_stopped_by_a_deadlock_count_as_zero(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # minhop on a ring deadlocks (see the simulator's tests); updn's automatic roots on itasca lose pairs.
    monkeypatch.setattr(adaptive, "SIZES", (2_000_000,))
    found = side_by_side("ring:8", "minhop")
    assert found.rows[0].static.worst == 0
    assert "Deadlocks: minhop, static" in found.words
    got = adaptive._run(_core.route(read("itasca:67"), "updn"), "itasca", 20_000, 2, "off")
    assert got.rates.worst == 0


def test_large_fabrics_get_shorter_messages_and_the_largest_none() -> None:
    assert afford(8, 4, [True]) == (SIZES[0], SEEDS[-1], 1)
    size, seeds, engines = afford(3675, 5.6, [True, True, False]) or (0, 0, 0)
    assert SIZES[-1] < size < SIZES[0]
    assert (seeds, engines) == (SEEDS[0], 2)
    # Two static runs and an adaptive one, in the dearer hops of a large fabric.
    spent = (2 + adaptive.ADAPTIVE_HOP) * seeds * 3675 * 5.6 * -(-size // 4096) * (1 + 3675 / 2000)
    assert 0.3 * HOPS < spent <= HOPS
    assert afford(500_000, 8, [True]) is None
