"""Random options for the choice among equal ports, with files that contain typical mistakes."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lacis.requests.routing import RouteOptions

    from .fabrics import Subject

NAMES = ("order", "order_no_scatter", "scatter", "port_shifting", "search_order", "ignore", "count_switches")
"""These options."""


def drawn(subject: Subject, rng: random.Random, names: Sequence[str] = NAMES) -> RouteOptions:
    """One of these options, or about half of them."""
    options: RouteOptions = {}
    ends = subject.adapter_port_guids + subject.switch_guids
    chosen = [name for name in names if len(names) == 1 or rng.random() < 0.5]
    if "order" in chosen:
        options["order"] = rng.sample(ends, rng.randint(1, len(ends)))
    if "order_no_scatter" in chosen:
        options["order_no_scatter"] = True
    if "scatter" in chosen:
        options["scatter"] = rng.choice([1, 2, 7, 12345])
    if "port_shifting" in chosen:
        options["port_shifting"] = True
    if "search_order" in chosen:
        options["search_order"] = search_order(subject, rng)
    if "ignore" in chosen:
        options["ignore"] = ignored(subject, rng)
    if "count_switches" in chosen:
        options["count_switches"] = True
    return options


def search_order(subject: Subject, rng: random.Random) -> list[tuple[int, list[int]]]:
    """Lines of a port search ordering file: some invalid, some for a switch that already has one."""
    lines = []
    for guid, radix in ports(subject).items():
        for _ in range(rng.choice([0, 1, 1, 1, 2])):
            listed = rng.sample(range(1, radix + 1), rng.randint(1, min(radix, 12)))
            mistake = rng.choice([None, None, None, None, 0, radix + 1, listed[0]])
            if mistake is not None:
                listed.insert(rng.randint(1, len(listed)), mistake)
            lines.append((guid, listed))
    return lines


def ignored(subject: Subject, rng: random.Random) -> list[tuple[int, int]]:
    """Ports of switches, cabled or not, ports that they lack, and ports of adapters."""
    pairs = [
        (guid, port)
        for guid, radix in ports(subject).items()
        for port in range(radix + 2)
        if rng.random() < 0.2
    ]
    pairs += [(guid, 1) for guid in subject.adapter_port_guids if rng.random() < 0.1]
    return pairs


def ports(subject: Subject) -> dict[int, int]:
    """Numbers of ports by node GUID of the switch."""
    found = re.findall(r"^switchguid=0x([0-9a-f]+).*\nSwitch\s+(\d+)", subject.text, re.M)
    return {int(guid, 16): int(radix) for guid, radix in found}
