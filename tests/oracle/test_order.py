"""Files that `lacis order` writes, as OpenSM's `guid_routing_order_file`."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import lacis as library
import pytest
from lacis import _core

from . import opensm
from .fabrics import FABRICS

if TYPE_CHECKING:
    from tests.conftest import Lacis

    from .opensm import Outcome

pytestmark = pytest.mark.oracle


@pytest.mark.parametrize("engine", ["minhop", "updn", "dnup", "dor"])
@pytest.mark.parametrize("by", ["name", "topology", "ftree", "host", "slurm"])
def test_opensm_routes_in_the_order_that_we_write(tmp_path: Path, lacis: Lacis, by: str, engine: str) -> None:
    net = FABRICS["three-tier-shuffled-ports"]().text
    file, order = tmp_path / "fabric.net", tmp_path / "order"
    file.write_text(net)
    args: list[str | Path] = ["--by", by]
    hosts = re.findall(r'^Ca\s+\d+\s+"[^"]+"\s+# "([^"]+)"', net, re.M)
    if by == "host":
        (tmp_path / "hosts").write_text("\n".join(reversed(hosts)) + "\n")
        args += ["--list", tmp_path / "hosts"]
    if by == "slurm":
        args += ["--nodes", ",".join(hosts[1::2])]
    assert lacis("order", file, *args, "-o", order).status == 0
    listed = len(order.read_text().splitlines())
    assert listed == (len(hosts[1::2]) if by == "slurm" else len(hosts))
    sm = re.search(r'^Ca\s+\d+\s+"([^"]+)"', net, re.M)
    assert sm
    arguments = ["-X", "@order"]
    theirs = opensm.run(net, engine, arguments, sm=sm[1], files={"order": order.read_text()})
    done = lacis("route", file, "-R", engine, "--guid-routing-order-file", order, "-o", tmp_path / "ours")
    assert (done.status, done.err.count("not in the fabric")) == (0, 0)
    assert opensm.parse_tables((tmp_path / "ours").read_text())[0] == theirs.tables
    plain = opensm.run(net, engine, sm=sm[1])
    # Without the file OpenSM must make other tables, or the test proves nothing.
    assert plain.tables != theirs.tables or by in ("ftree", "topology")


def test_the_order_by_ftree_is_that_of_its_dump(tmp_path: Path, lacis: Lacis) -> None:
    net = FABRICS["three-tier-18"]().text
    (tmp_path / "fabric.net").write_text(net)
    dump = opensm.run(net, "ftree").dumps["opensm-ftree-ca-order.dump"]
    names = re.findall(r"^0x(?!FFFF)[0-9a-f]{4}\t(.*)$", dump, re.M)
    answer = json.loads(lacis("order", tmp_path / "fabric.net", "--by", "ftree", "--json").out)
    assert answer["hosts"] == names
    assert len(answer["guids"]) == len(set(answer["guids"])) == 18


def reseated(spec: str, seed: int) -> library.Fabric:
    """A tree whose hosts are at any of its leaves: their names and LIDs say nothing about where they are."""
    whole = json.loads(library.read(spec).to_json())
    hosts = [node["id"] for node in whole["nodes"] if node["kind"] != "switch"]
    now = dict(zip(hosts, random.Random(seed).sample(hosts, len(hosts)), strict=True))
    whole["cables"] = [[now.get(a, a), p, now.get(b, b), q] for a, p, b, q in whole["cables"]]
    return _core.read_fabric(json.dumps(whole).encode())


def most_flows_of_shifts(net: str, theirs: Outcome, names: list[str]) -> int:
    """The most flows on a link in any shift of hosts, counted along OpenSM's tables over the cables of a net file."""
    own, peer, guid = "", {}, {}
    for line in net.splitlines():
        if node := re.match(r'^(Switch|Ca)\s+\d+\s+"([^"]+)"\s+# "([^"]*)"', line):
            own = node[2]
            guid[node[3].split()[0]] = own
        elif cable := re.match(r'^\[(\d+)\](?:\([0-9a-f]+\))?\s*"([^"]+)"\[(\d+)\]', line):
            peer[own, int(cable[1])] = (cable[2], int(cable[3]))
    lid = {f"{port - 1:016x}": lids[0] for port, lids in theirs.lids.items()}
    hosts = [guid[name] for name in names]

    def links(source: str, destination: str) -> list[tuple[str, int]]:
        at, port, crossed = source, 1, []
        while True:
            crossed.append((at, port))
            at = peer[at, port][0]
            if at == destination:
                return crossed
            port = theirs.tables[int(at.split("-")[1], 16)][lid[destination.split("-")[1]]]

    most = 0
    for shift in range(1, len(hosts)):
        pairs = [(host, hosts[(at + shift) % len(hosts)]) for at, host in enumerate(hosts)]
        flows = Counter(link for pair in pairs for link in links(*pair))
        most = max(most, *flows.values())
    return most


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["minhop", "updn"])
@pytest.mark.parametrize("seed", [1, 2])
def test_shifts_in_the_order_of_the_file_contend_as_predicted(
    tmp_path: Path, lacis: Lacis, engine: str, seed: int
) -> None:
    # Full leaves, each host's destination at its own uplink: leaf by leaf no two flows of a shift share a link; in the
    # order of names, which says nothing, some do. The file decides which destinations share an uplink.
    net = opensm.as_simulated(reseated("fat-tree:8,2", seed).to_net())
    (tmp_path / "fabric.net").write_text(net)
    most = {}
    tables = []
    for by in ("topology", "name"):
        order = tmp_path / by
        assert lacis("order", tmp_path / "fabric.net", "--by", by, "-o", order).status == 0
        names = lacis("order", tmp_path / "fabric.net", "--by", by, "--as", "slurm").out.split()
        theirs = opensm.run(net, engine, ["-X", "@order"], files={"order": order.read_text()})
        routed = ("-R", engine, "-X", order, "--host-order", f"file:{order}")
        said = json.loads(
            lacis("predict", tmp_path / "fabric.net", *routed, "--traffic", "shift", "--json").out
        )
        most[by] = most_flows_of_shifts(net, theirs, names)
        assert most[by] == said["max_contention"]
        tables.append(theirs.tables)
    assert most["topology"] == 1 < most["name"]
    assert tables[0] != tables[1]
