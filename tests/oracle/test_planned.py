"""Verdicts on cables, against the real `opareport -T PLAN -o verifylinks` on the same snapshot."""

from __future__ import annotations

import copy
import json
import os
import random
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Lacis

pytestmark = pytest.mark.oracle

VERDICTS = ("missing", "unexpected", "misconnected", "duplicate", "different")
SPECS = ("fat-tree:8,2:rate=4xOPA100", "fat-tree:4,3:rate=4xOPA100", "torus:3x3:rate=4xOPA100")


@pytest.fixture(autouse=True, scope="session")
def oracle_installed() -> None:
    """Skips where FastFabric is not installed; in CI that is a failure."""
    if shutil.which("opareport") is None:
        reason = "no opareport: install the Debian package opa-fastfabric"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)


def opareport(snapshot: Path, plan: Path) -> dict[str, int]:
    words = ["opareport", "-q", "-X", str(snapshot), "-T", str(plan), "-o", "verifylinks"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
    found = re.search(", ".join(rf"(\d+) {verdict.capitalize()}" for verdict in VERDICTS), done.stdout)
    assert found, done.stdout + done.stderr
    return {verdict: int(number) for verdict, number in zip(VERDICTS, found.groups(), strict=True)}


def damage(links: list[ET.Element], draw: random.Random) -> list[ET.Element]:
    """A list of links with some troubles: lost, repeated, swapped, misspelt, told loosely, other rates and ports."""
    out = [copy.deepcopy(link) for link in links]
    for _ in range(draw.randrange(1, 7)):
        one, other = draw.sample(out, 2)
        ends = one.findall("Port")
        end = draw.choice(ends)
        kind = draw.randrange(11)
        if kind == 0:
            out.remove(one)
        elif kind == 1:
            again = copy.deepcopy(one)
            loose = again.findall("Port")[draw.randrange(len(ends))]
            if draw.random() < 0.7 and (told := loose.find("PortNum")) is not None:
                loose.remove(told)  # told less well than the other
            out.insert(draw.randrange(len(out)), again)
        elif kind == 2:
            mine, theirs = one.findall("Port")[-1], other.findall("Port")[-1]
            one.remove(mine)
            other.remove(theirs)
            one.append(theirs)
            other.append(mine)
        elif kind == 3:
            for tag in ("NodeGUID", "PortGUID", "NodeDesc"):
                if (told := end.find(tag)) is not None:
                    told.text = "elsewhere" if tag == "NodeDesc" else "0x00000000deadbeef"
        elif kind == 4:
            for tag in ("NodeGUID", "PortGUID"):
                if (told := end.find(tag)) is not None:
                    told.text = "0x00000000deadbeef"
        elif kind == 5 and (told := end.find("PortNum")) is not None:
            told.text = str(draw.randrange(1, 60))
        elif kind == 6 and (told := one.find("Rate")) is not None:
            told.text = "25g"
        elif kind == 7 and len(ends) == 2:
            one.remove(end)
        elif kind == 8:
            for tag in draw.sample(["NodeGUID", "PortGUID", "PortNum", "NodeDesc"], 2):
                if (told := end.find(tag)) is not None and len(end) > 2:
                    end.remove(told)
        elif kind == 9 and (told := end.find("NodeType")) is not None:
            told.text = "FI" if told.text == "SW" else "SW"
        elif kind == 10 and (told := end.find("NodeDesc")) is not None:
            told.text = f"{told.text}x"
    return out


@pytest.mark.parametrize("spec", SPECS)
def test_opareport_counts_alike(lacis: Lacis, tmp_path: Path, spec: str) -> None:
    draw = random.Random(spec)
    snapshot, plan = tmp_path / "snapshot.xml", tmp_path / "plan.xml"
    whole = tmp_path / "whole.xml"
    assert lacis("route", spec, "-R", "shortestpath", "-o", os.devnull, "--snapshot", snapshot).status == 0
    assert opareport_topology(snapshot, whole) > 0
    for round_ in range(25):
        tree = ET.parse(whole)  # noqa: S314 - our own file
        summary = tree.getroot().find("LinkSummary")
        assert summary is not None
        links = summary.findall("Link")
        for link in links:
            summary.remove(link)
        if round_:
            links = damage(links, draw)
        summary.extend(links)
        tree.write(plan, "utf-8", xml_declaration=True)
        ours = json.loads(lacis("verify", snapshot, "--topology", plan, "--json").out)["counts"]
        ours.pop("as_planned")
        assert ours == opareport(snapshot, plan), f"round {round_}"
        assert round_ or not any(ours.values())


def opareport_topology(snapshot: Path, out: Path) -> int:
    words = ["opareport", "-q", "-X", str(snapshot), "-o", "topology"]
    done = subprocess.run(words, capture_output=True, timeout=60, check=True)
    return out.write_bytes(done.stdout)


def test_what_we_write_opareport_reads(lacis: Lacis, tmp_path: Path) -> None:
    spec = SPECS[0]
    snapshot, plan = tmp_path / "snapshot.xml", tmp_path / "plan.xml"
    cut = ("--without", "leaf-01--spine-01")
    assert lacis("route", spec, *cut, "-R", "fattree", "-o", os.devnull, "--snapshot", snapshot).status == 0
    assert lacis("verify", spec, *cut, "--topology", spec, "--topology-out", plan).status == 1
    assert opareport(snapshot, plan) == {**dict.fromkeys(VERDICTS, 0), "missing": 1}


def test_opaxlattopology_translates_a_table_as_we_do(lacis: Lacis, tmp_path: Path) -> None:
    if shutil.which("opaxlattopology") is None:
        pytest.skip("no opaxlattopology: install the Debian package opa-fastfabric")
    table = tmp_path / "topology.csv"
    table.write_text(
        "Standard-Format Topology\nSource,,,,,,Destination\n"
        "Rack Group,Rack,Name,Name-2,Port,Type,Rack Group,Rack,Name,Name-2,Port,Type,Label,Length,Details,Rate,MTU,Details\n"
        "row1,rack1,host01,gw,,FI,row1,rack1,sw11,,1,SW,host01 sw11P1,1m,Cable CU,100g,8192,\n"
        ",,host02,,,,,,sw12,,2,,host02 sw12P2,1m,Cable CU,,,\n"
        ",,host03 hfi1_1,,1,,,,core1,L101A,3,CL,,,,,,\n"
        ",,sw11,,19,SW,,rack3,core1,L108A,9,CL,sw11P19,1m,,25g,,more\n"
    )
    words = ["opaxlattopology", "-v", "0", "topology.csv", "theirs.xml"]
    subprocess.run(words, cwd=tmp_path, capture_output=True, timeout=60, check=True)
    ours = tmp_path / "ours.xml"
    done = lacis("verify", "fat-tree:4,2", "--topology", table, "--topology-out", ours)
    assert done.status == 2  # none of its names is in that fabric, but it is written
    told = [links(path) for path in (tmp_path / "theirs.xml", ours)]
    assert told[0]
    assert told[0] == told[1]


def links(path: Path) -> list[tuple[str, ...]]:
    """What topology XML says of each link."""
    tags = ("Rate", "MTU", "LinkDetails", "Internal", "CableLength", "CableLabel", "CableDetails")
    ends = ("PortNum", "NodeType", "NodeDesc")
    rows = []
    for link in ET.parse(path).iter("Link"):  # noqa: S314 - our own files
        facts = [next((e.text or "" for e in link.iter(tag)), "") for tag in tags]
        ports = [port.findtext(tag, "") for port in link.findall("Port") for tag in ends]
        rows.append(tuple(fact.strip() for fact in (*facts, *ports)))
    return sorted(rows)
