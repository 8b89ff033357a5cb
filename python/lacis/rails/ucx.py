"""UCX: which devices a process opens, which of them reach the other host, how many rails a message uses.

From UCX's documentation and `ucx_info -c`. UCX assumes that InfiniBand ports with the same subnet prefix reach each other.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..documents.stacks import ConnectionFailure
from .outcome import Opened, Outcome, Regime, Remark

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..facts.fact import Severity
    from .environment import Environment
    from .hosts import Adapter, Kind

TITLE = "UCX"
TECHNOLOGY = "infiniband"
ASSUMED_THRESHOLD = 16384
"""Assumed start of rendezvous with UCX_RNDV_THRESH=auto [bytes], which UCX computes for each pair of devices."""
_ALIASES = {"UCX_MAX_RNDV_LANES": "UCX_MAX_RNDV_RAILS", "UCX_MAX_EAGER_LANES": "UCX_MAX_EAGER_RAILS"}
DEFAULTS = {"UCX_MAX_EAGER_RAILS": 1, "UCX_MAX_RNDV_RAILS": 2}


def devices(listed: str, host: Kind) -> tuple[list[Adapter], list[str]]:
    """The adapters that a list of devices names, in its order, and the names that fit none.

    `all`, `mlx5_0:1`, `mlx5_0` (any port), `mlx5_[0-3]:1`, and `^mlx5_2:1,mlx5_3:1` for all except these.
    """
    text = listed.strip()
    is_except = text.startswith("^")
    named: list[Adapter] = []
    missing: list[str] = []
    for item in filter(None, (word.strip() for word in text.removeprefix("^").split(","))):
        if item == "all":
            found = list(host.adapters)
        else:
            wanted = set(_expand(item))
            found = [a for a in host.adapters if str(a) in wanted or a.device in wanted]
        if not found:
            missing.append(item)
        named += [adapter for adapter in found if adapter not in named]
    if is_except:
        return [adapter for adapter in host.adapters if adapter not in named], []
    return named, missing


def _expand(item: str) -> list[str]:
    match = re.fullmatch(r"(.*)\[(\d{1,3})-(\d{1,3})\](.*)", item)
    if match is None:
        return [item]
    head, first, last, tail = match.groups()
    return [f"{head}{number}{tail}" for number in range(int(first), int(last) + 1)]


def rails(env: Environment, name: str) -> int:
    """How many rails a message may use: `UCX_MAX_RNDV_RAILS` or `UCX_MAX_EAGER_RAILS`, by either name."""
    old = next((alias for alias, new in _ALIASES.items() if new == name), name)
    return max(1, env.number(name if name in env else old, DEFAULTS[name]))


def threshold(env: Environment) -> int | None:
    """The start of rendezvous between hosts [bytes], also from `intra:16k,inter:8k`; None where UCX decides."""
    text = env.get("UCX_RNDV_THRESH") or "auto"
    for word in text.split(","):
        scope, _, size = word.rpartition(":")
        if scope in ("", "inter", "host") and (
            match := re.fullmatch(r"\s*(\d{1,15})([kmgKMG]?)[bB]?\s*", size)
        ):
            return int(match.group(1)) << {"": 0, "k": 10, "m": 20, "g": 30}[match.group(2).lower()]
        if scope in ("", "inter", "host") and size.strip() == "inf":
            return 1 << 62
    return None


_LEAVE = re.compile(r"\\?(all|ib|rc|dc|ud|srd|cm|gga)")
"""Transports of UCX_TLS over adapters, by how their names begin."""


def transports(env: Environment) -> tuple[bool, bool]:
    """Whether UCX_TLS leaves transports over adapters, and whether TCP."""
    listed = (env.get("UCX_TLS") or "all").strip()
    words = {word.strip() for word in listed.removeprefix("^").split(",")}
    if listed.startswith("^"):
        gone = {word.lstrip("\\") for word in words}
        over_adapters = "ib" not in gone and not {"rc", "dc", "ud"} <= {
            word.partition("_")[0] for word in gone
        }
        return over_adapters, "tcp" not in gone
    return any(_LEAVE.match(word) for word in words), bool(words & {"all", "tcp"})


def is_interface(name: str) -> bool:
    """Whether a device is a network interface by its name, for TCP."""
    return (
        bool(
            re.fullmatch(r"(eth|en|em|ib|bond|br|team|lo|wl|hsn|opa|p\d+p|vlan|docker|usb|net)[\w.-]*", name)
        )
        and ":" not in name
    )


def _tcp(why: str) -> list[Opened]:
    return [Opened(beside=f"{why}: UCX sends by TCP, not by the adapters, at a fraction of their bandwidth")]


def opened(env: Environment, host: Kind) -> list[Opened]:
    """The devices that UCX may use on a host, those named first."""
    listed = env.get("UCX_NET_DEVICES")
    over_adapters, over_tcp = transports(env)
    found, missing = devices("all" if listed is None else listed, host)
    is_except = (listed or "").strip().startswith("^")
    interfaces = [] if is_except else [name for name in missing if is_interface(name)]
    if (
        over_tcp
        and not over_adapters
        and (interfaces or listed is None or is_except or "all" in listed.split(","))
    ):
        return _tcp(f"UCX_TLS={env.get('UCX_TLS')}")
    if over_tcp and interfaces and not found:
        return _tcp(f"UCX_NET_DEVICES={listed}")
    if not found:
        has = ", ".join(map(str, host.adapters)) or "none"
        name = (missing or [listed or ""])[0]
        return [
            Opened(
                failure=ConnectionFailure(
                    f"network device '{name}' is not available, please use one or more of:",
                    f"UCX_NET_DEVICES={listed} fits no adapter of the host, which has {has}; without a network device only "
                    "processes of one host reach each other: Destination is unreachable",
                    f"UCX_NET_DEVICES={','.join(map(str, host.adapters)) or 'all'}",
                )
            )
        ]
    if not over_adapters:
        tls = env.get("UCX_TLS")
        cause = (
            f"UCX_TLS={tls} leaves TCP, and UCX_NET_DEVICES={listed} no interface for it"
            if over_tcp
            else f"UCX_TLS={tls} has no transport that leaves the host"
        )
        return [
            Opened(
                failure=ConnectionFailure(
                    "no active messages transport to",
                    cause,
                    "UCX_TLS=all, or with rc, dc or ud and sm and self",
                )
            )
        ]
    return [Opened(tuple(found))]


def connect(env: Environment, a: Opened, b: Opened) -> Outcome:
    """What two processes get: each device is paired with one that UCX believes it reaches."""
    failure = a.failure or b.failure
    if failure is not None:
        return Outcome(failure=failure)
    if a.beside or b.beside:
        return Outcome(beside=a.beside or b.beside)
    most = max(rails(env, "UCX_MAX_RNDV_RAILS"), rails(env, "UCX_MAX_EAGER_RAILS"))
    left, wrong = list(b.rails), None
    pairs: list[tuple[Adapter, Adapter]] = []
    for rail in a.rails:
        if len(pairs) == most:
            break
        believed = [
            other
            for other in left
            if rail.prefix is None or other.prefix is None or rail.prefix == other.prefix
        ]
        if not believed:
            continue
        same = [other for other in believed if other.unit == rail.unit and other.port == rail.port]
        match = (same or believed)[0]
        left.remove(match)
        if match.plane != rail.plane:
            wrong = wrong or (rail, match)
            continue
        pairs.append((rail, match))
    if wrong is not None:
        first, second = wrong
        return Outcome(
            failure=ConnectionFailure(
                "Transport retry count exceeded on",
                f"UCX pairs {first} (plane {first.plane}) with {second} (plane {second.plane}), which no cable joins: their subnet "
                "prefixes are the same, or the one that managers are shipped with, so that they look like one network",
                "Give each plane's manager its own subnet prefix, and name the same devices on every host (UCX_NET_DEVICES).",
            )
        )
    if not pairs:
        return Outcome(
            failure=ConnectionFailure(
                "no active messages transport to",
                f"{', '.join(map(str, a.rails))} and {', '.join(map(str, b.rails))} are on planes with different subnet prefixes: "
                "Destination is unreachable",
                "Name devices on one plane on both hosts (UCX_NET_DEVICES).",
            )
        )
    could = min(len(a.rails), len(b.rails))
    lost = ""
    if len(pairs) < min(could, most):
        lost = f"{len(pairs)} of {min(could, most)} rails reach the other host; UCX does not say so"
    elif len(pairs) < could:
        lost = f"a message uses {len(pairs)} of {could} devices: UCX_MAX_RNDV_RAILS={most}" + (
            "" if "UCX_MAX_RNDV_RAILS" in env else ", its default"
        )
    return Outcome(tuple(pairs), lost=lost)


def regimes(env: Environment, count: int) -> list[Regime]:
    """What happens to messages by their size, on so many rails."""
    at = threshold(env)
    eager = min(count, rails(env, "UCX_MAX_EAGER_RAILS"))
    rndv = min(count, rails(env, "UCX_MAX_RNDV_RAILS"))
    source = "assumed" if at is None else "documented"
    least = ASSUMED_THRESHOLD if at is None else at
    how = (
        "rendezvous, split over the rails in proportion to their bandwidth"
        if rndv > 1
        else "rendezvous on one rail"
    )
    how_sent = "eager, on one rail" if eager == 1 else f"eager, large ones split over {eager} rails"
    return (
        [Regime(least - 1, eager, how_sent, source), Regime(None, rndv, how, source)]
        if least
        else [Regime(None, rndv, how, source)]
    )


def settings(chosen: Sequence[Adapter], _host: Kind) -> dict[str, str]:
    """The environment in which every process uses these rails."""
    listed = ",".join(map(str, chosen))
    return {"UCX_NET_DEVICES": listed, "UCX_MAX_RNDV_RAILS": str(len(chosen))}


def remarks(env: Environment, hosts: Sequence[Kind]) -> list[Remark]:
    """Remarks on the variables themselves."""
    made: list[Remark] = []

    def say(severity: Severity, name: str, text: str, advice: str = "") -> None:
        made.append(Remark(severity, name, env.variables[name].line, text, advice))

    listed = env.get("UCX_NET_DEVICES")
    if listed is not None:
        items = [item.strip() for item in listed.strip().removeprefix("^").split(",")]
        for item in sorted({item for item in items if items.count(item) > 1 and item}):
            say("warning", "UCX_NET_DEVICES", f"names {item} twice, which adds no rail")
        if "" in items:
            say(
                "warning",
                "UCX_NET_DEVICES",
                "has an empty name between or after commas",
                "Remove the comma.",
            )
        if ";" in listed or (re.search(r"\s", listed.strip())):
            say("error", "UCX_NET_DEVICES", f'"{listed}": devices are separated only by commas')
        for host in hosts:
            missing = devices(listed, host)[1]
            which = (
                f" of {len(host.names)} hosts ({host.names[0]} …)"
                if len(host.names) > 1
                else f" of {host.names[0]}"
                if host.names
                else ""
            )
            for item in missing:
                if not is_interface(item) and not re.match(r"(cuda|roce)\w*$", item):
                    say(
                        "warning",
                        "UCX_NET_DEVICES",
                        f"{item} is no adapter{which}: UCX warns and ignores it",
                    )
    for name in ("UCX_MAX_EAGER_RAILS", "UCX_MAX_RNDV_RAILS"):
        value = env.get(name)
        if value is not None and not re.fullmatch(r"\s*[1-9]\d{0,2}\s*", value):
            say("error", name, f'"{value}" is no number of rails')
    ratio = env.get("UCX_MULTI_LANE_MAX_RATIO")
    if ratio is not None and not re.fullmatch(r"\s*\d+(\.\d+)?\s*", ratio):
        say("error", "UCX_MULTI_LANE_MAX_RATIO", f'"{ratio}" is no ratio')
    return made
