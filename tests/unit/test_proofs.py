"""The proofs of tables, among host adapters and among all end nodes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import lacis
import pytest
from lacis import _core
from lacis.advice import outcome

if TYPE_CHECKING:
    from pathlib import Path

    from lacis._core import Routes, Verification


def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The populations that are proved from now on, as they are asked for."""
    asked: list[str] = []

    def verify(routes: Routes, population: str) -> Verification:
        asked.append(population)
        return found(routes, population)

    found = _core.verify
    monkeypatch.setattr(_core, "verify", verify)
    return asked


def test_where_all_end_nodes_are_host_adapters_their_pairs_are_proved_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A ring under minhop: credit loops, so that there is something to be equal.
    fabric = lacis.read("ring:6")
    routes = lacis.route(fabric, "minhop")
    every = outcome._proof(routes, "all")
    asked = counted(monkeypatch)
    hosts, both = outcome.proofs(fabric, routes)
    assert (asked, both) == (["hosts"], every)
    assert hosts.credit_loops
    assert replace(both, forced=hosts.forced) == hosts


def test_aggregation_nodes_are_proved_with_all_others(dgx: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # 542 host adapters and 40 aggregation nodes.
    fabric = lacis.read(dgx)
    asked = counted(monkeypatch)
    hosts, both = outcome.proofs(fabric, lacis.route(fabric, "minhop"))
    assert asked == ["hosts", "all"]
    assert (hosts.pairs, both.pairs) == (542 * 541, 582 * 581)
