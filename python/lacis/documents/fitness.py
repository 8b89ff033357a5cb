"""Whether a measurement is fit to blame anyone, of `lacis explain`: what its values and counters of ports say."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, UnsetType

from ..facts.traffic import OtherTraffic, Unsaid
from .base import Row, one_of

Doubt = Annotated[str, one_of("tables", "traffic", "either", "many")]


class OverfullLink(Row, frozen=True):
    """A link on which measured flows exceed its rate, under the tables that were assumed."""

    egress: str
    """The port from which it leaves."""
    ingress: str | None
    """The port at which it arrives."""
    round: int
    """The round."""
    flows: int
    """Flows on it in that round."""
    share: float
    """Their sum over its rate."""


class SlowRound(Row, frozen=True):
    """A round with slow flows."""

    round: int | None
    """Its number; null: flows that ran alone."""
    flows: int
    """Its flows."""
    slow: int
    """Those that are slow."""


class SlowPlace(Row, frozen=True):
    """A leaf or host with slow flows, from it or to it."""

    name: str
    """The leaf or host."""
    flows: int
    """Its flows."""
    slow: int
    """Those that are slow."""


class Fitness(Row, frozen=True):
    """Whether a measurement is fit to blame anyone."""

    doubt: Doubt | None
    """Why it is not, as far as the values show: `tables` (flows exceed what links carry), `traffic` (flows are slow that nothing found explains), `either`, `many` (more suspects or entries than faults usually are, or most flows that should be alike differ: other tables may explain it); null: it is."""
    shared: int
    """Links, each in a round, that several flows share."""
    beyond: int
    """Those on which measured flows sum up to over 115 % of the rate."""
    most: OverfullLink | None
    """The one with the greatest sum."""
    flows: int
    """Flows with a route."""
    slow: int
    """Those that fall short of the fastest kind of flows by 13 % and 4 standard deviations."""
    unexplained: int
    """Slow ones that nothing found explains."""
    many_unexplained: bool
    """Whether these are more than outliers would be."""
    wide: int
    """Flows that should be alike with others and differ by more than 15 %, standard deviation."""
    entries: int
    """Entries that were found to lead elsewhere."""
    switches: int
    """The switches whose entries they are."""
    many_switches: bool
    """Whether these are more switches than a manager fails at: then other tables run."""
    accused: int
    """Suspects that were found, those of one switch counted once."""
    at_half: int
    """Those of them at about half of their rate, as one flow of another job leaves."""
    hosts: int
    """Hosts that were measured."""
    rounds: list[SlowRound]
    """Up to 8 rounds with the greatest shares of slow flows."""
    leaves: list[SlowPlace]
    """Up to 8 leaves with the greatest shares."""
    slow_hosts: list[SlowPlace]
    """Up to 8 hosts with the greatest shares."""


class BusyHost(Row, frozen=True):
    """A host whose ports counted far more around a round than the median host's."""

    host: str
    """The host."""
    round: int
    """The round."""
    side: Annotated[str, one_of("sent", "received")]
    """What it counted."""
    times: float
    """How many times the median."""


class CountedTraffic(Row, frozen=True):
    """What port counters show that lacis-mpi recorded around the rounds."""

    counted: int
    """Hosts, each in a round, whose ports were counted."""
    busy: int
    """Those that sent or received over 1.25 times the median of the round: another job's."""
    hosts: list[BusyHost]
    """Up to 8 of them, the greatest first."""


class OthersOnLink(Row, frozen=True):
    """A link that carried what the measurement did not send, and when."""

    egress: str
    """The port from which it leaves."""
    ingress: str
    """The port at which it arrives."""
    share: float
    """The share of its rate that this took, at least, from `began` to `ended`."""
    bytes: int
    """How many bytes it was, at least."""
    began: str
    """The sweep of counters before, UTC: of all spans of time that show it the one with the greatest share."""
    ended: str
    """The sweep after."""
    rounds: list[int]
    """Rounds that were measured in this time, at least in part."""
    jobs: list[str] | UnsetType = UNSET
    """With `--jobs`: jobs whose hosts' traffic may cross it and that ran at the time; absent without."""


class OthersCounted(Row, frozen=True):
    """What counters of ports say of other traffic while values were measured."""

    verdict: Annotated[str, one_of("seen", "none", "cannot_tell")]
    """`seen`: links carried what the measurement did not send; `none`: none did; `cannot_tell`: see `because`."""
    fact: OtherTraffic
    """The same with figures."""
    links: list[OthersOnLink]
    """Links that carried something else, the greatest share first."""
    because: list[Unsaid]
    """Why it cannot be said that there was none."""
