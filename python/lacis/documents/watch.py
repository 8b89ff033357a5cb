"""The lines of `lacis watch`: a condition of the fabric that opened or closed."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from ..facts.watch import Condition
from .base import Document, Positive, Severity, one_of

Time = Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")]
"""UTC."""


class WatchDocument(Document, frozen=True, tag="lacis.watch/1"):
    """`lacis watch FABRIC --json`: a line for each condition that opened, and one when it closed."""

    event: Annotated[str, one_of("opened", "closed")]
    """What happened."""
    number: Positive
    """Of the condition, in the order in which they opened: by it the line that closes it is found."""
    time: Time
    """When it happened, by the source's clock."""
    since: Time
    """When what the condition is about began."""
    severity: Severity
    """How grave it is."""
    words: str
    """The condition in words."""
    condition: Condition
    """The condition: as it was when it opened, and when it closed as it was last."""
