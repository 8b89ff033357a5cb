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
    """A list of links with some faults: lost, repeated, swapped, misspelt or incomplete ones, other rates and ports."""
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
            if draw.random() < 0.7 and (element := loose.find("PortNum")) is not None:
                loose.remove(element)  # described by less than the other
            out.insert(draw.randrange(len(out)), again)
        elif kind == 2:
            own, theirs = one.findall("Port")[-1], other.findall("Port")[-1]
            one.remove(own)
            other.remove(theirs)
            one.append(theirs)
            other.append(own)
        elif kind == 3:
            for tag in ("NodeGUID", "PortGUID", "NodeDesc"):
                if (element := end.find(tag)) is not None:
                    element.text = "elsewhere" if tag == "NodeDesc" else "0x00000000deadbeef"
        elif kind == 4:
            for tag in ("NodeGUID", "PortGUID"):
                if (element := end.find(tag)) is not None:
                    element.text = "0x00000000deadbeef"
        elif kind == 5 and (element := end.find("PortNum")) is not None:
            element.text = str(draw.randrange(1, 60))
        elif kind == 6 and (element := one.find("Rate")) is not None:
            element.text = "25g"
        elif kind == 7 and len(ends) == 2:
            one.remove(end)
        elif kind == 8:
            for tag in draw.sample(["NodeGUID", "PortGUID", "PortNum", "NodeDesc"], 2):
                if (element := end.find(tag)) is not None and len(end) > 2:
                    end.remove(element)
        elif kind == 9 and (element := end.find("NodeType")) is not None:
            element.text = "FI" if element.text == "SW" else "SW"
        elif kind == 10 and (element := end.find("NodeDesc")) is not None:
            element.text = f"{element.text}x"
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


REPORTS = {
    "FIs": "adapters",
    "SWs": "switches",
    "SMs": "managers",
    "Links": "all",
    "External Links": "external",
    "FI Links": "hosts",
    "Inter-Switch Links": "between_switches",
    "External Inter-Switch Links": "external_between_switches",
}
"""opareport's names of reports, and ours."""
OPTIONS = ("fis", "sws", "sms", "links", "extlinks", "filinks", "islinks", "extislinks")


def opareports(snapshot: Path, plan: Path) -> dict[str, dict[str, int]]:
    """Counts of all opareport's reports that compare with a plan."""
    words = ["opareport", "-q", "-X", str(snapshot), "-T", str(plan)]
    words += [word for option in OPTIONS for word in ("-o", f"verify{option}")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
    parts = re.split(r"^(\S.*) Topology Verification$", done.stdout, flags=re.M)[1:]
    found = {}
    for name, text in zip(parts[::2], parts[1::2], strict=True):
        [line] = re.findall(r"^\d+ Missing, .*$", text, re.M)
        counts = re.findall(r"(\d+) (\w+)", line)
        found[REPORTS[name]] = {verdict.lower(): int(number) for number, verdict in counts}
    assert set(found) == set(REPORTS.values()), done.stdout + done.stderr
    return found


def change(snapshot: Path, draw: random.Random) -> None:
    """Ports that are not active or have a lower MTU, switches of one system, a second manager."""
    text = snapshot.read_text()
    ports = text.split("<PortInfo ")
    for part in draw.sample(range(1, len(ports)), 4):
        ports[part] = ports[part].replace("<PortState_Int>4<", f"<PortState_Int>{draw.choice([2, 3])}<", 1)
    for part in draw.sample(range(1, len(ports)), 6):
        ports[part] = ports[part].replace("<MTUSupported>10240<", "<MTUSupported>4096<", 1)
    text = "<PortInfo ".join(ports)
    # The first switch and those next to it are a director.
    switches = [node for node in text.split("<Node ") if "<NodeType_Int>2<" in node]
    [first, *others] = [re.findall(r"<SystemImageGUID>(\S+?)<", node)[0] for node in switches]
    for other in others[: len(others) // 2]:
        text = text.replace(f"<SystemImageGUID>{other}<", f"<SystemImageGUID>{first}<")
    manager = text[text.index("<SM ") : text.index("</SMs>")]
    guids = re.findall(r"<GUID>(0x0*[1-9a-f]\S*?)<", text)
    second = re.sub(r"<PortGUID>.*<", f"<PortGUID>{draw.choice(guids)}<", manager).replace("Int>3", "Int>2")
    snapshot.write_text(text.replace("</SMs>", second + "</SMs>"))


def damage_nodes(root: ET.Element, draw: random.Random) -> None:
    """Nodes and managers lost, repeated, misspelt, in the wrong list; links with an MTU, or marked as internal."""
    lists = {name: root.find(f"Nodes/{name}") for name in ("FIs", "Switches", "SMs")}
    for _ in range(draw.randrange(1, 8)):
        name, section = draw.choice(list(lists.items()))
        assert section is not None
        item = "SM" if name == "SMs" else "Node"
        nodes = section.findall(item)
        node = draw.choice(nodes)
        kind = draw.randrange(6)
        if kind == 0 and len(nodes) > 1:
            section.remove(node)
        elif kind == 1:
            section.append(copy.deepcopy(node))
        elif kind == 2:
            for tag in draw.sample(["NodeGUID", "NodeDesc", "PortGUID", "PortNum"], 2):
                element = node.find(tag)
                if element is not None and node.find("NodeDesc") is not None and tag != "NodeDesc":
                    node.remove(element)
        elif kind == 3:
            for element in node.findall("NodeDesc"):
                element.text = f"{element.text}x"
        elif kind == 4:
            for element in node.findall("NodeGUID"):
                element.text = "0x00000000deadbeef"
        elif kind == 5 and name != "SMs":
            other = lists["Switches" if name == "FIs" else "FIs"]
            assert other is not None
            if len(nodes) > 1:
                section.remove(node)
            other.append(node)
        else:
            for element in node.findall("PortNum"):
                element.text = str(draw.randrange(4))
    for link in draw.sample(root.findall("LinkSummary/Link"), 12):
        ET.SubElement(link, "MTU").text = draw.choice(["10240", "8192", "4096"])
        for element in link.findall("Internal"):
            element.text = draw.choice(["0", "1"])


@pytest.mark.parametrize("spec", SPECS)
def test_opareport_counts_nodes_managers_kinds_and_attributes_alike(
    lacis: Lacis, tmp_path: Path, spec: str
) -> None:
    draw = random.Random(spec)
    snapshot, plan, whole = (tmp_path / name for name in ("snapshot.xml", "plan.xml", "whole.xml"))
    assert lacis("route", spec, "-R", "shortestpath", "-o", os.devnull, "--snapshot", snapshot).status == 0
    assert opareport_topology(snapshot, whole) > 0
    change(snapshot, draw)
    for round_ in range(12):
        tree = ET.parse(whole)  # noqa: S314 - our own file
        root = tree.getroot()
        damage_nodes(root, draw)
        if round_ % 2:
            summary = root.find("LinkSummary")
            assert summary is not None
            links = summary.findall("Link")
            for link in links:
                summary.remove(link)
            summary.extend(damage(links, draw))
        tree.write(plan, "utf-8", xml_declaration=True)
        ours = json.loads(lacis("verify", snapshot, "--topology", plan, "--json").out)
        counts = {name: row["counts"] for name, row in ours["lists"].items()}
        counts |= ours["counts_by_kind"] | {"all": ours["counts"]}
        for row in counts.values():
            row.pop("as_planned")
        assert counts == opareports(snapshot, plan), f"round {round_}"


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


HEAD = (
    "Standard-Format Topology\nSource,,,,,,Destination\n"
    "Rack Group,Rack,Name,Name-2,Port,Type,Rack Group,Rack,Name,Name-2,Port,Type,Label,Length,Details,Rate,MTU,Details\n"
    "row1,rack1,host01,gw,,FI,row1,rack1,sw11,,1,SW,host01 sw11P1,1m,Cable CU,100g,8192,\n"
    ",,host02,,,,,,sw12,,2,,host02 sw12P2,1m,Cable CU,,,\n"
    ",,host03 hfi1_1,,1,,,,core1,L101A,3,CL,,,,,,\n"
    ",,sw11,,19,SW,,rack3,core1,L103A,9,CL,sw11P19,1m,,25g,,more\n"
)
CORE = "Core Name:{},Core Group:row1,Core Rack:rack3,Core Size:{},Core Full:{}\n"


@pytest.mark.parametrize(
    ("tail", "chips"),
    [
        pytest.param("", 0, id="no director"),
        pytest.param(CORE.format("core1", 288, 1), 18, id="full"),
        pytest.param(CORE.format("core1", 1152, 1), 72, id="full, large"),
        # Two leaf chips are in the list; each has cables to all six spines.
        pytest.param(CORE.format("core1", 288, 0), 8, id="leaves that are led to"),
        pytest.param(
            CORE.format("core1", 1152, 0) + CORE.format("core2", 288, 1) + "\n\nSM,host01,sw11:0\n",
            26 + 18,
            id="two directors, managers",
        ),
        pytest.param(
            CORE.format("core1", 1152, 0)
            + "\nPresent Leaves\nCore Name:core1,L105,L106A\n\nOmitted Spines\nCore Name:core1,S203,S204B\n",
            # Leaf boards 101, 103 and 105 with two chips each, a chip of 106; 24 spine chips less three.
            7 + 21,
            id="present and omitted boards",
        ),
    ],
)
def test_opaxlattopology_translates_a_table_as_we_do(
    lacis: Lacis, tmp_path: Path, tail: str, chips: int
) -> None:
    if shutil.which("opaxlattopology") is None:
        pytest.skip("no opaxlattopology: install the Debian package opa-fastfabric")
    table = tmp_path / "topology.csv"
    table.write_text(f"{HEAD}\n{tail}")
    words = ["opaxlattopology", "-v", "0", "topology.csv", "theirs.xml"]
    subprocess.run(words, cwd=tmp_path, capture_output=True, timeout=60, check=True)
    theirs, ours = tmp_path / "theirs.xml", tmp_path / "ours.xml"
    done = lacis("verify", "fat-tree:4,2", "--topology", table, "--topology-out", ours)
    assert done.status == 2  # none of its names is in that fabric, but the file is written
    assert links(theirs)
    assert links(theirs) == links(ours)
    listed = [nodes(path) for path in (theirs, ours)]
    assert listed[0] == listed[1]
    # The chips in the list are there in any case.
    assert len([name for kind, name, _ in listed[0] if kind == "Switches" and " " in name]) == max(chips, 2)


def nodes(path: Path) -> list[tuple[str, ...]]:
    """Each node and manager in topology XML."""
    rows = []
    for name in ("FIs", "Switches", "SMs"):
        for node in ET.parse(path).findall(f"Nodes/{name}/*"):  # noqa: S314 - our own files
            also = node.findtext("NodeDetails", "") + node.findtext("PortNum", "")
            rows.append((name, node.findtext("NodeDesc", "").strip(), also.strip()))
    return sorted(rows)


def links(path: Path) -> list[tuple[str, ...]]:
    """Each link in topology XML."""
    tags = ("Rate", "MTU", "LinkDetails", "Internal", "CableLength", "CableLabel", "CableDetails")
    ends = ("PortNum", "NodeType", "NodeDesc")
    rows = []
    for link in ET.parse(path).iter("Link"):  # noqa: S314 - our own files
        facts = [next((e.text or "" for e in link.iter(tag)), "") for tag in tags]
        ports = [port.findtext(tag, "").removeprefix("0") for port in link.findall("Port") for tag in ends]
        rows.append(tuple(fact.strip() for fact in (*facts, *ports)))
    return sorted(rows)
