"""`lacis verify --topology`: cables as planned against cables as found."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from lacis import _core
from lacis.difference import planned

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Lacis

    Compare = Callable[..., dict[str, Any]]

SPEC = "fat-tree:8,2"


@pytest.fixture
def compare(lacis: Lacis) -> Compare:
    """Runs the command with --json, and as text with the same exit status."""

    def run(*args: str | Path) -> dict[str, Any]:
        done = lacis("verify", *args, "--json")
        assert lacis("verify", *args).status == done.status
        found: dict[str, Any] = json.loads(done.out)
        assert (done.status == 0) == found["good"] == (not found["cables"] and not found["nodes"])
        return found

    return run


def ndt(path: Path, rows: list[tuple[str, str, str, str]], end: str = "\r\n") -> Path:
    lines = ["#StartDevice,StartPort,EndDevice,EndPort,LinkType", *(f"{', '.join(r)}, Data" for r in rows)]
    path.write_text(end.join([*lines, ""]), newline="")
    return path


def rows_of(spec: str) -> list[tuple[str, str, str, str]]:
    """Every cable as a line of an NDT."""
    fabric = _core.generate_fabric(spec)
    names, cables = fabric.descriptions(), fabric.cables().reshape(-1, 4).tolist()
    return [(names[a], f"Port {p}", names[b], f"Port {q}") for a, p, b, q in cables]


def counts(found: dict[str, Any]) -> dict[str, int]:
    return {verdict: n for verdict, n in found["counts"].items() if n}


def test_an_ndt_of_several_files_in_either_direction_and_any_case_is_what_is_found(
    compare: Compare, tmp_path: Path
) -> None:
    rows = rows_of(SPEC)
    turned = [(c.upper(), d.lower(), a.upper(), b) for a, b, c, d in rows[20:]]
    one, other = ndt(tmp_path / "one.csv", rows[:20]), ndt(tmp_path / "other.csv", turned, "\n")
    found = compare(SPEC, "--topology", one, "--topology", other)
    assert counts(found) == {"as_planned": len(rows)}
    assert [plan["cables"] for plan in found["plans"]] == [20, len(rows) - 20]


def test_swapped_cables_are_one_swap_with_two_moves(compare: Compare, lacis: Lacis, tmp_path: Path) -> None:
    rows = rows_of(SPEC)
    (a, p, b, q), (c, r, d, s) = rows[0], rows[1]
    plan = ndt(tmp_path / "plan.csv", [(a, p, d, s), (c, r, b, q), *rows[2:]])
    found = compare(SPEC, "--topology", plan)
    # As opareport counts: both planned cables have other cables in their ports, and both found ones are not planned.
    assert counts(found) == {"as_planned": len(rows) - 2, "unexpected": 2, "duplicate": 2}
    [job] = found["work"]
    assert job["kind"] == "swap"
    # Both cables are on the first leaf: its two plugs change sides.
    number = [port.removeprefix("Port ") for port in (p, r)]
    moves = {(move["from"], move["to"]) for move in job["moves"]}
    assert a == c
    assert moves == {(f"{a}[{number[0]}]", f"{a}[{number[1]}]"), (f"{a}[{number[1]}]", f"{a}[{number[0]}]")}
    text = lacis("verify", SPEC, "--topology", plan).out
    assert "SWAP two plugs" in text
    assert "2 plugs to move" in text


def test_missing_and_unexpected_cables_and_unknown_names(compare: Compare, tmp_path: Path) -> None:
    rows = rows_of(SPEC)
    a, p, b, q = rows[0]
    plan = ndt(tmp_path / "plan.csv", [(a, p, b + "x", q), *rows[2:]])
    found = compare(SPEC, "--topology", plan)
    # The cable of the misspelt name is found at its other end; that of the line left out is not planned.
    assert counts(found) == {"as_planned": len(rows) - 2, "misconnected": 1, "unexpected": 2}
    [unknown] = found["unknown_names"]
    assert (unknown["name"], unknown["line"], unknown["near"][0]) == (b + "x", 2, b)
    other = compare(SPEC, "--without", f"{a}--spine-01", "--topology", SPEC)
    assert counts(other)["missing"] == 1
    assert other["work"][0]["kind"] == "connect"


def test_topology_xml_is_written_and_read(compare: Compare, lacis: Lacis, tmp_path: Path) -> None:
    out = tmp_path / "topology.xml"
    done = lacis("verify", SPEC, "--topology", ndt(tmp_path / "a.csv", rows_of(SPEC)), "--topology-out", out)
    assert done.status == 0
    assert out.read_text().startswith("<?xml")
    assert counts(compare(SPEC, "--topology", out)) == {"as_planned": len(rows_of(SPEC))}
    assert planned.read(out).format == "topology XML"


def test_a_fabric_file_is_a_plan(compare: Compare, lacis: Lacis, tmp_path: Path) -> None:
    net = tmp_path / "was.net"
    assert lacis("fabric", SPEC, "-o", net).status == 0
    assert compare(SPEC, "--topology", net)["good"]
    found = compare(SPEC, "--shuffle-guids", "3", "--topology", net)
    assert found["good"]
    assert found["no_guid"]


def test_real_fabrics_are_as_they_are(compare: Compare, dgx: Path) -> None:
    found = compare(dgx, "--topology", dgx)
    assert found["good"]
    assert found["counts"]["as_planned"] > 1000


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the input is empty"),
        ("a,b,c\n1,2,3\n", "no header of a plan"),
        ("StartDevice,StartPort,EndDevise,EndPort\n", ":1: no column enddevice"),
        ("StartDevice,StartPort,EndDevice,EndPort\nleaf-01,Port 0,x,Port 1\n", ':2: bad port "0"'),
        ("<Report>\n<LinkSummary>\n<Link>\n", ":3: the file ends inside <Link>"),
        ('<!DOCTYPE a [<!ENTITY b "c">]>\n<Report>&b;</Report>', ":1: a DOCTYPE"),
        ("<Report>\n<LinkSummary><Link>&b;</Link></LinkSummary></Report>", ":2: an entity"),
        ("StartDevice,StartPort,EndDevice,EndPort\nsat1,Port 1,sat2,Port 1\n", "none of the 2 names"),
    ],
)
def test_bad_plans_are_one_line_and_exit_2(lacis: Lacis, tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "plan.csv"
    path.write_text(text)
    done = lacis("verify", SPEC, "--topology", path)
    assert done.status == 2
    assert done.err.count("\n") == 1
    assert said in done.err


def test_options_that_do_not_go_together_are_refused(lacis: Lacis) -> None:
    assert lacis("verify", SPEC, "--topology", SPEC, "-R", "updn").status == 2
    assert lacis("verify", SPEC, "--topology-out", "x.xml").status == 2
    assert lacis("verify", SPEC, "--topology", "absent.csv").status == 2


def test_every_deviation_is_put_in_words(lacis: Lacis, tmp_path: Path) -> None:
    names = _core.generate_fabric(SPEC).descriptions()
    xml = (
        "<Report><LinkSummary>"
        "<Link><Rate>25g</Rate><Port><NodeDesc>{0}</NodeDesc><PortNum>1</PortNum><NodeType>FI</NodeType></Port></Link>"
        "<Link><Port><NodeDesc>{0}</NodeDesc><PortNum>2</PortNum></Port><Port><NodeDesc>{1}</NodeDesc><PortNum>99</PortNum></Port></Link>"
        "</LinkSummary></Report>"
    ).format(*names)
    path = tmp_path / "plan.xml"
    path.write_text(xml)
    out = " ".join(lacis("verify", SPEC, "--topology", path).out.split())
    assert re.search(r"kind at .*: planned adapter, found switch", out)
    assert re.search(r"rate: planned 25g, found 4x", out)
    assert "no such port as" in out


def test_nodes_and_managers_of_a_plan_are_looked_for(compare: Compare, lacis: Lacis, tmp_path: Path) -> None:
    spec = "fat-tree:4,2:rate=4xOPA100"
    snapshot, plan = tmp_path / "snapshot.xml", tmp_path / "plan.xml"
    assert lacis("route", spec, "-R", "fattree", "-o", tmp_path / "t", "--snapshot", snapshot).status == 0
    nodes: dict[str, list[str]] = {"FIs": [], "Switches": []}
    for name in _core.generate_fabric(spec).descriptions():
        nodes["FIs" if name.startswith("node") else "Switches"].append(name)
    lost, *others = nodes["FIs"]
    [first, second, *_] = nodes["Switches"]

    def written(fis: list[str], switches: list[str], manager: str) -> str:
        def section(tag: str, item: str, names: list[str]) -> str:
            elements = "".join(f"<{item}><NodeDesc>{name}</NodeDesc></{item}>\n" for name in names)
            return f"<{tag}>\n{elements}</{tag}>\n"

        lists = (
            section("FIs", "Node", fis),
            section("Switches", "Node", switches),
            section("SMs", "SM", [manager]),
        )
        return f"<Topology><Nodes>\n{''.join(lists)}</Nodes></Topology>\n"

    plan.write_text(written(nodes["FIs"], nodes["Switches"], lost))
    whole = compare(snapshot, "--topology", plan)
    assert whole["good"]
    assert whole["lists"]["managers"]["counts"]["as_planned"] == 1
    # The plan is about nodes alone: no cable is judged.
    assert not any(whole["counts"].values())

    plan.write_text(written([*others, "node9999 hfi1_0"], [first, first, *nodes["Switches"]], others[0]))
    found = compare(snapshot, "--topology", plan)
    rows = [
        (node["list"], node["verdict"], (node["planned"] or {}).get("name"), node["found"])
        for node in found["nodes"]
    ]
    # A line each: <Nodes>, <FIs>, adapters, </FIs>, <Switches>; the first switch is there three times.
    lines = [node["planned"]["line"] for node in found["nodes"] if node["planned"]]
    assert rows == [
        ("adapters", "unexpected", None, lost),
        ("adapters", "missing", "node9999 hfi1_0", None),
        ("switches", "duplicate", first, first),
        ("switches", "duplicate", first, first),
        ("managers", "unexpected", None, f"{lost}[1]"),
        ("managers", "missing", others[0], None),
    ]
    assert lines[0] == 3 + len(others)
    assert [why["reason"] for node in found["nodes"] for why in node["why"]] == [
        "no_node",
        "repeats",
        "repeats",
        "no_manager",
    ]
    text = lacis("verify", snapshot, "--topology", plan).out
    assert "missing: node9999 hfi1_0" in text
    assert "no manager runs at that port" in text
    # ibnetdiscover and the like list no managers.
    answer = compare(spec, "--topology", plan)["lists"]["managers"]
    assert (answer["listed"], answer["compared"]) == (1, False)
    assert second in nodes["Switches"]


def test_mtu_and_state_of_ports_are_compared_where_the_fabric_tells_them(
    compare: Compare, lacis: Lacis, tmp_path: Path
) -> None:
    spec = "fat-tree:4,2:rate=4xOPA100"
    snapshot, plan = tmp_path / "snapshot.xml", tmp_path / "plan.xml"
    assert lacis("route", spec, "-R", "fattree", "-o", tmp_path / "t", "--snapshot", snapshot).status == 0
    assert lacis("verify", snapshot, "--topology", snapshot, "--topology-out", plan).status == 0
    text = plan.read_text()
    # One cable is to have 8192, one 9000, which needs 10240 as all others.
    one, *more = text.split("</Rate>")
    mtus = ["8192", "9000", *["10240"] * (len(more) - 2)]
    plan.write_text(
        one + "".join(f"</Rate><MTU>{mtu}</MTU>{rest}" for mtu, rest in zip(mtus, more, strict=True))
    )
    found = compare(snapshot, "--topology", plan)
    assert counts(found) == {"as_planned": len(more) - 1, "different": 1}
    [why] = found["cables"][0]["why"]
    assert (why["reason"], why["planned"], why["found"]) == ("mtu", "8192", "10240")
    assert "MTU: planned 8192, found 10240" in lacis("verify", snapshot, "--topology", plan).out
    assert compare(spec, "--topology", plan)["mtu_not_compared"] == len(more)
    # A port that has a link and is not active, and the state survives being written as JSON.
    before, _, after = snapshot.read_text().rpartition("<PortState_Int>4<")
    snapshot.write_text(f"{before}<PortState_Int>2<{after}")
    file = tmp_path / "fabric.json"
    assert lacis("fabric", snapshot, "-o", file).status == 0
    for fabric in (snapshot, file):
        reasons = [
            why["reason"] for cable in compare(fabric, "--topology", plan)["cables"] for why in cable["why"]
        ]
        assert reasons.count("inactive") == 1


def test_a_name_that_is_gone_is_said_in_words(lacis: Lacis, tmp_path: Path) -> None:
    assert lacis("fabric", "fat-tree:4,2", "-o", tmp_path / "plan.json").status == 0
    text = (tmp_path / "plan.json").read_text()
    (tmp_path / "found.json").write_text(text.replace('"node0001 HCA-1"', '""'))
    done = lacis("verify", tmp_path / "found.json", "--topology", tmp_path / "plan.json")
    assert done.status == 1
    assert "planned node0001 HCA-1, found nothing" in " ".join(done.out.split())
