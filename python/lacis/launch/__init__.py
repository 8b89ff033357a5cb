"""Files that launchers obey: each rank on the host that an order of hosts gives it."""

from __future__ import annotations

from .forms import RANKS, launch_line
from .large import needs
from .opensm import guid_lines, hosts_of_ca_order, is_ca_order, read_ca_order
from .order import RankOrder, in_a_row
from .scripts import LAUNCHERS, Request, script
from .slots import SlotList, read_slots

__all__ = [
    "LAUNCHERS",
    "RANKS",
    "RankOrder",
    "Request",
    "SlotList",
    "guid_lines",
    "hosts_of_ca_order",
    "in_a_row",
    "is_ca_order",
    "launch_line",
    "needs",
    "read_ca_order",
    "read_slots",
    "script",
]
