"""`--opensm-conf`: what a configuration of OpenSM says about routing, as options of the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .. import opensm
from ..errors import LacisError
from ..io.files import reading
from ..opensm.plugin import LANES, plain
from ..results import Conf, Setting
from ..sm.engines import KEYS, OPTIONS
from ._fabric import warn
from ._routing_options import ENGINE_OPTIONS, OptionValue

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..documents.common import ConfLine

PASSED_OVER = "lacis.opensm-conf"
"""Where the context of a command keeps the settings of a configuration that have no effect here."""
SAID = "lacis.opensm-conf.said"
"""Where it keeps all settings of a configuration, by key."""
_FEW = 5
"""Unknown keys that are named line by line: a vendor's OpenSM adds a hundred."""


def merged(
    path: str, engine: str | None, given: Mapping[str, OptionValue], *, verbose: bool = False
) -> tuple[str | None, dict[str, OptionValue]]:
    """The engine and the options with those of a file added; where both differ, what was typed holds.

    Warns of each such key, and of keys that have no effect: by name with ``verbose``, else by number.

    Raises:
        LacisError: when the file contradicts itself, or names what does not exist here.
    """
    from .. import _core
    from ..documents.common import OpensmConf

    with reading(path) as data:
        conf = Conf(*([Setting(*line) for line in lines] for lines in _core.read_opensm_conf(data)))
        values: dict[str, OptionValue] = {}
        lines: dict[str, int] = {}
        for line, key, value in conf.settings:
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
        _refuse_contradictions(values, lines, conf.ignored)
    _warn_of_adaptive(path, str(values.get("engine", "")), conf.adaptive)
    _warn_of_unknown(path, conf.unknown)
    for line, key, value in conf.ignored if verbose else ():
        warn(f"{path}:{line}: does not concern routing: {key} {value}".rstrip())
    if conf.ignored and not verbose:
        keys = sorted({setting.key for setting in conf.ignored})
        shown = ", ".join(keys[:3]) + (", …" if len(keys) > 3 else "")
        what = "1 key does" if len(keys) == 1 else f"{len(keys)} keys do"
        warn(f"{path}: {what} not concern routing: {shown}")
    meta = click.get_current_context().meta
    meta[SAID] = {key: value for _, key, value in (*conf.settings, *conf.ignored, *conf.adaptive)}
    meta[PASSED_OVER] = OpensmConf(
        file=path, ignored=_lines(conf.ignored), adaptive=_lines(conf.adaptive), unknown=_lines(conf.unknown)
    )
    values = {name: value for name, value in values.items() if value is not False or name == "fallback"}
    chosen = plain(engine or str(values.get("engine", "")))
    values = _that_matter(path, values, lines, set(ENGINE_OPTIONS), chosen)
    typed = {**given, **({} if engine is None else {"engine": engine})}
    for name in sorted(values.keys() & typed.keys()):
        if values[name] != typed[name]:
            warn(f"{path}:{lines[name]}: overridden by the command line")
    result = {**values, **typed}
    named = result.pop("engine", None)
    return None if named is None else str(named), result


def _lines(settings: Sequence[Setting]) -> list[ConfLine]:
    """Settings, as documents have them."""
    from ..documents.base import row_of
    from ..documents.common import ConfLine

    return [row_of(ConfLine, setting) for setting in settings]


def _warn_of_unknown(path: str, settings: Sequence[Setting]) -> None:
    """Names the keys that OpenSM 3.3.23 does not have."""
    if len(settings) <= _FEW:
        for line, key, _ in settings:
            warn(f"{path}:{line}: OpenSM knows no key {key}, and ignores it")
    else:
        shown = ", ".join(sorted({setting.key for setting in settings}))
        warn(f"{path}: OpenSM {opensm.VERSION} knows none of {len(settings)} keys, and ignores them: {shown}")


def _warn_of_adaptive(path: str, engines: str, settings: Sequence[Setting]) -> None:
    """Says what NVIDIA's engines and keys about adaptive routing mean here."""
    if name := opensm.adaptive(engines):
        base = opensm.plain(name)
        warn(
            f"{path}: {name} is NVIDIA's: {base} makes its tables, which are used here; its switches then choose among equal ports"
        )
    if settings:
        shown = ", ".join(setting.key for setting in settings)
        warn(f"{path}: how switches choose among equal ports does not concern tables: {shown}")


def _refuse_contradictions(
    values: Mapping[str, OptionValue], lines: Mapping[str, int], ignored: Sequence[Setting]
) -> None:
    """Refuses settings that OpenSM takes one by one and that contradict each other."""
    honoured = [line for line, key, value in ignored if key == "honor_guid2lid_file" and value == "TRUE"]
    if values.get("fresh_lids") and honoured:
        raise LacisError(
            f"reassign_lids forgets the LIDs that honor_guid2lid_file keeps (line {honoured[0]})",
            lines["fresh_lids"],
        )
    start, lanes = int(values.get("lash_start_vl", 0)), int(values.get("vls", 8))
    if "lash" in plain(str(values.get("engine", ""))).lower().split(",") and start >= lanes:
        raise LacisError(f"lash_start_vl {start} leaves no lane of {lanes}", lines["lash_start_vl"])


def _value(key: str, value: str) -> OptionValue:
    if value in ("TRUE", "FALSE"):
        return value == "TRUE"
    return value if OPTIONS[KEYS[key]].kind == "file" else int(value, 0)


def _that_matter(
    path: str, values: dict[str, OptionValue], lines: Mapping[str, int], known: set[str], engines: str
) -> dict[str, OptionValue]:
    """The options without those of engines that were not asked for; the template always names a torus' file."""
    chosen = set(engines.lower().split(","))
    if "torus-2qos" not in chosen:
        values.pop("torus_config", None)
    if "file" not in chosen:
        for name in ("lfts_file", "lid_matrix_file"):
            if name in values:
                warn(f'{path}:{lines[name]}: only the engine "file" reads this file')
                values.pop(name)
    strange = sorted(values.keys() - known)
    if strange:
        raise LacisError(f"{strange[0]} has no meaning here", lines.get(strange[0]), source=path)
    return values
