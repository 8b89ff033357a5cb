"""What an environment does to the rails of given hosts, and the environment for wanted rails."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import LacisError
from . import contexts, nccl, opx, psm2, ucx, variables
from .environment import Environment, Variable
from .hosts import in_common
from .mpi import IntelMpi, mvapich2
from .outcome import Outcome, Regime, Remark

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .contexts import Limits
    from .hosts import Adapter, Kind

STACKS = ("psm2", "ucx", "opx", "nccl", "mvapich2", "intelmpi")
TECHNOLOGIES = ("infiniband", "omni-path")


def rules(stack: str, technology: str) -> Any:
    """What a stack does: a module of this package, or an object like one."""
    if stack == "intelmpi":
        return IntelMpi(technology)
    if stack == "mvapich2":
        return mvapich2(technology)
    return {"psm2": psm2, "ucx": ucx, "opx": opx, "nccl": nccl}[stack]


@dataclass(frozen=True)
class Between:
    """What any host of one kind and any other of another kind get.

    Attributes:
        a: names of the hosts of the first kind; empty for any host.
        b: of the second.
        verdict: `connects`; `fewer rails` (connects, silently on fewer than are set); `tcp` (connects, beside the
            adapters); `depends` (some processes connect); `fails`.
        outcomes: what pairs of processes get, each once.
        used: the most rails that a pair of processes uses.
        common: rails that the two hosts have in common.
    """

    a: tuple[str, ...]
    b: tuple[str, ...]
    verdict: str
    outcomes: tuple[Outcome, ...]
    used: int
    common: int


@dataclass(frozen=True)
class Checked:
    """What a stack does under an environment.

    Attributes:
        stack: its name.
        title: its own name.
        settings: its variables that are set.
        between: by pair of kinds of hosts.
        regimes: by message size, for the most rails that any two hosts use.
        remarks: on its variables.
    """

    stack: str
    title: str
    settings: tuple[Variable, ...]
    between: tuple[Between, ...]
    regimes: tuple[Regime, ...]
    remarks: tuple[Remark, ...]


_LISTED = ("NCCL_IB_HCA", "UCX_NET_DEVICES", "MV2_IBA_HCA")
"""Variables that list adapters by name."""


def technology_of(hosts: Sequence[Kind], env: Environment | None = None) -> str:
    """`omni-path` where most adapters are HFIs, or no host is known and the settings name HFIs, or are PSM2's or OPX's."""
    devices = [adapter.device for host in hosts for adapter in host.adapters]
    if devices:
        return (
            "omni-path"
            if 2 * sum(device.startswith("hfi") for device in devices) > len(devices)
            else "infiniband"
        )
    if env is None:
        return "infiniband"
    families = {variables.family(name) for name in env.variables}
    names_hfis = any(re.search(r"\bhfi1(?:_|\b)", env.get(name) or "") for name in _LISTED)
    return "omni-path" if names_hfis or families & {"psm2", "opx"} else "infiniband"


def named_units(env: Environment) -> int:
    """How many adapters the settings name, if all up to the greatest number are there.

    Where a list leaves out all of these, hosts have others: one more is counted.
    """
    counted = 0
    for name in (*_LISTED, "PSM2_MULTIRAIL_MAP"):
        text = env.get(name) or ""
        numbers = {
            int(one or other)
            for one, other in re.findall(r"\b(?:mlx5|hfi1)_(\d{1,3})\b|(?:^|,)\s*(\d{1,3}):\d", text)
        }
        most = max(numbers, default=-1) + 1
        counted = max(counted, most + (text.strip().startswith("^") and most == len(numbers) > 0))
    return counted


def named_devices(env: Environment) -> list[str]:
    """The adapters that the settings name, and that have other names than `mlx5_0`, `mlx5_1` …, each once."""
    listed: list[str] = []
    hca = (env.get("NCCL_IB_HCA") or "").strip()
    if not hca.startswith("^"):
        listed += hca.removeprefix("=").split(",")
    listed += re.split(r"[:,]", env.get("MV2_IBA_HCA") or "")
    # UCX names interfaces, too; adapters have a port.
    listed += [one for one in (env.get("UCX_NET_DEVICES") or "").split(",") if re.search(r":\d+$", one)]
    names = (one.strip().partition(":")[0] for one in listed)
    # A driver's name stands for its adapters.
    found = (f"{name}_0" if name == "mlx4" else name for name in names)
    return list(
        dict.fromkeys(
            n
            for n in found
            if re.fullmatch(r"[A-Za-z][\w-]*\d", n) and not re.fullmatch(r"(?:mlx5|hfi1)(?:_\d+)?", n)
        )
    )


def stacks_of(env: Environment, technology: str) -> list[str]:
    """The stacks of an environment: those whose variables it sets, else the usual one of the adapters."""
    families = {variables.family(name) for name in env.variables}
    provider = (env.get("FI_PROVIDER") or "").strip().lower()
    if "intelmpi" in families:
        found = ["intelmpi"]
    elif "mvapich2" in families:
        found = ["mvapich2"]
    elif technology == "omni-path":
        set_here: list[str] = [stack for stack in ("psm2", "opx") if stack in families]
        found = [provider] if provider in ("psm2", "opx") else set_here or ["psm2"]
    else:
        found = ["ucx"]
    if "nccl" in families:
        found = ["nccl"] if found == ["ucx"] and "ucx" not in families else [*found, "nccl"]
    return found


def check(env: Environment, hosts: Sequence[Kind], stack: str, limits: Limits | None = None) -> Checked:
    """What a stack does between any two hosts under an environment."""
    stack_rules = rules(stack, technology_of(hosts, env))
    between = []
    for i, a in enumerate(hosts):
        for b in hosts[i:]:
            if a is b and len(a.names) == 1:
                continue  # one host alone needs no network
            between.append(_between(stack_rules, env, a, b))
    most = max((one.used for one in between), default=0)
    technology = technology_of(hosts, env)
    own = [variable for variable in env.variables.values() if _counts(stack, variable.name, technology)]
    return Checked(
        stack,
        stack_rules.TITLE,
        tuple(own),
        tuple(between),
        tuple(stack_rules.regimes(env, max(most, 1))),
        (*stack_rules.remarks(env, hosts), *contexts.remarks(env, hosts, stack, technology, limits)),
    )


def _counts(stack: str, name: str, technology: str) -> bool:
    family = variables.family(name)
    if stack == "mvapich2" and technology == "omni-path" and family == "psm2":
        return True
    if stack == "intelmpi":
        return family is not None and family not in ("nccl", "mvapich2")
    return family == stack or (family == "libfabric" and stack in ("psm2", "opx"))


def _between(stack_rules: Any, env: Environment, a: Kind, b: Kind) -> Between:
    found = [
        stack_rules.connect(env, x, y) for x in stack_rules.opened(env, a) for y in stack_rules.opened(env, b)
    ]
    outcomes = tuple(dict.fromkeys(found))
    failing = sum(outcome.failure is not None for outcome in outcomes)
    if failing == len(outcomes):
        verdict = "fails"
    elif failing:
        verdict = "depends"
    elif all(outcome.beside for outcome in outcomes):
        verdict = "tcp"
    else:
        verdict = "fewer rails" if any(outcome.lost for outcome in outcomes) else "connects"
    used = max((len(outcome.rails) for outcome in outcomes), default=0)
    return Between(a.names, b.names, verdict, outcomes, used, in_common(a, b))


def unknown_variables(env: Environment) -> list[Remark]:
    """Variables that look like a stack's and that none reads, with the nearest name; and variables unknown to Lacis."""
    made = []
    for variable in env.variables.values():
        name = variable.name
        if variables.is_known(name):
            if variable.value is None and variables.family(name):
                text = f'"{variable.written}" depends on unknown variables; left out'
                made.append(Remark("notice", name, variable.line, text))
            if name in variables.DEPRECATED:
                made.append(
                    Remark(
                        "notice",
                        name,
                        variable.line,
                        f"is called {variables.DEPRECATED[name]} in newer releases, which read the old name too",
                    )
                )
            continue
        family = variables.family(name)
        near = variables.nearest(name) if family else _near_family(name)
        if near:
            listed = " or ".join(near[:2]) if family is None else near[0]
            made.append(
                Remark(
                    "error",
                    name,
                    variable.line,
                    f"no stack reads it; did you mean {listed}?",
                    f"{near[0]}={variable.written}",
                )
            )
        elif family in variables.WHOLE:
            made.append(
                Remark(
                    "warning",
                    name,
                    variable.line,
                    f"no release of {rules(family, '').TITLE} that Lacis knows reads it",
                )
            )
        elif family:
            made.append(
                Remark(
                    "notice",
                    name,
                    variable.line,
                    "is not known to Lacis, whose list of such names is incomplete",
                )
            )
    return made


_HEADS = ("PSM2", "PSM", "HFI", "HFI1", "UCX", "NCCL", "MV2", "MVAPICH2", "OPX", "I_MPI", "IMPI", "FI", "OFI")


def _near_family(name: str) -> list[str]:
    """Known names near one that begins nearly like a stack's."""
    head = name.upper().split("_")[0]
    if len(name) < 6 or not any(_is_near(head, known) for known in _HEADS):
        return []
    import difflib

    return difflib.get_close_matches(name.upper(), sorted(variables._all()), 2, 0.84)


def _is_near(word: str, known: str) -> bool:
    import difflib

    return word == known or (len(word) > 2 and difflib.SequenceMatcher(None, word, known).ratio() >= 0.75)


def choose(use: str, host: Kind, most: int | None = None) -> list[Adapter]:
    """The wanted rails of a host: `all`, a rail's number from 1, or a map of `unit:port` with commas between.

    Raises:
        LacisError: when it is none of these, contradicts itself, or names a port that the host lacks.
    """
    has = ", ".join(f"{a.unit}:{a.port}" for a in host.adapters) or "none"
    if use == "all":
        by_rail = list(host.adapters)
        return by_rail if most is None else by_rail[:most]
    if re.fullmatch(r"\d{1,4}", use):
        number = int(use)
        # The number that tables of rails have; of hosts without one, the place among the adapters.
        numbered = [a for a in host.adapters if a.rail == number] if number else []
        if not numbered and number and not any(a.rail for a in host.adapters):
            numbered = list(host.adapters[number - 1 : number])
        if not numbered:
            there = ", ".join(str(rail) for rail in sorted({a.rail for a in host.adapters if a.rail}))
            raise LacisError(
                f"`use` {use}: hosts have {len(host.adapters)} rails, numbered from 1"
                + (f" ({there})" if there else "")
            )
        return numbered[:1]
    text = re.sub(r"^map[:= ]", "", use)
    chosen: list[Adapter] = []
    for item in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,4}):(\d{1,3})\s*", item)
        if match is None:
            raise LacisError(
                f'`use` {use}: "{item}" is no unit:port; say all, a number from 1, or a map such as 0:1,1:1'
            )
        unit, port = int(match.group(1)), int(match.group(2))
        found = next((a for a in host.adapters if (a.unit, a.port) == (unit, port)), None)
        if found is None:
            raise LacisError(f"`use` {use}: hosts have no active port {unit}:{port} (there are {has})")
        if found in chosen:
            raise LacisError(
                f"`use` {use}: names {unit}:{port} twice; two rails on one port have the bandwidth of one"
            )
        chosen.append(found)
    if most is not None and len(chosen) > most:
        raise LacisError(f"`use` {use}: names {len(chosen)} rails; PSM2 takes at most {most}")
    return chosen


def settings(stack: str, use: str, hosts: Sequence[Kind]) -> tuple[Environment, list[Adapter]]:
    """The environment in which a stack uses the rails that are wanted, chosen on the commonest kind of host.

    Raises:
        LacisError: as `choose`, or when there is no host.
    """
    if not hosts or not hosts[0].adapters:
        raise LacisError("no host has an adapter with a cable")
    technology = technology_of(hosts)
    stack_rules = rules(stack, technology)
    if technology != stack_rules.TECHNOLOGY:
        raise LacisError(
            f"{stack_rules.TITLE} is for {stack_rules.TECHNOLOGY}, and these adapters are {technology}"
        )
    is_psm2 = stack == "psm2" or (stack in ("intelmpi", "mvapich2") and technology == "omni-path")
    chosen = choose(use, hosts[0], psm2.MOST_RAILS if is_psm2 else None)
    made = stack_rules.settings(chosen, hosts[0])
    return Environment({name: Variable(name, value, 0, value) for name, value in made.items()}), chosen
