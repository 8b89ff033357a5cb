"""Arguments of the library as flags of the command line."""

from __future__ import annotations

import re

FLAGS = {
    "adapters": "--adapters",
    "adaptive": "--adaptive",
    "congestion": "--congestion-control",
    "cuts": "--cut",
    "duration": "--duration",
    "frequency": "--ar-frequency",
    "groups": "--hosts",
    "hosts": "--hosts",
    "labels": "--labels",
    "lanes": "--lanes",
    "launcher": "--launcher",
    "lfts": "--lfts",
    "mpicc": "--mpicc",
    "multipath": "--multipath",
    "nodes": "--nodes",
    "pairs": "--pairs",
    "period": "--ar-period",
    "preempt": "--preempt",
    "queues": "--queues",
    "rail": "--rail",
    "skipping_absent": "--skip-absent",
    "sl2vl": "--sl2vl",
    "test": "--test",
    "unit": "--unit",
    "use": "--use",
    "vlarb_high": "--vlarb-high",
    "vls": "--vls",
}
"""Argument → flag. Errors of the library name an argument as `argument`."""

FILES = {
    "counters": "--counters",
    "guid2lid_cache": "--guid2lid-cache",
    "lfts": "--lfts",
    "lid_matrix_file": "--lid-matrix-file",
    "node_name_map": "`lacis fabric --node-name-map`",
    "opensm_conf": "--opensm-conf",
    "topology": "`lacis verify --topology`",
}
"""Where a file belongs that is no fabric → the flag that takes it. The library says `this file to` and the first of these."""

_FILE = re.compile(f"(?<=this file to )`({'|'.join(FILES)})`")
_ARGUMENT = re.compile(f"`({'|'.join(FLAGS)})`")


def with_flags(line: str) -> str:
    """An error of the library, with the flags of the command line in place of its arguments."""
    return _ARGUMENT.sub(lambda match: FLAGS[match[1]], line)


def with_file_flags(line: str) -> str:
    """An error about a file of another kind, with the flag that takes it."""
    return _FILE.sub(lambda match: FILES[match[1]], line)
