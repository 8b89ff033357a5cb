"""Files that launchers obey: each rank on the host that an order of hosts gives it."""

from __future__ import annotations

from .allocation import Allocation, read_allocation
from .forms import RANKS, launch_line
from .large import needs
from .opensm import guid_lines, hosts_of_ca_order, is_ca_order, read_ca_order
from .order import RankOrder, in_a_row
from .scripts import LAUNCHERS, Request, script

__all__ = [
    "LAUNCHERS",
    "RANKS",
    "Allocation",
    "RankOrder",
    "Request",
    "guid_lines",
    "hosts_of_ca_order",
    "in_a_row",
    "is_ca_order",
    "launch_line",
    "needs",
    "read_allocation",
    "read_ca_order",
    "script",
]
