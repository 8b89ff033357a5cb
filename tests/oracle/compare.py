"""Runs OpenSM and Lacis with the same options, and lists the differences."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np
from lacis import _core
from lacis.requests.routing import RouteOptions

from . import opensm

if TYPE_CHECKING:
    from .scores import Count


def _guids(guids: Sequence[int], rng: random.Random) -> str:
    """A GUID file with what such files contain: comments, blanks, arguments, unknown and repeated GUIDs."""
    lines = [f"0x{g:016x}" for g in guids]
    if lines:
        lines.insert(rng.randrange(len(lines)), f"  0x{rng.getrandbits(60):x} # unknown")
        lines.insert(rng.randrange(len(lines)), "# a comment")
        lines.append(lines[0].strip() if lines[0].startswith("0x") else f"0x{guids[0]:x}")
    return "\n".join(lines) + "\n\n"


def _keyed(entries: Sequence[tuple[Any, ...]], rng: random.Random) -> str:
    """A file of GUIDs with arguments: numbers, or a list of them."""
    lines = []
    for guid, *rest in entries:
        words = [str(n) for item in rest for n in (item if isinstance(item, list | tuple) else [item])]
        lines.append(f"0x{guid:016x} " + " ".join(words))
    lines.insert(rng.randrange(len(lines) + 1), "# a comment")
    return "\n".join(lines) + "\n"


def _as_it_is(content: bytes, _rng: random.Random) -> str:
    """A file whose text Lacis reads too."""
    return content.decode()


FILES: dict[str, tuple[str, Callable[[Any, random.Random], str]]] = {
    "order": ("guid_routing_order_file", _guids),
    "roots": ("root_guid_file", _guids),
    "cn": ("cn_guid_file", _guids),
    "io": ("io_guid_file", _guids),
    "ids": ("ids_guid_file", _keyed),
    "hop_weights": ("hop_weights_file", _keyed),
    "ignore": ("port_prof_ignore_file", _keyed),
    "search_order": ("port_search_ordering_file", _keyed),
    "torus_config": ("torus_config", _as_it_is),
}
"""Options that OpenSM takes as files: its key in ``opensm.conf``, and the file's text."""

VALUES = {
    "order_no_scatter": "guid_routing_order_no_scatter",
    "reverse_hops": "max_reverse_hops",
    "connect_roots": "connect_roots",
    "port_shifting": "port_shifting",
    "scatter": "scatter_ports",
    "count_switches": "port_profile_switch_nodes",
    "quasi_ftree": "quasi_ftree_indexing",
    "avoid_throttled": "avoid_throttled_links",
    "mesh_analysis": "do_mesh_analysis",
    "lash_start_vl": "lash_start_vl",
    "nue_vls": "nue_max_num_vls",
    "nue_include_switches": "nue_include_switches",
    "fresh_lids": "reassign_lids",
    "lmc": "lmc",
    "lmc_esp0": "lmc_esp0",
    "ucast_cache": "use_ucast_cache",
}
"""Options that OpenSM takes as numbers or ``TRUE``, by their keys in ``opensm.conf``."""


@dataclass(frozen=True)
class Run:
    """An engine list, the manager's options in terms of ``RouteOptions``, and its node."""

    engines: str
    sm: str
    options: RouteOptions = field(default_factory=RouteOptions)
    seed: int = field(default=0, compare=False)
    """Of the comments and mistakes in the files that OpenSM reads."""

    def opensm(self, net: str, limit_s: float = 60.0, conf: str = "") -> opensm.Outcome:
        """OpenSM's answer; all options are in an ``opensm.conf`` that begins with ``conf``."""
        settings, files = conf_of(self.options, self.seed)
        conf += settings
        return opensm.run(
            net,
            self.engines,
            ["-F", "@opensm.conf"] if conf else [],
            sm=self.sm,
            files=files | {"opensm.conf": conf},
            guid2lid=cache_of(self.options.get("guid2lid")),
            log_flags=opensm.LANES_TOO if self.tells_lanes(net) else opensm.DUMPS_AND_INFO,
            limit_s=limit_s,
        )

    def tells_lanes(self, net: str) -> bool:
        """Whether OpenSM is asked for the lane of every pair: its log grows with the cube of the fabric."""
        lids = net.count("sysimgguid=0x") << self.options.get("lmc", 0)
        return "dfsssp" in self.engines.split(",") and lids < LANES_BELOW

    def lacis(self, fabric: _core.Fabric) -> _core.Routes:
        """Lacis' answer."""
        settings: RouteOptions = {**self.options, "sm": self.sm}
        return _core.route(fabric, self.engines, **settings)


LANES_BELOW = 150
"""The LIDs of the smallest fabric that is too large to compare lanes on."""


def conf_of(options: Mapping[str, Any], seed: int) -> tuple[str, dict[str, str]]:
    """An ``opensm.conf`` with these options, and the files that it names as ``@NAME``."""
    rng = random.Random(seed)
    lines: list[str] = []
    files: dict[str, str] = {}
    for name, value in options.items():
        if name == "guid2lid":
            continue
        if name in FILES:
            key, text = FILES[name]
            if value is not None:
                files[key] = text(value, rng)
                lines.append(f"{key} @{key}")
                # Without QoS torus-2QoS refuses.
                lines += ["qos TRUE"] if name == "torus_config" else []
        else:
            lines.append(f"{VALUES[name]} {str(value).upper()}")
            # Without QoS nue stays on one lane.
            lines += ["qos TRUE"] if name == "nue_vls" and value != 1 else []
    return "".join(f"{line}\n" for line in lines), files


def cache_of(entries: Sequence[tuple[int, int, int]] | None) -> str | None:
    """The LID cache as OpenSM finds it."""
    if entries is None:
        return None
    return "".join(f"0x{guid:016x} 0x{first:04x} 0x{last:04x}\n\n" for guid, first, last in entries)


def lid_ranges(routes: _core.Routes) -> dict[int, range]:
    """Port GUID to its LIDs."""
    owners: dict[int, list[int]] = {}
    for lid, guid in zip(*(column.tolist() for column in routes.lids()), strict=True):
        owners.setdefault(guid, []).append(lid)
    return {guid: range(lids[0], lids[-1] + 1) for guid, lids in owners.items()}


def differences(net: str, run: Run, count: Count) -> list[str]:
    """Runs both, counts, and describes each difference."""
    fabric = _core.read_fabric(net.encode())
    # Lacis first: it refuses where OpenSM would never end.
    ours, theirs = run.lacis(fabric), run.opensm(net)
    found: list[str] = []
    if theirs.engine != ours.engine_used:
        found.append(
            f"OpenSM used {theirs.engine} {theirs.reasons[-3:]}, Lacis {ours.engine_used} {ours.refusals}"
        )
    if list(theirs.failed) != [one.engine for one in ours.refusals]:
        found.append(f"OpenSM: refused {theirs.failed} {theirs.reasons[-3:]}; Lacis: {ours.refusals}")
    lids = lid_ranges(ours)
    wrong = [g for g in theirs.lids.keys() | lids.keys() if theirs.lids.get(g) != lids.get(g)]
    found += [f"LIDs of {g:#x}: OpenSM {theirs.lids.get(g)}, Lacis {lids.get(g)}" for g in sorted(wrong)[:3]]
    switches = [f"{g:#x}" for g in fabric.guids()[: fabric.num_switches].tolist()]
    # OpenSM's ftree ends its tables at the last LID of a switch or adapter; a router's may be beyond.
    width = ours.table().shape[1] if ours.engine_used == "ftree" else 0
    expected = np.full((len(switches), max(width, theirs.max_lid + 1)), 255, np.uint8)
    for row, guid in zip(expected, fabric.guids()[: fabric.num_switches].tolist(), strict=True):
        filled = theirs.tables[guid]
        row[list(filled)] = list(filled.values())
    table = ours.table()
    # Only LIDs that OpenSM assigned count; all other columns must be empty in both.
    assigned = sorted(lid for all_of in theirs.lids.values() for lid in all_of)
    differ = sum(len(theirs.lids[g]) for g in wrong if g in theirs.lids)
    count.runs, count.fell_back = 1, int(theirs.engine not in run.engines.split(","))
    count.lids, count.lids_equal = len(assigned), len(assigned) - differ
    count.entries = len(switches) * len(assigned)
    if table.shape != expected.shape:
        return [*found, f"tables have the shape {expected.shape} in OpenSM, {table.shape} in Lacis"]
    count.equal = int((table[:, assigned] == expected[:, assigned]).sum())
    unequal = np.argwhere(table != expected)
    found += [
        f"switch {switches[s]} LID {lid}: OpenSM {expected[s, lid]}, Lacis {table[s, lid]}"
        for s, lid in unequal[:5]
    ]
    found += _lane_differences(theirs, ours, fabric, net, count) if theirs.lanes else []
    found += [] if found else _dump_differences(theirs, ours)
    return [f"{run}: {what}" for what in found]


def _lane_differences(
    theirs: opensm.Outcome, ours: _core.Routes, fabric: _core.Fabric, net: str, count: Count
) -> list[str]:
    """The lane of every pair of LIDs."""
    levels = ours.service_levels()
    if levels is None or theirs.engine != "dfsssp":
        return [f"OpenSM has lanes, Lacis {ours.engine_used}"] if theirs.engine == "dfsssp" else []
    number = {guid: row for row, guid in enumerate(fabric.guids()[: fabric.num_switches].tolist())}
    edge_switches: dict[int, int] = {}
    for block in re.split(r"\n(?=switchguid=)", net):
        if m := re.search(r"^switchguid=0x([0-9a-f]+)", block, re.M):
            ends = re.findall(r'^\[\d+\]\s*"[HR]-[^"]*"\[\d+\]\(([0-9a-f]+)\)', block, re.M)
            edge_switches |= dict.fromkeys((int(guid, 16) for guid in ends), number[int(m[1], 16)])
    edge_of_lid = {lid: edge_switches.get(guid) for guid, lids in theirs.lids.items() for lid in lids}
    found = []
    for (source, to), lane in theirs.lanes.items():
        edge_switch = edge_of_lid[source]
        own = 0 if edge_switch is None else int(levels[edge_switch, to])  # none: a switch's LID
        count.lanes += 1
        count.lanes_equal += own == lane
        if own != lane:
            found.append(f"from LID {source} to {to}: OpenSM on lane {lane}, Lacis on {own}")
    return found[:5]


def _dump_differences(theirs: opensm.Outcome, ours: _core.Routes) -> list[str]:
    """The other files that OpenSM dumps, byte for byte."""
    matrices: list[bytes] = []
    # A dfsssp that fails leaves rows of end nodes behind, which Lacis does not write.
    if ours.engine_used in MATRICES and "dfsssp" not in theirs.failed:
        ours.dump_lid_matrix(matrices.append)
    written = {
        "opensm-lid-matrix.dump": b"".join(matrices).decode() if matrices else None,
        "opensm-ftree-ca-order.dump": ours.to_ca_order() if ours.engine_used == "ftree" else None,
        "opensm-updn-roots.dump": ours.to_updn_roots() if ours.engine_used == "updn" else None,
    }
    found = []
    for name, text in written.items():
        if text is not None and text != theirs.dumps.get(name):
            lines = zip_longest(text.splitlines(), theirs.dumps.get(name, "").splitlines())
            where = next((pair for pair in lines if pair[0] != pair[1]), None)
            found.append(f"{name}: Lacis, OpenSM: {where}")
    return found


MATRICES = ("file", "minhop", "updn", "dnup", "dor", "ftree", "lash", "sssp", "dfsssp")
"""Engines whose hop matrices are compared."""
