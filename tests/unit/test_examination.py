"""What an examination says of hosts that are cut off, and of cables that a source does not name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import lacis
import pytest
from lacis.facts.verdicts import CablesUnlisted
from lacis.health import cabling_unchecked, examine, hosts_cut_off, rename

if TYPE_CHECKING:
    from pathlib import Path

LEAF_CUT_OFF = ["leaf-01--spine-01", "leaf-01--spine-02"]
"""The cables by which leaf-01 and its two hosts reach the others."""


@pytest.mark.parametrize("unnamed", [(), ("node0001 HCA-1",), ("node0001 HCA-1", "node0002 HCA-1")])
def test_adapters_whose_host_nothing_shows_are_hosts_that_are_cut_off(
    tmp_path: Path, unnamed: tuple[str, ...]
) -> None:
    fabric = lacis.read("fat-tree:4,2")
    if unnamed:
        guids = dict(zip(fabric.descriptions(), fabric.guids(), strict=True))
        lines = [f'0x{guids[name]:016x} "MT4115 ConnectX4 Mellanox Technologies"\n' for name in unnamed]
        (tmp_path / "map").write_text("".join(lines))
        fabric, _ = rename(fabric, tmp_path / "map")
    assert hosts_cut_off(fabric, examine(fabric)) == 0
    cut = fabric.without(LEAF_CUT_OFF)
    assert hosts_cut_off(cut, examine(cut)) == 2


def test_a_switch_alone_lacks_no_list_of_its_cables(tmp_path: Path) -> None:
    assert cabling_unchecked(examine(lacis.read("chain:1:h=0")).summary) is None
    named = [
        f'Switch\t: 0x000000000000000{number} ports 36 "s{number}" enhanced port 0 lid {number} lmc 0\n'
        for number in (1, 2)
    ]
    (tmp_path / "switches").write_text("".join(named))
    assert cabling_unchecked(examine(lacis.read(tmp_path / "switches")).summary) == CablesUnlisted(2)
