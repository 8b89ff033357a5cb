"""What links do, as `lacis counters` reads it from ibsim: beside smpquery, and when cables go and lanes are lost."""

from __future__ import annotations

import json
import random
import re
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from . import nets
from .subnets import FABRICS, MANY, as_simulated, cabled, counters, managed, program, run, soak, sweeps_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from .daemon import Daemon

pytestmark = pytest.mark.oracle

SPEED_OF = {
    "2.5 Gbps": "SDR",
    "5.0 Gbps": "DDR",
    "10.0 Gbps": "QDR",
    "14.0625 Gbps": "FDR",
    "25.78125 Gbps": "EDR",
    "53.125 Gbps": "HDR",
}
"""As iblinkinfo prints speeds, and their names."""
STATE_OF = {"Active": "active", "Initialize": "init", "Armed": "armed", "Down": "down"}
PHYSICAL_OF = {"LinkUp": "up", "Polling": "polling", "Disabled": "disabled"}


def links_of(done: subprocess.CompletedProcess[str]) -> dict[tuple[int, int], tuple[str, str, str | None]]:
    """State, physical state and rate of each port in the output of `lacis counters --json`."""
    rows: list[dict[str, Any]] = json.loads(done.stdout)["ports"]
    return {
        (int(row["guid"], 16), row["port"]): (row["state"], row["physical"], row.get("rate")) for row in rows
    }


def smpqueried(
    d: Daemon, fabric: Path, ports: Iterable[tuple[int, int]]
) -> dict[tuple[int, int], tuple[str, str, str | None]]:
    """The same as smpquery prints it, by the LIDs of the fabric."""
    text = fabric.read_text()
    lids = {
        int(guid, 16): lid
        for guid, lid in re.findall(r'^Switch\s+\d+ "S-([0-9a-f]+)".* lid (\d+) ', text, re.M)
    }
    for block in re.findall(r"^caguid=0x([0-9a-f]+)\n(.*?)(?:\n\n|\Z)", text, re.M | re.S):
        lids |= {int(block[0], 16): lid for lid in re.findall(r"^\[1\].*?# lid (\d+)", block[1], re.M)[:1]}
    found: dict[tuple[int, int], tuple[str, str, str | None]] = {}
    for guid, port in ports:
        said = run(d, program("smpquery"), "portinfo", lids[guid], str(port)).stdout
        value = dict(re.findall(r"^(\w+):\.+(.*)$", said, re.M))
        extended = value.get("LinkSpeedExtActive", "No Extended Speed")
        speed = value["LinkSpeedActive"] if extended.startswith("No ") else extended
        is_up = value["LinkState"] != "Down"
        rate = f"{value['LinkWidthActive'].lower()}{SPEED_OF[speed]}" if is_up else None
        found[guid, port] = STATE_OF[value["LinkState"]], PHYSICAL_OF[value["PhysLinkState"]], rate
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", FABRICS)
def test_every_link_is_what_smpquery_says_of_it(name: str) -> None:
    net = FABRICS[name]()
    with managed(net.text()) as (d, fabric):
        done = counters(d, str(fabric), "--json")
        found = links_of(done)
        # The LID of a second port of an adapter is not that of its node.
        firsts = [end for end in found if end[1] == 1 or end[0] in {node.guid for node in net.switches()}]
        expected = smpqueried(d, fabric, firsts)
    assert done.returncode == 0, done.stderr
    assert len(found) == len(cabled(net))
    assert {end: found[end] for end in firsts} == expected
    assert {state for state, _, _ in found.values()} == {"active"}


@pytest.mark.slow
@soak
@pytest.mark.parametrize("name", MANY)
def test_links_of_many_fabrics_are_what_smpquery_says_of_them(name: str) -> None:
    with managed(as_simulated(name), life_s=900) as (d, fabric):
        done = counters(d, str(fabric), "--json")
        found = links_of(done)
        own = {int(guid, 16) for guid in re.findall(r"^switchguid=0x([0-9a-f]+)", fabric.read_text(), re.M)}
        asked = random.Random(name).sample([end for end in sorted(found) if end[0] in own or end[1] == 1], 40)
        expected = smpqueried(d, fabric, asked)
    assert done.returncode == 0, done.stderr
    assert {end: found[end] for end in asked} == expected


@pytest.mark.slow
def test_a_link_that_goes_down_and_back_and_one_that_loses_lanes_are_seen_in_the_next_sweep(
    tmp_path: Path,
) -> None:
    net = nets.tree2(3, 2, 2, seed=5)
    leaf, host = net.nodes["l1"], net.nodes["l1-h0"]
    port = next(port for port, (far, _) in leaf.cables.items() if far == "l1-h0")
    up = next(port for port, (far, _) in leaf.cables.items() if net.nodes[far].is_switch)
    spine, into = leaf.cables[up]
    out = tmp_path / "sweeps.jsonl"
    with managed(net.text()) as (d, fabric):
        lid = re.search(rf'"S-{leaf.guid:016x}".* lid (\d+) ', fabric.read_text())
        assert lid
        words = (str(fabric), "--every", "300ms", "--timeout", "50ms", "--json", "-o", str(out))
        with sweeps_of(d, *words) as (_, printed):

            def after(change: Callable[[], object]) -> dict[tuple[int, int], Any]:
                """The rows of a sweep that began after a change."""
                change()
                now = time.time_ns()
                while (sweep := json.loads(printed.readline()))["started"] < now:
                    pass
                return {(int(row["guid"], 16), row["port"]): row for row in sweep["ports"]}

            first = after(lambda: None)
            cut = after(lambda: d.unlink(host.ident, 1))
            back = after(lambda: d.relink(host.ident, 1))
            narrow = after(lambda: run(d, program("ibportstate"), lid[1], str(up), "width", "1"))
    near, trunk = (leaf.guid, port), (leaf.guid, up)
    rate = first[near]["rate"]
    assert first[near]["state"] == first[host.guid, 1]["state"] == "active"
    assert (cut[near]["state"], cut[near].get("rate")) == ("down", None)
    assert (host.guid, 1) not in cut
    # ibsim leaves it to the manager, which does not sweep here, to activate what has come back.
    assert (back[near]["state"], back[near]["rate"]) == ("init", rate)
    assert narrow[trunk]["rate"] == rate.replace("4x", "1x")
    happened = {
        (int(row["guid"], 16), row["port"], word)
        for line in out.read_text().splitlines()
        for row in json.loads(line)["ports"]
        for word in row.get("link", ())
    }
    assert {(*near, "went_down"), (*near, "came_up"), (*trunk, "slower")} <= happened
    assert {end[:2] for end in happened} <= {near, (host.guid, 1), trunk, (net.nodes[spine].guid, into)}
