"""What is said beside the suspects of a measurement: what they have in common, why none is named, and what would have shown."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from .fact import Fact
from .row import Row, one_of

SharedKind: TypeAlias = Literal["leaf", "switch", "chassis"]


class SlowTogether(Fact, frozen=True):
    """Suspects that became slow in the same rounds, or stopped being slow in the same rounds, or both: one event may be behind them."""

    members: list[int]
    """Their indices in `partly`, from 0."""
    links: int
    """How many there are, both directions of a cable as one."""
    first: int | None
    """The first round in which they were slow; null: they did not become slow together."""
    last: int | None
    """The last one; null: they did not stop together."""
    is_since: bool
    """Whether they were slow to the last round, so that their end shows nothing."""
    is_until: bool
    """Whether they were slow from the first round on, so that their beginning shows nothing."""
    rounds: int
    """How many rounds were measured."""
    began: str | None
    """When `first` began, UTC; null where that is not known."""
    ended: str | None
    """When `last` ended, UTC; null where that is not known."""
    shared: SharedKind | None
    """What all of them end at: a `leaf`, another `switch`, or switches of one `chassis`; null: nothing."""
    node: str | None
    """Its name; of a chassis one of its switches."""
    chance: float
    """In how many such measurements, as a share, independent spells would coincide so."""


class TablesFitBetter(Fact, frozen=True):
    """Values that tables other than those assumed let expect so much better that no suspect was sought."""

    flows: int
    """Flows for which candidates expect different rates."""
    as_expected: float | None
    """The share of these that is within 15 % of what the best tables expect; null for an unknown order of LIDs."""
    assumed: float
    """The same of those assumed."""
    behind: float
    """By how many standard deviations the best are likelier."""


class NothingSlow(Fact, frozen=True):
    """No link, adapter or switch is slow, as far as the flows show."""


class SlowUnknown(Fact, frozen=True):
    """Flows show too little of most links to say that none is slow."""


class UnfitToBlame(Fact, frozen=True):
    """A measurement by which no suspect can be named."""

    reason: Annotated[str, one_of("other_tables", "other_traffic")]
    """What makes flows slow instead."""


SuspectsVerdict: TypeAlias = NothingSlow | SlowUnknown | UnfitToBlame
"""The verdict where no suspect is named."""


class TablesConsistent(Fact, frozen=True):
    """Tables that the values are consistent with."""

    tables: list[str]
    """Their names."""


class NoTablesFit(Fact, frozen=True):
    """No engine makes tables that the values are consistent with."""

    compared: bool
    """Whether all were compared already, so that a comparison can be looked at; else those that run have to be given."""


class HostsBusy(Fact, frozen=True):
    """Hosts whose ports counted far more in a round than the median host's."""

    busy: int
    """How many there are, each in a round."""
    counted: int
    """Hosts, each in a round, whose ports were counted."""
    side: Annotated[str, one_of("sent", "received")]
    """What the busiest counted."""
    least: float
    """So many times the median count as far more."""
    host: str
    """The busiest."""
    times: float
    """How many times the median it counted."""
    round: int
    """In which round."""


class LinksOverfull(Fact, frozen=True):
    """Links on which measured flows sum up to over 115 % of the rate, under the tables that were assumed."""

    links: int
    """How many there are, each in a round."""
    shared: int
    """Links, each in a round, that several flows share."""
    egress: str
    """The one with the greatest sum, by the port from which it leaves."""
    share: float
    """Its sum over its rate."""
    flows: int
    """Its flows."""
    round: int
    """The round."""


class FlowsUnexplained(Fact, frozen=True):
    """Slow flows, and those among them that nothing that could be named explains."""

    slow: int
    """How many are slow."""
    flows: int
    """Flows with a route."""
    unexplained: int
    """Slow ones that nothing explains."""


class SuspectsAtHalf(Fact, frozen=True):
    """Suspects at about half of their rate, as a flow of another job leaves it."""

    suspects: int
    """Suspects in all."""
    at_half: int
    """Those of them at about half."""


class SlowShare(Row, frozen=True):
    """A host, a leaf or a round with slow flows."""

    name: str
    """The host or leaf, or the number of the round."""
    flows: int
    """Its flows."""
    slow: int
    """Those that are slow."""


class SlowShares(Fact, frozen=True):
    """The greatest shares of slow flows."""

    by: Literal["host", "leaf", "round"]
    """What flows are counted by."""
    shares: list[SlowShare]
    """The greatest first."""


class OthersToDrain(Fact, frozen=True):
    """Other traffic that nothing but counters or drained hosts would rule out."""


class ManySwitchesLead(Fact, frozen=True):
    """More entries would have to lead elsewhere than a manager fails to write."""

    entries: int
    """How many."""
    switches: int
    """The switches whose entries they are."""


class SuspectsWithheld(Fact, frozen=True):
    """Suspects that are not named, as the measurement is unfit to blame any."""

    suspects: int
    """How many."""


WhyUnfit: TypeAlias = (
    TablesConsistent
    | NoTablesFit
    | TablesFitBetter
    | HostsBusy
    | LinksOverfull
    | FlowsUnexplained
    | SuspectsAtHalf
    | SlowShares
    | OthersToDrain
    | ManySwitchesLead
    | SuspectsWithheld
)
"""Why a measurement is unfit to blame anyone: evidence, where and when, and what to do."""


class SuspectsAtSwitch(Fact, frozen=True):
    """Suspects of one switch: a fault of its own may be behind them."""

    members: list[int]
    """Their indices in `found`, from 0."""
    switch: str
    """The switch that all of them end at."""
    cables: int
    """Cables of the switch that flows cross."""
    ratio: float
    """Median of what they reach, of what others get."""


class LossesVisible(Fact, frozen=True):
    """Losses, and the links on which each would have shown."""

    links: int
    """Directed links that flows cross."""
    visible: list[tuple[float, int]]
    """A loss, as a share, and on how many links it would have shown."""
    is_time: bool
    """Whether values are times, which a loss makes longer."""


class LossesDecidable(Fact, frozen=True):
    """Losses, and how many more rounds would find each nine times in ten."""

    more_rounds: list[tuple[float, int | None]]
    """A loss, as a share, and the rounds; 0: those that were measured do; null: no number does."""
    is_time: bool
    """Whether values are times, which a loss makes longer."""


SuspectsRemark: TypeAlias = SlowTogether | SuspectsAtSwitch | LossesVisible | LossesDecidable
"""What is said beside the suspects of a measurement."""
