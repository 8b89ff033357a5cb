"""Files that `lacis order` writes, as OpenSM's `guid_routing_order_file`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from . import opensm
from .fabrics import FABRICS

if TYPE_CHECKING:
    from tests.conftest import Lacis

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
