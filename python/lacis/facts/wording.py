"""The words of facts, once for all faces."""

from __future__ import annotations

from functools import singledispatch

from . import doubts as on
from . import job as of_job
from . import verdicts as of
from .advice import LanesNeeded
from .fact import Fact
from .words import count, noun

_NAMED = 4
"""Hosts of a measurement that are named before the rest are left out."""


@singledispatch
def text(fact: Fact) -> str:
    """A fact as a sentence without its full stop.

    Raises:
        NotImplementedError: when its kind has no words, which a test rules out.
    """
    raise NotImplementedError(type(fact).__name__)


# --- verdicts ----------------------------------------------------------------------------------


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


# --- remarks on a job --------------------------------------------------------------------------


@text.register
def _(_: of_job.OneHost) -> str:
    return "a job of one host sends nothing over the fabric"


@text.register
def _(fact: of_job.MessagesUnrouted) -> str:
    return f"{fact.traffic}: {fact.messages:,} messages have no route; the rate of the others is not computed"


@text.register
def _(fact: of_job.NotComputed) -> str:
    return f"{fact.traffic}, {fact.multipath}: {fact.reason}"


@text.register
def _(fact: of_job.RateAssumed) -> str:
    return f"assumed: {fact.rate} for {fact.links:,} links whose rate the source does not have"


@text.register
def _(fact: of_job.CollectivesOnRails) -> str:
    if not fact.rails:
        return "NCCL's collectives: no rail has all of the hosts"
    numbers = ", ".join(map(str, fact.rails))
    return f"NCCL's collectives: on {noun(len(fact.rails), 'rail')} {numbers}, which every host has"


# --- doubts ------------------------------------------------------------------------------------


@text.register
def _(fact: on.TablesOfStrangers) -> str:
    return f"{fact.file}: {count(fact.tables, 'table')} of switches not in the fabric, such as {fact.first}"


@text.register
def _(fact: on.SwitchesWithoutTable) -> str:
    have = noun(fact.switches, "has", "have")
    more = ", …" if fact.switches > 1 else ""
    return (
        f"{fact.file}: {count(fact.switches, 'switch', 'switches')} {have} no table and will drop all packets: "
        f'"{fact.first}"{more}'
    )


_MISFITS = {
    "repeated": "second heading for a switch; the last counts",
    "unknown_ports": "entries for ports not in the fabric; their LIDs are taken as they are",
    "moved": "entries moved to the LIDs that their ports have now",
    "beyond": "entries of LIDs beyond the highest; OpenSM writes them beyond its tables and may crash",
}


@text.register
def _(fact: on.EntriesMisfit) -> str:
    return f"{fact.file}: {fact.entries} {_MISFITS[fact.how]}"


@text.register
def _(_: on.FileUnnamed) -> str:
    return "file: neither -U nor -M names a file, so it is minhop; OpenSM does the same"


@text.register
def _(fact: on.GuidsUnknown) -> str:
    of_file, such = f"{fact.unknown} of {fact.of} GUIDs", f"such as {fact.first}"
    if fact.of == 1:
        of_file, such = "its only GUID", fact.first
    are, them = noun(fact.unknown, "is", "are"), noun(fact.unknown, "it", "them")
    return f"{fact.file}: {of_file} {are} not in the fabric, {such}; OpenSM ignores {them}"


@text.register
def _(fact: on.GuidsNone) -> str:
    return f"{fact.file}: no GUID in the file"


@text.register
def _(fact: on.GuidsRepeated) -> str:
    return f"{fact.file}: GUID {fact.first} is listed twice{_and_more(fact.repeats)}; OpenSM counts it once"


@text.register
def _(fact: on.PortsRepeated) -> str:
    more = _and_more(fact.repeats)
    return (
        f"{fact.file}: port {fact.port} of switch {fact.first} is listed twice{more}; OpenSM counts it once"
    )


def _and_more(number: int) -> str:
    """What is said of all but the first."""
    return f" (and {number - 1} more)" if number > 1 else ""


@text.register
def _(fact: on.EngineRefused) -> str:
    refused = f"{fact.engine} refused: {fact.reason}"
    if fact.author != "OpenSM":
        return f"{refused}; {fact.successor or 'the next engine'} instead"
    if fact.successor is None:
        return f"{refused}; OpenSM would go on to the next engine there and say so only in its log"
    step = "go on" if fact.is_asked else "fall back"
    return f"{refused}; OpenSM would {step} to {fact.successor} and say so only in its log"


@text.register
def _(fact: on.LidsDoubled) -> str:
    return (
        f"LID {fact.first}{_and_more(fact.lids)} of {fact.port} goes to another port too, as OpenSM would have it: "
        "the fabric's LIDs and the LID cache disagree"
    )


@text.register
def _(_: on.TablesVary) -> str:
    return (
        "ftree: a leaf with hosts has a cable to another leaf; there OpenSM's own tables vary from run to run"
    )


# --- advice ------------------------------------------------------------------------------------


def credit_loops(number: int) -> str:
    """Credit loops, counted: `no credit loop`, `a credit loop`, `3 credit loops`."""
    return {0: "no credit loop", 1: "a credit loop"}.get(number, f"{number} credit loops")


@text.register
def _(fact: LanesNeeded) -> str:
    whose = "the same" if fact.bare_engine == fact.engine else f"{fact.bare_engine}'s"
    tables = f"its tables are {whose} on one lane then"
    loops = (
        f"with {credit_loops(fact.bare_credit_loops)} among the pairs of hosts"
        if fact.bare_credit_loops
        else "which leaves no credit loop among the pairs of hosts here"
    )
    return f"Where QoS is off, or an application sends on service level 0 without asking: {tables}, {loops}."


def applications(lanes: LanesNeeded | None) -> list[str]:
    """What applications must do for tables, line by line."""
    if lanes is None:
        return ["Nothing: one lane carries all traffic, and paths are found as before."]
    return [
        f"{lanes.engine} keeps its paths apart on lanes. For that to hold:",
        "",
        "* OpenSM needs `qos TRUE`, which is among the lines: without it no lanes are set up.",
        "* Every application must take the service level of each path from a path record of OpenSM: librdmacm and IPoIB "
        "do; Open MPI's openib needs `--mca btl_openib_ib_path_record_service_level 1`; others must be asked.",
        f"* {text(lanes)}",
    ]
