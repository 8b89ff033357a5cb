"""Rows of a report's sections beside the comparison of engines: adaptive routing, failures, hot links."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Rates:
    """What the flows of one pattern get [bytes/s], modelled."""

    mean: float
    worst: float


@dataclass(frozen=True)
class AdaptiveRow:
    """One set of tables, static and adaptive."""

    engine: str
    static: Rates
    adaptive: Rates


@dataclass(frozen=True)
class Adaptive:
    """Static and adaptive routing side by side, packet by packet."""

    device: str
    """The modelled generation of switches, and where that is known from."""
    pattern: str
    """Traffic, bytes of a message, seeds."""
    rows: list[AdaptiveRow]
    words: str
    """The result in a sentence, and whether the fabric's switches can route adaptively."""


@dataclass(frozen=True)
class FailureRow:
    """What single failures do under one set of tables, repaired by one engine."""

    engine: str
    repaired_by: str
    """`OpenSM`, `Omni-Path's manager`, `Lacis inside OpenSM`, or `no manager` for tables that are loaded from a file."""
    tried: int
    """None where each takes long."""
    of: int
    """All cables between switches and all switches."""
    lossy: int
    """Failures after which some pair of remaining hosts has no route."""
    worst: str
    """The failure that loses most, and whether cables are left that other tables could use; empty where none loses any."""
    most_lost: int
    entries_changed: float
    """Median over the failures."""


@dataclass(frozen=True)
class CutOff:
    """A part whose failure alone cuts host adapters off, whatever the tables."""

    kind: str
    """`switch` or `cable`."""
    name: str
    adapters: int
    """Those that the largest part of what is left does not reach; a failed switch's own do not count."""


@dataclass(frozen=True)
class HotLink:
    """A link that carries much more than the mean."""

    rail: str
    """The rail whose traffic it is; empty where the fabric has one rail."""
    source: str
    target: str
    flows: int
    over_mean: float
    hosts: list[str]
    """Hosts whose traffic crosses it, by their names, inferred ones marked `?`; the first few."""


@dataclass(frozen=True)
class LoadedLink:
    """One of the fullest links under all-to-all traffic."""

    link: str
    flows: int
    of_mean: float
    """Over the mean of all directed links between switches."""
    pairs: list[str]
    """Some of the pairs behind its flows."""
