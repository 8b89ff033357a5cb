"""The answer of counters: what each link carried beside the measurement, and whether anything did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...facts import traffic as of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from .sent import Sent


@dataclass(frozen=True)
class ByLink:
    """What the counters of each link say; arrays have an element for each link of `Sent.rows`.

    Attributes:
        seen: which carried something else, while the measurement ran.
        share: the greatest share of its rate that this took in a span, at least; 0 where none is seen.
        bytes: what else it carried in that span, at least.
        began: when the span began, nanoseconds since 1970.
        ended: when it ended.
        doubtful: which did unless clocks differ.
        clean: which carried nothing else, beyond `bound`.
        bound: the share of its rate that something else took at most, over the measurement; NaN where that is not known.
    """

    seen: NDArray[np.bool_]
    share: NDArray[np.float64]
    bytes: NDArray[np.float64]
    began: NDArray[np.int64]
    ended: NDArray[np.int64]
    doubtful: NDArray[np.bool_]
    clean: NDArray[np.bool_]
    bound: NDArray[np.float64]


@dataclass(frozen=True)
class Part:
    """A measurement without long pauses, and what counters say of each link that it crosses."""

    sent: Sent
    links: ByLink


@dataclass(frozen=True)
class Others:
    """Whether counters show other traffic.

    Attributes:
        fact: the verdict.
        parts: those of the measurement of which counters say something.
        unsaid: why it cannot be said that there was none; also where some is seen.
    """

    fact: of.OtherTraffic
    parts: Sequence[Part]
    unsaid: Sequence[of.Unsaid]

    @property
    def word(self) -> of.TrafficWord:
        """The answer."""
        match self.fact:
            case of.OthersSent():
                return "seen"
            case of.NothingElseSent():
                return "none"
            case _:
                return "cannot_tell"


def cannot_say(*unsaid: of.Unsaid) -> Others:
    """That nothing can be said, for these reasons."""
    return Others(of.CannotSay(len(unsaid)), (), unsaid)


def together(parts: Sequence[Others]) -> Others:
    """What counters say of a measurement in several parts: other traffic in one of them is other traffic."""
    if len(parts) == 1:
        return parts[0]
    unsaid: list[of.Unsaid] = []
    for reason in (reason for part in parts for reason in part.unsaid):
        if reason not in unsaid:
            unsaid.append(reason)
    seen = [part.fact for part in parts if isinstance(part.fact, of.OthersSent)]
    none = [part.fact for part in parts if isinstance(part.fact, of.NothingElseSent)]
    fact: of.OtherTraffic
    if seen:
        fact = max(seen, key=lambda fact: fact.share)
    elif len(none) < len(parts):
        fact = of.CannotSay(len(unsaid))
    else:
        fact = of.NothingElseSent(max(fact.links for fact in none), max(fact.share for fact in none))
    return Others(fact, [one for part in parts for one in part.parts], unsaid)
