"""`--opensm-conf`: what a configuration of OpenSM says about routing, as options of the command line."""

from __future__ import annotations

from typing import Any

import click

from ..errors import LacisError
from ..files import reading
from ._fabric import warn

# Key → option, as `make_routes` takes it.
_OPTIONS = {
    "lmc": "lmc",
    "lmc_esp0": "lmc_esp0",
    "reassign_lids": "fresh_lids",
    "port_profile_switch_nodes": "count_switches",
    "connect_roots": "connect_roots",
    "quasi_ftree_indexing": "quasi_ftree",
    "port_shifting": "port_shifting",
    "guid_routing_order_no_scatter": "order_no_scatter",
    "max_reverse_hops": "reverse_hops",
    "avoid_throttled_links": "avoid_throttled",
    "do_mesh_analysis": "mesh_analysis",
    "lash_start_vl": "lash_start_vl",
    "nue_max_num_vls": "nue_vls",
    "nue_include_switches": "nue_include_switches",
    "scatter_ports": "scatter",
    "root_guid_file": "roots",
    "cn_guid_file": "cn",
    "io_guid_file": "io",
    "guid_routing_order_file": "order",
    "ids_guid_file": "ids",
    "hop_weights_file": "hop_weights",
    "port_prof_ignore_file": "ignore",
    "port_search_ordering_file": "search_order",
    "torus_config": "torus_config",
    "lfts_file": "lfts_file",
    "lid_matrix_dump_file": "lid_matrix_file",
}
_LANES = {1: 1, 2: 2, 3: 4, 4: 8, 5: 15}
"""Data lanes by the code of `max_op_vls`."""


PASSED_OVER = "lacis.opensm-conf"
"""Where the context of a command keeps what of a configuration does not count here."""


def merged(
    path: str, engine: str | None, told: dict[str, Any], *, verbose: bool = False
) -> tuple[str | None, dict[str, Any]]:
    """The engine and the options with those of a file added; what was typed wins, and that is said.

    Keys that do not count are said too, all of them with ``verbose``.

    Raises:
        LacisError: when the file contradicts itself, or names what does not exist here.
    """
    from .. import _core
    from ._routing import ENGINE_OPTIONS

    with reading(path) as data:
        settings, ignored, unknown = _core.read_opensm_conf(data)
        values: dict[str, Any] = {}
        lines: dict[str, int] = {}
        for line, key, value in settings:
            if key == "routing_engine":
                names = [name.strip() for name in value.split(",") if name.strip()]
                if "no_fallback" in names:
                    values["fallback"], lines["fallback"] = False, line
                if engines := ",".join(name for name in names if name != "no_fallback"):
                    values["engine"], lines["engine"] = engines, line
            elif key == "max_op_vls":
                values["vls"], lines["vls"] = _LANES.get(int(value, 0), 15), line
            elif value:
                values[_OPTIONS[key]], lines[_OPTIONS[key]] = _value(key, value), line
        _refuse_contradictions(values, lines, ignored)
    for line, key, _ in unknown:
        warn(f"{path}:{line}: OpenSM knows no key {key}, and passes over it")
    for line, key, value in ignored if verbose else ():
        warn(f"{path}:{line}: does not concern routing: {key} {value}".rstrip())
    if ignored and not verbose:
        keys = sorted({key for _, key, _ in ignored})
        shown = ", ".join(keys[:3]) + (", …" if len(keys) > 3 else "")
        what = "1 key does" if len(keys) == 1 else f"{len(keys)} keys do"
        warn(f"{path}: {what} not concern routing: {shown}")
    click.get_current_context().meta[PASSED_OVER] = {
        "file": path,
        "ignored": [{"line": line, "key": key, "value": value} for line, key, value in ignored],
        "unknown": [{"line": line, "key": key, "value": value} for line, key, value in unknown],
    }
    values = {name: value for name, value in values.items() if value is not False or name == "fallback"}
    values = _that_matter(path, values, lines, set(ENGINE_OPTIONS), str(engine or values.get("engine", "")))
    typed = {**told, **({} if engine is None else {"engine": engine})}
    for name in sorted(values.keys() & typed.keys()):
        if values[name] != typed[name]:
            warn(f"{path}:{lines[name]}: what the command line says instead counts")
    result = {**values, **typed}
    return result.pop("engine", None), result


def _refuse_contradictions(
    values: dict[str, Any], lines: dict[str, int], ignored: list[tuple[int, str, str]]
) -> None:
    """Settings that OpenSM takes one by one and nobody means together."""
    honoured = [line for line, key, value in ignored if key == "honor_guid2lid_file" and value == "TRUE"]
    if values.get("fresh_lids") and honoured:
        raise LacisError(
            f"reassign_lids forgets the LIDs that honor_guid2lid_file keeps (line {honoured[0]})",
            lines["fresh_lids"],
        )
    start, lanes = values.get("lash_start_vl", 0), values.get("vls", 8)
    if "lash" in str(values.get("engine", "")).lower().split(",") and start >= lanes:
        raise LacisError(f"lash_start_vl {start} leaves no lane of {lanes}", lines["lash_start_vl"])


def _value(key: str, value: str) -> Any:
    if value in ("TRUE", "FALSE"):
        return value == "TRUE"
    return value if key.endswith(("_file", "_config")) else int(value, 0)


def _that_matter(
    path: str, values: dict[str, Any], lines: dict[str, int], known: set[str], engines: str
) -> dict[str, Any]:
    """The options less those of engines that were not asked for; the template names a torus' file always."""
    chosen = set(engines.lower().split(","))
    if "torus-2qos" not in chosen:
        values.pop("torus_config", None)
    if "file" not in chosen:
        for name in ("lfts_file", "lid_matrix_file"):
            if name in values:
                warn(f'{path}:{lines[name]}: without the engine "file" nothing reads this file')
                values.pop(name)
    strange = sorted(values.keys() - known)
    if strange:
        raise LacisError(f"{strange[0]} has no meaning here", lines.get(strange[0]), source=path)
    return values
