"""The real OpenSM and infiniband-diags read what Lacis writes, and the reverse."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import lacis
import numpy as np
import pytest
from lacis import _core

from ..conftest import Lacis
from . import opensm
from .compare import lid_ranges
from .fabrics import FABRICS

pytestmark = pytest.mark.oracle

NAMES = (
    "two-tier-24",
    "missing-cable",
    "preset-lids-all",
    "three-tier-shuffled-ports",
    "torus-4x4",
    "itasca:9",
)


@pytest.fixture(params=NAMES)
def net(request: pytest.FixtureRequest) -> str:
    """The net file of a fabric."""
    return FABRICS[request.param]().text


def manager(net: str) -> str:
    """Identifier of the first end node, where Lacis assumes the subnet manager by default."""
    found = re.search(r'^Ca\s+\d+\s+"([^"]+)"', net, re.M)
    assert found
    return found[1]


def entries(routes: lacis.Routes) -> opensm.Tables:
    """Lacis' tables as the oracle's parser gives OpenSM's."""
    guids = routes.fabric.guids().tolist()
    return {
        guids[s]: {int(lid): int(row[lid]) for lid in np.flatnonzero(row != 255)}
        for s, row in enumerate(routes.table())
    }


@pytest.fixture
def dump(tmp_path: Path, net: str, lacis: Lacis) -> Path:
    """Tables of up*/down* with two roots, other than OpenSM's, written by `lacis route`."""
    fabric = _core.read_fabric(net.encode())
    (tmp_path / "fabric.net").write_text(net)
    (tmp_path / "roots").write_text("".join(f"0x{g:016x}\n" for g in fabric.guids()[1:3].tolist()))
    out = tmp_path / "tables.lfts"
    result = lacis("route", tmp_path / "fabric.net", "-R", "updn", "-a", tmp_path / "roots", "-z", "-o", out)
    assert result.status == 0, result.err
    return out


def load(net: str, dump: Path) -> opensm.Outcome:
    """OpenSM's results with the dump."""
    return opensm.run(net, "file", ["-U", "@given"], sm=manager(net), files={"given": dump.read_text()})


def test_opensm_loads_our_dump_and_its_own_dump_says_the_same(net: str, dump: Path) -> None:
    ours, _ = opensm.parse_tables(dump.read_text())
    loaded = load(net, dump)
    assert loaded.engine == "file"
    assert loaded.tables == ours
    # It would have made other tables.
    assert opensm.run(net, "minhop", sm=manager(net)).tables != ours


def test_opensms_dump_of_our_tables_is_our_dump_to_the_byte(net: str, dump: Path) -> None:
    loaded = load(net, dump)
    assert loaded.dump == dump.read_text()


def test_opensm_with_our_lid_cache_keeps_our_lids(tmp_path: Path, net: str, lacis: Lacis) -> None:
    file, cache = tmp_path / "fabric.net", tmp_path / "guid2lid"
    file.write_text(net)
    # Assigned for a manager on the last node: a manager elsewhere would choose others.
    last = _core.read_fabric(net.encode()).guids()[-1]
    assert lacis("route", file, "--fresh-lids", "--sm", f"0x{last:016x}", "--guid2lid", cache).status == 0
    assigned = opensm.parse_guid2lid(cache.read_text())
    kept = opensm.run(net, "minhop", guid2lid=cache.read_text())
    assert kept.lids == assigned
    assert opensm.run(net, "minhop", ["-r"]).lids != assigned
    # The same lines; OpenSM's order is that of a hash table.
    assert sorted(kept.guid2lid.split("\n\n")) == sorted(cache.read_text().split("\n\n"))


def test_fresh_lids_are_those_of_opensm_r(net: str) -> None:
    routes = lacis.route(_core.read_fabric(net.encode()), "minhop", sm=manager(net), fresh_lids=True)
    theirs = opensm.run(net, "minhop", ["-r"], sm=manager(net))
    assert lid_ranges(routes) == theirs.lids


def test_our_reader_takes_opensms_dump_back(tmp_path: Path, net: str) -> None:
    theirs = opensm.run(net, "updn")
    file = tmp_path / "opensm-lfts.dump"
    file.write_text(theirs.dump)
    routes, notes = lacis.read_tables(_core.read_fabric(net.encode()), file)
    # Where the net file has a LID twice, the dump has another for one of the two; nothing else is odd.
    assert [note for note in notes if note.kind != "disagreement"] == []
    assert entries(routes) == theirs.tables
    assert lid_ranges(routes) == theirs.lids


@pytest.fixture
def live(tmp_path: Path, net: str, dump: Path) -> Iterator[dict[str, str]]:
    """A simulated subnet on which OpenSM has loaded our tables."""
    with opensm.subnet(net, tmp_path) as env:
        env["SIM_HOST"] = manager(net)
        opensm.sweep(tmp_path, env, "file", ["-U", str(dump)])
        yield env


def test_dump_lfts_reads_our_tables_off_the_switches(
    tmp_path: Path, net: str, dump: Path, live: dict[str, str]
) -> None:
    done = subprocess.run(
        ["/usr/sbin/dump_lfts"],
        cwd=tmp_path,
        env=live,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    file = tmp_path / "dump_lfts.txt"
    file.write_text(done.stdout)
    ours, _ = opensm.parse_tables(dump.read_text())
    routes, _ = lacis.read_tables(_core.read_fabric(net.encode()), file)
    assert entries(routes) == ours
    # And by hand: every "0xLID PORT" line below the heading that names a switch.
    by_hand: opensm.Tables = {}
    for line in done.stdout.splitlines():
        if line.startswith("Unicast lids"):
            table = by_hand.setdefault(int(line.partition("guid ")[2].split()[0], 16), {})
        elif line.startswith("0x"):
            lid, port = line.split()[:2]
            table[int(lid, 16)] = int(port)
    assert by_hand == ours


def test_json_says_which_engines_refused(tmp_path: Path, lacis: Lacis) -> None:
    file = tmp_path / "fabric.net"
    file.write_text(FABRICS["missing-cable"]().text)
    theirs = opensm.run(file.read_text(), "ftree")
    result = lacis("route", file, "-R", "ftree", "--json")
    answer = json.loads(result.out)
    assert next(iter(answer)) == "schema"
    assert answer["schema"] == "lacis.route/1"
    assert (
        (answer["engine_requested"], answer["engine_used"]) == ("ftree", theirs.engine) == ("ftree", "minhop")
    )
    assert [r["engine"] for r in answer["refusals"]] == list(theirs.failed)
    assert answer["lids"] == len(theirs.lids)
    assert answer["unrouted"] == len(theirs.tables) * len(theirs.lids) - sum(map(len, theirs.tables.values()))
    assert "OpenSM would fall back to minhop and say so only in its log" in result.err
