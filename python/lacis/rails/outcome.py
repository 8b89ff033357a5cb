"""What libraries do with rails: what a process opens, and what two processes get."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..documents.stacks import ConnectionFailure

if TYPE_CHECKING:
    from ..facts.fact import Severity
    from .hosts import Adapter


@dataclass(frozen=True)
class Opened:
    """What a process opens: its rails, the first of which is the master, or why it opens none.

    Attributes:
        rails: adapters, by rank among the rails.
        failure: why it opens none.
        beside: why its messages take TCP, beside the adapters; empty where they do not.
    """

    rails: tuple[Adapter, ...] = ()
    failure: ConnectionFailure | None = None
    beside: str = ""


@dataclass(frozen=True)
class Outcome:
    """What two processes on two hosts get.

    Attributes:
        rails: the pairs of adapters that carry their messages.
        failure: why they do not connect.
        lost: why they silently use fewer rails than are set.
        beside: why their messages take TCP, beside the adapters; empty where they do not.
    """

    rails: tuple[tuple[Adapter, Adapter], ...] = ()
    failure: ConnectionFailure | None = None
    lost: str = ""
    beside: str = ""


@dataclass(frozen=True)
class Regime:
    """What happens to messages up to a size.

    Attributes:
        most: bytes, that size included; None for all larger ones.
        rails: that one message uses.
        how: in words.
        source: `documented`, or `assumed` where the library decides.
    """

    most: int | None
    rails: int
    how: str
    source: str = "documented"


@dataclass(frozen=True)
class Remark:
    """A remark on a variable.

    Attributes:
        severity: `error` (it does not do what it says), `warning` or `notice`.
        name: of the variable.
        line: where it is set; 0 where that is unknown.
        text: what is the case.
        advice: what to do.
    """

    severity: Severity
    name: str
    line: int
    text: str
    advice: str = ""
