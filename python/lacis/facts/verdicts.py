"""Verdicts: what is to be said first of a fabric, of the tables that run, and of a measurement."""

from __future__ import annotations

from typing import TypeAlias

from .fact import Fact, Population, Rank, Severity


class FindingsCounted(Fact, frozen=True):
    """Findings of one severity."""

    severity: Severity
    """That of all of them."""
    number: int
    """How many there are."""
    codes: tuple[str, ...]
    """Each once, the worst first."""


class NoFindings(Fact, frozen=True):
    """The fabric follows its own pattern."""


class CablingUnchecked(Fact, frozen=True):
    """Cables between switches that follow no known pattern: none of them was compared with any."""

    cables: int
    """Cables between switches."""


class CablesUnlisted(Fact, frozen=True):
    """A source that names nodes and no cable, as `ibswitches` does: what cables show cannot be seen."""

    nodes: int
    """How many nodes it names."""


class SwitchesUndiscovered(Fact, frozen=True):
    """Switches that are too far from OpenSM's manager to be found."""

    switches: int
    """How many there are."""
    hops: int
    """The most that a manager's packet can make."""


class HostsCutOff(Fact, frozen=True):
    """Hosts on islands, which no cable joins with the rest."""

    hosts: int
    """How many there are."""


class NoTraffic(Fact, frozen=True):
    """Too few hosts for traffic, so that tables are not compared."""

    hosts: int
    """None or one."""


class PairsLost(Fact, frozen=True):
    """Ordered pairs that tables leave without a route."""

    tables: str
    """The label of the engine that made them, with its options, or of the file that they were read from."""
    pairs: int
    """Ordered pairs."""
    population: Population
    """Whose pairs."""


class CreditLoop(Fact, frozen=True):
    """A circle of links that can wait for each other forever, on one lane."""

    tables: str
    """Those that leave it: the label of an engine, or of a file."""
    population: Population
    """The pairs whose paths make it."""


class LinkOverfull(Fact, frozen=True):
    """The fullest link carries far more than some link must, of all to all."""

    tables: str
    """Those that load it: the label of an engine, or of a file."""
    times: float
    """Its load over the load that some link must carry whatever the tables."""


class SuspectsSlow(Fact, frozen=True):
    """Links, adapters, switches or entries that a measurement shows to be slow (measured)."""

    suspects: int
    """How many there are."""
    first: tuple[str, ...]
    """The likeliest."""


class SuspectsFlapping(Fact, frozen=True):
    """Suspects that are slow now and then (measured)."""

    suspects: int
    """How many there are."""
    first: str
    """The likeliest."""


class HostsMisplaced(Fact, frozen=True):
    """Hosts that are measured among the hosts of another leaf (measured)."""

    hosts: tuple[str, ...]
    """By name."""


class HostsStandOut(Fact, frozen=True):
    """Hosts that stand out in a measurement for the worse (measured)."""

    hosts: tuple[str, ...]
    """By name."""


class BestTried(Fact, frozen=True):
    """The tables that are best of all that were tried, where they are not those that run."""

    tables: str
    """The label of an engine with its options."""


OfFabric: TypeAlias = (
    FindingsCounted
    | NoFindings
    | CablingUnchecked
    | CablesUnlisted
    | SwitchesUndiscovered
    | HostsCutOff
    | NoTraffic
    | PairsLost
    | CreditLoop
)
OfMeasurement: TypeAlias = SuspectsSlow | SuspectsFlapping | HostsMisplaced | HostsStandOut
Verdict: TypeAlias = OfFabric | LinkOverfull | OfMeasurement | BestTried


OF_FINDINGS = (FindingsCounted, NoFindings)
"""Verdicts that count findings, which the line about a fabric's health says too."""


def rank(verdict: Verdict) -> Rank:
    """How bad it is."""
    match verdict:
        case FindingsCounted(severity=severity):
            return severity
        case NoFindings() | BestTried():
            return "good"
        case NoTraffic() | CablingUnchecked() | CablesUnlisted():
            return "notice"
        case HostsCutOff():
            return "error"
        case PairsLost(population=population) | CreditLoop(population=population):
            return "error" if population == "hosts" else "warning"
        case _:
            return "warning"
