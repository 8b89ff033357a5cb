"""The words of remarks on folders and on cables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import sources
from ..words import count
from .dispatch import text

if TYPE_CHECKING:
    from ..found.cabling import CablePart


def part_words(part: CablePart | None) -> str:
    """A cable in a line: `NVIDIA MCP7Y00-N001, serial MT2301, 1 m, 42 °C`."""
    if part is None:
        return ""
    made = " ".join(word for word in (part.vendor, part.part) if word)
    serial = f"serial {part.serial}" if part.serial else ""
    heat = "" if part.temperature is None else f"{part.temperature} °C"
    return ", ".join(word for word in (made, serial, part.length, heat) if word)


@text.register
def _(fact: sources.FolderRead) -> str:
    parts = [f"cables from {fact.fabric}"]
    if fact.also:
        parts.append(f"more about ports from {', '.join(fact.also)}")
    if fact.counters:
        parts.append(f"counters from {', '.join(fact.counters)}")
    for name, what in (
        (fact.tables, "tables"),
        (fact.opensm_conf, "configuration"),
        (fact.lid_cache, f"LIDs of {count(fact.lids, 'port')} from" if fact.lids else "LID cache"),
    ):
        if name:
            parts.append(f"{what} {name}")
    rest = f"; {count(fact.passed_over, 'other file')} passed over" if fact.passed_over else ""
    return f"{fact.folder}: {'; '.join(parts)}{rest}"


@text.register
def _(fact: sources.CablesDiffer) -> str:
    near, far = fact.first
    such = ":" if fact.cables == 1 else ", such as"
    return f"{count(fact.cables, 'cable')} of {fact.file} not in {fact.other}{such} {near} – {far}"


@text.register
def _(fact: sources.NodesDiffer) -> str:
    such = ":" if fact.nodes == 1 else ", such as"
    return f"{count(fact.nodes, 'node')} of {fact.file} not in {fact.other}{such} {fact.first}"


@text.register
def _(fact: sources.LidsDiffer) -> str:
    one, other = fact.lids
    more = "" if fact.ports == 1 else f" (and {count(fact.ports - 1, 'more port')})"
    return f"{fact.first} has LID {one} in {fact.file}, {other} in {fact.other}{more}: not of one day"


@text.register
def _(fact: sources.LidsOccupied) -> str:
    more = "" if fact.ports == 1 else f" (and {count(fact.ports - 1, 'more port')})"
    return f"{fact.first} has LID {fact.lid} in {fact.file}, but {fact.other} has it{more}: left out"


@text.register
def _(fact: sources.FileOfAnotherFabric) -> str:
    return f"{fact.file} is of another fabric, left out"


@text.register
def _(fact: sources.FileLeftOut) -> str:
    return f"{fact.file} is left out: {fact.reason}"


@text.register
def _(fact: sources.FilesApart) -> str:
    when = "before" if fact.days < 0 else "after"
    return f"{fact.file} was written {count(abs(fact.days), 'day')} {when} {fact.fabric}: it may be of another state"
