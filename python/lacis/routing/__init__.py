"""Routing a fabric as its manager would, and the files about it."""

from __future__ import annotations

from .files import (
    read_conf,
    read_guids,
    read_hop_file,
    read_lid_cache,
    read_port_list,
    read_table_file,
    read_torus_config,
)
from .making import route
from .order import ca_order, ftree_hosts, routing_order
from .tables import read_tables, undiscovered, write_snapshot, write_tables

__all__ = [
    "ca_order",
    "ftree_hosts",
    "read_conf",
    "read_guids",
    "read_hop_file",
    "read_lid_cache",
    "read_port_list",
    "read_table_file",
    "read_tables",
    "read_torus_config",
    "route",
    "routing_order",
    "undiscovered",
    "write_snapshot",
    "write_tables",
]
