"""The document of `lacis explain`: measured flows explained by tables."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from ..facts.suspects import SlowTogether, TablesFitBetter
from ..facts.traffic import OtherTraffic, Unsaid
from .base import FabricReading, Fraction, Modelled, Row, one_of
from .common import AssumedRates, OpensmConf, Refusal
from .series import Series, ValuesFrom
from .structure import MeasuredStructure

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


class VisibleLoss(Row, frozen=True):
    """A loss, and the links on which it would have been found."""

    loss: float
    """The share of its rate that a link loses."""
    links: int
    """On how many links it would have been found."""
    more_rounds: int | None
    """So many more such rounds would find it nine times in ten, on the mean of the links; 0: these do; null: no number does, as healthy ones differ by too much, or flows are of no round."""


Verdict = Annotated[str, one_of("found", "nothing", "cannot_tell", "other_tables", "other_traffic")]
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


class HealthySpread(Row, frozen=True):
    """How much healthy ones differ, as a fraction; estimated."""

    sending: float
    """Hosts that send."""
    receiving: float
    """Hosts that receive."""
    link: float
    """Links between switches."""


class UnexplainedPair(Row, frozen=True):
    """A slow flow that nothing found explains."""

    source: str
    """The sending host."""
    destination: str
    """The receiving host."""
    loss: float
    """What it loses."""


class UnexplainedFlows(Row, frozen=True):
    """Slow flows that nothing found explains."""

    flows: int
    """How many."""
    pairs: list[UnexplainedPair]
    """Up to 1,000 of them."""


class CulpritsRow(Row, frozen=True):
    """What makes flows slow, and what could have been found."""

    found: list[FoundSuspect]
    """Suspects all of whose flows are slow, likeliest first."""
    partly: list[Partly]
    """Suspects some of whose flows or values are slow."""
    links: int
    """Directed links that flows cross."""
    visible: list[VisibleLoss]
    """On how many links each loss would have been found; empty where no suspect was sought."""
    differ: HealthySpread
    """How much healthy ones differ; all 0 where no suspect was sought (`better`)."""
    unexplained: UnexplainedFlows
    """Slow flows that nothing found explains."""
    verdict: Verdict
    """`found`: something is slow; `nothing`: nothing is, as far as these flows show; `cannot_tell`: a link at half its rate would not have shown on most links; unfit to blame anyone: `other_tables` run, `other_traffic` was there."""
    running: list[str]
    """With `other_tables`: the tables that the values are consistent with, as `--which-tables` names them; empty where none fits."""
    withheld: int
    """Suspects that are not named, as the measurement is unfit to blame anyone, or as their links carried other traffic."""
    fitness: Fitness | None
    """What says so; null for times, and where no suspect was sought."""
    counted: CountedTraffic | None
    """What recorded port counters show; null where there are none."""
    others_counted: OthersCounted | None
    """With `--counters` of a store or a recording: whether they show other traffic; null without."""
    groups: list[SuspectGroup]
    """Suspects of one switch."""
    rounds: int | None
    """Rounds that would distinguish suspects that explain the same; 0: no rounds between these hosts would; null: there is nothing to distinguish, or the fabric has more than 4,096 hosts."""
    together: list[SlowTogether]
    """Suspects of `partly` that were slow in the same rounds, oftener than chance would have it."""
    better: TablesFitBetter | None
    """With `other_tables`: that other tables fit so much better that no suspect was sought; null where some were sought."""


class FlowClass(Row, frozen=True):
    """Flows that are compared with each other."""

    links: int
    """Links on their paths; there and back for times."""
    contention: int
    """Flows on the limiting link, the flow itself included."""
    flows: int
    """How many."""
    level: float
    """Measured ÷ expected; of times the median [s]."""
    spread: float
    """Standard deviation of ln."""


class Candidate(Row, frozen=True):
    """Tables that a fabric may run, and how the measurement fits them."""

    name: str
    """Engine, file, or `adaptive`."""
    how: Annotated[str, one_of("tables", "orders", "spread")]
    """`tables`: with the fabric's order of LIDs; `orders`: with an unknown order; `spread`: switches choose."""
    group: int
    """Candidates of one group are not distinguished; 0 fits best."""
    likelihood: float
    """Mean ln of a flow's likelihood."""
    z: float
    """By how many standard deviations the best is better."""
    level: float
    """Measured ÷ expected."""
    spread: float
    """Half of the values are within it."""
    as_expected: float | None
    """The fraction of the differing flows within 15 %; null for an unknown order."""
    unrouted: int
    """Measured flows that have no route under it."""


class ComparedTables(Row, frozen=True, rename={"distinguishes": "told"}):
    """Which tables a measurement is consistent with."""

    provenance: Modelled
    """Of the rates that candidates predict."""
    distinguishes: bool
    """Whether any candidates are distinguished."""
    fits: bool
    """Whether a consistent candidate predicts at least half of the `differing` flows."""
    flows: int
    """Flows that were compared."""
    differing: int
    """Flows for which candidates predict different rates."""
    candidates: list[Candidate]
    """The likeliest first."""
    refused: list[Refusal]
    """Engines that do not run on the fabric, or were left out."""


class ExplainDocument(FabricReading, frozen=True, tag="lacis.explain/1", kw_only=True):
    """`lacis explain FABRIC --measured RUN --json`: measured values explained by tables.

    Paths and contention are modelled.
    """

    provenance: ValuesFrom
    """Of the values: `measured`, `modelled` (runs of a model), `assumed`, or `mixed`."""
    engine_requested: str
    """As typed after `-R`."""
    engine_used: str
    """The engine that made the tables; `file` where they were read."""
    tables: str | None
    """The file of the tables; null: those of `engine_used`."""
    series: Series
    """The explained values."""
    others: list[Series]
    """Other ones in the run."""
    values: int
    """Values used."""
    flows: int
    """Their flows."""
    unrouted: int
    """Flows without a route."""
    left_out: dict[str, int]
    """Values left out, by reason."""
    assumed_rates: AssumedRates | None
    """Links of unknown rate, and the rate assumed."""
    levels: list[FlowClass]
    """Classes of flows."""
    found: list[FoundSuspect]
    """Suspects all of whose flows are slow, likeliest first."""
    partly: list[Partly]
    """Suspects some of whose flows or values are slow."""
    links: int
    """Directed links that flows cross."""
    visible: list[VisibleLoss]
    """On how many links each loss would have been found; empty where no suspect was sought."""
    differ: HealthySpread
    """How much healthy ones differ; all 0 where no suspect was sought (`better`)."""
    unexplained: UnexplainedFlows
    """Slow flows that nothing found explains."""
    verdict: Verdict
    """`found`: something is slow; `nothing`: nothing is, as far as these flows show; `cannot_tell`: a link at half its rate would not have shown on most links; unfit to blame anyone: `other_tables` run, `other_traffic` was there."""
    running: list[str]
    """With `other_tables`: the tables that the values are consistent with, as `--which-tables` names them; empty where none fits."""
    withheld: int
    """Suspects that are not named, as the measurement is unfit to blame anyone, or as their links carried other traffic."""
    fitness: Fitness | None
    """What says so; null for times, and where no suspect was sought."""
    counted: CountedTraffic | None
    """What recorded port counters show; null where there are none."""
    others_counted: OthersCounted | None
    """With `--counters` of a store or a recording: whether they show other traffic; null without."""
    groups: list[SuspectGroup]
    """Suspects of one switch."""
    rounds: int | None
    """Rounds that would distinguish suspects that explain the same; 0: no rounds between these hosts would; null: there is nothing to distinguish, or the fabric has more than 4,096 hosts."""
    together: list[SlowTogether]
    """Suspects of `partly` that were slow in the same rounds, oftener than chance would have it."""
    better: TablesFitBetter | None
    """With `other_tables`: that other tables fit so much better that no suspect was sought; null where some were sought."""
    structure: MeasuredStructure | None
    """As without FABRIC; null where fewer than half of the pairs were measured."""
    which_tables: ComparedTables | None
    """With `--which-tables`: the tables that the measurement is consistent with."""
    opensm_conf: OpensmConf | UnsetType = UNSET
    """With `--opensm-conf`: what of it does not count."""
