"""Documents of `lacis advise` and `lacis tune`: what to run instead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from ..facts.advice import (
    Alternative,
    FailureCounts,
    LanesNeeded,
    Mender,
    Need,
    RanksOrdered,
    Running,
    WayBack,
)
from ..facts.bounds import ShiftsBounded
from ..facts.gains import InputsObjection, NumberChange, Objection, Reason
from .base import Amount, Count, FabricReading, Fraction, Modelled, Positive, Row, one_of
from .common import OpensmConf
from .opensm import ConfSetting


class AdviceBaseline(Row, frozen=True):
    """What runs now."""

    label: str
    """Its name."""
    words: str
    """What runs now, and how that is known."""
    provenance: Annotated[str, one_of("measured", "modelled", "assumed")]
    """`measured`: read with `--lfts`; `modelled` from `--opensm-conf`; `assumed`."""
    adaptive: str | None
    """NVIDIA's engine over these tables."""
    fact: Running
    """What `words` says."""


class BundleFigure(Row, frozen=True):
    """A number now and with the bundle."""

    name: str
    """What it is."""
    unit: str
    """Its unit."""
    now: Amount | None
    """What runs now [unit]; null where there is none."""
    then: Amount | None
    """With the bundle [unit]; null where there is none."""
    provenance: Modelled
    """How it is known."""


class BundleFailures(FailureCounts, frozen=True):
    """What single failures of cables between switches and of switches do."""

    repaired_by: str
    """What mends the tables, in words."""
    mender: Mender
    """What mends them: OpenSM, the `plugin`, Omni-Path's manager, or `none`."""
    seed: Positive
    """Of the draw, where not all were tried."""


class BundleRow(Row, frozen=True):
    """An alternative, and what is needed to run it."""

    name: str
    """The name of its folder."""
    kind: Annotated[str, one_of("plugin", "opensm", "tables", "opafm")]
    """`plugin` (Lacis inside OpenSM), `opensm` (OpenSM's own engine), `tables` (from a file), `opafm` (an engine of Omni-Path's manager: `lines` are tags of opafm.xml)."""
    title: str
    """What it is."""
    purpose: str
    """What it is for."""
    engines: Annotated[list[str], Meta(min_length=1)]
    """The value of `routing_engine`."""
    lines: list[ConfSetting]
    """Lines for `opensm.conf`, except those that name files."""
    files: list[str]
    """Names of the files beside it."""
    applications: list[str]
    """What applications must do."""
    needs: list[str]
    """What the manager's node must have."""
    back: list[str]
    """How to go back."""
    figures: list[BundleFigure]
    """What it is worth."""
    failures: BundleFailures | None
    """Single failures, modelled."""
    folder: str | None
    """The path of its folder; null without `-o`."""
    why: str
    """Why it is better."""
    gain: str
    """What it gains, in words, modelled."""
    alternative: Alternative
    """What `title` and `purpose` say."""
    lanes: LanesNeeded | None
    """What `applications` says; null where they need do nothing."""
    ranks: RanksOrdered | None
    """The order of hosts that goes with its tables, modelled; null where shifts in the order `topology` get as much, within a hundredth."""
    host_file: str | None
    """The command that writes the hosts in this order."""
    requirements: list[Need]
    """What `needs` says, each in turn."""
    way_back: WayBack
    """What `back` says."""
    reasons: list[Reason]
    """What `why` says."""
    changes: list[NumberChange]
    """What `gain` says."""


class NotAdvised(Row, frozen=True):
    """An alternative with more bandwidth in bisections that is not advised."""

    label: str
    """Its name."""
    reason: str
    """Why not."""
    objection: Objection
    """What `reason` says."""


class AdviseDocument(FabricReading, frozen=True, tag="lacis.advise/1", kw_only=True):
    """`lacis advise FABRIC --json`: [bundles](../howto/act-on-advice.md) to run instead. The exit status is 1 where there is none."""

    fabric: str
    """FABRIC with the options that change it."""
    groups: str
    """The groups whose bisections and shifts count, as typed after `--hosts`."""
    baseline: AdviceBaseline
    """What runs now."""
    shifts_at_most: ShiftsBounded | UnsetType = UNSET
    """What the shifts of these groups, leaf by leaf, can have at most, whatever is run; left out where there are no two hosts, or adapters have several planes."""
    bundles: list[BundleRow]
    """The best first, tables from a file last."""
    not_advised: list[NotAdvised]
    """Alternatives with more bandwidth in bisections that are not advised."""
    opensm_conf: OpensmConf | UnsetType = UNSET
    """With `--opensm-conf`: what of it does not count."""


class EntriesOfList(Row, frozen=True):
    """A list of GUIDs, by its length."""

    entries: Count
    """How many it has."""


class ConfirmedMean(Row, frozen=True):
    """A mean of random bisections that the search has not seen."""

    mean: Fraction
    """The mean."""
    half: Amount
    """Half the width of its 95 % interval."""
    seeds: Positive
    """Seeds that the search has not used."""


class TunedFailures(Row, frozen=True):
    """What single failures do."""

    tried: Count
    """Failures that were tried."""
    of: Count
    """All of them."""
    lose: Count
    """Failures after which pairs that cables join have no route."""
    pairs: Count
    """The most ordered pairs that one of them loses."""
    loops: Count
    """Failures after which there is a credit loop."""
    undefined: Count
    """Failures after which OpenSM's tables are undefined."""
    fell_back: Count
    """Failures after which more engines refuse."""
    apart: Count
    """Failures after which no cables join end ports that are left: no tables help."""
    blinded: Count
    """Failures that cut the manager off, so that tables stay until another takes over; not counted under other keys."""
    example: str
    """The worst; empty where none loses or leaves anything."""


class TunedInputs(Row, frozen=True):
    """Inputs for OpenSM, and what they do; figures are modelled."""

    label: str
    """Its name."""
    engine: str
    """The value of `routing_engine`."""
    options: Mapping[str, bool | int | float | str | EntriesOfList]
    """Further options of the engine; lists by their length: `{"entries": 542}`."""
    accepted: bool
    """Whether it keeps every pair, before failures and after those that were tried."""
    objections: list[str]
    """Why it is not accepted, in words."""
    objected: list[InputsObjection]
    """What `objections` says, each in turn."""
    bisection: Fraction
    """Mean of random bisections, 1 being all that the host links carry."""
    bisection_worst: Fraction
    """The worst of them."""
    shift: Fraction
    """Mean of the shifts."""
    shift_worst: Fraction
    """The worst of them."""
    most_flows: Count
    """The most flows on a link in any shift."""
    patterns: Count
    """Random bisections behind these figures."""
    distances: Count
    """Shifts behind them."""
    confirmed: ConfirmedMean | None
    """Mean of random bisections with other seeds; null without time for it."""
    pairs_lost: Count
    """Ordered pairs of end nodes that cables join and tables do not."""
    credit_loops: Count
    """Of all end nodes."""
    undefined: bool
    """Whether OpenSM's ftree reads memory beyond its tables."""
    fullest_over_forced: Amount
    """The fullest link under all-to-all traffic of hosts, over what some link must carry whatever the tables."""
    failures: TunedFailures | None
    """Single failures; null where none was tried."""


class TuneDocument(FabricReading, frozen=True, tag="lacis.tune/1"):
    """`lacis tune FABRIC --json`: the best of OpenSM's own inputs that a search found."""

    provenance: Modelled
    """How figures are known."""
    fabric: str
    """FABRIC with the options that change it."""
    hosts: Annotated[int, Meta(ge=2)]
    """Hosts whose traffic counts."""
    seed: Count
    """Of the random changes."""
    looked_at: Count
    """Candidates tried."""
    refused: Count
    """Candidates that OpenSM's engine refuses."""
    seconds: Amount
    """How long it took."""
    stopped: bool
    """Whether Ctrl-C ended the search."""
    baseline: TunedInputs
    """minhop, OpenSM's default."""
    yardstick: TunedInputs | None
    """eventree; null where that refuses."""
    found: list[TunedInputs]
    """The best candidates, accepted ones first."""
    best: Count | None
    """The index in `found` of the first that is accepted."""
    conf: list[str]
    """The best candidate's lines for `opensm.conf`."""
    folder: str | None
    """The folder written."""
    written: list[str]
    """The names of its files."""
