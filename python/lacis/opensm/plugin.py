"""Lacis' engines inside OpenSM: what an `opensm.conf` must say for them, and what they would do there.

The plugin itself is C and Rust (`opensm/`, `crates/lacis-opensm`). The names, options and judgements here are the plugin's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ..errors import LacisError, RefusedError
from ..facts.advice import LinesKept, LinesRestored, LinesUnknown, Setting
from ..facts.refusals import LostPair, ProofFindsLoops, ProofLosesPairs
from ..facts.wording import text
from ..results import Refusal
from ..sm.engines import ENGINES, KEYS, OMNI_PATH, OPTIONS, OURS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Unpack

    from .._core import Fabric, Routes, Verification
    from ..facts.advice import WayBack
    from ..requests.routing import RouteOptions

VERSION = "3.3.23"
"""The OpenSM whose structures the plugin knows."""
PREFIX = "lacis-"
"""Prefix of the names of Lacis' engines inside OpenSM."""
PLUGIN = "osmlacis"
LOOP_FREE = f"{PREFIX}numbered"
"""The engine that takes any fabric, and whose tables have no credit loop."""
LIBRARY = f"lib{PLUGIN}.so"
PROOFS = ("all", "hosts", "delivery", "nothing")
"""What must hold before tables are programmed: every pair of end nodes delivered and no credit loop; the same of host
adapters; delivery alone; nothing."""
MOST_THREADS = 512
"""The greatest `threads` that the plugin takes."""
STACK = 2
"""Address space that each of them reserves [MiB]."""


class PluginOptions(NamedTuple):
    """The options in `event_plugin_options`."""

    prove: str = "all"
    """One of `PROOFS`."""
    time: int = 60
    """Limit for one routing [s]."""
    memory: int = 8192
    """Address space beside the manager's own [MiB]."""
    threads: int = 0
    """0: one for each core; at most `MOST_THREADS`."""
    report: str | None = None
    """File to which a line of JSON is added at each sweep."""

    def words(self) -> str:
        """The value of `event_plugin_options`: what differs from the defaults.

        Raises:
            LacisError: when OpenSM or the plugin would not read the name of the file.
        """
        said = self
        if self.threads > self.memory // STACK:
            raise LacisError(
                f"threads={self.threads} needs memory={self.threads * STACK} or more, and has {self.memory}"
            )
        if self.report is not None:
            path = str(Path(self.report).absolute())
            if re.search(r"[\s,#\"]", path):
                raise LacisError(
                    "a blank, comma, quote or # ends the name of a file for the plugin", text=path
                )
            said = self._replace(report=path)
        shipped = PluginOptions()._asdict()
        return " ".join(f"{key}={value}" for key, value in said._asdict().items() if value != shipped[key])


LANES = {1: 1, 2: 2, 3: 4, 4: 8, 5: 15}
"""Data lanes by the code of `max_op_vls`."""
ADAPTIVE = {"ar_updn": "updn", "ar_ftree": "ftree", "ar_torus": "torus-2QoS"}
"""Engine of NVIDIA's OpenSM that routes adaptively → the engine that makes its tables; switches then choose among equal
ports."""


def plain(engines: str) -> str:
    """A list of engines by the names that they have outside OpenSM: `lacis-ftree` is `ftree`, and so is `ar_ftree`."""
    names = (name.strip().removeprefix(PREFIX) for name in engines.split(","))
    return ",".join(ADAPTIVE.get(name.lower(), name) for name in names)


def adaptive(engines: str) -> str:
    """The first engine of a list that routes adaptively; empty where none does."""
    return next((name.strip() for name in engines.split(",") if name.strip().lower() in ADAPTIVE), "")


def engine_list(engines: str, *, fallback: bool = True) -> list[str]:
    """The value of `routing_engine`: Lacis' engine first, then those that take over where it fails.

    The first name is Lacis', with or without its prefix. Later names without it are OpenSM's engines, unless it has none
    of that name. Where no engine of OpenSM is named, `LOOP_FREE` and then `minhop` come last; `no_fallback` where no
    fall-back is allowed.

    Raises:
        LacisError: when there is no such engine.
    """
    spelled = {name.lower(): name for name in ENGINES if name not in OMNI_PATH}
    found = []
    for number, typed in enumerate(engines.split(",")):
        name = plain(typed)
        if name.lower() not in spelled:
            raise LacisError(f'unknown routing engine "{name}" (there are {", ".join(spelled.values())})')
        name = spelled[name.lower()]
        is_ours = number == 0 or typed.strip().startswith(PREFIX) or name in OURS
        found.append(PREFIX + name if is_ours else name)
    if not fallback:
        return [*found, "no_fallback"]
    if any(not name.startswith(PREFIX) for name in found):
        return found
    return [*found, *([LOOP_FREE] if LOOP_FREE not in found else []), "minhop"]


def needs_qos(engines: list[str], options: Mapping[str, object]) -> bool:
    """Whether an engine of the list uses lanes, which OpenSM sets up with `qos TRUE` only."""
    several = {*OPTIONS["vls"].engines}
    if options.get("nue_vls", 1) == 1:
        several -= {*OPTIONS["nue_vls"].engines}
    return any(plain(engine) in several for engine in engines)


def settings(
    engines: list[str], options: Mapping[str, object], plugin: PluginOptions, now: Mapping[str, str]
) -> dict[str, str]:
    """Key → value of the lines of an `opensm.conf`.

    Args:
        engines: see `engine_list`.
        options: of `RouteOptions`, with files by their paths.
        plugin: options of the plugin.
        now: key → value of the present configuration. Other plugins stay, and their options.

    Raises:
        LacisError: when OpenSM has no such setting, or would not read it as it is meant.
    """
    others = [name for name in _words(now.get("event_plugin_name", "")) if name != PLUGIN]
    words = _words(now.get("event_plugin_options", "")) if others else []
    theirs = [word for word in words if word.partition("=")[0] not in PluginOptions._fields]
    lines = {"event_plugin_name": ",".join([*others, PLUGIN])}
    if said := " ".join([*theirs, plugin.words()]).strip():
        lines["event_plugin_options"] = said
    elif _words(now.get("event_plugin_options", "")):
        lines["event_plugin_options"] = "(null)"
    return lines | routing_lines(engines, options)


def routing_lines(engines: list[str], options: Mapping[str, object]) -> dict[str, str]:
    """Key → value of the lines of an `opensm.conf` on routing, for engines of any kind.

    Raises:
        LacisError: when OpenSM has no such setting, or would not read it as it is meant.
    """
    lines = {"routing_engine": ",".join(engines)}
    for key, option in KEYS.items():
        if options.get(option) is not None:
            lines[key] = _value(key, options[option])
    if options.get("vls") is not None:
        lines["max_op_vls"] = _lanes(options["vls"])
    if needs_qos(engines, options):
        lines["qos"] = "TRUE"
    return lines


def resets(lines: Mapping[str, str], now: Mapping[str, str]) -> dict[str, str]:
    """Key → default, for settings of routing that a configuration has and `lines` do not replace.

    LIDs stay as they are, and so do settings with their default.
    """
    stays = {"lmc", "lmc_esp0", "reassign_lids", "torus_config", "use_ucast_cache"}
    found = {}
    for key in KEYS.keys() - stays - lines.keys():
        row = OPTIONS[KEYS[key]]
        default = str(row.default) if row.kind == "number" else "(null)" if row.kind == "file" else "FALSE"
        if now.get(key) and now[key] != default:
            found[key] = default
    return dict(sorted(found.items()))


def back(before: Mapping[str, str | None] | None) -> WayBack:
    """How to go back to a configuration.

    Args:
        before: key → value to restore, None for a key to remove; None where the configuration is unknown.
    """
    if before is None:
        return LinesUnknown()
    if not before:
        return LinesKept()
    absent = tuple(key for key, value in before.items() if value is None)
    return LinesRestored(
        tuple(Setting(key, value or "(null)") for key, value in before.items() if value is not None), absent
    )


def _words(value: str) -> list[str]:
    """The words of a value, as OpenSM and the plugin split it."""
    return [word for word in re.split(r"[ ,\t]+", value) if word and word != "(null)"]


def _value(key: str, value: object) -> str:
    """A value as OpenSM reads it."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if OPTIONS[KEYS[key]].kind != "file":
        return str(value)
    return file_value(str(value))


def file_value(name: str) -> str:
    """The name of a file as OpenSM reads it.

    Raises:
        LacisError: when it would read another.
    """
    path = str(Path(name).absolute())
    if re.search(r'[#"\n\r]', path):
        raise LacisError(
            "a quote, a # or the end of the line ends the name of a file in opensm.conf", text=path
        )
    return f'"{path}"' if re.search(r"\s", path) else path


def _lanes(lanes: object) -> str:
    code = next((code for code, count in LANES.items() if count == lanes), None)
    if code is None:
        raise LacisError(f"OpenSM's max_op_vls knows 1, 2, 4, 8 and 15 data lanes, not {lanes} (`vls`)")
    return str(code)


@dataclass(frozen=True)
class Answer:
    """What a list of engines does on a fabric."""

    refusals: list[Refusal]
    """Engines that would fail, in order, and why."""
    serves: str | None
    """The engine that would route; none: all fail, and tables stay as they are."""
    routes: Routes | None
    """Its tables."""
    proof: Verification | None
    """What was proved of them; None for tables of OpenSM's engines, and where nothing is to be proved."""

    @property
    def good(self) -> bool:
        """Whether the first engine of the list routes."""
        return not self.refusals


def ask(fabric: Fabric, engines: list[str], prove: str = "all", **options: Unpack[RouteOptions]) -> Answer:
    """Goes through a list of engines as OpenSM with the plugin would: the first whose tables hold routes.

    Args:
        fabric: what to route.
        engines: see `engine_list`.
        prove: of `PROOFS`; for Lacis' engines only, as OpenSM proves nothing.
        options: see `RouteOptions`.

    Raises:
        LacisError: when options make no sense.
    """
    from .. import _core

    tried = [engine for engine in engines if engine != "no_fallback"]
    if tried == engines and engines[-1] != "minhop":
        tried.append("minhop")  # OpenSM's fall-back, unless forbidden
    strict: RouteOptions = {**options, "fallback": False}
    refusals: list[Refusal] = []
    for engine in tried:
        name = plain(engine)
        try:
            routes = _core.route(fabric, name, **strict)
        except RefusedError as refused:
            refusals += [
                msgspec.structs.replace(one, engine=engine, reason=f"refuses: {one.reason}")
                for one in refused.refusals
            ]
            continue
        is_asked = engine.startswith(PREFIX) and prove != "nothing"
        proof = _core.verify(routes, "hosts" if prove == "hosts" else "all") if is_asked else None
        failed = None if proof is None else _objection(proof, prove)
        if failed is None:
            return Answer(refusals, engine, routes, proof)
        refusals.append(Refusal(engine, text(failed), None, failed))
    return Answer(refusals, None, None, None)


def judged(proof: Verification) -> tuple[int, int]:
    """The pairs that a manager can judge (ports with LIDs that cables join), and how many of them are lost."""
    pairs = proof.pairs - proof.verdicts["unknown_lid"] - proof.apart
    return pairs, pairs - proof.verdicts["delivered"]


def _objection(proof: Verification, prove: str) -> ProofLosesPairs | ProofFindsLoops | None:
    """Why the plugin would not take tables."""
    pairs, lost = judged(proof)
    if lost:
        example = None
        if proof.failures and not proof.apart:  # otherwise no cables may join the example's ports
            verdict, source, target, lid = proof.failures[0]
            example = LostPair(source, target, lid, verdict)
        return ProofLosesPairs(lost, pairs, example)
    if proof.credit_loops and prove != "delivery":
        circle, _ = proof.credit_loops[0]
        return ProofFindsLoops(len(proof.credit_loops), tuple(circle))
    return None
