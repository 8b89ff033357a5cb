"""Walks every pair in plain Python, from the net file's text and the table: an oracle for `lacis.verify`."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import lacis

_PORT = re.compile(r'\[(\d+)\](?:\(([0-9a-f]+)\))?\s+"([^"]+)"\[(\d+)\]')


@dataclass
class Net:
    """Nodes by id, in file order: name, whether a switch, whether a host adapter; cables; port GUIDs."""

    name: dict[str, str] = field(default_factory=dict)
    switches: list[str] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)
    peer: dict[tuple[str, int], tuple[str, int]] = field(default_factory=dict)
    by_guid: dict[int, tuple[str, int]] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str) -> Net:
        net, here, guid = cls(), "", 0
        for line in text.splitlines():
            if start := re.match(r"(?:switchguid|caguid)=0x([0-9a-f]+)", line):
                guid = int(start[1], 16)
            elif node := re.match(r'(Switch|Ca)\s+\d+ "([^"]+)"\s*# "([^"]*)"', line):
                here = node[2]
                net.name[here] = node[3].split(";")[-1].split(":")[0] if node[1] == "Switch" else node[3]
                if node[1] == "Switch":
                    net.switches.append(here)
                    net.by_guid[guid] = (here, 0)
                elif "Aggregation" not in node[3]:
                    net.hosts.add(here)
            elif port := _PORT.match(line):
                net.peer[here, int(port[1])] = (port[3], int(port[4]))
                if port[2] and here not in net.switches:
                    net.by_guid[int(port[2], 16)] = (here, int(port[1]))
        return net


@dataclass
class Walked:
    """What walking every pair found; channels are (node id, port)."""

    verdicts: Counter[str] = field(default_factory=Counter)
    hops: Counter[int] = field(default_factory=Counter)
    loads: Counter[tuple[str, int]] = field(default_factory=Counter)
    waits: set[tuple[tuple[str, int], tuple[str, int]]] = field(default_factory=set)


def walk_all(net: Net, routes: lacis.Routes, *, hosts_only: bool) -> Walked:
    table = {net_id: row.tolist() for net_id, row in zip(net.switches, routes.table(), strict=True)}
    lids, guids = routes.lids()
    lid_of = {net.by_guid[guid]: lid for lid, guid in zip(lids.tolist(), guids.tolist(), strict=True)}
    ends = [end for end in lid_of if end[1] and (not hosts_only or end[0] in net.hosts)]
    is_switch = set(net.switches)
    found = Walked()
    for target in ends:
        lid = lid_of[target]
        for source in ends:
            if source != target:
                _walk(net, table, is_switch, source, target, lid, found)
    return found


def _walk(
    net: Net,
    table: dict[str, list[int]],
    is_switch: set[str],
    source: tuple[str, int],
    target: tuple[str, int],
    lid: int,
    found: Walked,
) -> None:
    at = net.peer[source]
    way: list[tuple[str, int]] = []
    verdict = "loop"
    switches = 0
    while switches <= len(is_switch):
        switches += 1
        port = table[at[0]][lid]
        if port == 255:
            verdict = "no_entry"
            break
        channel = (at[0], port)
        far = net.peer.get(channel)
        if far is None:
            verdict = "wrong_port" if port == 0 else "dead_port"
            break
        if far[0] not in is_switch:
            verdict = "delivered" if far == target else "wrong_port"
            break
        way.append(channel)
        at = far
    found.verdicts[verdict] += 1
    found.waits.update(pairwise(way))
    if verdict == "delivered":
        found.hops[switches] += 1
        found.loads.update(way)
