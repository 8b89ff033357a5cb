"""Doubts: what a user should know about tables that were made, and about the files that were read for them or written."""

from __future__ import annotations

from typing import Literal, TypeAlias

from .fact import Fact
from .launch import LaunchRemark
from .refusals import WhyNot
from .sources import SourceRemark
from .verdicts import SwitchesUndiscovered


class TablesOfStrangers(Fact, frozen=True):
    """Tables of a file for switches that the fabric lacks."""

    file: str
    """The file."""
    tables: int
    """How many there are."""
    first: str
    """The GUID of the first switch."""


class SwitchesWithoutTable(Fact, frozen=True):
    """Switches for which a file has no table: they will drop all packets."""

    file: str
    """The file."""
    switches: int
    """How many there are."""
    first: str
    """The name of the first."""


class EntriesMisfit(Fact, frozen=True):
    """Entries of a file of tables that OpenSM takes silently, though they are of another fabric."""

    file: str
    """The file."""
    entries: int
    """How many there are."""
    how: Literal["repeated", "unknown_ports", "moved", "beyond"]
    """A second heading for a switch; ports that the fabric lacks; other LIDs than now; LIDs beyond the highest."""


class FileUnnamed(Fact, frozen=True):
    """The engine `file` without a file of tables or of hops."""


class GuidsUnknown(Fact, frozen=True):
    """GUIDs of a file that the fabric lacks, such as typing mistakes, which OpenSM ignores."""

    file: str
    """The file."""
    unknown: int
    """How many of them the fabric lacks."""
    of: int
    """How many the file has."""
    first: str
    """The first that is unknown."""


class GuidsNone(Fact, frozen=True):
    """A file of GUIDs that has none."""

    file: str
    """The file."""


class GuidsRepeated(Fact, frozen=True):
    """GUIDs that a file lists again, which OpenSM counts once."""

    file: str
    """The file."""
    repeats: int
    """Lines that repeat another."""
    first: str
    """The first GUID that is listed twice."""


class PortsRepeated(Fact, frozen=True):
    """Ports of switches that a file lists again, which OpenSM counts once."""

    file: str
    """The file."""
    repeats: int
    """Lines that repeat another."""
    first: str
    """The GUID of the switch whose port is the first that is listed twice."""
    port: int
    """That port."""


class EngineRefused(Fact, frozen=True):
    """An engine that refused the fabric, and what made its tables instead."""

    engine: str
    """The one that refused."""
    reason: str
    """Why, in the engine's words."""
    successor: str | None
    """The next engine; none where islands have different ones."""
    author: Literal["OpenSM", "Lacis", "Omni-Path"]
    """The program whose engine it is; OpenSM goes on and says so only in its log."""
    is_asked: bool
    """Whether the next one was asked for too, and is no fall-back."""
    fact: WhyNot | None = None
    """What `reason` says."""


class LidsDoubled(Fact, frozen=True):
    """LIDs that two ports have, as OpenSM would have it: the fabric's LIDs and the LID cache disagree."""

    lids: int
    """How many there are."""
    first: int
    """The first."""
    port: str
    """The port that has it."""


class TablesVary(Fact, frozen=True):
    """A leaf with hosts has a cable to another leaf, where OpenSM's own ftree makes other tables from run to run."""


OfFile: TypeAlias = GuidsUnknown | GuidsRepeated | PortsRepeated
"""Doubts on a file of GUIDs, which is refused unless the user is lenient."""
Doubt: TypeAlias = (
    OfFile
    | TablesOfStrangers
    | SwitchesWithoutTable
    | EntriesMisfit
    | FileUnnamed
    | GuidsNone
    | EngineRefused
    | LidsDoubled
    | SwitchesUndiscovered
    | TablesVary
    | SourceRemark
    | LaunchRemark
)
