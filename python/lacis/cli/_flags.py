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

_ARGUMENT = re.compile(f"`({'|'.join(FLAGS)})`")


def with_flags(line: str) -> str:
    """An error of the library, with the flags of the command line in place of its arguments."""
    return _ARGUMENT.sub(lambda match: FLAGS[match[1]], line)
