"""NCCL: which adapters it uses, and when a message may cross from one rail to another.

From NCCL's user guide (2.28). Which GPU is near which adapter is unknown: those of the same number are assumed to be, as on
rail-optimised machines.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..documents.stacks import ConnectionFailure
from ..facts.words import count
from .outcome import Opened, Outcome, Regime, Remark

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..facts.fact import Severity
    from .environment import Environment
    from .hosts import Adapter, Kind

TITLE = "NCCL"
TECHNOLOGY = "infiniband"
_MOST = 32


def adapters(listed: str, host: Kind) -> list[Adapter]:
    """The adapters that NCCL_IB_HCA allows, in the host's order.

    A list of prefixes, `=` before it for whole names, `^` for all except these, `:port` after a name.
    """
    text = listed.strip()
    is_except = text.startswith("^")
    text = text.removeprefix("^")
    exact = text.startswith("=")
    items = [item.strip() for item in text.removeprefix("=").split(",") if item.strip()][:_MOST]

    def fits(adapter: Adapter) -> bool:
        for item in items:
            name, _, port = item.partition(":")
            if port and port != str(adapter.port):
                continue
            if adapter.device == name if exact else adapter.device.startswith(name):
                return True
        return False

    return [adapter for adapter in host.adapters if not items or fits(adapter) != is_except]


def opened(env: Environment, host: Kind) -> list[Opened]:
    """The adapters that NCCL uses on a host."""
    if env.number("NCCL_IB_DISABLE", 0) == 1:
        return [Opened(failure=_sockets("NCCL_IB_DISABLE=1"))]
    listed = env.get("NCCL_IB_HCA")
    found = list(host.adapters) if listed is None else adapters(listed, host)
    if not found:
        return [
            Opened(
                failure=_sockets(
                    f"NCCL_IB_HCA={listed} fits no adapter ({', '.join(map(str, host.adapters)) or 'none'})"
                )
            )
        ]
    return [Opened(tuple(found))]


def _sockets(why: str) -> ConnectionFailure:
    return ConnectionFailure(
        "NET/IB : No device found.",
        f"{why}: NCCL uses TCP sockets, at a fraction of the bandwidth, and says so only with NCCL_DEBUG=INFO",
        "Name the adapters: NCCL_IB_HCA==mlx5_0,mlx5_1 (= for whole names), or leave it unset.",
    )


def connect(env: Environment, a: Opened, b: Opened) -> Outcome:
    """What two hosts get: rail by rail, in the order of their adapters."""
    failure = a.failure or b.failure
    if failure is not None:
        return Outcome(failure=failure)
    pairs = list(zip(a.rails, b.rails, strict=False))
    wrong = next(((x, y) for x, y in pairs if x.plane != y.plane), None)
    if wrong is None and env.number("NCCL_CROSS_NIC", 2) == 1:
        wrong = next(((x, y) for x in a.rails for y in b.rails if x.plane != y.plane), None)
    if wrong is not None:
        x, y = wrong
        how = (
            "NCCL_CROSS_NIC=1 lets rings go from" if env.number("NCCL_CROSS_NIC", 2) == 1 else "rings go from"
        )
        return Outcome(
            failure=ConnectionFailure(
                "NET/IB : Got completion from peer",
                f"{how} {x} (plane {x.plane}) to {y} (plane {y.plane}), which no cable joins: status=12 (IBV_WC_RETRY_EXC_ERR)",
                "NCCL_CROSS_NIC=0, and the same adapters on every host (NCCL_IB_HCA).",
            )
        )
    lost = ""
    if len(a.rails) != len(b.rails):
        few = min(len(a.rails), len(b.rails))
        lost = f"one host has {count(len(a.rails), 'adapter')}, the other {len(b.rails)}: rings use {few}, the others' channels share them"
    return Outcome(tuple(pairs), lost=lost)


def regimes(env: Environment, count: int) -> list[Regime]:
    """What happens to messages by their size."""
    split = env.number("NCCL_IB_SPLIT_DATA_ON_QPS", 0) == 1
    merged = env.number("NCCL_IB_MERGE_NICS", 1) == 1
    text = "a channel stays on its rail"
    if count > 1:
        text += f"; {count} rails work for {count} channels or more"
    if merged and count > 1:
        text += "; the two ports of one card count as one adapter (NCCL_IB_MERGE_NICS=1)"
    if split:
        text += "; a message is split over its queue pairs"
    at = env.number("NCCL_IB_AR_THRESHOLD", 8192)
    return [
        Regime(at, 1, text),
        Regime(None, 1, f"{text}; sent apart from its flag, so that adaptive routing may reorder it"),
    ]


def settings(chosen: Sequence[Adapter], _host: Kind) -> dict[str, str]:
    """The environment in which every process uses these rails, without crossing between them."""
    one_port = len({adapter.device for adapter in chosen}) == len(chosen)
    listed = ",".join(adapter.device if one_port else str(adapter) for adapter in chosen)
    return {"NCCL_IB_HCA": f"={listed}", "NCCL_CROSS_NIC": "0"}


def remarks(env: Environment, hosts: Sequence[Kind]) -> list[Remark]:
    """Remarks on the variables themselves."""
    made: list[Remark] = []

    def say(severity: Severity, name: str, text: str, advice: str = "") -> None:
        made.append(Remark(severity, name, env.variables[name].line, text, advice))

    listed = env.get("NCCL_IB_HCA")
    if listed is not None:
        text = listed.strip()
        items = [item.strip() for item in text.lstrip("^=").split(",")]
        if not text.lstrip("^").startswith("="):
            for item in filter(None, items):
                name = item.partition(":")[0]
                more = sorted(
                    {
                        a.device
                        for host in hosts
                        for a in host.adapters
                        if a.device.startswith(name) and a.device != name
                    }
                )
                # A driver's name is meant as a prefix: `mlx5`.
                if re.search(r"_\d+$", name) and more:
                    say(
                        "warning",
                        "NCCL_IB_HCA",
                        f"{name} is a prefix: it also takes {', '.join(more)}",
                        f"={item} takes only {item}.",
                    )
        signed = [item for item in text.lstrip("^=").split(",") if item.strip().startswith(("^", "="))]
        for item in signed:
            say(
                "error",
                "NCCL_IB_HCA",
                f'"{item.strip()}" is the name of no adapter: only the ^ and = before the first name count, for all names',
                f"{text[: len(text) - len(text.lstrip('^='))]}{','.join(item.strip().lstrip('^=') for item in items)}",
            )
        for item in sorted({item for item in items if item and items.count(item) > 1}):
            say("warning", "NCCL_IB_HCA", f"names {item} twice, which adds no rail")
        if "" in items and listed:
            say("warning", "NCCL_IB_HCA", "has an empty name between or after commas", "Remove the comma.")
    cross = env.get("NCCL_CROSS_NIC")
    if cross is not None and cross.strip() not in ("0", "1", "2"):
        say("error", "NCCL_CROSS_NIC", f'"{cross}" is none of 0, 1 and 2')
    if env.number("NCCL_PXN_DISABLE", 0) == 1:
        say("warning", "NCCL_PXN_DISABLE", "all-to-all leaves the rails: a GPU sends to one of another number by its own adapter, over the spines, and "
            "fails where each rail is a plane")  # fmt: skip
    return made
