"""Snapshots, tables and port groups of Omni-Path, judged by the real opareport."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import lacis
import numpy as np
import pytest
from lacis import _core
from lacis.routing.tables import read_tables, write_snapshot
from lacis.sm.engines import OMNI_PATH

from tests.conftest import shared_data

from . import opareport
from .fabrics import FABRICS as DRAWN

Fabric = _core.Fabric

SPECS = (
    "article",
    "diamond",
    "fat-tree:8,2",
    "fat-tree:12,2:taper=2",
    "fat-tree:6,3",
    "pgft:2;6,4;1,3;1,2",
    "pgft:3;4,3,3;1,2,2;1,2,2",
    "itasca:9",
    "dragonfly:2,4,2",
    "torus:4x4",
    "random:16,4,2",
    "ring:6",
)
"""Synthetic fabrics, all of 100g links."""
DRAWINGS = (
    "two-tier-24",
    "two-cables-each",
    "three-cables-each",
    "shuffled-ports",
    "missing-cable",
    "missing-parallel-cable",
    "missing-spine",
    "missing-hosts",
    "uneven-leaves",
    "hosts-on-spines",
    "leaf-to-leaf-cable",
    "two-directors",
    "three-tier-parallel",
    "three-tier-missing-core",
    "three-tier-hosts-above",
    "routers-on-leaves-and-spines",
    "damaged-two-tier-a",
    "damaged-three-tier-b",
    "worn-two-tier-3",
    "worn-three-tier-5",
    "preset-lids",
    "torus-4x4x2-parallel",
)
"""Fabrics drawn without Lacis, turned into Omni-Path."""


def _slowed(fabric: Fabric) -> Fabric:
    """The same with the cables of its first spine on two lanes, which are its leaves' fifth ports."""
    file = json.loads(fabric.to_json())
    for node in file["nodes"]:
        name = node["description"]
        for port in node["ports"]:
            if name == "spine-01" or (name.startswith("leaf") and port["number"] == 5):
                port["rate"] = "2xOPA100"
    return _core.read_fabric(json.dumps(file).encode())


def _dump(name: str) -> Callable[[], Fabric]:
    def read() -> Fabric:
        folder = shared_data()
        if folder is None or not (folder / name).is_file():
            pytest.skip(f"no shared/data/{name} at or above the checkout")
        return lacis.read(folder / name)

    return read


def _spec(spec: str) -> Callable[[], Fabric]:
    rated = (
        spec
        if spec in ("article", "diamond")
        else spec + ("," if spec.count(":") > 1 else ":") + "rate=4xOPA100"
    )
    return lambda: lacis.read(rated)


def _drawn(name: str) -> Callable[[], Fabric]:
    return lambda: _core.read_fabric(DRAWN[name]().text.encode())


SUBJECTS: dict[str, Callable[[], Fabric]] = {
    **{spec: _spec(spec) for spec in SPECS},
    **{name: _drawn(name) for name in DRAWINGS},
    "fat-tree:8,2, six cables less": lambda: _spec("fat-tree:8,2")().edit(["random-cables=6"]),
    "itasca:9, five cables less": lambda: _spec("itasca:9")().edit(["random-cables=5,seed=3"]),
    "fat-tree:8,2, shuffled GUIDs": lambda: _spec("fat-tree:8,2")().shuffle_guids(7),
    "fat-tree:8,2, some cables on two lanes": lambda: _slowed(_spec("fat-tree:8,2")()),
    "opa-1152": lambda: lacis.read("opa-1152"),
    "selene-2021, a fifth of its hosts": lambda: _dump("selene-2021.ibnetdiscover")().edit(
        ["random-hosts=80%"]
    ),
    "dgx-2025": _dump("dgx-2025.ibnetdiscover"),
}
LARGE = {"opa-1152", "selene-2021, a fifth of its hosts", "dgx-2025"}
"""Fabrics on which opareport's search for credit loops takes seconds, or minutes."""


FEW_SWITCHES = 200
"""Above this, opareport's check of all routes takes minutes."""
THOROUGH = {"article", "pgft:2;6,4;1,3;1,2", "two-directors"}


@pytest.fixture(autouse=True, scope="module")
def opareport_installed() -> None:
    """Skips where opareport is not installed; in CI that is a failure."""
    if opareport.missing():
        reason = f"no opareport: install the Debian package {opareport.PACKAGE}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)


def _cases() -> list[tuple[str, str, int]]:
    """Every fabric, with engines and LMC 0 to 2 in turn; some with every engine."""
    cases = []
    for number, name in enumerate(SUBJECTS):
        for position, engine in enumerate(OMNI_PATH):
            if name in THOROUGH or position == number % len(OMNI_PATH):
                cases.append((name, engine, 0 if name in LARGE else (number // 3 + position) % 3))
    return cases


@pytest.mark.parametrize(("name", "engine", "lmc"), _cases())
def test_opareport_says_of_a_snapshot_what_lacis_does(
    name: str, engine: str, lmc: int, tmp_path: Path
) -> None:
    fabric = SUBJECTS[name]()
    routes = lacis.route(fabric, engine, lmc=lmc)
    path = tmp_path / "snapshot.xml"
    write_snapshot(routes, path)
    read = lacis.read(path)
    tables, notes = read_tables(read, path)
    assert not [note for note in (*read.notes, *notes) if note.kind != "uneven_rate"]
    _compare(fabric, routes, path, is_large=name in LARGE)
    if fabric.num_switches <= FEW_SWITCHES:
        assert _by_guid(read, tables) == _by_guid(fabric, routes)
    _compare_routes(read, tables, path, few=name in LARGE)


def _by_guid(fabric: Fabric, routes: _core.Routes) -> dict[int, dict[int, int]]:
    """Port by LID, by switch node GUID."""
    guids = fabric.guids().tolist()
    lids, _ = routes.lids()
    table = routes.table()
    entries = {}
    for switch in range(fabric.num_switches):
        ports = table[switch, lids]
        there = ports != 255
        entries[guids[switch]] = dict(zip(lids[there].tolist(), ports[there].tolist(), strict=True))
    return entries


def _compare(fabric: Fabric, routes: _core.Routes, path: Path, *, is_large: bool) -> None:
    """Everything that opareport counts or lists."""
    guids = fabric.guids().tolist()
    cables = fabric.cables().reshape(-1, 4).tolist()
    count, found = opareport.links(path)
    assert (count, found) == (
        len(cables), {frozenset([(guids[a], p), (guids[b], q)]) for a, p, b, q in cables}
    )  # fmt: skip
    assert opareport.node_counts(path) == (fabric.num_end_nodes, fabric.num_switches)
    if fabric.num_switches > FEW_SWITCHES:
        return

    assert opareport.linear(path) == _by_guid(fabric, routes)
    theirs = opareport.port_groups(path)
    for switch, (masks, groups) in enumerate(routes.port_groups()):
        ports, by_lid = theirs[guids[switch]]
        assert ports == {
            number: {p + 1 for p in range(64) if mask >> p & 1} for number, mask in enumerate(masks.tolist())
        }
        assert by_lid == {lid: group for lid, group in enumerate(groups.tolist()) if group != 255}

    verified = _core.verify(routes, "all", switches=True)
    analysed, incomplete = opareport.validate_routes(path)
    failed = sum(n for verdict, n in verified.verdicts.items() if verdict != "delivered")
    assert incomplete == failed
    assert analysed == verified.pairs

    _, errors = opareport.validate_port_groups(path)
    assert errors == []
    if not is_large:
        between_hosts = _core.verify(routes, "all")
        if not _has_two_ports(fabric):
            assert opareport.has_credit_loop(path) == bool(between_hosts.credit_loops)
        _compare_usage(fabric, between_hosts, path)


def _has_two_ports(fabric: Fabric) -> bool:
    """Whether an adapter has several cables: opareport's search for credit loops assumes one port."""
    ends = fabric.cables().reshape(-1, 2)[:, 0]
    return bool((np.bincount(ends, minlength=fabric.num_switches + 1)[fabric.num_switches :] > 1).any())


def _compare_usage(fabric: Fabric, verified: _core.Verification, path: Path) -> None:
    """Routes between adapters over the ports of switches."""
    guids = fabric.guids()
    nodes, ports, flows = verified.loads()
    ours = {
        (int(guids[node]), port): sent
        for node, port, sent in zip(nodes.tolist(), ports.tolist(), flows.tolist(), strict=True)
    }
    theirs = opareport.path_usage(path)
    assert {end: usage.sent for end, usage in theirs.items() if end in ours} == ours


def _compare_routes(fabric: Fabric, routes: _core.Routes, path: Path, *, few: bool) -> None:
    """The layout of `opareport -o route`, with each of its selectors."""
    rng = np.random.default_rng(1)
    lids, owners = routes.lids()
    names = fabric.descriptions()
    hosts = range(fabric.num_switches, len(names))
    one, two = (int(lid) for lid in rng.choice(lids, 2))
    first, last = names[hosts[0]], names[hosts[-1]]
    pairs = [
        (f"lid:{one}", f"lid:0x{two:x}"),
        (f"node:{first}:port:1", f"nodepat:{last}:port:1"),
    ]
    if not few:
        pairs += [
            (f"portguid:0x{int(owners[0]):x}", f"portguid:0x{int(owners[-1]):016x}"),
            (f"nodeguid:0x{int(fabric.guids()[0]):x}", f"node:{last}"),
            (f"nodepat:{first[:4]}*", f"lid:{one}:node"),
        ]
    for source, target in pairs:
        assert _core.routes_report(routes, source, target) == opareport.route(path, source, target)


def test_what_opareport_writes_is_read(tmp_path: Path) -> None:
    """`opareport -o snapshot` of a snapshot, with its additions: texts, tables of lanes, and so on."""
    fabric = lacis.read("pgft:2;6,4;1,3;1,2:rate=4xOPA100")
    routes = lacis.route(fabric, "fattree", lmc=1)
    first, second = tmp_path / "first.xml", tmp_path / "second.xml"
    write_snapshot(routes, first)
    second.write_text(opareport.run(first, "-o", "snapshot"))
    one, two = lacis.read(first), lacis.read(second)
    assert two.notes == []
    assert one.to_json() == two.to_json()
    assert (read_tables(one, first)[0].table() == read_tables(two, second)[0].table()).all()


def test_broken_tables_are_found_by_both(tmp_path: Path) -> None:
    """Entries that lead nowhere, in a circle, or to another host."""
    fabric = lacis.read("fat-tree:8,2:rate=4xOPA100")
    whole = lacis.route(fabric, "shortestpath")
    rng = np.random.default_rng(3)
    broken = 0
    for seed in range(4):
        table = whole.table().copy()
        for _ in range(1 + 4 * seed):
            switch, lid = rng.integers(fabric.num_switches), rng.integers(1, table.shape[1])
            table[switch, lid] = rng.choice([1, 2, 5, 6, 7, 255])
        routes = whole.with_table(table)
        path = tmp_path / f"{seed}.xml"
        write_snapshot(routes, path)
        verified = _core.verify(routes, "all", switches=True)
        failed = verified.pairs - verified.verdicts["delivered"]
        broken += failed > 0
        assert opareport.validate_routes(path) == (verified.pairs, failed)
        read = lacis.read(path)
        tables, _ = read_tables(read, path)
        lids, _ = tables.lids()
        for source, target in rng.choice(lids, (12, 2)).tolist():
            pair = (f"lid:{source}", f"lid:{target}")
            assert _core.routes_report(tables, *pair) == opareport.route(path, *pair)

    assert broken > 1


def test_lids_beyond_infiniband_pass_through_opareport(tmp_path: Path) -> None:
    fabric = lacis.read("article")
    path = tmp_path / "snapshot.xml"
    write_snapshot(lacis.route(fabric), path)
    text = path.read_text()
    for old, new in (("0x8", "0x10008"), ("0x7", "0x10007")):
        text = text.replace(f"LID>{old}<", f"LID>{new}<").replace(f'LID="{old}"', f'LID="{new}"')
    text = text.replace("FDBSize>8192", "FDBSize>131072").replace("<LinearFDBTop>8", "<LinearFDBTop>65544")
    path.write_text(text)
    read = lacis.read(path)
    tables, notes = read_tables(read, path)
    assert notes == []
    assert opareport.validate_routes(path) == (56, 0)
    # It prints 16 bits of such a LID, and looks for the route to that.
    assert "DLID: 0x00010008" in _core.routes_report(tables, "lid:1", "lid:0x10008")
    assert lacis.route(read, "fattree").lids()[0].max() == 0x10008
