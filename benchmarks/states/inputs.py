"""Files that commands read, made from a fabric's JSON: plans, other states of it, measurements, a configuration."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

MEASURED_HOSTS = 48
"""Hosts of a made matrix, at most."""
OPAFM = (
    "<?xml version='1.0'?>\n<Config>\n<Common>\n<Shared><Priority>0</Priority></Shared>\n<Sm>\n"
    "<RoutingAlgorithm>{engine}</RoutingAlgorithm><FatTreeTopology/>\n"
    "<AdaptiveRouting><Enable>{enable}</Enable><Algorithm>2</Algorithm><ARFrequency>{frequency}</ARFrequency>"
    "<Threshold>{threshold}</Threshold></AdaptiveRouting>\n"
    "</Sm><Fe/><Pm/></Common>\n<Fm><Sm></Sm></Fm></Config>\n"
)


@dataclass(frozen=True)
class Known:
    """What the commands need to know of a fabric: the names of its hosts, switches and cables."""

    hosts: list[str]
    switches: list[str]
    trunk: str | None
    """A cable between switches, as a selector."""

    @classmethod
    def of(cls, whole: Path, order: Path) -> Known:
        """From `whole.json` and the answer of `lacis order --json`, which OpenSM's fabrics alone have."""
        fabric = json.loads(whole.read_text())
        adapters = [node["description"].split() for node in fabric["nodes"] if node["kind"] == "adapter"]
        hosts = (
            json.loads(order.read_text())["hosts"]
            if order.stat().st_size
            else [words[0] for words in adapters if words]
        )
        switches = [node["id"] for node in fabric["nodes"] if node["kind"] == "switch"]
        trunks = _trunks(fabric)
        trunk = None
        if trunks:
            a, port, _, _ = trunks[len(trunks) // 3]
            trunk = f"{a}[{port}]"
        return cls(list(dict.fromkeys(hosts)), switches, trunk)


def write(work: Path, known: Known) -> None:
    """Writes `slow.json`, `rotated.json`, `plan.csv`, `hosts`, `others` and `measured.csv` into `work`."""
    fabric = json.loads((work / "whole.json").read_text())
    (work / "slow.json").write_text(json.dumps(_with_a_slow_cable(fabric)))
    (work / "rotated.json").write_text(json.dumps(_rotated(fabric)))
    _write_plan(fabric, work / "plan.csv")
    half = max(1, len(known.hosts) // 2)
    (work / "hosts").write_text("\n".join(known.hosts[:half][:64]) + "\n")
    (work / "others").write_text("\n".join(known.hosts[half:][:64]) + "\n")
    _write_matrix(known.hosts[:MEASURED_HOSTS], work / "measured.csv")


def _trunks(fabric: dict[str, Any]) -> list[list[Any]]:
    kinds = {node["id"]: node["kind"] for node in fabric["nodes"]}
    return [row for row in fabric["cables"] if kinds[row[0]] == kinds[row[2]] == "switch"]


def _with_a_slow_cable(fabric: dict[str, Any]) -> dict[str, Any]:
    """One cable between switches at a quarter of its width, at both ends."""
    trunks = _trunks(fabric)
    slow = {(row[at], row[at + 1]) for row in trunks[len(trunks) // 2 :][:1] for at in (0, 2)}
    nodes = [
        {
            **node,
            "ports": [_slowed(port, (node["id"], port["number"]) in slow) for port in node.get("ports", [])],
        }
        for node in fabric["nodes"]
    ]
    return {**fabric, "nodes": nodes}


def _slowed(port: dict[str, Any], is_slow: bool) -> dict[str, Any]:
    rate = port.get("rate")
    return {**port, "rate": f"1{rate[rate.index('x') :]}"} if is_slow and rate else port


def _rotated(fabric: dict[str, Any]) -> dict[str, Any]:
    """The first six cables from one switch to others each plugged where the next belongs."""
    trunks = _trunks(fabric)
    first = trunks[0][0] if trunks else None
    chosen = [row for row in trunks if row[0] == first][:6]
    ends = [row[2:] for row in chosen]
    turned = {
        (row[0], row[1]): [*row[:2], *end] for row, end in zip(chosen, [*ends[1:], *ends[:1]], strict=True)
    }
    return {**fabric, "cables": [turned.get((row[0], row[1]), row) for row in fabric["cables"]]}


def _write_plan(fabric: dict[str, Any], path: Path) -> None:
    """An NDT of all cables, but for two that are swapped, one that is left out and one that is added."""
    name = {node["id"]: node["description"] for node in fabric["nodes"]}
    rows = [[name[a], p, name[b], q] for a, p, b, q in fabric["cables"]]
    if len(rows) > 5:
        rows[1][2:], rows[2][2:] = rows[2][2:], rows[1][2:]
        del rows[4]
        rows.append(["ghost-switch", 1, rows[0][0], 36])
    lines = [f"{a}, Port {p}, {b}, Port {q}, Data" for a, p, b, q in rows]
    path.write_text("\n".join(["#StartDevice,StartPort,EndDevice,EndPort,LinkType", *lines, ""]))


def _write_matrix(hosts: list[str], path: Path) -> None:
    """A bandwidth of every pair: 24 GB/s, two in a hundred off, and the sixth host at half."""
    lines = [",".join(["", *hosts])]
    for source in hosts:
        cells = []
        for target in hosts:
            spread = 1 + (zlib.crc32(f"{source} {target}".encode()) % 401 - 200) / 10000
            factor = 0.5 if source == hosts[min(5, len(hosts) - 1)] else 1.0
            cells.append("" if source == target else f"{24000 * spread * factor:.1f}")
        lines.append(",".join([source, *cells]))
    path.write_text("\n".join(lines) + "\n")


def write_opafm(work: Path) -> None:
    """Writes `old.xml` and `new.xml`, two configurations of Omni-Path's manager."""
    (work / "old.xml").write_text(OPAFM.format(engine="fattree", enable=0, frequency=1, threshold=3))
    (work / "new.xml").write_text(OPAFM.format(engine="shortestpath", enable=1, frequency=12, threshold=7))
