"""Contexts of Omni-Path's adapters: what the processes of a host need, and what there is.

Each process needs one for each endpoint and unit that it opens. PSM2_MULTI_EP and Open MPI's btl/ofi take a second
endpoint. Processes share contexts unless PSM2_SHAREDCONTEXTS is 0 or PSM2_MULTI_EP is on; up to 8 share one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import psm2
from .outcome import Remark

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .environment import Environment
    from .hosts import Kind

SHARE = 8
"""Processes that share a context at most."""


@dataclass(frozen=True)
class Limits:
    """How many there are on a host.

    Attributes:
        processes: of a job; as its environment says where None.
        contexts: of each adapter (`num_user_contexts`, by default one a core); unknown where None.
    """

    processes: int | None = None
    contexts: int | None = None


def endpoints(env: Environment, stack: str) -> tuple[int, list[str]]:
    """The endpoints that a process opens, and why there is more than one."""
    why = []
    if env.whole_number("PSM2_MULTI_EP", 0) != 0:
        why.append("PSM2_MULTI_EP")
    listed = env.parameters.get("btl")
    is_open_mpi = bool(env.parameters) and stack == "psm2"
    if is_open_mpi and listed is not None:
        names = {word.strip() for word in listed.removeprefix("^").split(",")}
        if ("ofi" in names) != listed.startswith("^"):
            why.append("Open MPI's btl/ofi")
    elif is_open_mpi:
        why.append("Open MPI's btl/ofi, where it is built (--mca btl ^ofi leaves it out)")
    return 1 + len(why), why


def remarks(
    env: Environment, hosts: Sequence[Kind], stack: str, technology: str, limits: Limits | None
) -> list[Remark]:
    """What the processes of a host need, against what there is."""
    processes = (limits.processes if limits else None) or env.processes
    over_psm2 = stack == "psm2" or (stack in ("intelmpi", "mvapich2") and technology == "omni-path")
    if processes is None or not over_psm2:
        return []
    each, why = endpoints(env, stack)
    units = max((len(host.units()) for host in hosts), default=1) or 1
    opened = max(
        (len({rail.unit for rail in one.rails}) for host in hosts for one in psm2.opened(env, host)),
        default=1,
    )
    # Processes with one rail are dealt out over the units, unless all are given the same one.
    spread = 1 if psm2.is_multirail(env) or env.whole_number("HFI_UNIT", -1) >= 0 else units
    need = -(-processes * each // spread)
    multi = "PSM2_MULTI_EP" in why
    shares = not multi and env.whole_number("PSM2_SHAREDCONTEXTS", 1) != 0
    name = next(
        (one for one in ("PSM2_MULTI_EP", "PSM2_SHAREDCONTEXTS") if one in env), "PSM2_SHAREDCONTEXTS"
    )
    line = env.variables[name].line if name in env else 0
    rails = f" on each of {opened} adapters" if opened > 1 else ""
    extra = f", of which {' and '.join(why)} {'takes' if len(why) == 1 else 'take'} one each" if why else ""
    endpoint = "1 endpoint" if each == 1 else f"{each} endpoints{extra}"
    text = f"{processes} processes a host with {endpoint} need {need} contexts of an adapter{rails}"
    contexts = limits.contexts if limits else None
    sharing = "; processes share contexts" if shares else "; they do not share contexts"
    if contexts is None:
        hint = "num_user_contexts of hfi1 says how many there are, one a core by default: --contexts N."
        return [Remark("notice", name, line, text + sharing, hint)]
    if need <= contexts:
        return [Remark("notice", name, line, f"{text}, and there are {contexts}")]
    if shares and need <= contexts * SHARE:
        how = f"{text}, and there are {contexts}: processes share them, and messages take longer"
        return [Remark("warning", name, line, how, "Fewer processes a host, or more contexts.")]
    fix = "Fewer processes a host; num_user_contexts of hfi1"
    fix += "; PSM2_MULTI_EP=0" if multi else "" if shares else "; PSM2_SHAREDCONTEXTS=1"
    fix += "; --mca btl ^ofi" if any("btl" in one for one in why) else ""
    return [
        Remark(
            "error", name, line, f"{text}, and there are {contexts}: the last processes get none", f"{fix}."
        )
    ]
