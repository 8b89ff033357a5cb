"""The document of `lacis why`: what a job's links did in a window, and whether the fabric is to blame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from ..facts.guilt import Guilt, GuiltyPart, Missing
from .base import Amount, Count, FabricReading, Fraction, Positive, Row, one_of
from .common import OpensmConf

LinkEnds = tuple[str, str]
"""The ports that a link leaves and enters."""


class JobThere(Row, frozen=True):
    """A job that was running in the window."""

    name: str
    """Its number, or its hosts as typed."""
    hosts: Count
    """Its hosts that the fabric has."""
    links: Count
    """Directed links that its packets may cross."""


class JobsShare(Row, frozen=True):
    """What jobs have of what a link carried."""

    jobs: Annotated[list[str], Meta(min_length=1)]
    """One, or several that these readings cannot separate."""
    share: Amount
    """Of what the link carried."""
    within: Amount | None
    """The share is so exact, on either side, by three standard deviations; null where it is not known at all. Above 0.1 the share is no number to go by."""


class WhyBusyLink(Row, frozen=True):
    """A link that carried all that it can."""

    egress: str
    """The port that it leaves."""
    ingress: str
    """The port that it enters."""
    of_job: bool
    """Whether packets of the job cross it; else those that wait for it hold the job up."""
    utilisation: Amount
    """The greatest share of its rate in an interval between two readings."""
    busy: Fraction
    """The share of the window in which it was busy."""
    waiting: Amount | None
    """The greatest share of the time in which data waited; null where that is not known."""
    carried: Amount | None
    """What it carried while links were busy [bytes/s]; null where that is not known."""
    choice: Positive
    """Links among which switches may choose instead, itself included."""
    choice_busy: Count
    """How many of those are busy."""
    jobs: list[str]
    """Jobs whose packets may cross it."""
    shares: list[JobsShare]
    """Greatest first; empty where nothing was measured that explains it."""
    rest: Fraction | None
    """What no job of these explains; null without shares."""


class WhyLink(Row, frozen=True):
    """What a link of the job did."""

    egress: str
    """The port that it leaves."""
    ingress: str
    """The port that it enters."""
    flows: Amount
    """Ordered pairs of the job's ports that cross it; parts of pairs where switches choose."""
    choice: Count
    """The number of the set of links among which a switch may choose; 0 where there is no choice."""
    state: Annotated[str, one_of("unknown", "down", "init", "armed", "active")]
    """The worst state of the port that it leaves."""
    rate: Amount | None
    """What it can carry [bytes/s]; null where the source does not say."""
    carried: Amount | None
    """What it carried [bytes/s]; null where that is not known."""
    utilisation: Amount | None
    """The greatest share of its rate in an interval between two readings; null where that is not known."""
    waiting: Amount | None
    """The greatest share of the time in which data waited, by an assumed tick; null where that is not known."""
    errors: dict[str, int]
    """Counters of errors of the port that it leaves that grew, by how much at least."""
    lost: dict[str, str]
    """Counters whose growth is not known, and why."""
    jobs: list[str]
    """Other jobs whose packets may cross it."""


class WhyWindow(Row, frozen=True):
    """When."""

    begin: str
    """From: ISO 8601, UTC."""
    end: str
    """To."""
    seconds: Amount
    """How long."""


class WhyThresholds(Row, frozen=True):
    """What counts as busy."""

    utilisation: Amount
    """A link that carries this share of its rate is busy."""
    waiting: Amount
    """A link on which data waits this share of the time is held up."""
    tick: Amount
    """Bytes that could have been sent in a tick of XmitWait: assumed."""


class LogFailure(Row, frozen=True):
    """A known failure in the job's log."""

    code: str
    """What it is."""
    lines: Positive
    """How many lines have it."""
    cause: str
    """In words."""
    fix: str
    """What to do."""


class WhyDocument(FabricReading, frozen=True, tag="lacis.why/1", kw_only=True):
    """`lacis why FABRIC JOB --json`: whether the fabric slowed a job down. Counters are measured, loads of jobs modelled, ticks assumed."""

    verdict: Annotated[str, one_of("guilty", "busy", "innocent", "cannot_tell")]
    """The answer."""
    text: str
    """The answer in words."""
    fact: Guilt
    """The answer as a fact."""
    job: JobThere
    """The job."""
    hosts: Annotated[Sequence[str], Meta(min_length=1)]
    """Its hosts."""
    window: WhyWindow
    """When it was looked at."""
    adaptive: bool
    """Whether switches choose among all shortest paths."""
    engine_used: str
    """The engine that made the tables; `file` where they were read."""
    file: str | None
    """Where the tables were read from."""
    thresholds: WhyThresholds
    """What counts as busy."""
    guilty: list[GuiltyPart]
    """What is broken, the worst first."""
    busy: list[WhyBusyLink]
    """Busy links that the job needs, the busiest first."""
    missing: list[Missing]
    """Why it could not be said that the fabric is innocent."""
    missing_words: list[str]
    """The same in words."""
    others: list[JobThere]
    """Other jobs."""
    log: list[LogFailure]
    """Known failures in the job's log, the worst first; empty without a log."""
    links: list[WhyLink]
    """Every link that the job's packets may cross."""
    opensm_conf: OpensmConf | UnsetType = UNSET
    """With `--opensm-conf`: what of it does not count."""
