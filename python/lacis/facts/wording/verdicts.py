"""The words of verdicts."""

from __future__ import annotations

from .. import verdicts as of
from ..words import count, noun
from .dispatch import text

_NAMED = 4
"""Hosts of a measurement that are named before the rest are left out."""


@text.register
def _(fact: of.FindingsCounted) -> str:
    return f"{count(fact.number, fact.severity)}: {', '.join(fact.codes)}"


@text.register
def _(_: of.NoFindings) -> str:
    return "The fabric follows its own pattern: no findings"


@text.register
def _(fact: of.CablingUnchecked) -> str:
    return (
        f"Cabling not checked: no pattern found in {count(fact.cables, 'cable')} between switches; "
        "a missing or misplaced one would not show"
    )


@text.register
def _(fact: of.CablesUnlisted) -> str:
    return (
        f"Cabling not checked: the source names {count(fact.nodes, 'node')} and no cable, so levels, rates, "
        "islands and missing cables cannot be seen"
    )


@text.register
def _(fact: of.SwitchesUndiscovered) -> str:
    switches = "1 switch is" if fact.switches == 1 else f"{fact.switches:,} switches are"
    return (
        f"{switches} more than {fact.hops} hops from the manager: OpenSM would not find what is there, "
        "and not route it"
    )


@text.register
def _(fact: of.HostsCutOff) -> str:
    them = "it" if fact.hosts == 1 else "them"
    return f"{count(fact.hosts, 'host')} on islands: no cables join {them} with the rest"


@text.register
def _(fact: of.NoTraffic) -> str:
    return (
        f"{'With one host' if fact.hosts else 'Without hosts'} there is no traffic: tables are not compared"
    )


@text.register
def _(fact: of.PairsLost) -> str:
    have = "has" if fact.pairs == 1 else "have"
    return f"{fact.tables}: {count(fact.pairs, 'pair')} of {fact.population} {have} no route"


@text.register
def _(fact: of.CreditLoop) -> str:
    whose = "hosts" if fact.population == "hosts" else "all end nodes, not of hosts alone"
    return f"{fact.tables} leaves a credit loop among pairs of {whose}: traffic on one lane can stop forever"


@text.register
def _(fact: of.LinkOverfull) -> str:
    return f"{fact.tables} puts {fact.times:.1f} × what some link must carry on the fullest link (all-to-all)"


@text.register
def _(fact: of.SuspectsSlow) -> str:
    more = fact.suspects - len(fact.first)
    rest = f", and {more:,} more" if more > 0 else ""
    return f"{count(fact.suspects, 'suspect')} slow: {', '.join(fact.first)}{rest} (measured)"


@text.register
def _(fact: of.SuspectsFlapping) -> str:
    rest = ", …" if fact.suspects > 1 else ""
    return f"{count(fact.suspects, 'suspect')} slow now and then: {fact.first}{rest} (measured)"


@text.register
def _(fact: of.HostsMisplaced) -> str:
    return (
        f"{count(len(fact.hosts), 'host')} measured among the hosts of another leaf: {_some(fact.hosts)}: "
        "a cable or a name swapped? (measured)"
    )


@text.register
def _(fact: of.HostsStandOut) -> str:
    stand = noun(len(fact.hosts), "stands", "stand")
    return f"{count(len(fact.hosts), 'host')} {stand} out in the measurement: {_some(fact.hosts)} (measured)"


@text.register
def _(fact: of.BestTried) -> str:
    return f"Best of the engines tried: {fact.tables}"


def _some(hosts: tuple[str, ...]) -> str:
    return ", ".join(hosts[:_NAMED]) + (", …" if len(hosts) > _NAMED else "")
