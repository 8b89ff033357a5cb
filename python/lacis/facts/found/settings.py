"""Facts about settings of an `opafm.xml`, as the engine finds and words them."""

from __future__ import annotations

from typing import Literal, TypeAlias

from ..fact import FoundFact, Severity
from ..row import Positive, Row

NamedThing: TypeAlias = Literal[
    "device_group", "application", "idle_application", "qos_group", "virtual_fabric"
]
"""What a name in the configuration is of; an idle application is one of a virtual fabric that is off."""


Service: TypeAlias = Literal["sa", "pm", "pa"]
"""The manager's own services: subnet administration, performance manager, and queries of the latter."""


class TagUnknown(FoundFact, frozen=True):
    """A tag that the manager does not know."""

    tag: str
    """The tag."""
    near: list[str]
    """Tags that may be meant."""


class TagMisplaced(FoundFact, frozen=True):
    """A tag that the manager knows in other sections alone."""

    tag: str
    """The tag."""
    sections: list[str]
    """The sections that have it."""


class TagNewer(FoundFact, frozen=True):
    """A tag that only newer managers know."""

    tag: str
    """The tag."""


class TagRepeated(FoundFact, frozen=True):
    """A tag that stands there twice."""

    tag: str
    """The tag."""


class WordUnknown(FoundFact, frozen=True):
    """None of the known words."""

    tag: str
    """The tag."""
    value: str
    """The value."""
    known: list[str]
    """The words that are known."""
    near: str | None
    """The one that may be meant."""


class WordRefused(FoundFact, frozen=True):
    """None of the words, or not the form, that `config_check` takes."""

    tag: str
    """The tag."""
    value: str
    """The value."""
    known: list[str]
    """The words, or how the form is written."""
    near: str | None
    """The word that may be meant."""


class TextInSection(FoundFact, frozen=True):
    """Text where tags belong."""

    tag: str
    """The tag."""
    value: str
    """The text."""


class NumberEmpty(FoundFact, frozen=True):
    """Nothing where a number belongs."""

    tag: str
    """The tag."""


class NumberUnreadable(FoundFact, frozen=True):
    """Something else where a number belongs."""

    tag: str
    """The tag."""
    value: str
    """The value."""


class TimeUnreadable(FoundFact, frozen=True):
    """Something else where a time belongs."""

    tag: str
    """The tag."""
    value: str
    """The value."""


class Negative(FoundFact, frozen=True):
    """Less than nothing."""

    tag: str
    """The tag."""
    value: str
    """The value."""


class NameUndefined(FoundFact, frozen=True):
    """A name of what is not defined, or only further below."""

    tag: str
    """The tag."""
    name: str
    """The name."""
    of: NamedThing
    """What it is the name of."""
    is_later: bool
    """Whether it is defined below."""
    near: list[str]
    """Names that may be meant."""


class _Number(FoundFact, frozen=True):
    tag: str
    """The tag."""
    value: int
    """The value."""
    low: int
    """The least that it may hold."""
    high: int
    """The most."""


class NumberRefused(_Number, frozen=True):
    """A number that `config_check` refuses."""


class NumberOutOfRange(_Number, frozen=True):
    """A number that `config_check` accepts, though it is out of range."""


class NumberRounded(FoundFact, frozen=True):
    """A number that the manager takes for another: beyond a limit for the limit, else for the next multiple."""

    tag: str
    """The tag."""
    value: str
    """The value."""
    taken: int
    """What the manager takes."""


class NumberAbove(FoundFact, frozen=True):
    """A number above that of another tag, which must not be less."""

    tag: str
    """The tag."""
    value: int
    """The value."""
    other: str
    """The other tag."""
    most: int
    """Its value."""


class NameMissing(FoundFact, frozen=True):
    """A block without its name."""

    tag: str
    """The block."""


class NameRepeated(FoundFact, frozen=True):
    """The name of a block that another one of its kind has."""

    tag: str
    """The block."""
    name: str
    """The name."""


class NameReserved(FoundFact, frozen=True):
    """The name of a block that the manager has for one of its own."""

    tag: str
    """The block."""
    name: str
    """The name."""


class TagNeeded(FoundFact, frozen=True):
    """What calls for one of other tags, and has none."""

    tag: str
    """What calls for them."""
    needs: list[str]
    """Tags, of which one is due."""


class TagsExclude(FoundFact, frozen=True):
    """Tags that exclude each other."""

    tag: str
    """The tag."""
    other: str
    """The other tag."""


class TooMany(FoundFact, frozen=True):
    """More than the manager has room for."""

    tag: str
    """The tag."""
    most: int
    """How many there may be."""


class IgnoredBeyond(FoundFact, frozen=True):
    """What the manager ignores beyond a number of them."""

    tag: str
    """The tag."""
    most: int
    """How many it heeds."""


class TrapUnknown(FoundFact, frozen=True):
    """The number of a trap that there is not."""

    value: int
    """The number."""


class PortRepeated(FoundFact, frozen=True):
    """A port in several pairs of dimensions."""

    port: int
    """Its number."""


class LevelTaken(FoundFact, frozen=True):
    """A service level that another block has."""

    tag: str
    """The tag."""
    level: int
    """The level."""
    of: str
    """The tag of the other block that has it."""


class SharesExceeded(FoundFact, frozen=True):
    """Shares of bandwidth that add up to more than all."""

    total: int
    """What they add up to [%]."""


class SharesLeaveTooLittle(FoundFact, frozen=True):
    """Shares of bandwidth that leave less than what has none needs."""

    left: int
    """What they leave [%]."""
    needed: int
    """What is needed [%]."""


class SharesLeaveNone(FoundFact, frozen=True):
    """Shares of bandwidth of all virtual fabrics, so that none is left for what has no quality of service."""


class ServiceMissing(FoundFact, frozen=True):
    """No virtual fabric that is on has one of the manager's own services."""

    service: Service
    """The service."""


class ServiceRepeated(FoundFact, frozen=True):
    """A second virtual fabric has a service that only one may have."""

    service: Service
    """The service."""
    name: str
    """The name of the virtual fabric."""


class ManagementKeyMissing(FoundFact, frozen=True):
    """A virtual fabric with the manager's own services, without the key of management."""

    name: str
    """Its name."""


class ManagementKeyTaken(FoundFact, frozen=True):
    """A virtual fabric with the key of management, without the manager's own services."""

    name: str
    """Its name."""


class MembersMissing(FoundFact, frozen=True):
    """A virtual fabric with the manager's own services, without the members that they need."""

    name: str
    """Its name."""
    needs: list[str]
    """Selections, of which one of its members needs one."""
    also_limited: bool
    """Whether a limited member will do."""


class CommonMissing(FoundFact, frozen=True):
    """No `<Common>`."""


class SectionMissing(FoundFact, frozen=True):
    """A required section of `<Common>` or of an `<Fm>` is not there, or there is no `<Fm>`."""


class AlgorithmMissing(FoundFact, frozen=True):
    """Adaptive routing without an algorithm."""


class AlgorithmUnknown(FoundFact, frozen=True):
    """An algorithm of adaptive routing that there is not."""

    value: int
    """The value."""


class ThresholdOutOfRange(FoundFact, frozen=True):
    """A threshold that there is not."""

    value: int
    """The value."""
    enabled: bool
    """Whether adaptive routing is on."""


class ThresholdIdle(FoundFact, frozen=True):
    """A threshold that has no effect, as only lost links move routes."""


class CoreSwitchesMissing(FoundFact, frozen=True):
    """Routing for fat trees that the manager cannot begin: hosts on several tiers, and no core switches named."""


SettingFact: TypeAlias = (
    TagUnknown
    | TagMisplaced
    | TagNewer
    | TagRepeated
    | WordUnknown
    | WordRefused
    | TextInSection
    | NumberEmpty
    | NumberUnreadable
    | TimeUnreadable
    | Negative
    | NameUndefined
    | NumberRefused
    | NumberOutOfRange
    | NumberRounded
    | NumberAbove
    | NameMissing
    | NameRepeated
    | NameReserved
    | TagNeeded
    | TagsExclude
    | TooMany
    | IgnoredBeyond
    | TrapUnknown
    | PortRepeated
    | LevelTaken
    | SharesExceeded
    | SharesLeaveTooLittle
    | SharesLeaveNone
    | ServiceMissing
    | ServiceRepeated
    | ManagementKeyMissing
    | ManagementKeyTaken
    | MembersMissing
    | CommonMissing
    | SectionMissing
    | AlgorithmMissing
    | AlgorithmUnknown
    | ThresholdOutOfRange
    | ThresholdIdle
    | CoreSwitchesMissing
)


class SettingFinding(Row, frozen=True):
    """What is wrong with a setting."""

    severity: Severity
    """`error`: the manager's `config_check` refuses it, or passes it and the manager stops or does the opposite; `warning`: it passes
    silently; `notice`: it has no effect."""
    line: Positive | None
    """Its line; null where a setting is missing."""
    path: str
    """The element, as `Common/Sm/Lmc`."""
    text: str
    """What is the case."""
    facts: SettingFact
    """What the words are made of: its `kind` says which keys it has."""
