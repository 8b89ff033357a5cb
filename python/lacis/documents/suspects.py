"""What may be slow, of `lacis explain`."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from .base import Fraction, Row, one_of

SuspectKind = Annotated[
    str, one_of("sending", "receiving", "link", "inner", "host", "cable", "switch", "entry")
]


class Suspect(Row, frozen=True):
    """What may be slow."""

    kind: SuspectKind
    """`sending` (a host's adapter sends, and the cable from it), `receiving`, `link` (between switches), `inner` (inside a director), `host` and `cable` (between switches): both directions, `switch`, `entry` (of a switch's table)."""
    node: str
    """The host's adapter, or the switch."""
    egress: str | None
    """The port from which the link leaves; of an entry, the port by which flows leave instead, where rates show it."""
    ingress: str | None
    """The port at which it arrives."""
    rate: str | None
    """The rate that its ends report."""
    destination: str | None
    """Of an entry: the host."""
    links: list[int]
    """Numbers of its directed links in this fabric."""

    def __str__(self) -> str:
        """In words, with both ends."""
        if self.kind in ("host", "cable"):
            return f"{self.node}, both directions: {self.egress} ↔ {self.ingress}"
        if self.kind == "switch":
            return f"switch {self.node}, all that passes it"
        if self.kind == "entry" and self.egress:
            return f"{self.node}'s entry for {self.destination}: it leads to {self.egress} → {self.ingress}"
        if self.kind == "entry":
            return f"flows to {self.destination} through {self.node}, or a switch after it"
        which = {
            "sending": " (a host sends)",
            "receiving": " (a host receives)",
            "inner": " (inside a director)",
        }
        return f"{self.egress} → {self.ingress}{which.get(self.kind, '')}"


class LikelySuspect(Suspect, frozen=True):
    """What may be slow, with its probability."""

    probability: float
    """That it is this one among those that explain the same."""


class CountedErrors(Row, frozen=True):
    """A counter of a port that has counted more errors than is tolerated."""

    port: str
    """The port."""
    counter: str
    """The counter: `SymbolErrors`."""
    value: int
    """Its value."""
    threshold: int
    """What is tolerated, at most."""


class FoundSuspect(Row, frozen=True):
    """A suspect all of whose flows are slow."""

    ratio: float
    """Of what others get: the share of their rate, or how many times as long."""
    low: float
    """The lower bound of its 95 % interval."""
    high: float
    """The upper bound."""
    flows: int
    """Flows over it, limited by it and explained by nothing else."""
    slow: int
    """Those that lose at least half as much."""
    reached: float
    """Their median, of what others get."""
    beside: int
    """Flows that share other links with them."""
    beside_reached: float
    """Their median."""
    like: list[str]
    """Slower rates that a link may have negotiated, whose ratio is within the interval."""
    gain: float
    """ln of the likelihood ratio with it and without."""
    suspects: Annotated[list[LikelySuspect], Meta(min_length=1)]
    """This one and others that explain about as much, likeliest first."""
    errors: list[CountedErrors] | UnsetType = UNSET
    """With counters of the fabric: errors of its ports beyond what is tolerated; absent without counters."""


class Spell(Row, frozen=True):
    """Rounds in a row in which all flows over a suspect were slow, and hardly any before or after."""

    first: int
    """The first round with slow flows."""
    last: int
    """The last one."""
    before: int | None
    """The last round before with flows over it; null: it was slow from the first on."""
    after: int | None
    """The first round after with flows over it; null: it was slow to the last."""
    rounds: int
    """How many rounds were measured."""
    others: int
    """Flows over it in other rounds."""
    others_reached: float
    """Their median, of what others get."""


class Partly(Row, frozen=True):
    """A suspect only some of whose flows or values are slow."""

    suspects: Annotated[list[Suspect], Meta(min_length=1)]
    """This one and others that explain the same."""
    flows: int
    """Flows over it, explained by nothing else; with `spell`, those in its rounds."""
    slow: int
    """Those that are slow, at times or always."""
    share: Fraction
    """The fraction of their values that are slow."""
    ratio: float
    """What these get while they are slow, of what others get."""
    swings: bool
    """Whether most differ from repeat to repeat; else from flow to flow."""
    gain: float
    """ln of the likelihood ratio."""
    spell: Spell | None = None
    """The rounds in which it was slow; null where they do not follow each other."""


class SuspectGroup(Row, frozen=True):
    """Suspects of one switch: a fault of its own may be behind them."""

    switch: str
    """The switch that all of them end at."""
    members: list[int]
    """Their indices in `found`, from 0."""
    cables: int
    """Cables of the switch that flows cross."""
    ratio: float
    """Median of what they reach, of what others get."""
