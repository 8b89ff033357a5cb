"""The words of doubts."""

from __future__ import annotations

from .. import doubts as on
from ..words import count, noun
from .dispatch import text


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
