"""Lacis' engines inside OpenSM: what its configuration must say for them, and what they would do there."""

from __future__ import annotations

from .building import build
from .plugin import (
    ADAPTIVE,
    LANES,
    LIBRARY,
    PLUGIN,
    PREFIX,
    PROOFS,
    VERSION,
    Answer,
    PluginOptions,
    adaptive,
    ask,
    back,
    engine_list,
    file_value,
    judged,
    needs_qos,
    plain,
    resets,
    routing_lines,
    settings,
)

__all__ = [
    "ADAPTIVE",
    "LANES",
    "LIBRARY",
    "PLUGIN",
    "PREFIX",
    "PROOFS",
    "VERSION",
    "Answer",
    "PluginOptions",
    "adaptive",
    "ask",
    "back",
    "build",
    "engine_list",
    "file_value",
    "judged",
    "needs_qos",
    "plain",
    "resets",
    "routing_lines",
    "settings",
]
