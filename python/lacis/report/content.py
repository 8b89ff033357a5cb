"""The content of a report, which the page, the terminal and `lacis.report/1` show."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..facts.gains import LoopKept
from ..facts.wording import clauses
from .origin import edits, name

if TYPE_CHECKING:
    from .. import health
    from .._core import Routes
    from ..advice.outcome import Outcome
    from ..documents.report import AdaptiveComparison, CutOffPart, EngineFailures, HotLink, LoadedLink
    from ..explain import Explanation
    from ..explain.structure import Structure
    from ..facts.bounds import ShiftsBounded
    from ..facts.found.cabling import CableWork
    from ..facts.gains import NumberChange
    from ..facts.steps import Step
    from ..facts.verdicts import Verdict
    from ..map.shapes import Topology
    from .heat import Heat

MOST_DRAWN = 6
"""Engines in one picture."""


@dataclass(frozen=True)
class Change:
    """Something to do, and what the models say it brings."""

    step: Step
    """What to do."""
    changes: list[NumberChange] = field(default_factory=list)
    """The numbers that change; none where no model says."""
    command: str = ""
    files: dict[str, list[int]] = field(default_factory=dict)

    @property
    def gain(self) -> str:
        """What it brings, in words; empty where no model says."""
        return clauses(self.changes)

    @property
    def brief(self) -> str:
        """The first number that changes, and the fault that stays, in words."""
        return clauses([*self.changes[:1], *(it for it in self.changes[1:] if isinstance(it, LoopKept))])


@dataclass
class Report:
    """What the page and the terminal show."""

    source: str
    version: str
    digest: str
    health: health.Health
    topology: Topology
    engines: list[Outcome]
    best: Outcome
    own: Outcome
    """The best that the fabric's manager has itself, without engines of Lacis."""
    also_tried: str
    """The variants that have no row, and what they bring, in words; empty where all have one."""
    left_out: str
    patterns: int
    shift_words: str
    heat: Heat | None
    hottest: list[LoadedLink]
    hottest_words: str
    counted: str
    """Whose bisections and shifts are predicted, in words."""
    pairs_left_out: str
    """How many pairs of random bisections have no figure, in words; empty where all have one."""
    forced: str
    """Why the fullest link must carry its forced load, in words."""
    changes: list[Change]
    verdicts: list[Verdict]
    shifts: ShiftsBounded | None = None
    """What shifts leaf by leaf, rail to rail, can have at most, whatever the tables."""
    cabling: list[CableWork] = field(default_factory=list)
    adaptive: AdaptiveComparison | None = None
    failures: list[EngineFailures] = field(default_factory=list)
    cut_off: list[CutOffPart] = field(default_factory=list)
    """What cuts host adapters off when it fails alone, those with most first; exact."""
    hot: list[HotLink] = field(default_factory=list)
    origin: str = ""
    """Where the fabric comes from: `read from the file`, `generated`."""
    taken: str = ""
    """When the file was taken, as it says; empty where it does not."""
    baseline: str = ""
    """What runs now, and how that is known."""
    measured: Structure | None = None
    """The structure of a measurement, where one was given."""
    explained: tuple[Routes, Explanation] | None = None
    """The tables that run, and the measurement explained by them."""

    @property
    def has_own_orders(self) -> bool:
        """Whether shifts of some engine get more in another order of hosts than the common one."""
        return any(engine.other for engine in self.engines)

    @property
    def name(self) -> str:
        """What the fabric is called."""
        return name(self.source)

    @property
    def edits(self) -> str:
        """The options that change it."""
        return edits(self.source)

    @property
    def drawn(self) -> list[Outcome]:
        """The engines that pictures show: OpenSM's default and those with most bandwidth."""
        default, *others = self.engines
        best = sorted(others, key=lambda e: (e.verify.hosts.unrouted, -e.mean))[: MOST_DRAWN - 1]
        return [default, *(e for e in others if e in best)]
