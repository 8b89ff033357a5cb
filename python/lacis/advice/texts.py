"""The files of a bundle, as OpenSM reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import LacisError
from ..sm.engines import KEYS

if TYPE_CHECKING:
    from collections.abc import Mapping

GUIDS = {"roots": "root_guids.txt", "cn": "cn_guids.txt", "io": "io_guids.txt", "order": "order_guids.txt"}
"""Option of `RouteOptions` with GUIDs, one a line → name of the file."""
PORTS = {
    "ids": "switch_ids.txt",
    "hop_weights": "hop_weights.txt",
    "ignore": "ignored_ports.txt",
    "search_order": "port_search_order.txt",
}
"""Option of `RouteOptions` with GUIDs of switches and numbers → name of the file."""
TORUS = "torus-2QoS.conf"


def files(options: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, str | bytes]]:
    """Key of `opensm.conf` → name of its file, and name → content, for the options that are files.

    Raises:
        LacisError: when options hold tables or hop matrices, whose text is not kept.
    """
    key_of = {option: key for key, option in KEYS.items()}
    paths: dict[str, str] = {}
    texts: dict[str, str | bytes] = {}
    for option, name in (GUIDS | PORTS).items():
        if options.get(option):
            paths[key_of[option]] = name
            texts[name] = _guids(options[option]) if option in GUIDS else _ports(options[option])
    if options.get("torus_config") is not None:
        paths[key_of["torus_config"]], texts[TORUS] = TORUS, options["torus_config"]
    for option in ("lfts_file", "lid_matrix_file"):
        if options.get(option) is not None:
            raise LacisError(f"{option} has no text to write into a bundle")
    return paths, texts


def _guids(guids: Any) -> str:
    return "".join(f"0x{guid:016x}\n" for guid in guids)


def _ports(entries: Any) -> str:
    lines = []
    for guid, *numbers in entries:
        flat = numbers[0] if numbers and isinstance(numbers[0], list | tuple) else numbers
        lines.append(" ".join([f"0x{guid:016x}", *map(str, flat)]))
    return "".join(f"{line}\n" for line in lines)
