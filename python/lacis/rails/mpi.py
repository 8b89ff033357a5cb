"""MVAPICH2, and Intel MPI, which leaves the rails to the library below it.

From their user guides; MVAPICH2 could not be tried.
"""

from __future__ import annotations

import re
from types import ModuleType
from typing import TYPE_CHECKING

from ..documents.stacks import ConnectionFailure
from . import opx, psm2, ucx
from .outcome import Opened, Outcome, Regime, Remark

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .environment import Environment
    from .hosts import Adapter, Kind

LARGE = 16384
"""MVAPICH2 splits larger messages over its rails [bytes]."""


def mvapich2(technology: str) -> _Mvapich2OmniPath | _Mvapich2Verbs:
    """MVAPICH2 over verbs, with rails of its own; or on Omni-Path over PSM2, which knows nothing of MV2_IBA_HCA."""
    return _Mvapich2OmniPath() if technology == "omni-path" else _Mvapich2Verbs()


class _Mvapich2OmniPath:
    """MVAPICH2's channel `psm`, over PSM2."""

    TITLE = "MVAPICH2"
    TECHNOLOGY = "omni-path"
    opened = staticmethod(psm2.opened)
    connect = staticmethod(psm2.connect)
    regimes = staticmethod(psm2.regimes)
    settings = staticmethod(psm2.settings)

    @staticmethod
    def remarks(env: Environment, hosts: Sequence[Kind]) -> list[Remark]:
        """Remarks on the variables themselves."""
        text = "chooses among rails of verbs; on Omni-Path MVAPICH2 sends by PSM2, which does not read it"
        advice = "HFI_UNIT, PSM2_MULTIRAIL and PSM2_MULTIRAIL_MAP choose there."
        unread = (env.variables[name] for name in _RAILS_OF_VERBS if name in env)
        made = [Remark("error", one.name, one.line, text, advice) for one in unread]
        return [*made, *psm2.remarks(env, hosts)]


_RAILS_OF_VERBS = (
    "MV2_IBA_HCA",
    "MV2_NUM_HCAS",
    "MV2_NUM_PORTS",
    "MV2_NUM_QP_PER_PORT",
    "MV2_RAIL_SHARING_POLICY",
    "MV2_RAIL_SHARING_LARGE_MSG_THRESHOLD",
    "MV2_PROCESS_TO_RAIL_MAPPING",
)


class _Mvapich2Verbs:
    """MVAPICH2's own multi-rail over verbs."""

    TITLE = "MVAPICH2"
    TECHNOLOGY = "infiniband"

    @staticmethod
    def opened(env: Environment, host: Kind) -> list[Opened]:
        """The adapters that a process opens."""
        listed = env.get("MV2_IBA_HCA")
        found = list(host.adapters)
        if listed is not None:
            names = [name for name in re.split(r"[:,]", listed) if name]
            found = [a for name in names for a in host.adapters if a.device == name]
            if len({a.device for a in found}) < len(set(names)):
                missing = ", ".join(name for name in names if all(a.device != name for a in host.adapters))
                has = ", ".join(a.device for a in host.adapters) or "none"
                failure = ConnectionFailure(
                    "",
                    f"MV2_IBA_HCA names {missing}; the host has {has}",
                    f"MV2_IBA_HCA={has.replace(', ', ':')}",
                )
                return [Opened(failure=failure)]
        if "MV2_NUM_HCAS" in env:
            found = found[: max(env.number("MV2_NUM_HCAS", 1), 1)]
        if not found:
            return [
                Opened(
                    failure=ConnectionFailure(
                        "", "no adapter of the host has a link", "Check cables and the subnet manager."
                    )
                )
            ]
        return [Opened(tuple(found))]

    @staticmethod
    def connect(_env: Environment, a: Opened, b: Opened) -> Outcome:
        """Pairs rails in their order."""
        failure = a.failure or b.failure
        if failure is not None:
            return Outcome(failure=failure)
        pairs = tuple(zip(a.rails, b.rails, strict=False))
        for x, y in pairs:
            if x.plane != y.plane:
                cause = f"rails are paired in their order, and {x} (plane {x.plane}) has no path to {y} (plane {y.plane})"
                return Outcome(
                    failure=ConnectionFailure(
                        "IBV_WC_RETRY_EXC_ERR",
                        cause,
                        "Name the adapters in one order on every host (MV2_IBA_HCA).",
                    )
                )
        lost = (
            ""
            if len(a.rails) == len(b.rails)
            else f"hosts have {len(a.rails)} and {len(b.rails)} rails; {len(pairs)} are used"
        )
        return Outcome(pairs, lost=lost)

    @staticmethod
    def regimes(env: Environment, count: int) -> list[Regime]:
        """What happens to messages by their size."""
        at = env.size("MV2_RAIL_SHARING_LARGE_MSG_THRESHOLD", LARGE)
        policy = env.get("MV2_RAIL_SHARING_POLICY") or "each process has its own rail (Rail Binding)"
        return [
            Regime(at, 1, f"whole on one rail: {policy}", "assumed"),
            Regime(None, count, "split evenly over the rails", "assumed"),
        ]

    @staticmethod
    def settings(chosen: Sequence[Adapter], _host: Kind) -> dict[str, str]:
        """The environment in which every process uses these rails."""
        names = ":".join(dict.fromkeys(adapter.device for adapter in chosen))
        return {"MV2_IBA_HCA": names, "MV2_NUM_HCAS": str(len(names.split(":")))}

    @staticmethod
    def remarks(env: Environment, hosts: Sequence[Kind]) -> list[Remark]:
        """Remarks on the variables themselves."""
        made = []
        if "MV2_NUM_HCAS" in env:
            count = env.number("MV2_NUM_HCAS", 1)
            most = max((len(host.adapters) for host in hosts), default=0)
            if count > most:
                text = f"asks for {count} adapters; hosts have {most}"
                made.append(Remark("warning", "MV2_NUM_HCAS", env.variables["MV2_NUM_HCAS"].line, text))
        return made


_BY_PROVIDER: dict[str, ModuleType] = {
    "psm2": psm2,
    "opx": opx,
    "mlx": ucx,
    "verbs": ucx,
    "verbs;ofi_rxm": ucx,
}


def _provider(env: Environment) -> tuple[str, str]:
    """The variable that names libfabric's provider, and the name; empty where none does."""
    for name in ("I_MPI_OFI_PROVIDER", "FI_PROVIDER"):
        if said := (env.get(name) or "").strip().lower():
            return name, said
    return "", ""


class IntelMpi:
    """Intel MPI: libfabric's provider psm2, opx or mlx (UCX) below it."""

    TITLE = "Intel MPI"

    def __init__(self, technology: str) -> None:
        self.TECHNOLOGY = technology

    def below(self, env: Environment) -> ModuleType:
        """The library that carries its messages."""
        _, said = _provider(env)
        return _BY_PROVIDER.get(said, psm2 if self.TECHNOLOGY == "omni-path" else ucx)

    def opened(self, env: Environment, host: Kind) -> list[Opened]:
        """What the library below opens."""
        if (env.get("I_MPI_FABRICS") or "").strip() == "shm":
            cause = "I_MPI_FABRICS=shm: only shared memory, no network"
            return [Opened(failure=ConnectionFailure("", cause, "I_MPI_FABRICS=shm:ofi"))]
        return list(self.below(env).opened(env, host))

    def connect(self, env: Environment, a: Opened, b: Opened) -> Outcome:
        """What the library below gets, with Intel MPI's texts for failures."""
        found: Outcome = self.below(env).connect(env, a, b)
        if found.failure is None or a.failure or b.failure or self.below(env) is ucx:
            return found
        text = "OFI tagged inject failed (ofi_impl.h:704:MPIDI_OFI_send_handler:Connection timed out)"
        below = f" ({found.failure.text})" if found.failure.text else ""
        return Outcome(failure=ConnectionFailure(text, f"{found.failure.cause}{below}", found.failure.fix))

    def regimes(self, env: Environment, count: int) -> list[Regime]:
        """Regimes of the library below."""
        return list(self.below(env).regimes(env, count))

    def settings(self, chosen: Sequence[Adapter], host: Kind) -> dict[str, str]:
        """The environment in which every process uses these rails."""
        library, provider = (psm2, "psm2") if self.TECHNOLOGY == "omni-path" else (ucx, "mlx")
        own = {"I_MPI_FABRICS": "shm:ofi", "I_MPI_OFI_PROVIDER": provider}
        below: dict[str, str] = library.settings(chosen, host)
        return own | below

    def remarks(self, env: Environment, hosts: Sequence[Kind]) -> list[Remark]:
        """Remarks on the variables themselves."""
        made = list(self.below(env).remarks(env, hosts))
        name, said = _provider(env)
        if said and said not in _BY_PROVIDER:
            text = f'what the provider "{said}" does with several adapters is not known to Lacis: the rails above are those of {self.below(env).TITLE}'
            made.append(Remark("notice", name, env.variables[name].line, text))
        fabrics = env.get("I_MPI_FABRICS")
        if fabrics is not None and fabrics.strip() not in ("shm:ofi", "ofi", "shm"):
            line = env.variables["I_MPI_FABRICS"].line
            made.append(
                Remark(
                    "warning",
                    "I_MPI_FABRICS",
                    line,
                    f'"{fabrics}" is none of shm:ofi, ofi and shm; releases since 2019 read no other',
                )
            )
        return made
