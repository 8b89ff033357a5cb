"""What suspects of a measurement have in common, and what says that the tables that were assumed do not run."""

from __future__ import annotations

from typing import Literal, TypeAlias

from .fact import Fact

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


SuspectsRemark: TypeAlias = SlowTogether | TablesFitBetter
"""What is said beside the suspects of a measurement, or in place of them."""
