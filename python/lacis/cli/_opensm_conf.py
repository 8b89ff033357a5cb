"""`--opensm-conf`: what a configuration of OpenSM says about routing, as options of the command line."""

from __future__ import annotations

from typing import Any

import click

from .. import opensm
from ..engines import KEYS, OPTIONS
from ..errors import LacisError
from ..files import reading
from ..opensm import LANES, plain
from ._fabric import warn

PASSED_OVER = "lacis.opensm-conf"
"""Where the context of a command keeps what of a configuration does not count here."""
SAID = "lacis.opensm-conf.said"
"""Where it keeps all that a configuration says, by key."""


def merged(
    path: str, engine: str | None, given: dict[str, Any], *, verbose: bool = False
) -> tuple[str | None, dict[str, Any]]:
    """The engine and the options with those of a file added; what was typed wins, and that is said.

    Keys that do not count are said too, all of them with ``verbose``.

    Raises:
        LacisError: when the file contradicts itself, or names what does not exist here.
    """
    from .. import _core
    from ._routing import ENGINE_OPTIONS

    with reading(path) as data:
        settings, ignored, adaptive, unknown = _core.read_opensm_conf(data)
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
                values["vls"], lines["vls"] = LANES.get(int(value, 0), 15), line
            elif value:
                values[KEYS[key]], lines[KEYS[key]] = _value(key, value), line
        _refuse_contradictions(values, lines, ignored)
    _tell_of_adaptive(path, values.get("engine", ""), adaptive)
    _tell_of_unknown(path, unknown)
    for line, key, value in ignored if verbose else ():
        warn(f"{path}:{line}: does not concern routing: {key} {value}".rstrip())
    if ignored and not verbose:
        keys = sorted({key for _, key, _ in ignored})
        shown = ", ".join(keys[:3]) + (", …" if len(keys) > 3 else "")
        what = "1 key does" if len(keys) == 1 else f"{len(keys)} keys do"
        warn(f"{path}: {what} not concern routing: {shown}")
    meta = click.get_current_context().meta
    meta[SAID] = {key: value for _, key, value in (*settings, *ignored, *adaptive)}
    meta[PASSED_OVER] = {
        "file": path,
        "ignored": [{"line": line, "key": key, "value": value} for line, key, value in ignored],
        "adaptive": [{"line": line, "key": key, "value": value} for line, key, value in adaptive],
        "unknown": [{"line": line, "key": key, "value": value} for line, key, value in unknown],
    }
    values = {name: value for name, value in values.items() if value is not False or name == "fallback"}
    values = _that_matter(path, values, lines, set(ENGINE_OPTIONS), plain(engine or values.get("engine", "")))
    typed = {**given, **({} if engine is None else {"engine": engine})}
    for name in sorted(values.keys() & typed.keys()):
        if values[name] != typed[name]:
            warn(f"{path}:{lines[name]}: what the command line says instead counts")
    result = {**values, **typed}
    return result.pop("engine", None), result


def _tell_of_unknown(path: str, keys: list[tuple[int, str, str]]) -> None:
    """The keys that OpenSM 3.3.23 does not have: a vendor's have a hundred of their own."""
    if len(keys) <= _FEW:
        for line, key, _ in keys:
            warn(f"{path}:{line}: OpenSM knows no key {key}, and passes over it")
    else:
        shown = ", ".join(sorted({key for _, key, _ in keys}))
        warn(f"{path}: OpenSM {opensm.VERSION} knows none of {len(keys)} keys, and passes over them: {shown}")


_FEW = 5


def _tell_of_adaptive(path: str, engines: str, keys: list[tuple[int, str, str]]) -> None:
    """What NVIDIA's engines and keys about adaptive routing mean here."""
    if name := opensm.adaptive(engines):
        base = opensm.plain(name)
        warn(
            f"{path}: {name} is NVIDIA's: {base} makes its tables, which count here; its switches then choose among equal ports"
        )
    if keys:
        shown = ", ".join(key for _, key, _ in keys)
        warn(f"{path}: how switches choose among equal ports does not concern tables: {shown}")


def _refuse_contradictions(
    values: dict[str, Any], lines: dict[str, int], ignored: list[tuple[int, str, str]]
) -> None:
    """Settings that OpenSM takes one by one and that contradict each other."""
    honoured = [line for line, key, value in ignored if key == "honor_guid2lid_file" and value == "TRUE"]
    if values.get("fresh_lids") and honoured:
        raise LacisError(
            f"reassign_lids forgets the LIDs that honor_guid2lid_file keeps (line {honoured[0]})",
            lines["fresh_lids"],
        )
    start, lanes = values.get("lash_start_vl", 0), values.get("vls", 8)
    if "lash" in plain(values.get("engine", "")).lower().split(",") and start >= lanes:
        raise LacisError(f"lash_start_vl {start} leaves no lane of {lanes}", lines["lash_start_vl"])


def _value(key: str, value: str) -> Any:
    if value in ("TRUE", "FALSE"):
        return value == "TRUE"
    return value if OPTIONS[KEYS[key]].kind == "file" else int(value, 0)


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
