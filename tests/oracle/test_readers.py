"""Lists of links and nodes that infiniband-diags prints on a simulated fabric read as the output of `ibnetdiscover`."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import lacis
import pytest
from lacis import _core

from . import opensm
from .fabrics import FABRICS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.oracle

NAMES = ("two-tier-24", "three-tier-parallel", "routers-on-leaves-and-spines", "preset-lids", "torus-4x4")

Cables = set[tuple[str, int, str, int]]


@pytest.fixture(params=NAMES)
def tool(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[object]:
    """Runs a program on a subnet that OpenSM has brought up; its output."""
    subject = FABRICS[request.param]()
    with opensm.subnet(subject.text, tmp_path) as env:
        env["SIM_HOST"] = subject.idents[0]
        opensm.sweep(tmp_path, env, "minhop")

        def run(*words: str) -> bytes:
            program = opensm.program(words[0])
            assert program, f"{words[0]} is not installed (Debian package infiniband-diags)"
            return subprocess.run(
                [program, *words[1:]], cwd=tmp_path, env=env, capture_output=True, timeout=60, check=True
            ).stdout

        yield run


def cables(fabric: _core.Fabric) -> Cables:
    """Names and port numbers of both ends; end nodes by their names, which are unique here."""
    names = fabric.descriptions()
    both = ((names[a], p, names[b], q) for a, p, b, q in fabric.cables().reshape(-1, 4).tolist())
    return {min((a, p, b, q), (b, q, a, p)) for a, p, b, q in both}


def lids(fabric: _core.Fabric, sm: str) -> dict[int, int]:
    """LIDs by port GUID, as the source has them and a manager with nothing to change would keep them."""
    routes = _core.route(fabric, "minhop", sm=sm)
    owned, guids = routes.lids()
    return dict(zip(guids.tolist(), owned.tolist(), strict=True))


def kinds(fabric: _core.Fabric) -> set[tuple[str, str]]:
    return set(zip(fabric.descriptions(), fabric.kinds(), strict=True))


def kind_given(kind: str, words: tuple[str, ...]) -> str:
    """`--line` has no kinds of node."""
    return "adapter" if kind == "router" and "--line" in words else kind


@pytest.mark.parametrize(
    "words", [("ibnetdiscover", "-p"), ("iblinkinfo",), ("iblinkinfo", "--line")], ids=" ".join
)
def test_lists_of_links_are_the_fabric(tool, words: tuple[str, ...]) -> None:  # type: ignore[no-untyped-def]
    whole = _core.read_fabric(tool("ibnetdiscover"))
    listed = _core.read_fabric(tool(*words))
    assert listed.num_switches == whole.num_switches
    assert cables(listed) == cables(whole)
    # A router with two ports is two nodes there.
    assert kinds(listed) == {(name, kind_given(kind, words)) for name, kind in kinds(whole)}
    manager = whole.descriptions()[whole.kinds().index("adapter")]
    assert lids(listed, manager) == lids(whole, manager)


def test_lists_of_nodes_name_them_all(tool) -> None:  # type: ignore[no-untyped-def]
    whole = _core.read_fabric(tool("ibnetdiscover"))
    names = {}
    for flag in "SHRl":
        text = tool("ibnetdiscover", f"-{flag}")
        names[flag] = sorted(_core.read_fabric(text).descriptions()) if text else []
    assert names["l"] == sorted(whole.descriptions()) == sorted(names["S"] + names["H"] + names["R"])
    assert names["S"] == sorted(whole.descriptions()[: whole.num_switches])


def test_what_opensm_leaves_in_its_folder_is_the_fabric_and_its_tables(tool, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    whole = _core.read_fabric(tool("ibnetdiscover"))
    listed = _core.read_fabric((tmp_path / "opensm-subnet.lst").read_bytes())
    assert whole.source_difference(listed) == ([], [], [], [], [])
    # Nodes without a cable are not in the list; here all have one.
    assert kinds(listed) == kinds(whole)
    assert sorted(listed.guids().tolist()) == sorted(whole.guids().tolist())
    rates = [sorted(zip(*_named_rates(fabric), strict=True)) for fabric in (whole, listed)]
    assert rates[0] == rates[1]
    dumped = (tmp_path / "opensm-lfts.dump").read_bytes()
    routes = (tmp_path / "opensm.fdbs").read_bytes()
    expected = _text(whole, dumped)
    assert _text(listed, dumped) == expected
    assert _text(whole, routes) == expected
    assert _text(listed, routes) == expected


def _named_rates(fabric: _core.Fabric) -> tuple[list[str], list[int]]:
    """The rate of each cable, counted."""
    names, numbers = fabric.cable_rates()
    counted = [numbers.tolist().count(number) for number in range(len(names))]
    return list(names), counted


def _text(fabric: _core.Fabric, tables: bytes) -> bytes:
    """Tables as OpenSM writes them."""
    pieces: list[bytes] = []
    routes, _ = _core.read_lfts(fabric, tables)
    routes.dump(pieces.append)
    return b"".join(pieces)


def test_counters_that_ibqueryerrors_prints_are_those_that_were_set(tmp_path: Path) -> None:
    from .daemon import daemon

    subject = FABRICS["two-tier-24"]()
    with daemon(subject.text, "minhop", sm=subject.idents[0]) as running:
        running.first()
        whole = _core.read_fabric(_output(running.env, tmp_path, "ibnetdiscover"))
        node, port = next(
            (node, port)
            for node, port, *_ in whole.cables().reshape(-1, 4).tolist()
            if node < whole.num_switches
        )
        ident = f"S-{whole.guids()[node]:016x}"
        running._simulate(f'PerformanceSet "{ident}"[{port}] PortCounters.SymbolErrorCounter=77')
        running._simulate(f'PerformanceSet "{ident}"[{port}] PortCounters.LinkDownedCounter=13')
        counted = whole.counted(_output(running.env, tmp_path, "ibqueryerrors"))
    rows, *_ = counted.error_growth(whole.counted(b"## Summary: 1 nodes checked\n"))
    # The earlier reading has no port: what it leaves out is not known to be clean.
    assert rows == []
    assert counted.counters[0] == 1
    codes = [finding.code for finding in lacis.examine(counted).findings]
    assert "PORT_ERRORS" in codes


def _output(env: dict[str, str], workdir: Path, name: str) -> bytes:
    program = opensm.program(name)
    assert program, f"{name} is not installed (Debian package infiniband-diags)"
    return subprocess.run([program], cwd=workdir, env=env, capture_output=True, timeout=60, check=True).stdout
