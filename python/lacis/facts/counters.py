"""Remarks on a sweep of counters: what it found out about the fabric."""

from __future__ import annotations

from typing import TypeAlias

from .fact import Fact
from .row import Guid


class LidsMoved(Fact, frozen=True):
    """Nodes whose LID now belongs to another node: what was read by it is not theirs, and is left out."""

    nodes: tuple[Guid, ...]
    """By GUID."""


class SwitchesChanged(Fact, frozen=True):
    """Switches that say that one of their ports has changed since the manager looked at them."""

    switches: tuple[Guid, ...]
    """By GUID."""


class LidsUnchecked(Fact, frozen=True):
    """LIDs that are taken as the fabric has them: no node answers when it is asked for its GUID."""


class LinkStatesUnread(Fact, frozen=True):
    """States of links are not known: no node says them, neither by its LID nor by a path to it."""


CountersRemark: TypeAlias = LidsMoved | SwitchesChanged | LidsUnchecked | LinkStatesUnread
