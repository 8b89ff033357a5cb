"""OPX, Cornelis' libfabric provider: one adapter a process, chosen by FI_OPX_HFI_SELECT.

From fi_opx(7) of libfabric 2.4.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..documents.stacks import ConnectionFailure
from .outcome import Opened, Outcome, Regime, Remark

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..facts.fact import Severity
    from .environment import Environment
    from .hosts import Adapter, Kind

TITLE = "OPX"
TECHNOLOGY = "omni-path"
RENDEZVOUS, STRIPED = 16385, 65536
_ON = {"1", "on", "true", "yes", "y"}


@dataclass(frozen=True)
class Selector:
    """A selector of FI_OPX_HFI_SELECT: a unit, or None for the library's choice; and the processes that it is for, empty for all."""

    unit: int | None
    processes: str = ""


def selectors(text: str) -> tuple[list[Selector], str]:
    """The selectors of a FI_OPX_HFI_SELECT up to the first invalid one, and that."""
    if re.fullmatch(r"\s*\d+\s*", text):
        return [Selector(int(text))], ""
    found = []
    for word in text.split(","):
        if word == "default":
            found.append(Selector(None))
        elif match := re.fullmatch(r"fixed:(\d+)", word):
            found.append(Selector(int(match.group(1))))
        elif match := re.fullmatch(r"(numa|core):(\d+):(\d+)(?:-(\d+))?", word):
            kind, unit, first, last = match.groups()
            found.append(Selector(int(unit), f"{kind} {first}" + (f" to {last}" if last else "")))
        else:
            return found, word or "(nothing)"
    return found, ""


def opened(env: Environment, host: Kind) -> list[Opened]:
    """What the processes of a host open; several answers where that differs by their NUMA node or core."""
    if not host.adapters:
        return [
            Opened(
                failure=ConnectionFailure(
                    "", "no adapter of the host has a link", "Check cables and the fabric manager."
                )
            )
        ]
    text = env.get("FI_OPX_HFI_SELECT")
    if text is None:
        return _any(env, host)
    found, wrong = selectors(text)
    if wrong:
        failure = ConnectionFailure(
            "",
            f'FI_OPX_HFI_SELECT: "{wrong}" is none of n, fixed:n, default, numa:n:a[-b] and core:n:a[-b]',
            "Write numa:0:0,numa:1:1.",
        )
        return [Opened(failure=failure)]
    made: list[Opened] = []
    for selector in found:
        if selector.unit is None:
            made += _any(env, host)
        else:
            made.append(_unit(env, host, selector.unit))
        if not selector.processes:
            break
    return list(dict.fromkeys(made))


def _port(env: Environment, adapters: Sequence[Adapter]) -> Adapter:
    wanted = env.number("FI_OPX_PORT", 0)
    return next((adapter for adapter in adapters if adapter.port == wanted), adapters[0])


def _any(env: Environment, host: Kind) -> list[Opened]:
    return [Opened((_port(env, [a for a in host.adapters if a.unit == unit]),)) for unit in host.units()]


def _unit(env: Environment, host: Kind, unit: int) -> Opened:
    mine = [adapter for adapter in host.adapters if adapter.unit == unit]
    if mine:
        return Opened((_port(env, mine),))
    has = ", ".join(map(str, host.units()))
    return Opened(
        failure=ConnectionFailure(
            "",
            f"FI_OPX_HFI_SELECT asks for unit {unit}, and active units of the host are {has}: OPX refuses to open it",
            f"Choose among {has}.",
        )
    )


def connect(_env: Environment, a: Opened, b: Opened) -> Outcome:
    """What two processes get."""
    failure = a.failure or b.failure
    if failure is not None:
        return Outcome(failure=failure)
    first, second = a.rails[0], b.rails[0]
    if first.plane != second.plane:
        return Outcome(
            failure=ConnectionFailure(
                "",
                f"one process has opened {first} (plane {first.plane}), the other {second} (plane {second.plane}), which no cable joins: "
                "messages are repeated and never arrive",
                "One plane for all processes: FI_OPX_HFI_SELECT=0.",
            )
        )
    return Outcome(((first, second),))


def is_striping(env: Environment) -> bool:
    """Whether large transfers use several adapters (CN5000 and later, with the bulk service)."""
    return (env.get("FI_OPX_MULTI_HFI_STRIPING") or "").strip().lower() in _ON


def regimes(env: Environment, count: int) -> list[Regime]:
    """What happens to messages by their size."""
    at = env.number("FI_OPX_RZV_MIN_PAYLOAD_BYTES", RENDEZVOUS)
    made = [Regime(at - 1, 1, "eager, on the process' adapter")]
    if is_striping(env) and count > 1:
        striped = max(at, env.number("FI_OPX_RZV_STRIPING_MIN_PAYLOAD_BYTES", STRIPED))
        return [
            *made,
            Regime(striped - 1, 1, "rendezvous, on the process' adapter"),
            Regime(None, count, "rendezvous, striped over adapters (not on OPA100)"),
        ]
    return [*made, Regime(None, 1, "rendezvous, on the process' adapter")]


def settings(chosen: Sequence[Adapter], _host: Kind) -> dict[str, str]:
    """The environment in which processes use these rails: one for all, or one a NUMA node."""
    if len(chosen) == 1:
        return {"FI_PROVIDER": "opx", "FI_OPX_HFI_SELECT": str(chosen[0].unit)}
    listed = ",".join(f"numa:{rail.unit}:{number}" for number, rail in enumerate(chosen))
    return {"FI_PROVIDER": "opx", "FI_OPX_HFI_SELECT": f"{listed},default"}


def remarks(env: Environment, hosts: Sequence[Kind]) -> list[Remark]:
    """Remarks on the variables themselves."""
    made: list[Remark] = []

    def say(severity: Severity, name: str, text: str, advice: str = "") -> None:
        made.append(Remark(severity, name, env.variables[name].line, text, advice))

    text = env.get("FI_OPX_HFI_SELECT")
    if text is not None:
        found, _ = selectors(text)
        if re.fullmatch(r"\s*\d+\s*|fixed:\d+", text) and any(len(host.units()) > 1 for host in hosts):
            say("warning", "FI_OPX_HFI_SELECT", "pins every process of a host to one adapter: silently half the bandwidth and half the contexts of two",
                "Leave it unset, or choose by NUMA node: numa:0:0,numa:1:1.")  # fmt: skip
        for number, selector in enumerate(found[:-1], 1):
            if not selector.processes:
                say(
                    "warning",
                    "FI_OPX_HFI_SELECT",
                    f"selector {number} is for all processes, so that those after it have no effect",
                )
                break
    control = env.get("FI_OPX_ROUTE_CONTROL")
    if control is not None:
        modes = control.split(":")
        if len(modes) != 6 or not all(re.fullmatch(r"[0-7]", mode) for mode in modes):
            say(
                "error",
                "FI_OPX_ROUTE_CONTROL",
                f'"{control}" is not six numbers of 0 to 7 with colons between',
                "4:4:4:4:4:4 for adaptive, 0:0:0:0:0:0 for static routing.",
            )
        elif int(modes[5]) >= 4 and not _is_tid_off(env):
            say("error", "FI_OPX_ROUTE_CONTROL", "sends rendezvous data out of order (4 to 7) while TID is on, which needs them in order",
                "FI_OPX_TID=0 (FI_OPX_TID_DISABLE=1 in older releases).")  # fmt: skip
    if (env.get("FI_OPX_HFISVC") or "").strip() in _ON:
        say("notice", "FI_OPX_HFISVC", "works only with the kernel module's use_bulksvc=Y")
    return made


def _is_tid_off(env: Environment) -> bool:
    return (env.get("FI_OPX_TID_DISABLE") or "").strip().lower() in _ON or (
        env.get("FI_OPX_TID") or "1"
    ).strip().lower() in ("0", "off", "false", "no")
