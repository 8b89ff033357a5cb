"""Counters that were set in a simulated fabric, as perfquery and ibqueryerrors print them and Lacis reads them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import lacis
import numpy as np
import pytest
from lacis import _core
from lacis.counters.files import read

from . import opensm
from .daemon import daemon
from .fabrics import FABRICS

# What is set in one port, and what Lacis calls it. ibsim caps what PortCounters cannot hold: LinkDowned has 8 bits.
SET = {
    "PortCounters.SymbolErrorCounter": 77,
    "PortCounters.LinkDownedCounter": 300,
    "PortCounters.PortXmitDiscards": 3,
    "PortCounters.PortXmitWait": 4_000_000_000,
    "PortCounters.VL15Dropped": 11,
    "PortCountersExtended.PortXmitData": 5 * 10**12,
    "PortCountersExtended.PortUnicastRcvPkts": 8 * 10**10,
}
ERRORS = {
    "SymbolErrors": 77,
    "LinkDowned": 255,
    "XmitDiscards": 3,
    "XmitWait": 4_000_000_000,
    "VL15Dropped": 11,
}


def test_what_perfquery_and_ibqueryerrors_print_is_what_was_set(tmp_path: Path) -> None:
    subject = FABRICS["two-tier-24"]()
    with daemon(subject.text, "minhop", sm=subject.idents[0]) as running:
        running.first()

        def output(name: str, *args: str) -> str:
            program = opensm.program(name)
            assert program, f"{name} is not installed (Debian package infiniband-diags)"
            done = subprocess.run(
                [program, *args], cwd=tmp_path, env=running.env, capture_output=True, timeout=60, check=False
            )
            # ibqueryerrors exits 1 where it finds errors.
            assert done.returncode in (0, 1), done.stderr
            path = tmp_path / "-".join([name, *args])
            path.write_bytes(done.stdout)
            return str(path)

        fabric = _core.read_fabric(Path(output("ibnetdiscover")).read_bytes())
        # A port between switches that is no port of the manager's node, on the way of no query.
        node, port = max(
            (node, port)
            for node, port, *_ in fabric.cables().reshape(-1, 4).tolist()
            if node < fabric.num_switches
        )
        guid = int(fabric.guids()[node])
        for field, value in SET.items():
            running._simulate(f'PerformanceSet "S-{guid:016x}"[{port}] {field}={value}')
        lid = dict(zip(fabric.guids().tolist(), _lids(fabric), strict=True))[guid]
        forms = {
            "plain": [output("perfquery", str(lid), str(port))],
            "extended": [output("perfquery", "-x", str(lid), str(port))],
            "both": [
                output("perfquery", str(lid), str(port)),
                output("perfquery", "-x", str(lid), str(port)),
            ],
            "errors": [output("ibqueryerrors")],
            "data": [output("ibqueryerrors", "--data")],
            "links": [output("ibqueryerrors", "-r")],
            "counters": [output("ibqueryerrors", "--counters")],
        }
        sums = output("perfquery", "-a", str(lid))
    found = {form: read(paths, fabric) for form, paths in forms.items()}
    rows = {
        form: int(np.flatnonzero((one.guids == guid) & (one.ports == port))[0]) for form, one in found.items()
    }

    def values(form: str) -> dict[str, int]:
        one, row = found[form], rows[form]
        return {name: int(column[row]) for name, column in one.values.items() if one.known[name][row]}

    # Each query that crosses the port adds 72 words to its data, and one packet.
    for form in ("plain", "both", "errors", "data", "links"):
        assert ERRORS.items() <= values(form).items(), form
    for form in ("extended", "both", "data", "counters"):
        sent = values(form)["XmitData"] - 5 * 10**12
        assert (sent % 72, 0 <= sent < 72 * 5000) == (0, True), form
        assert values(form)["UnicastRcvPkts"] == 8 * 10**10
    assert not found["plain"].only_faulty
    assert found["errors"].only_faulty
    assert not found["counters"].only_faulty
    # The sums over all ports are those of no port.
    with pytest.raises(lacis.LacisError, match="sums over all ports"):
        read([sums], fabric)


def _lids(fabric: _core.Fabric) -> list[int]:
    """The LID of each node, by its first port that has one."""
    nodes = json.loads(fabric.to_json())["nodes"]
    by_guid = {
        int(node["guid"], 16): next((port["lid"] for port in node["ports"] if port.get("lid")), 0)
        for node in nodes
    }
    return [by_guid[guid] for guid in fabric.guids().tolist()]
