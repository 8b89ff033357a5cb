"""Traffic that is given as arrays, or that a function makes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import ArrayLike


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """The sources and the destinations of the flows of one phase, which share the network at the same time.

    Attributes:
        source: the hosts that send, shape `(pairs,)`: names, or numbers of hosts from 0 in the order of
            `participants`, of any integer type. With several ranks a host they are numbers of ranks.
        destination: the hosts that receive, likewise.
        bytes: payload of each message, whole numbers above 0, shape `(pairs,)`; the size that is asked for
            otherwise unless given.
    """

    source: ArrayLike
    destination: ArrayLike
    bytes: ArrayLike | None = None


if TYPE_CHECKING:
    Phase: TypeAlias = Pairs | ArrayLike
    """Pairs, an integer array of shape `(pairs, 2)` or, with bytes, `(pairs, 3)`, or names of shape `(pairs, 2)`."""

    Traffic: TypeAlias = str | Phase | Callable[[int], Phase | Iterator[Phase]]
    """What is sent: the text of a pattern or a program, one phase, or a function that makes one or several."""
