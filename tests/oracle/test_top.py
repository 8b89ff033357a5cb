"""`lacis top` on the counters that ibsim's console sets: what its views show is what was set."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.conftest import ROOT

from . import nets
from .subnets import cabled, managed
from .test_counters import NARROW, WIDE

if TYPE_CHECKING:
    from collections.abc import Mapping

pytestmark = pytest.mark.oracle

ERRORS = {
    "integrity": ("SymbolErrors", "LinkDowned"),
    "congestion": ("XmitDiscards",),
    "sma congestion": ("VL15Dropped",),
}
"""Lists, and the counters set here that they add up."""
PORTS = 6
"""Ports that are looked at one by one."""
WORDS = 40_000_000
"""Sent by each port, at the least: 160 MB, beside which the readers' own datagrams are nothing."""


def drawn(net: nets.Net) -> dict[tuple[str, int], dict[str, int]]:
    """Values for each port, which no counter is too narrow for; some are 0. What one end sends the other receives."""
    rng = random.Random(44)
    values = {
        port: {
            "SymbolErrors": rng.choice([0, rng.randrange(1, 60_000)]),
            "LinkDowned": rng.randrange(200),
            "XmitDiscards": rng.choice([0, rng.randrange(1, 60_000)]),
            "VL15Dropped": rng.randrange(60_000),
            "XmitData": WORDS + rng.randrange(WORDS),
        }
        for port in cabled(net)
    }
    for (node, port), own in values.items():
        own["RcvData"] = values[net.nodes[node].cables[port]]["XmitData"]
    return values


def number(value: int) -> str:
    """As views show it: two decimals below ten."""
    return f"{value:.2f}" if 0 < value < 10 else f"{value:,}"


def called(port: tuple[str, int]) -> str:
    return f"{port[0]}[{port[1]}]"


def expected_list(
    values: Mapping[tuple[str, int], Mapping[str, int]], names: tuple[str, ...]
) -> dict[str, str]:
    sums = {called(port): sum(own[name] for name in names) for port, own in values.items()}
    return {port: number(value) for port, value in sums.items() if value}


@pytest.mark.slow
def test_views_show_what_the_console_set() -> None:
    net = nets.tree2(3, 2, 2, seed=5)
    values = drawn(net)
    looked_at = random.Random(5).sample(sorted(values), PORTS)
    with managed(net.text()) as (d, fabric):
        words = [sys.executable, "-m", "tests.oracle.top_driven", str(fabric)]
        env = {**d.env, "PYTHONPATH": f"{ROOT / 'python'}:{ROOT}", "TERM": "xterm-256color"}
        with subprocess.Popen(
            words,
            env=env,
            cwd=d.workdir,  # where the simulated device leaves its folder
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as top:
            assert top.stdin
            assert top.stdout
            ready = top.stdout.readline()
            if ready.strip() == "read":
                d.count(
                    [
                        (
                            net.nodes[node].ident,
                            port,
                            f"PortCounters{'Extended' * (name in WIDE)}.{WIDE[name] if name in WIDE else NARROW[name][0]}",
                            value,
                        )
                        for (node, port), own in values.items()
                        for name, value in own.items()
                    ]
                )
            said, complaints = top.communicate(
                json.dumps([called(port) for port in looked_at]) + "\n", timeout=120
            )
    assert top.returncode == 0, ready + complaints
    shown = json.loads(said.splitlines()[-1])
    for name, counters in ERRORS.items():
        assert dict(shown["lists"][name]) == expected_list(values, counters)
        listed = [float(value.replace(",", "")) for _, value in shown["lists"][name]]
        assert listed == sorted(listed, reverse=True)
    seconds = float(re.search(r"over ([\d.]+) s", shown["head"])[1])  # type: ignore[index]
    for port in looked_at:
        seen = shown["ports"][called(port)]
        for counter in ("SymbolErrors", "LinkDowned", "XmitDiscards", "VL15Dropped"):
            value = values[port][counter]
            assert seen.get(counter, "+0") == f"+{value:,}"
        # The interval is shown with three digits, and each port has its own, which is shorter than that of all.
        rate = float(seen["sends"].split()[0].replace(",", "")) * 1e6
        assert 0.98 < rate * seconds / (4 * values[port]["XmitData"]) < 1.5
