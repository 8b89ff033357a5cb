"""Counters that ibsim's console writes, read by Lacis, by perfquery and by ibqueryerrors; what ibsim loses; what a job would leave.

Every datagram that crosses a port of ibsim adds a packet and 72 words there, those of the readers too: what is found of data
exceeds what was written by 72 times of what packets do. All other counters are as written.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import lacis
import numpy as np
import pytest
from lacis.counters import growth, recording

from . import nets, opensm
from .subnets import (
    FABRICS,
    MANY,
    Port,
    as_simulated,
    cabled,
    counters,
    managed,
    program,
    run,
    soak,
    sweeps_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from .daemon import Daemon

pytestmark = pytest.mark.oracle

NARROW = {
    "SymbolErrors": ("SymbolErrorCounter", 16),
    "LinkErrorRecovery": ("LinkErrorRecoveryCounter", 8),
    "LinkDowned": ("LinkDownedCounter", 8),
    "RcvErrors": ("PortRcvErrors", 16),
    "RcvRemotePhysicalErrors": ("PortRcvRemotePhysicalErrors", 16),
    "RcvSwitchRelayErrors": ("PortRcvSwitchRelayErrors", 16),
    "XmitDiscards": ("PortXmitDiscards", 16),
    "XmitConstraintErrors": ("PortXmitConstraintErrors", 8),
    "RcvConstraintErrors": ("PortRcvConstraintErrors", 8),
    "LocalLinkIntegrityErrors": ("LocalLinkIntegrityErrors", 4),
    "ExcessiveBufferOverruns": ("ExcessiveBufferOverrunErrors", 4),
    "VL15Dropped": ("VL15Dropped", 16),
    "XmitWait": ("PortXmitWait", 32),
}
"""Lacis' names → those of ibsim and of perfquery, and bits."""
WIDE = {
    "XmitData": "PortXmitData",
    "RcvData": "PortRcvData",
    "XmitPkts": "PortXmitPkts",
    "RcvPkts": "PortRcvPkts",
    "UnicastXmitPkts": "PortUnicastXmitPkts",
    "UnicastRcvPkts": "PortUnicastRcvPkts",
    "MulticastXmitPkts": "PortMultiCastXmitPkts",
    "MulticastRcvPkts": "PortMultiCastRcvPkts",
}
MAD_WORDS = 72


def swept(net: nets.Net, done: subprocess.CompletedProcess[str]) -> dict[Port, dict[str, int]]:
    """The counters of ports in the output of `lacis counters --json`."""
    names = {f"0x{node.guid:016x}": node.name for node in net.nodes.values()}
    rows: list[dict[str, Any]] = json.loads(done.stdout)["ports"]
    return {(names[row["guid"]], row["port"]): row["counters"] for row in rows}


def drawn(ports: Iterable[Port], rng: random.Random) -> dict[Port, dict[str, int]]:
    """Values for every counter: within its width, at its greatest value, beyond it, or 0."""

    def value(bits: int) -> int:
        return rng.choice(
            [rng.getrandbits(bits), rng.getrandbits(max(1, bits // 2)), (1 << bits) - 1, 1 << bits, 0]
        )

    # Counters of 64 bits stay below what is added while they are read.
    return {
        port: {name: value(bits) for name, (_, bits) in NARROW.items()}
        | {name: rng.getrandbits(62) for name in WIDE}
        for port in ports
    }


UNKEPT = "MulticastRcvPkts"
"""ibsim says that it has set it, and answers 0: perfquery finds the same."""


def write(d: Daemon, net: nets.Net, values: Mapping[Port, Mapping[str, int]]) -> None:
    d.count(
        [
            (net.nodes[node].ident, port, f"PortCounters{'Extended' * (name in WIDE)}.{field(name)}", value)
            for (node, port), own in values.items()
            for name, value in own.items()
        ]
    )


def field(name: str) -> str:
    return WIDE[name] if name in WIDE else NARROW[name][0]


def as_kept(name: str, value: int) -> int:
    """A value as ibsim keeps it: at most the greatest of its width."""
    return value if name in WIDE else min(value, (1 << NARROW[name][1]) - 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", FABRICS)
def test_every_counter_of_every_port_is_what_ibsim_and_perfquery_and_ibqueryerrors_have(name: str) -> None:
    net = FABRICS[name]()
    rng = random.Random(name)
    with managed(net.text()) as (d, fabric):
        written = drawn(cabled(net), rng)
        write(d, net, written)
        done = counters(d, str(fabric), "--json")
        asked = {port: perfqueried(d, net, port) for port in rng.sample(sorted(written), 6)}
        errors = queried_errors(d, net)
    assert done.returncode == 0, done.stderr
    found = swept(net, done)
    assert found.keys() == written.keys()
    for port, values in written.items():
        assert_as_written(found[port], values)
    for port, values in asked.items():
        assert_as_written(values, found[port])
    # ibqueryerrors names counters above zero, and leaves out ports without any.
    expected = {
        port: own
        for port, values in found.items()
        if (own := {name: values[name] for name in NARROW if values[name]})
    }
    assert errors == expected


@pytest.mark.slow
@soak
@pytest.mark.parametrize("name", MANY)
def test_many_fabrics_are_read_as_they_were_written(name: str) -> None:
    text = as_simulated(name)
    with managed(text, life_s=900) as (d, fabric):
        written = {
            (guid, port): {
                "SymbolErrors": (at * 7) % 65536,
                "XmitWait": at * 65_537 % 2**32,
                **{name: at * 10**9 + number for number, name in enumerate(list(WIDE)[:4])},
            }
            for at, (_, guid, port) in enumerate(ends(text), 1)
        }
        d.count(
            [
                (ident, port, f"PortCounters{'Extended' * (field_ in WIDE)}.{field(field_)}", value)
                for ident, guid, port in ends(text)
                for field_, value in written[guid, port].items()
            ]
        )
        done = counters(d, str(fabric), "--json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["ports"]
    found = {(int(row["guid"], 16), row["port"]): row["counters"] for row in rows}
    assert found.keys() == written.keys()
    for port, values in written.items():
        own = {name: found[port][name] for name in values}
        assert_as_written({**own, UNKEPT: 0}, values)


def ends(text: str) -> list[tuple[str, int, int]]:
    """Node, its GUID and port of every end of a cable in a net file."""
    found = []
    guid, ident = 0, ""
    for line in text.splitlines():
        if m := re.match(r"(?:ca|rt|switch)guid=0x([0-9a-f]+)", line):
            guid = int(m[1], 16)
        elif m := re.match(r'(?:Switch|Ca|Rt)\s+\d+\s+"([^"]+)"', line):
            ident = m[1]
        elif m := re.match(r"\[(\d+)\]", line):
            found.append((ident, guid, int(m[1])))
    return found


def assert_as_written(found: Mapping[str, int], written: Mapping[str, int]) -> None:
    for data, packets in (("XmitData", "XmitPkts"), ("RcvData", "RcvPkts")):
        added = found[packets] - written[packets]
        assert added >= 0
        assert found[data] - written[data] == MAD_WORDS * added
    others = set(found) - {"XmitData", "RcvData", "XmitPkts", "RcvPkts", UNKEPT}
    assert UNKEPT in found
    assert {name: found[name] for name in others} == {name: as_kept(name, written[name]) for name in others}


def perfqueried(d: Daemon, net: nets.Net, port: Port) -> dict[str, int]:
    """The counters of a port as perfquery prints them."""
    node, number = port
    own = net.nodes[node].guid + (0 if net.nodes[node].is_switch else number)
    text = run(d, program("perfquery"), "-G", f"0x{own:016x}", str(number)).stdout
    more = run(d, program("perfquery"), "-x", "-G", f"0x{own:016x}", str(number)).stdout
    narrow, wide = (dict(re.findall(r"^(\w+):\.+(\d+)$", each, re.M)) for each in (text, more))
    spelled = {name: at.replace("MultiCast", "Multicast") for name, at in WIDE.items()}
    return {name: int(narrow[at]) for name, (at, _) in NARROW.items()} | {
        name: int(wide[at]) for name, at in spelled.items()
    }


def queried_errors(d: Daemon, net: nets.Net) -> dict[Port, dict[str, int]]:
    """Counters above zero as ibqueryerrors prints them."""
    names = {node.guid: node.name for node in net.nodes.values()}
    # Ports of an adapter are listed by their own GUIDs.
    names |= {
        node.guid + port: node.name
        for node in net.nodes.values()
        for port in node.cables
        if not node.is_switch
    }
    own = {at: name for name, (at, _) in NARROW.items()}
    text = run(d, program("ibqueryerrors")).stdout
    return {
        (names[int(guid, 16)], int(port)): {
            own[at]: int(value) for at, value in re.findall(r"\[(\w+) == (\d+)\]", rest) if at in own
        }
        for guid, port, rest in re.findall(r"^   GUID (0x[0-9a-f]+) port (\d+):(.*)$", text, re.M)
    }


@pytest.mark.slow
def test_every_port_is_read_where_a_tenth_of_datagrams_is_lost() -> None:
    net = nets.tree2(5, 3, 3, seed=3)
    with managed(net.text()) as (d, fabric):
        for switch in net.switches()[:5]:
            d.lose(switch.ident, 10)
        sweeps = [counters(d, str(fabric), "--json") for _ in range(3)]
    for done in sweeps:
        assert done.returncode == 0, done.stderr
        assert swept(net, done).keys() == set(cabled(net))


@pytest.mark.slow
def test_a_host_that_is_cut_off_is_named_and_the_others_are_read() -> None:
    net = nets.tree2(3, 2, 2, seed=5)
    with managed(net.text()) as (d, fabric):
        d.unlink(net.nodes["l1-h0"].ident, 1)
        done = counters(d, str(fabric), "--json", "--timeout", "50ms")
    assert done.returncode == 1
    unread = json.loads(done.stdout)["unread"]
    assert [(row["node"], row["port"], row["reason"]) for row in unread] == [("l1-h0", 1, "timeout")]
    assert len(swept(net, done)) == len(cabled(net)) - 1


@pytest.mark.slow
def test_sweeps_go_on_while_the_manager_restarts(tmp_path: Path) -> None:
    net = nets.tree2(3, 2, 2, seed=5)
    written: dict[Port, dict[str, int]] = {
        port: {"SymbolErrors": at} for at, port in enumerate(cabled(net), 1)
    }
    out = tmp_path / "sweeps.jsonl"
    with managed(net.text()) as (d, fabric):
        write(d, net, written)
        with sweeps_of(d, str(fabric), "--every", "20ms", "--json", "-o", str(out)) as (reading, printed):
            printed.readline()
            os.kill(d.pid(), signal.SIGKILL)
            opensm.sweep(d.workdir, d.env, "updn", ["-r"])
            # Those that had begun before the manager was done, and two more.
            for _ in range(4):
                last = printed.readline()
    assert reading.returncode == 0
    assert json.loads(last)["schema"] == "lacis.counters/1"
    sweeps = recording.read(out.read_bytes()).sweeps
    guids = {node.guid: node.name for node in net.nodes.values()}
    # Whatever LIDs the manager gave: no port has the counters of another.
    for sweep in sweeps:
        ends = zip(sweep.guids.tolist(), sweep.ports.tolist(), strict=True)
        for (guid, port), value in zip(ends, sweep.values["SymbolErrors"].tolist(), strict=True):
            assert value == written[guids[guid], port]["SymbolErrors"]


@pytest.mark.slow
def test_what_a_job_would_send_is_found_again_on_every_link() -> None:
    # 4 KiB a message: 1,024 words in two packets. Of what is found, 72 words a packet are the readers' own, so that
    # data - 72 packets = flows x (1,024 - 2 x 72).
    words, packets = 1024, 2
    net = nets.tree2(4, 3, 4, seed=9)
    with managed(net.text(), "ftree") as (d, file):
        fabric = lacis.read(file)
        routes, _ = lacis.read_tables(fabric, d.workdir / "opensm-lfts.dump")
        nodes, numbers, flows = lacis.predict(routes, "alltoall", model="load").loads()
        guids = fabric.guids()
        by_guid = {node.guid: node.name for node in net.nodes.values()}
        sends = {
            (by_guid[int(guids[node])], int(port)): int(count)
            for node, port, count in zip(nodes, numbers, flows, strict=True)
        }
        before = counters(d, str(file), "--every", "1s", "--count", "1", "--json")
        at_first = swept(net, before)
        receives = {(node, port): sends[net.nodes[node].cables[port]] for node, port in sends}
        write(
            d,
            net,
            {
                port: {
                    "XmitData": at_first[port]["XmitData"] + words * sends[port],
                    "XmitPkts": at_first[port]["XmitPkts"] + packets * sends[port],
                    "RcvData": at_first[port]["RcvData"] + words * receives[port],
                    "RcvPkts": at_first[port]["RcvPkts"] + packets * receives[port],
                }
                for port in sends
            },
        )
        after = counters(d, str(file), "--every", "1s", "--count", "1", "--json")
    first, last = (recording.read(done.stdout.encode()).sweeps[0] for done in (before, after))
    grown = growth(first, last)
    ports = [
        (by_guid[guid], port) for guid, port in zip(grown.guids.tolist(), grown.ports.tolist(), strict=True)
    ]
    assert sum(sends.values()) > 0
    for data, counted, expected in (("XmitData", "XmitPkts", sends), ("RcvData", "RcvPkts", receives)):
        own = grown.values[data].astype(np.int64) - MAD_WORDS * grown.values[counted].astype(np.int64)
        assert not grown.lost[data].any()
        assert (own % (words - packets * MAD_WORDS) == 0).all()
        found = dict(zip(ports, (own // (words - packets * MAD_WORDS)).tolist(), strict=True))
        assert found == expected


def test_values_are_taken_from_where_libibmad_has_them() -> None:
    """Every counter, by the field of that name of libibmad, in data that were drawn."""
    import ctypes

    from lacis.counters.mad import attributes as at

    library = ctypes.CDLL("libibmad.so.5")
    library.mad_field_name.restype = ctypes.c_char_p
    names: list[str] = []
    # The last that are wanted are the errors of PortCountersExtended, of which PortXmitWait is the last.
    while names.count("SymbolErrorCounter") < 2 or names[-1] != "PortXmitWait":
        names.append((library.mad_field_name(len(names) + 1) or b"").decode())
    spelled = {own: name for own, (name, _) in NARROW.items()} | {
        own: name.replace("MultiCast", "Multicast") for own, name in WIDE.items()
    }
    others = {"Guid": at.NODE_GUID, "PortGuid": at.PORT_GUID, "StateChange": at.CHANGED}
    data = np.frombuffer(random.Random(3).randbytes(192), np.uint8)[None]
    found: dict[str, set[int]] = {}
    for number, name in enumerate(names, start=1):
        if name in {*spelled.values(), *others, "LinearFdbTop"}:
            value = ctypes.create_string_buffer(64)
            library.mad_decode_field(data.tobytes() + bytes(4096), number, value)
            # A field of at most 32 bits is decoded to an integer of 32, another to one of 64.
            both = (int.from_bytes(value.raw[:size], sys.byteorder) for size in (4, 8))
            found.setdefault(name, set()).update(both)
    for slots in (at.NARROW, at.WIDE, at.CAST, at.MORE):
        for own, slot in slots.items():
            assert int(at.value(data, slot)[0]) in found[spelled[own]], own
    for name, slot in {**others, "LinearFdbTop": at.TABLE_TOP}.items():
        assert int(at.value(data, slot)[0]) in found[name], name
