"""PSM2, Omni-Path's library: which units a process opens, how it joins rails, how it splits messages.

From the sources of opa-psm2 (psm_ep.c, psm_context.c, ptl_ips): a map is parsed with `sscanf`, which stops silently at the
first invalid item; without a map rails are sorted by subnet prefix, and the first is the master.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..documents.stacks import ConnectionFailure
from .outcome import Opened, Outcome, Regime, Remark
from .planes import DEFAULT_PREFIX

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..facts.fact import Severity
    from .environment import Environment
    from .hosts import Adapter, Kind

TITLE = "PSM2"
TECHNOLOGY = "omni-path"
MOST_RAILS = 4
NUMA = 2
THRESHOLD, WINDOW, PAGE = 64000, 131072, 4096
_ITEM = re.compile(r"\s*([+-]?\d+):\s*([+-]?\d+)")


def map_of(text: str) -> tuple[list[tuple[int, int]], str]:
    """Units and ports of a PSM2_MULTIRAIL_MAP as PSM2 parses it, and what it silently ignores."""
    found: list[tuple[int, int]] = []
    rest = text
    while match := _ITEM.match(rest):
        found.append((int(match.group(1)), int(match.group(2))))
        comma = rest.find(",")
        if comma < 0:
            return found, rest[match.end() :].strip()
        rest = rest[comma + 1 :]
        if len(found) == MOST_RAILS:
            # A comma at the end is a mistake, though PSM2 ignores it.
            return found, rest or ","
    return found, rest or ","


def is_multirail(env: Environment) -> bool:
    """Whether a process may use several rails."""
    return env.whole_number("PSM2_MULTIRAIL", 0) != 0


def opened(env: Environment, host: Kind) -> list[Opened]:
    """What the processes of a host open; several answers where that differs from process to process."""
    active = {(adapter.unit, adapter.port): adapter for adapter in host.adapters}
    if active and all(adapter.device.startswith("mlx") for adapter in host.adapters):
        failure = ConnectionFailure(
            "PSM2 no hfi units are available",
            "the host has InfiniBand adapters, and PSM2 is for Omni-Path's",
            "Another library, such as UCX.",
        )
        return [Opened(failure=failure)]
    if not active:
        failure = ConnectionFailure(
            "PSM2 no hfi units are active",
            "no adapter of the host has a link",
            "Check cables and the fabric manager.",
        )
        return [Opened(failure=failure)]
    if is_multirail(env):
        listed = env.get("PSM2_MULTIRAIL_MAP")
        if listed is not None:
            rails = []
            for unit, port in map_of(listed)[0]:
                if (unit, port) not in active:
                    return [Opened(failure=_inactive(unit, port, host))]
                rails.append(active[unit, port])
            if rails:
                return [Opened(tuple(rails))]
        else:
            made = [_sorted(units) for units in _numa_nodes(env, host)]
            if all(made):
                return [Opened(rails) for rails in made]
    unit = env.whole_number("HFI_UNIT", -1)
    if unit >= 0:
        mine = [adapter for adapter in host.adapters if adapter.unit == unit]
        return [Opened((mine[0],)) if mine else Opened(failure=_no_unit(unit, host))]
    packed = (env.get("HFI_SELECTION_ALG") or "").lower().startswith("packed")
    units = host.units()[:1] if packed else host.units()
    return [Opened((next(a for a in host.adapters if a.unit == unit),)) for unit in units]


def _numa_nodes(env: Environment, host: Kind) -> list[list[Adapter]]:
    """The units that processes may use together: the first port of each of the first four.

    With PSM2_MULTIRAIL=2 those of a NUMA node. The nodes of cards are unknown: each card is assumed to have its own.
    """
    by_unit: dict[int, Adapter] = {}
    for adapter in host.adapters:
        by_unit.setdefault(adapter.unit, adapter)
    first = [by_unit[unit] for unit in sorted(by_unit) if unit < MOST_RAILS]
    if env.whole_number("PSM2_MULTIRAIL", 0) != NUMA:
        return [first]
    by_card: dict[int, list[Adapter]] = {}
    for adapter in first:
        by_card.setdefault(adapter.card, []).append(adapter)
    return list(by_card.values()) or [[]]


def _sorted(rails: list[Adapter]) -> tuple[Adapter, ...]:
    """In the order of subnet prefixes, the first of which has the master."""
    return tuple(sorted(rails, key=lambda rail: DEFAULT_PREFIX if rail.prefix is None else rail.prefix))


def _inactive(unit: int, port: int, host: Kind) -> ConnectionFailure:
    has = ", ".join(f"{a.unit}:{a.port}" for a in host.adapters)
    return ConnectionFailure(
        f"Unit/port: {unit}:{port} is not active.",
        f"PSM2_MULTIRAIL_MAP names unit {unit}, port {port}; active on the host are {has}",
        f"Name active ones: PSM2_MULTIRAIL_MAP={','.join(f'{a.unit}:{a.port}' for a in host.adapters[:MOST_RAILS])}",
    )


def _no_unit(unit: int, host: Kind) -> ConnectionFailure:
    has = ", ".join(map(str, host.units()))
    return ConnectionFailure(
        f"PSM2 can't open hfi unit: {unit}",
        f"HFI_UNIT={unit}, and active units of the host are {has}",
        f"HFI_UNIT={host.units()[0]}",
    )


def connect(env: Environment, a: Opened, b: Opened) -> Outcome:
    """What two processes that opened these get."""
    failure = a.failure or b.failure
    if failure is not None:
        return Outcome(failure=failure)
    first, second = a.rails[0], b.rails[0]
    are_known = first.prefix is not None and second.prefix is not None
    if are_known and first.prefix != second.prefix:
        return Outcome(failure=_other_subnet(first, second, env))
    if first.plane != second.plane:
        return Outcome(failure=_timed_out(first, second, env))
    pairs, unused = [(first, second)], []
    if all(rail.prefix is not None for rail in (*a.rails, *b.rails)):
        left = list(b.rails[1:])
        for rail in a.rails[1:]:
            match = next((other for other in left if other.prefix == rail.prefix), None)
            if match is None:
                unused.append(rail)
                continue
            left.remove(match)
            if match.plane != rail.plane:
                return Outcome(failure=_timed_out(rail, match, env))
            pairs.append((rail, match))
        unused += left
    else:  # unknown prefixes are taken for the default one, with which rails are paired in their order
        for rail, other in zip(a.rails[1:], b.rails[1:], strict=False):
            if rail.plane != other.plane:
                return Outcome(failure=_timed_out(rail, other, env))
            pairs.append((rail, other))
        unused = [*a.rails[len(pairs) :], *b.rails[len(pairs) :]]
    lost = ""
    if unused:
        names = " and ".join(sorted({str(rail) for rail in unused}))
        verb = "has" if len(unused) == 1 else "have"
        lost = f"{names} {verb} no partner on the other host and {'is' if len(unused) == 1 else 'are'} silently not used"
    distinct = tuple(dict.fromkeys(pairs))
    if len(distinct) < len(pairs):
        lost = "; ".join(
            filter(None, (lost, "the map names one port twice, which adds a rail and no bandwidth"))
        )
    return Outcome(distinct, lost=lost)


def _other_subnet(first: Adapter, second: Adapter, env: Environment) -> ConnectionFailure:
    return ConnectionFailure(
        f"Trying to connect to a HFI (subnet id - {first.prefix:x})on a different subnet - {second.prefix:x}",
        f"one process has its {'master rail' if is_multirail(env) else 'endpoint'} on {first} (plane {first.plane}), "
        f"the other on {second} (plane {second.plane}), and no cable joins these planes",
        _FIX,
    )


_FIX = "One unit for all processes (HFI_UNIT=0), or all rails in one order (PSM2_MULTIRAIL=1 PSM2_MULTIRAIL_MAP=0:1,1:1)."


def _timed_out(first: Adapter, second: Adapter, env: Environment) -> ConnectionFailure:
    prefix = (
        "the same subnet prefix"
        if first.prefix is not None
        else "the subnet prefix that managers are shipped with"
    )
    text = "PSM2 EP connect error (unknown connect error)"
    return ConnectionFailure(
        text,
        f"{first} is on plane {first.plane} and {second} on plane {second.plane}, which no cable joins; with {prefix} on both "
        "they look like one network, so the connection is tried and times out (PSM2 returned unhandled/unknown connect "
        f"error: Operation timed out){', rail by rail' if is_multirail(env) else ''}",
        _FIX + " Give each plane's manager its own prefix.",
    )


def regimes(env: Environment, rails: int) -> list[Regime]:
    """What happens to messages by their size, on so many rails."""
    threshold = env.size("PSM2_MQ_RNDV_HFI_THRESH", THRESHOLD)
    window = env.size("PSM2_MQ_RNDV_HFI_WINDOW", WINDOW)
    if rails < 2:
        return [
            Regime(threshold, 1, "eager"),
            Regime(None, 1, f"windows of up to {window:,} B that the receiver grants"),
        ]
    return [
        Regime(threshold, 1, "eager, whole on one rail; successive messages take the rails in turn"),
        Regime(None, rails, f"windows of a {rails}th of the message, in whole pages of {PAGE:,} B, at most {window:,} B, in turn on the rails"
               if rails > 2 else f"windows of half the message, in whole pages of {PAGE:,} B, at most {window:,} B, in turn on the rails"),
    ]  # fmt: skip


def settings(rails: Sequence[Adapter], host: Kind) -> dict[str, str]:
    """The environment in which every process uses these rails."""
    if len(rails) == 1 and len({a.port for a in host.adapters if a.unit == rails[0].unit}) == 1:
        return {"PSM2_MULTIRAIL": "0", "HFI_UNIT": str(rails[0].unit)}
    listed = ",".join(f"{rail.unit}:{rail.port}" for rail in rails)
    return {"PSM2_MULTIRAIL": "1", "PSM2_MULTIRAIL_MAP": listed}


def remarks(env: Environment, hosts: Sequence[Kind]) -> list[Remark]:
    """Remarks on the variables themselves."""
    made: list[Remark] = []

    def say(severity: Severity, name: str, text: str, advice: str = "") -> None:
        made.append(Remark(severity, name, env.variables[name].line, text, advice))

    listed = env.get("PSM2_MULTIRAIL_MAP")
    if listed is not None:
        found, left = map_of(listed)
        if not is_multirail(env):
            say(
                "error",
                "PSM2_MULTIRAIL_MAP",
                "is read only with PSM2_MULTIRAIL=1 or 2, so it does nothing",
                "Set PSM2_MULTIRAIL=1.",
            )
        elif not found:
            say("error", "PSM2_MULTIRAIL_MAP", f'"{listed}" begins with no unit:port; PSM2 silently stops there and uses one rail',
                "Write unit:port,unit:port, such as 0:1,1:1.")  # fmt: skip
        if found and len(found) == MOST_RAILS and left and left != ",":
            say("error", "PSM2_MULTIRAIL_MAP", f'names more than {MOST_RAILS} rails; PSM2 silently stops after the fourth and ignores "{left}"',
                f"Name at most {MOST_RAILS}.")  # fmt: skip
        elif found and left == ",":
            say(
                "warning",
                "PSM2_MULTIRAIL_MAP",
                "ends in a comma; PSM2 silently stops there, with the rails before it",
                "Remove the comma.",
            )
        elif found and left:
            say("error", "PSM2_MULTIRAIL_MAP", f'"{left.split(",")[0].strip()}" is no unit:port; PSM2 silently stops there and ignores "{left}"',
                "Write unit:port,unit:port, such as 0:1,1:1.")  # fmt: skip
        twice = sorted({item for item in found if found.count(item) > 1})
        for unit, port in twice:
            say("error", "PSM2_MULTIRAIL_MAP", f"names {unit}:{port} twice: two rails on one port have the bandwidth of one",
                "Name each port once.")  # fmt: skip
        if env.whole_number("PSM2_MULTIRAIL", 0) == 2:
            say(
                "notice",
                "PSM2_MULTIRAIL_MAP",
                "overrides PSM2_MULTIRAIL=2: the map decides, not the NUMA node",
            )
    elif env.whole_number("PSM2_MULTIRAIL", 0) == NUMA:
        text = "each process uses the units of its NUMA node; the nodes are unknown here, and each card is assumed to have its own"
        say("notice", "PSM2_MULTIRAIL", text)
    if "HFI_UNIT" in env and is_multirail(env):
        say(
            "warning",
            "HFI_UNIT",
            "has no effect with PSM2_MULTIRAIL, which sets the unit of each rail",
            "Remove one of the two.",
        )
    if "PSM2_MULTIRAIL" in env and (value := env.get("PSM2_MULTIRAIL")) is not None:
        number = env.whole_number("PSM2_MULTIRAIL", -1)
        if number == -1 and value.strip() != "-1":
            say(
                "error",
                "PSM2_MULTIRAIL",
                f'"{value}" is no number and counts as 0: one rail',
                "0, 1 (all units) or 2 (those of the process' NUMA node).",
            )
        elif number not in (0, 1, NUMA):
            say("warning", "PSM2_MULTIRAIL", f"{value} is none of 0, 1 and 2; it counts as 1")
    value = env.get("HFI_SELECTION_ALG")
    if value is not None and value.lower() not in ("round robin", "packed", "round robin all"):
        text = f'"{value}" is none of "Round Robin", "Packed" and "Round Robin All"'
        say("warning", "HFI_SELECTION_ALG", text)
    value = env.get("HFI_UNIT")
    if value is not None and env.whole_number("HFI_UNIT", -2) == -2:
        say(
            "error",
            "HFI_UNIT",
            f'"{value}" is no number and counts as -1: any unit',
            "A unit's number, from 0.",
        )
    most = max((len(host.units()) for host in hosts), default=0)
    if most > MOST_RAILS and is_multirail(env) and listed is None:
        say("warning", "PSM2_MULTIRAIL", f"hosts have {most} units; PSM2 uses the first {MOST_RAILS}")
    for name in ("PSM2_MQ_RNDV_HFI_THRESH", "PSM2_MQ_RNDV_HFI_WINDOW"):
        value = env.get(name)
        if value is not None and not re.fullmatch(r"\s*\d+\s*", value):
            say("warning", name, f'"{value}" is no number of bytes')
    return made
