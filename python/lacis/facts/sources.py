"""Remarks on a folder that is given as a fabric: what was taken from it, and where its files contradict each other."""

from __future__ import annotations

from typing import TypeAlias

from .fact import Fact


class FolderRead(Fact, frozen=True, kw_only=True):
    """Which files of a folder were taken for what; empty where it has none."""

    folder: str
    """The folder."""
    fabric: str
    """The file that the cables are from."""
    also: tuple[str, ...]
    """Files of the same fabric that add to it: states, counters."""
    tables: str
    """The forwarding tables."""
    opensm_conf: str
    """The configuration of the manager."""
    lid_cache: str
    """The cache of LIDs."""
    lids: int
    """Ports whose LIDs are from it: the files of the fabric have none."""
    counters: tuple[str, ...]
    """Files of counters alone."""
    passed_over: int
    """Files of which nothing was taken."""


class CablesDiffer(Fact, frozen=True):
    """Cables that one of two files of a fabric has, and the other has not."""

    file: str
    """The file that has them."""
    other: str
    """The file that lacks them."""
    cables: int
    """How many there are."""
    first: tuple[str, str]
    """The ends of the first."""


class NodesDiffer(Fact, frozen=True):
    """Cabled nodes that one of two files of a fabric has, and the other has not."""

    file: str
    """The file that has them."""
    other: str
    """The file that lacks them."""
    nodes: int
    """How many there are."""
    first: str
    """The first of them."""


class LidsDiffer(Fact, frozen=True):
    """Ports whose LIDs two files give differently."""

    file: str
    """The one file."""
    other: str
    """The other."""
    ports: int
    """How many ports."""
    first: str
    """The first of them."""
    lids: tuple[int, int]
    """Its LID in either."""


class LidsOccupied(Fact, frozen=True):
    """Ports without a LID, whose LID in a cache another port has."""

    file: str
    """The cache."""
    ports: int
    """How many ports."""
    first: str
    """The first of them."""
    lid: int
    """Its LID in the cache."""
    other: str
    """The port that has this LID."""


class FileOfAnotherFabric(Fact, frozen=True):
    """A file of a folder that shares no node with the fabric, left out."""

    file: str
    """The file."""


class FileLeftOut(Fact, frozen=True):
    """A file of a folder that cannot be used, left out."""

    file: str
    """The file."""
    reason: str
    """Why, in words."""


class FilesApart(Fact, frozen=True):
    """A file of a folder that was written on another day than the fabric's."""

    file: str
    """The file."""
    fabric: str
    """The file that the cables are from."""
    days: int
    """Whole days between them; below 0 where the file is older."""


SourceRemark: TypeAlias = (
    FolderRead
    | CablesDiffer
    | NodesDiffer
    | LidsDiffer
    | LidsOccupied
    | FileOfAnotherFabric
    | FileLeftOut
    | FilesApart
)
