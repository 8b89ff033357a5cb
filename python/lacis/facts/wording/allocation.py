"""The words of remarks on where jobs are put."""

from __future__ import annotations

from .. import allocation as of_allocation
from ..words import count, noun
from .dispatch import text

RULES = {"lacis": "Lacis", "slurm": "Slurm's tree", "first": "first fit", "contiguous": "contiguous"}
"""Rules by which nodes are chosen, as they are shown."""


@text.register
def _(fact: of_allocation.NamesMatched) -> str:
    differ = noun(fact.nodes, "node is a host", "nodes are hosts")
    return (
        f"{fact.nodes:,} {differ} whose name differs in case or domain, such as {fact.node}, here {fact.host}"
    )


@text.register
def _(fact: of_allocation.GroupsAlone) -> str:
    return (
        f"the fabric has no levels: its {count(fact.groups, 'group')} of leaves and the bandwidths hold, and Slurm's tree is "
        "taken to have one switch above all leaves"
    )


@text.register
def _(fact: of_allocation.AdaptersUnknown) -> str:
    return (
        f"{count(fact.adapters, 'adapter')} of unknown hosts, or of hosts with another one's name, "
        f"{noun(fact.adapters, 'is', 'are')} not taken"
    )


@text.register
def _(fact: of_allocation.HostsApart) -> str:
    return (
        f"{RULES.get(fact.rule, fact.rule)}: {count(fact.pairs, 'pair')} of its hosts "
        f"{noun(fact.pairs, 'has', 'have')} no path on some rail"
    )


@text.register
def _(fact: of_allocation.HostsUnlinked) -> str:
    return f"{count(fact.hosts, 'free host')} without a link {noun(fact.hosts, 'is', 'are')} not taken"


@text.register
def _(fact: of_allocation.JobsPending) -> str:
    return f"{count(fact.jobs, 'job')} of the list {noun(fact.jobs, 'has', 'have')} no nodes"


@text.register
def _(fact: of_allocation.NothingTaken) -> str:
    why = "no gap is long enough" if fact.rule == "contiguous" else "too few hosts are below one switch"
    return f"{RULES.get(fact.rule, fact.rule)} finds no nodes: {why}"


@text.register
def _(fact: of_allocation.JobsUnknown) -> str:
    return (
        f"{count(fact.jobs, 'job')} of the trace {noun(fact.jobs, 'is', 'are')} left out: run time, processors or submission "
        "unknown"
    )


@text.register
def _(fact: of_allocation.JobsTooLarge) -> str:
    return (
        f"{count(fact.jobs, 'job')} of the trace {noun(fact.jobs, 'is', 'are')} left out: more than the machine's "
        f"{count(fact.nodes, 'node')}"
    )
