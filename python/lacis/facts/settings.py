"""Facts about settings of an `opafm.xml`, as the engine finds and words them."""

from __future__ import annotations

from typing import TypeAlias

from .fact import FoundFact, Record, Severity


class TagUnknown(FoundFact, frozen=True):
    """A tag that the manager does not know."""

    tag: str
    near: list[str]
    """Tags that may be meant."""


class TagRepeated(FoundFact, frozen=True):
    """A tag that stands there twice."""

    tag: str


class WordUnknown(FoundFact, frozen=True):
    """None of the known words."""

    tag: str
    value: str
    known: list[str]
    near: str | None
    """The one that may be meant."""


class NumberEmpty(FoundFact, frozen=True):
    """Nothing where a number belongs."""

    tag: str


class NumberUnreadable(FoundFact, frozen=True):
    """Something else where a number belongs."""

    tag: str
    value: str


class _Number(FoundFact, frozen=True):
    tag: str
    value: int
    low: int
    high: int


class NumberRefused(_Number, frozen=True):
    """A number that `config_check` refuses."""


class NumberOutOfRange(_Number, frozen=True):
    """A number that `config_check` accepts, though it is out of range."""


class CommonMissing(FoundFact, frozen=True):
    """No `<Common>`."""


class SectionMissing(FoundFact, frozen=True):
    """A required section of `<Common>` is not there."""


class AlgorithmMissing(FoundFact, frozen=True):
    """Adaptive routing without an algorithm."""


class AlgorithmUnknown(FoundFact, frozen=True):
    """An algorithm of adaptive routing that there is not."""

    value: int


class ThresholdOutOfRange(FoundFact, frozen=True):
    """A threshold that there is not."""

    value: int
    enabled: bool
    """Whether adaptive routing is on."""


class ThresholdIdle(FoundFact, frozen=True):
    """A threshold that has no effect, as only lost links move routes."""


class TopologyMissing(FoundFact, frozen=True):
    """Routing for fat trees without a description of the tree."""


SettingFact: TypeAlias = (
    TagUnknown
    | TagRepeated
    | WordUnknown
    | NumberEmpty
    | NumberUnreadable
    | NumberRefused
    | NumberOutOfRange
    | CommonMissing
    | SectionMissing
    | AlgorithmMissing
    | AlgorithmUnknown
    | ThresholdOutOfRange
    | ThresholdIdle
    | TopologyMissing
)


class SettingFinding(Record, frozen=True):
    """What is wrong with a setting.

    Attributes:
        severity: `error`, `warning` or `notice`.
        line: 1-based; none where a setting is missing.
        path: the element, as `Common/Sm/Lmc`.
        text: what is the case.
        facts: what the words are made of.
    """

    severity: Severity
    line: int | None
    path: str
    text: str
    facts: SettingFact
